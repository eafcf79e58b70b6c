// SPDX-License-Identifier: MPL-2.0

package servicecheck_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// beside returns the demo with empty positions before and after the others. The last one has an assessment without
// options, and no candidate.
func beside(t *testing.T, before, after int) *sandbox.State {
	t.Helper()
	empty := func(name string, n int) (positions []sandbox.Position) {
		for i := range n {
			id := fmt.Sprintf("pos-%s-%d", name, i)
			positions = append(positions, sandbox.Position{ID: id, Title: id, Locale: "en-GB"})
		}
		return positions
	}
	st := sandbox.Demo()
	st.Positions = slices.Concat(empty("before", before), st.Positions, empty("after", after))
	st.Positions = append(st.Positions, sandbox.Position{ID: "pos-newest", Title: "Newest", Locale: "en-GB"})
	if _, err := st.Attach("pos-newest", "asm-facet", sandbox.Metadata{}); err != nil {
		t.Fatal(err)
	}
	return st
}

// The newest position has no candidates, and its assessment has no options. Then a check reads more positions, and says
// so of what none of them shows.
func TestNewestPositionShowsLittle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seed   func() *sandbox.State
		unseen []string
		says   string
	}{
		"another one shows it": {func() *sandbox.State { return beside(t, 0, 0) }, nil, ""},
		"none of a few": {
			func() *sandbox.State { return beside(t, 5, 5) },
			[]string{"A12", "A13", "A22", "A29"},
			"No position that was read has candidates. 6 positions were read, and another one may show it.",
		},
		"all were read": {
			func() *sandbox.State {
				st := beside(t, 0, 0)
				st.Positions = st.Positions[len(st.Positions)-1:]
				return st
			},
			[]string{"A12", "A13", "A22", "A29"},
			`No position that was read has candidates."`,
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{Seed: c.seed}, Latency: 100 * time.Millisecond,
			})
			got := run(t, service)
			for _, id := range []string{"A12", "A13", "A22", "A29"} {
				if unseen := slices.Contains(got.statuses("cannot tell"), id); unseen != slices.Contains(c.unseen, id) {
					t.Errorf("the check cannot tell %s: %t", id, unseen)
				}
			}
			if !strings.Contains(got.text, c.says) || service.Count(http.MethodGet, "") > 40 || len(got.statuses("differs")) > 0 {
				t.Errorf("the output does not contain %q:\n%s", c.says, got.text)
			}
		})
	}
}
