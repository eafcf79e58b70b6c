// SPDX-License-Identifier: MPL-2.0

//go:build !windows

package main

import (
	"os"
	"time"
)

// waitForParent returns when the process that started this one has gone. Another process is the parent then.
func waitForParent() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(time.Second)
	}
}
