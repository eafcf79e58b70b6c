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

// What may be a duplicate, but certainly is not or cannot be compared, is attached with a warning.
func TestDuplicateWarnings(t *testing.T) {
	t.Parallel()
	engineers := sandbox.Metadata{Benchmark: engineersBenchmark}
	packages := sandbox.Metadata{Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}}
	a := benchmarked("a", backend, engineersBenchmark)
	// The core plans a tainted instance like a creation. Its old object is no duplicate, even if the service
	// does not show the configuration.
	replaces := []string{"If this plan removes or replaces it, you do not need to do anything"}
	for name, row := range map[string]struct {
		mute   bool
		event  func(*simulation)
		before resources
		after  resources
		says   []string
		has    int
	}{
		"another configuration": {
			event: func(s *simulation) { s.change(attaches(backend, "asm-lumen", engineers)) },
			after: resources{benchmarked("b", backend, managersBenchmark)},
			says: []string{
				`"pas-0001"`, "with a different configuration", "attaches a second one",
				`import it: +import \{ to = <address> id = "pos-backend-london/pas-0001"`,
			},
			has: 2,
		},
		"another configuration in the same plan": {
			after: resources{a, benchmarked("b", backend, managersBenchmark)},
			says:  []string{"with a different configuration", "candidates take both"}, has: 2,
		},
		"a configuration that is not known yet": {
			before: resources{a},
			after:  resources{a, unknownString("later", managersBenchmark), dependingOn(benchmarked("b", backend, outputOf("later")), a)},
			says:   []string{`"pas-0001"`, "not known yet", "cannot compare", "attaches a second one"}, has: 2,
		},
		// Assumption A22: a position assessment that must have packages but shows none proves that the service
		// does not return them.
		"a service that hides packages": {
			mute: true, event: func(s *simulation) { s.change(attaches(backend, "asm-quartet", packages)) },
			after: resources{packaged("b", backend)},
			says:  []string{`"pas-0001"`, "does not return packages, benchmark and tests", "cannot compare"}, has: 2,
		},
		// Without that proof, a missing value means that it is not set.
		"a service that hides a benchmark": {
			mute: true, event: func(s *simulation) { s.change(attaches(backend, "asm-lumen", engineers)) },
			after: resources{benchmarked("b", backend, engineersBenchmark)},
			says:  []string{`"pas-0001"`, "with a different configuration"}, has: 2,
		},
		"a tainted instance": {
			before: resources{a}, event: taints(a), after: resources{a}, says: replaces, has: 1,
		},
		"a tainted instance on a mute service": {
			mute: true, before: resources{a}, event: taints(a), after: resources{a}, says: replaces, has: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.applies(row.before...)
				if row.event != nil {
					row.event(s)
				}
				s.warns(s.applies(row.after...), append(row.says, duplicateSummary)...)
				s.stays(simulatedConfig(row.after...))
				if on := s.on(backend); len(on) != row.has {
					t.Errorf("the position has %q, want %d", on, row.has)
				}
			}, func(o *sandboxtest.Options) { o.Assumptions.MuteReads, o.Assumptions.MuteWrites = row.mute, row.mute })
		})
	}
}

// After a killed apply, the next plan refuses to attach the same assessments again, and names the
// import block of each. After these imports, everything is in the state, and nothing is attached twice.
func TestKilledApplyIsNotDuplicated(t *testing.T) {
	t.Parallel()
	positions := numbered(0, 12)
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
				s.network.Decide = onRequest(http.MethodPost, coretest.KillAfter, 7)
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
		s.warns(s.plan(config), "Could not save a note for the apply", `"pas-0001"`, "XDG_CACHE_HOME", "ASSESS_PLAN_CHECKS=false")
	})
}
