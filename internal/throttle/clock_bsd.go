// SPDX-License-Identifier: MPL-2.0

//go:build darwin || freebsd

package throttle

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// SystemClock returns the clock of this machine. It also runs while the machine sleeps.
func SystemClock() Clock {
	boot := ""
	if runtime.GOOS == "darwin" {
		boot, _ = unix.Sysctl("kern.bootsessionuuid") // an error means that it has none
	}
	// Number 4 is CLOCK_MONOTONIC_RAW of macOS and CLOCK_MONOTONIC of FreeBSD.
	return Clock{Boot: boot, Now: func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(4, &t) // every kernel has this clock
		return time.Duration(t.Nano())
	}}
}
