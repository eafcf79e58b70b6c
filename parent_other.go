// SPDX-License-Identifier: MPL-2.0

//go:build !windows

package main

import (
	"os"
	"time"
)

// parentProcess returns a function that returns when the process that has started this one has gone. Then this
// process has another parent. It must be called before anyone can know that this process serves.
func parentProcess() (wait func()) {
	parent := os.Getppid()
	return func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
	}
}
