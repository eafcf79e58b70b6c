// SPDX-License-Identifier: MPL-2.0

package main

import "os"

// parentProcess returns a function that returns when the process that has started this one has gone, or never if
// Windows does not show it. It must be called before anyone can know that this process serves.
func parentProcess() (wait func()) {
	parent, err := os.FindProcess(os.Getppid())
	return func() {
		if err == nil {
			_, err = parent.Wait()
		}
		if err != nil {
			select {}
		}
	}
}
