// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// SystemClock returns the clock of this machine. It also runs while the machine sleeps.
func SystemClock() Clock {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // an error means that it has none
	return Clock{Boot: strings.TrimSpace(string(boot)), Now: func() time.Duration {
		var t unix.Timespec
		if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
			_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every kernel has this one
		}
		return time.Duration(t.Nano())
	}}
}
