// SPDX-License-Identifier: MPL-2.0

package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

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
		f := Shared(path)
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

// A change that fails, or that returns nothing, changes nothing.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	f, stop := Shared(filepath.Join(t.TempDir(), "file")), errors.New("stop")
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
	want(t, f.Path, "text")
}

// Waiting for a lock ends with the context.
func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		one, two, ends, why := Shared(path), Shared(path), make(chan bool), errors.New("too long")
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

// An error names the file. Of a file that is too large, only the beginning is read.
func TestErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing", "file")
	if err := Shared(path).Change(t.Context(), to("text")); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want %s", err, path)
	}
	f := Shared(filepath.Join(t.TempDir(), "file"))
	f.Most = 4
	for _, text := range []string{"1234", "12345"} {
		if err := f.Change(t.Context(), to(text)); err != nil {
			t.Fatal(err)
		}
		err := f.Change(t.Context(), func(got []byte, err error) ([]byte, error) {
			if string(got) != "1234" {
				t.Errorf("read %q of %q", got, text)
			}
			return nil, err
		})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
