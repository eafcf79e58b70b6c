// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// The statuses of an invitation that is no longer open (section 3.2).
const (
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
)

// tally counts invitations.
type tally struct {
	known                     bool // whether they have been counted
	total, completed, expired int
}

// tallyOf counts the invitations of candidates. One is open until it says that
// it is completed or expired: statuses beyond those of the specification may
// come (assumption A13).
func tallyOf(results assessapi.Results) tally {
	t := tally{known: true}
	for _, candidate := range results.Candidates {
		for _, result := range candidate.Results {
			for _, i := range result.Invitations {
				t.total++
				switch {
				case i.Completed != nil || textOf(i.Status) == testedWithResults:
					t.completed++
				case textOf(i.Status) == expired:
					t.expired++
				}
			}
		}
	}
	return t
}

func (t tally) open() int { return t.total - t.completed - t.expired }

func (t tally) plus(other tally) tally {
	return tally{known: true, total: t.total + other.total, completed: t.completed + other.completed, expired: t.expired + other.expired}
}

func (t tally) String() string {
	s := fmt.Sprintf("%d of %d completed", t.completed, t.total)
	if t.expired > 0 {
		s += fmt.Sprintf(", %d expired", t.expired)
	}
	return s
}
