// SPDX-License-Identifier: MPL-2.0

package files

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
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

// A change that fails, or that returns nothing, changes nothing. An error names a file that cannot be changed.
func TestNothingChanges(t *testing.T) {
	t.Parallel()
	f, stop := Shared(filepath.Join(t.TempDir(), "file")), errors.New("stop")
	if err := f.Change(t.Context(), to("12345")); err != nil {
		t.Fatal(err)
	}
	for _, result := range []error{stop, nil} {
		err := f.Change(t.Context(), func(got []byte, err error) ([]byte, error) {
			if string(got) != "12345" || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
			return nil, result
		})
		if !errors.Is(err, result) {
			t.Errorf("error %v, want %v", err, result)
		}
	}
	want(t, f.Path, "12345")
	missing := Shared(filepath.Join(t.TempDir(), "missing", "file"))
	if err := missing.Change(t.Context(), to("text")); err == nil || !strings.Contains(err.Error(), missing.Path) {
		t.Errorf("error %v, want %s", err, missing.Path)
	}
}
