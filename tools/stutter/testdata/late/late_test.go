// SPDX-License-Identifier: MPL-2.0

// Package late has a test that depends on real time, and one that does not.
package late

import (
	"testing"
	"time"
)

func TestInTime(t *testing.T) {
	for range 200 {
		start := time.Now()
		time.Sleep(time.Millisecond)
		if took := time.Since(start); took > 30*time.Millisecond {
			t.Fatalf("it took %v", took)
		}
	}
}

func TestOrder(t *testing.T) {
	time.Sleep(time.Millisecond)
}
