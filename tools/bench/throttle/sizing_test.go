// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The results contain the section, and the guide on rate limits says how long 100,000 position
// assessments take.
func TestTimesOfTheGuide(t *testing.T) {
	results, err := os.ReadFile("../results.md")
	if err != nil || !strings.HasSuffix(string(results), largeSetups()) {
		t.Errorf("run make bench: the last section of results.md is not (%v)\n%s", err, largeSetups())
	}
	guide, err := os.ReadFile("../../../templates/guides/rate-limits.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(guide)), " ")
	for perPosition, says := range map[int]string{20: "%d h %d min with 20 assessments on each position", 1: "%d h %d min with one"} {
		took := creation(100_000, perPosition, 1)
		want := fmt.Sprintf(says, int(took.Hours()), int(took.Minutes())%60)
		if !strings.Contains(text, want) {
			t.Errorf("the guide does not contain %q", want)
		}
	}
}
