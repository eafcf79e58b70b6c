// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package lockedfile

import (
	"io/fs"
	"os"
)

// On Windows, files have the permissions of their folder, and the owner of a file is not
// compared.

const noFollow = 0

func ownerOf(fs.FileInfo) int { return os.Geteuid() }
