// SPDX-License-Identifier: MPL-2.0

//go:build unix

package lockedfile

import (
	"io/fs"
	"syscall"
)

// noFollow makes opening a link fail.
const noFollow = syscall.O_NOFOLLOW

// ownerOf returns the user to whom a file belongs.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
