// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"math/bits"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// SystemClock returns the clock of this machine: the performance counter, which also runs
// while the machine sleeps. The time since the start has steps of 16 ms, so it cannot
// be used. Windows has no identity of a start.
func SystemClock() Clock {
	kernel := windows.NewLazySystemDLL("kernel32.dll")
	counter, frequency := kernel.NewProc("QueryPerformanceCounter"), kernel.NewProc("QueryPerformanceFrequency")
	var perSecond uint64
	_, _, _ = frequency.Call(uintptr(unsafe.Pointer(&perSecond))) // neither of the two can fail
	return Clock{Now: func() time.Duration {
		var ticks uint64
		_, _, _ = counter.Call(uintptr(unsafe.Pointer(&ticks)))
		high, low := bits.Mul64(ticks, uint64(time.Second))
		since, _ := bits.Div64(high, low, perSecond)
		return time.Duration(since)
	}}
}
