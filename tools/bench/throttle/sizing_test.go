// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// No interval of a second or a minute may contain more requests than the limit.
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

// Every runner reads each page of the list of positions twice.
func TestPagesOfPositionsCount(t *testing.T) {
	t.Parallel()
	e := estate{perPosition: 5, assessments: 1}
	if got, want := e.create(5000, 2), 5000+1000+2*2*(1+1+4); got != want {
		t.Errorf("1000 positions: %d requests, want %d", got, want)
	}
	if got, want := e.create(5001, 2), 5001+1001+2*2*(1+2+4); got != want {
		t.Errorf("1001 positions: %d requests, want %d", got, want)
	}
}

// The guide on rate limits says how long 100,000 position assessments take.
func TestTimesOfTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/rate-limits.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(guide)), " ")
	for perPosition, says := range map[int]string{20: "%s with 20 assessments on each position", 1: "%s with one"} {
		took := span(floor(estate{perPosition: perPosition, assessments: 5}.create(100_000, 1)))
		if want := fmt.Sprintf(says, took); !strings.Contains(text, want) {
			t.Errorf("the guide does not contain %q", want)
		}
	}
}

// results.md must be the output of the command.
func TestResultsAreWhatIsPrinted(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := (estate{perPosition: 5, assessments: 5}).write(&b); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("results.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != b.String() {
		t.Errorf("results.md is not what is printed: run make bench\n%s", b.String())
	}
}
