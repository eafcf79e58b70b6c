// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Tally counts invitations.
type Tally struct {
	Counted                   bool // whether they have been counted
	Total, Completed, Expired int
}

// TallyOf counts the invitations of candidates.
func TallyOf(results assessapi.Results) Tally {
	t := Tally{Counted: true}
	for _, candidate := range results.Candidates {
		for _, result := range candidate.Results {
			for _, i := range result.Invitations {
				t.Total++
				switch {
				case i.IsCompleted():
					t.Completed++
				case i.IsExpired():
					t.Expired++
				}
			}
		}
	}
	return t
}

// Open returns the number of invitations that are neither completed nor expired. Their
// status may be one that the specification does not list (assumption A13).
func (t Tally) Open() int { return t.Total - t.Completed - t.Expired }

// Plus adds the counts of another position.
func (t Tally) Plus(other Tally) Tally {
	return Tally{true, t.Total + other.Total, t.Completed + other.Completed, t.Expired + other.Expired}
}

func (t Tally) String() string {
	s := fmt.Sprintf("%d of %d completed", t.Completed, t.Total)
	if t.Expired > 0 {
		s += fmt.Sprintf(", %d expired", t.Expired)
	}
	return s
}
