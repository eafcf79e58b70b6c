// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// The guide on rate limits says how long it takes at least to plan and attach 100,000 assessments: a request for each
// of them, one for each position in the plan, and the lists of the plan and of the apply. The lists are that of all
// assessments, the pages of the positions, and four for each of five different assessments.
func TestGuideOnLargeSetups(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/rate-limits.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(guide)), " ")
	for perPosition, says := range map[int]string{20: "%d h %d min with 20 assessments on each position", 1: "%d h %d min with one"} {
		positions := 100_000 / perPosition
		lists := 1 + (positions+999)/1000 + 4*5
		took := throttletest.Floor(100_000+positions+2*lists, 0)
		if want := fmt.Sprintf(says, int(took.Hours()), int(took.Minutes())%60); !strings.Contains(text, want) {
			t.Errorf("the guide does not contain %q", want)
		}
	}
}
