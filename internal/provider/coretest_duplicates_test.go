// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// duplicateSummary is the summary of every message about duplicates.
const duplicateSummary = "Duplicate assessment"

// What may be a duplicate, but certainly is not or cannot be compared, is planned with a warning.
func TestDuplicateWarnings(t *testing.T) {
	t.Parallel()
	engineers := sandbox.Metadata{Benchmark: engineersBenchmark}
	packages := sandbox.Metadata{Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}}
	unknown := dependingOn(benchmarked("b", backend, outputOf("later")), benchmarked("a", backend, ""))
	for name, row := range map[string]struct {
		mute   bool
		others func(*sandbox.State)
		before resources
		added  resources
		says   []string
	}{
		"another configuration": {
			others: attaches(backend, "asm-lumen", engineers), added: resources{benchmarked("b", backend, managersBenchmark)},
			says: []string{
				`"pas-0001"`, "with a different configuration", "attaches a second one",
				`import it: +import \{ to = <address> id = "pos-backend-london/pas-0001"`,
			},
		},
		"another configuration in the same plan": {
			added: resources{benchmarked("a", backend, engineersBenchmark), benchmarked("b", backend, managersBenchmark)},
			says:  []string{"with a different configuration", "candidates take both"},
		},
		"a configuration that is not known yet": {
			before: resources{benchmarked("a", backend, engineersBenchmark)},
			added:  resources{unknownString("later", managersBenchmark), unknown},
			says:   []string{`"pas-0001"`, "not known yet", "cannot compare", "attaches a second one"},
		},
		// Assumption A22: a position assessment that must have packages but shows none proves that the service
		// does not return them.
		"a service that hides packages": {
			mute: true, others: attaches(backend, "asm-quartet", packages), added: resources{packaged("b", backend)},
			says: []string{`"pas-0001"`, "does not return packages, benchmark and tests", "cannot compare"},
		},
		// Without that proof, a missing value means that it is not set.
		"a service that hides a benchmark": {
			mute: true, others: attaches(backend, "asm-lumen", engineers),
			added: resources{benchmarked("b", backend, engineersBenchmark)},
			says:  []string{`"pas-0001"`, "with a different configuration"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				if row.others != nil {
					s.change(row.others)
				}
				s.applies(row.before...)
				r := s.plan(simulatedConfig(append(row.before, row.added...)...))
				s.warns(s.succeeds(r), append(row.says, duplicateSummary)...)
			}, func(o *sandboxtest.Options) {
				if row.mute {
					mute(o)
				}
			})
		})
	}
}

// A tainted object and its replacement are not duplicates, even if the service does not show
// the configuration. The core plans a tainted instance like a creation, so the plan warns.
func TestTaintedIsNoDuplicate(t *testing.T) {
	t.Parallel()
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		simulate(t, func(s *simulation) {
			a := benchmarked("a", backend, engineersBenchmark)
			s.applies(a)
			s.core.Taint(a.Addr)
			s.warns(s.applies(a), duplicateSummary, "If this plan removes or replaces it, you do not need to do anything")
			s.stays(simulatedConfig(a))
			if on := s.on(backend); len(on) != 1 {
				s.t.Errorf("the position has %q", on)
			}
		}, like)
	})
}

// After a killed apply, the next plan refuses to attach the same assessments again, and names the
// import block of each. After these imports, everything is in the state, and nothing is attached twice.
func TestKilledApplyIsNotDuplicated(t *testing.T) {
	t.Parallel()
	positions := positionNames(0, 24)
	importID := regexp.MustCompile(`(?s)import \{\s+to = <address>\s+id = "([^"]+)"\s+\}`)
	for assessment, of := range map[string]func(name, position string) coretest.Resource{
		"facet": facet, "lumen": lumen, "northlight": northlight,
		"benchmark": func(name, position string) coretest.Resource { return benchmarked(name, position, engineersBenchmark) },
		"packages":  func(name, position string) coretest.Resource { return selected(name, position, "all") },
		"tests":     func(name, position string) coretest.Resource { return tested(name, position, "skt-sql") },
	} {
		t.Run(assessment, func(t *testing.T) {
			t.Parallel()
			simulate(t, func(s *simulation) {
				config := simulatedConfig(counted(of, positions...)...)
				s.network.Decide = onRequest(http.MethodPost, coretest.KillAfter, 14)
				if r := s.core.Apply(s.t.Context(), config, s.options); !r.Killed {
					s.t.Fatal("the run was not killed")
				}
				s.network.Decide = nil
				lost := map[string]string{} // address by import ID
				for i, position := range positions {
					if on := s.on(position); len(on) > 0 && s.object(config.Resources[i]) == nil {
						lost[position+"/"+on[0]] = config.Resources[i].Addr
					}
				}
				for _, d := range s.plan(config).Diagnostics {
					if id := importID.FindStringSubmatch(d.Detail); d.Error && id != nil && lost[id[1]] != "" {
						config.Imports = append(config.Imports, coretest.Import{To: lost[id[1]], ID: id[1]})
						delete(lost, id[1])
					}
				}
				if len(lost) > 0 {
					s.t.Errorf("no error names %v", lost)
				}
				s.apply(config)
				s.stays(config)
				s.noDuplicates()
			})
		})
	}
}

// A saved plan whose replacement failed can be applied again.
func TestFailedReplacementAppliesAgain(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(createFirst(lumen("a", backend)))
		s.apply(config)
		before, saved := s.core.State, s.plansForced(config)
		s.service.Inject(sandboxtest.Fault{Method: http.MethodPost, Status: http.StatusForbidden})
		s.fails(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options), "Could not attach the assessment", "403")
		s.core.State = before
		s.appliesPlan(saved)
		s.stays(config)
		s.noDuplicates()
	})
}

// An object that one workspace replaces is a duplicate in another workspace.
func TestDuplicateOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(createFirst(lumen("a", backend)))
		s.apply(config)
		s.plansForced(config)
		s.env["TF_WORKSPACE"] = "other"
		s.loses(attachmentAddr + "a")
		s.service.ResetJournal()
		s.fails(s.core.Apply(s.t.Context(), config, s.options), duplicateSummary, "with the same configuration", `"pas-0001"`)
		s.writesNothing()
	})
}

// If a plan cannot write a note that its apply needs, it warns.
func TestPlanWithoutNotes(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(createFirst(lumen("a", backend)))
		s.apply(config)
		if err := os.WriteFile(filepath.Join(s.home, "full"), nil, 0o600); err != nil {
			s.t.Fatal(err)
		}
		s.options.Machine = "full"
		s.core.Taint(attachmentAddr + "a")
		s.warns(s.plan(config), "Could not note a replacement", `"pas-0001"`, "XDG_CACHE_HOME", "ASSESS_PLAN_CHECKS=false")
	})
}
