// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package sandbox

import "io/fs"

// Windows lets only administrators create links, and files have the permissions of their
// folder.

func isOwn(fs.FileInfo) bool { return true }

func isTrusted(fs.FileInfo) bool { return true }
