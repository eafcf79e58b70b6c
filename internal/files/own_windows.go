// SPDX-License-Identifier: MPL-2.0

package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// ownerOf returns this user, because owners are not compared on Windows.
func ownerOf(fs.FileInfo) int { return os.Geteuid() }

// tryLock locks a file, unless another process has locked it. The lock ends when the file is closed.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
