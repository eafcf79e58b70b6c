// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func sameIDs(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// A plan shows changes that were made in the service. An apply reverts them in place,
// if the service allows that.
func TestDrift(t *testing.T) {
	t.Parallel()
	onBothServices(t, drift)
}

func drift(t *testing.T, like func(*sandboxtest.Options)) {
	var options sandboxtest.Options
	like(&options)
	hides := options.Assumptions.MuteReads
	attached := func(st *sandbox.State, assessment string) *sandbox.PositionAssessment {
		p := st.Position(backend)
		i := slices.IndexFunc(p.Assessments, func(a sandbox.PositionAssessment) bool { return a.Assessment == assessment })
		return &p.Assessments[i]
	}
	for name, row := range map[string]struct {
		change func(*sandbox.State)
		plans  []string
		writes []string
		warns  string
		hidden bool // not visible if the service does not return packages, benchmark and tests
	}{
		"packages": {
			func(st *sandbox.State) {
				m := &attached(st, "asm-quartet").Metadata
				m.Packages = append(m.Packages, "pkg-verbal-knowledge")
			},
			[]string{"update assess_position_assessment.games"},
			[]string{http.MethodPut},
			"", true,
		},
		"benchmark changed": {
			func(st *sandbox.State) {
				attached(st, "asm-quartet").Metadata.Benchmark = "bmk-quartet-graduates-en-gb"
			},
			[]string{"update assess_position_assessment.games"},
			[]string{http.MethodPut},
			"", true,
		},
		"benchmark removed": {
			func(st *sandbox.State) { attached(st, "asm-quartet").Metadata.Benchmark = "" },
			[]string{"update assess_position_assessment.games"},
			[]string{http.MethodPut},
			"", true,
		},
		"tests": {
			func(st *sandbox.State) { attached(st, "asm-workbench").Metadata.Tests = []string{"skt-python"} },
			[]string{"update assess_position_assessment.skills"},
			[]string{http.MethodPut},
			"", true,
		},
		"profile changed": {
			func(st *sandbox.State) {
				attached(st, "asm-northlight").Metadata.Profile = "prf-curious-builders"
			},
			[]string{"update assess_position_assessment.values"},
			[]string{http.MethodPut},
			"", false,
		},
		"removed": {
			func(st *sandbox.State) {
				p := st.Position(backend)
				isFacet := func(a sandbox.PositionAssessment) bool { return a.Assessment == "asm-facet" }
				p.Assessments = slices.DeleteFunc(p.Assessments, isFacet)
			},
			[]string{"create assess_position_assessment.facet"},
			[]string{http.MethodPost},
			"Position assessment is gone", false,
		},
		"activation undone": {
			func(st *sandbox.State) { st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", false) },
			[]string{"update assess_skills_test_activation.go"},
			[]string{http.MethodPut},
			"", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, like)
			c := newCLI(t, service)
			c.useFrom("TestDrift", "1")
			c.apply().ok()
			service.Change(t, row.change)
			service.ResetJournal()
			if hides && row.hidden {
				c.plan().empty().quiet() // only the state knows the configuration
				return
			}
			planned := c.plan().plans(row.plans...)
			if row.warns != "" {
				planned.warns(row.warns)
			} else {
				planned.quiet()
			}
			noWrites(t, service)
			c.apply().ok()
			var methods []string
			for _, w := range service.Writes() {
				methods = append(methods, w.Method)
			}
			if !slices.Equal(methods, row.writes) {
				t.Errorf("reverted with %v, want %v", methods, row.writes)
			}
			c.plan().empty().quiet()
		})
	}
}

// If the service refuses a removal, the resource stays in the state, and the error
// shows how to drop it from the state.
func TestRefusedRemoval(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.use("1")
	c.apply().ok()
	invite(t, service, backend, "asm-facet")

	c.use("none")
	c.env = append(c.env, "ASSESS_PLAN_CHECKS=false") // otherwise the plan refuses it
	c.apply().fails("Could not remove the position assessment", `from position "pos-backend-london"`, "409 Conflict",
		"only while no candidate has been invited to it", "state rm 'ADDRESS'",
		`removed \{ from = <address>`, "destroy = false")
	if c.resource("assess_position_assessment.a") == nil {
		t.Fatal("the resource is gone from the state")
	}
	service.ResetJournal()
	c.use("removed")
	c.apply().ok()
	noWrites(t, service)
	if c.resource("assess_position_assessment.a") != nil {
		t.Error("the resource is still in the state")
	}
}

// invite invites a candidate to an attached assessment.
func invite(t *testing.T, service *sandboxtest.Server, position, assessment string) {
	t.Helper()
	service.Change(t, func(st *sandbox.State) {
		p := st.Position(position)
		p.Candidates = append(p.Candidates, sandbox.Candidate{ID: "cnd-1", Name: "Ada Lindqvist"})
		if _, err := st.Invite(position, "cnd-1", assessment, sandbox.Remote); err != nil {
			panic(err)
		}
	})
}
