// SPDX-License-Identifier: MPL-2.0

package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// at returns the file of a path, as if another process had opened it.
func at(t *testing.T, path string) *Locked {
	t.Helper()
	f, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// to is a change to a text.
func to(text string) func([]byte, error) ([]byte, error) {
	return func([]byte, error) ([]byte, error) { return []byte(text), nil }
}

// count is a change that adds 1 to the number in the file.
func count(text []byte, _ error) ([]byte, error) {
	n, _ := strconv.Atoi(string(text))
	return []byte(strconv.Itoa(n + 1)), nil
}

// want fails the test unless the file contains the text, and nothing is left beside it and its lock.
func want(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("the file contains %q, error %v, want %q", got, err, text)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 2 {
		t.Errorf("left in the directory: %v, error %v, want the file and its lock", left, err)
	}
}

// No change is lost, however many processes change the file, each with several goroutines.
func TestNoChangeIsLost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	var all sync.WaitGroup
	for range 4 {
		f := at(t, path)
		for range 2 {
			all.Go(func() {
				for range 25 {
					if err := f.Change(t.Context(), count); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	want(t, path, "200")
}

// Who has waited for a lock that somebody removed in the meantime waits for the new one.
func TestLockIsRemoved(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no open file")
	}
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		holding := func() (ends chan bool) {
			f, begun, ends := at(t, path), make(chan bool), make(chan bool)
			go func() {
				_ = f.Change(t.Context(), func(text []byte, err error) ([]byte, error) {
					close(begun)
					<-ends
					return nil, nil
				})
			}()
			<-begun
			return ends
		}
		two := at(t, path)
		first := holding()
		done := make(chan error, 1)
		go func() { done <- two.Change(t.Context(), count) }()
		synctest.Wait()
		if err := os.Remove(path + ".lock"); err != nil {
			t.Fatal(err)
		}
		second := holding()
		close(first)
		time.Sleep(time.Minute)
		if len(done) > 0 {
			t.Error("two processes have the lock")
		}
		close(second)
		if err := <-done; err != nil {
			t.Error(err)
		}
		want(t, path, "1")
	})
}

// A change that fails, or that returns nothing, changes nothing.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	f, stop := at(t, filepath.Join(t.TempDir(), "file")), errors.New("stop")
	if err := f.Change(t.Context(), func(_ []byte, err error) ([]byte, error) {
		if !os.IsNotExist(err) {
			t.Errorf("before the first change: %v", err)
		}
		return []byte("text"), nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, result := range []error{stop, nil} {
		err := f.Change(t.Context(), func([]byte, error) ([]byte, error) { return nil, result })
		if !errors.Is(err, result) {
			t.Errorf("error %v, want %v", err, result)
		}
	}
	want(t, f.Path(), "text")
}

// Waiting for a lock ends with the context.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		one, two, ends, why := at(t, path), at(t, path), make(chan bool), errors.New("too long")
		go func() {
			_ = one.Change(t.Context(), func([]byte, error) ([]byte, error) {
				<-ends
				return nil, nil
			})
		}()
		synctest.Wait()
		for _, f := range []*Locked{one, two} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, why)
			start := time.Now()
			err := f.Change(ctx, count)
			if took := time.Since(start); !errors.Is(err, why) || !strings.Contains(err.Error(), path) || took != time.Minute {
				t.Errorf("after %v: %v", took, err)
			}
			cancel()
		}
		close(ends)
		if err := two.Change(t.Context(), count); err != nil {
			t.Error(err)
		}
	})
}

// An error names the file. A file that is too large is not read.
func TestErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing", "file")
	if _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), filepath.Dir(path)) {
		t.Errorf("error %v, want %s", err, path)
	}
	f := at(t, filepath.Join(t.TempDir(), "file"))
	f.Most = 4
	for text, fails := range map[string]bool{"1234": false, "12345": true} {
		if err := f.Change(t.Context(), to(text)); err != nil {
			t.Fatal(err)
		}
		err := f.Change(t.Context(), func(_ []byte, err error) ([]byte, error) { return nil, err })
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), f.Path()+" is larger than 4 bytes") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
