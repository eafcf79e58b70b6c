// SPDX-License-Identifier: MPL-2.0

//go:build unix

package lockedfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// No change is lost if processes that live take each other's lock.
func TestNoChangeIsLostWhenLocksAreTaken(t *testing.T) {
	t.Parallel()
	changeOften(t, time.Millisecond)
}

// Others wait until TakeOver for a process that is stopped while it holds the lock. When it continues, its change is
// made again, on top of theirs, wherever it was stopped.
func TestStoppedWithTheLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		stopped, other := New(path), New(path)
		stopped.TakeOver, other.TakeOver = 2*time.Second, 2*time.Second
		calls, continues, done := 0, make(chan bool), make(chan error)
		go func() {
			done <- stopped.Change(t.Context(), func(text []byte, err error) ([]byte, error) {
				if calls++; calls == 1 {
					<-continues
				}
				return count(text, err)
			})
		}()
		synctest.Wait()
		start := time.Now()
		for range 3 {
			if err := other.Change(t.Context(), count); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < other.TakeOver || took > other.TakeOver+lockPoll {
			t.Errorf("three changes took %v, want %v", took, other.TakeOver)
		}
		continues <- true
		if err := <-done; err != nil || calls != 2 {
			t.Errorf("the change of the stopped process: %v, in %d attempts, want 2", err, calls)
		}
		want(t, path, "4")
	})
}

// If the lock is taken after write has looked, the temporary file is gone, and the rename fails.
func TestTakenDuringAWrite(t *testing.T) {
	t.Parallel()
	f := New(filepath.Join(t.TempDir(), "file"))
	f.TakeOver = time.Nanosecond
	mine, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !f.holds(mine) {
		t.Error("the lock is not held")
	}
	left := f.temporary()
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := f.takeOver()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil || f.holds(mine) || !f.holds(taken) {
		t.Errorf("the temporary file: %v, or the lock was not taken", err)
	}
	if err := f.write([]byte("late"), mine); !errors.Is(err, errTaken) {
		t.Errorf("a late write: %v", err)
	}
	if err := errors.Join(f.write([]byte("text"), taken), taken.Unlock(), mine.Unlock()); err != nil {
		t.Fatal(err)
	}
	want(t, f.Path(), "text")
}
