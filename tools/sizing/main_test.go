// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"
	"testing"
	"time"
)

// The floor counts what no interval of a second or a minute may exceed.
func TestFloor(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]time.Duration{
		0: 0, 1: 0, 20: 0, 21: time.Second, 500: 24 * time.Second, 501: time.Minute, 5000: 9*time.Minute + 24*time.Second,
	} {
		if got := floor(n); got != want {
			t.Errorf("%d requests: %v, want %v", n, got, want)
		}
	}
}

// More runners never make it faster.
func TestMoreRunnersAreNotFaster(t *testing.T) {
	t.Parallel()
	e := estate{perPosition: 5, assessments: 5}
	for _, r := range resources {
		last := time.Duration(0)
		for _, n := range runners {
			if took := floor(e.create(r, n)); took < last {
				t.Errorf("%d resources by %d runners take %v, and %v by fewer", r, n, took, last)
			} else {
				last = took
			}
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := (estate{perPosition: 5, assessments: 5}).write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 100,000 | 39 min 24 s | ", "| 100 | 5 | 12 s |\n", " | – |\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
