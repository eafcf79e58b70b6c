// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A plan shows changes that were made in the service. An apply reverts them in place, if the service
// allows that. If the service does not return packages, benchmark and tests, only the state knows them.
func TestDrift(t *testing.T) {
	t.Parallel()
	quartet := packaged("quartet", backend)
	quartet.Body["benchmark"] = coretest.Body{"id": "bmk-quartet-engineers-en-gb"}
	skills := tested("skills", backend, coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"}, "skt-sql")
	config := simulatedConfig(quartet, skills, activation("go", "skt-go"), facet("facet", backend),
		profiled("values", backend, "prf-customer-first"))
	metadata := func(assessment string, change func(*sandbox.Metadata)) func(*sandbox.State) {
		return func(st *sandbox.State) {
			all := st.Position(backend).Assessments
			i := slices.IndexFunc(all, func(a sandbox.PositionAssessment) bool { return a.Assessment == assessment })
			change(&all[i].Metadata)
		}
	}
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		for name, row := range map[string]struct {
			addr   string
			change func(*sandbox.State)
			hidden bool // if the service does not return it
			action coretest.Action
			writes string
			warns  string
		}{
			"packages": {
				quartet.Addr, metadata("asm-quartet", func(m *sandbox.Metadata) {
					m.Packages = append(m.Packages, "pkg-verbal-knowledge")
				}), true, coretest.Update, "PUT", "",
			},
			"benchmark changed": {
				quartet.Addr, metadata("asm-quartet", func(m *sandbox.Metadata) {
					m.Benchmark = "bmk-quartet-graduates-en-gb"
				}), true, coretest.Update, "PUT", "",
			},
			"benchmark removed": {
				quartet.Addr, metadata("asm-quartet", func(m *sandbox.Metadata) { m.Benchmark = "" }),
				true, coretest.Update, "PUT", "",
			},
			"tests": {
				skills.Addr, metadata("asm-workbench", func(m *sandbox.Metadata) { m.Tests = []string{"skt-python"} }),
				true, coretest.Update, "PUT", "",
			},
			"profile changed": {
				attachmentAddr + "values", metadata("asm-northlight", func(m *sandbox.Metadata) {
					m.Profile = "prf-curious-builders"
				}), false, coretest.Update, "PUT", "",
			},
			"removed": {
				attachmentAddr + "facet", func(st *sandbox.State) {
					p := st.Position(backend)
					isFacet := func(a sandbox.PositionAssessment) bool { return a.Assessment == "asm-facet" }
					p.Assessments = slices.DeleteFunc(p.Assessments, isFacet)
				}, false, coretest.Create, "POST", "Position assessment is gone",
			},
			"activation undone": {
				activationAddr + "go", func(st *sandbox.State) {
					st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", false)
				}, false, coretest.Update, "PUT", "",
			},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				once(t, func(s *simulation) {
					s.apply(config)
					s.change(row.change)
					s.service.ResetJournal()
					if row.hidden && s.service.Assumptions().MuteReads {
						s.stays(config)
						return
					}
					planned := s.plan(config)
					if actions := planned.Plan.Actions(); len(actions) != 1 || actions[row.addr] != row.action {
						t.Errorf("planned %v, want %s %s", actions, row.action, row.addr)
					}
					if row.warns != "" {
						s.warns(planned, row.warns)
					} else if len(planned.Diagnostics) > 0 {
						t.Errorf("the plan warns: %v", planned.Diagnostics)
					}
					s.writesNothing()
					s.appliesPlan(planned)
					if got := s.writes(); got != row.writes {
						t.Errorf("reverted with %s, want %s", got, row.writes)
					}
					s.stays(config)
				}, like)
			})
		}
	})
}
