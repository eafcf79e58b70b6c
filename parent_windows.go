// SPDX-License-Identifier: MPL-2.0

package main

import "os"

// waitForParent returns when the process that started this one has gone, or never if Windows does not show it.
func waitForParent() {
	if parent, err := os.FindProcess(os.Getppid()); err == nil {
		if _, err = parent.Wait(); err == nil {
			return
		}
	}
	select {}
}
