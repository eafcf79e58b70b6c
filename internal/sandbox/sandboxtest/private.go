// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"os"
	"runtime"
	"testing"
)

// AssertPrivate fails a test unless a file exists and has mode 0600. Windows has no such
// modes: there, a file has the permissions of its directory, and Go shows 0666.
func AssertPrivate(t *testing.T, path string) {
	t.Helper()
	want := os.FileMode(0o600)
	if runtime.GOOS == "windows" {
		want = 0o666
	}
	if info, err := os.Stat(path); err != nil {
		t.Error(err)
	} else if info.Mode() != want {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
	}
}
