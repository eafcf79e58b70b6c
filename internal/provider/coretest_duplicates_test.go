// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The summaries of messages about duplicates.
const (
	duplicateSummary = "Duplicate assessment"
	alreadyAttached  = "Already attached"
	attachedTwice    = "Attached a second time"
)

// What is no duplicate, or leaves, or cannot be compared, is attached with a warning.
func TestDuplicateWarnings(t *testing.T) {
	t.Parallel()
	engineers := sandbox.Metadata{Benchmark: engineersBenchmark}
	packages := sandbox.Metadata{Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}}
	a := benchmarked("a", backend, engineersBenchmark)
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
				attachedTwice, `"pas-0001"`, "with a different configuration", "attaches a second one",
				`import the existing one instead: +import \{ to = <address> id = "pos-backend-london/pas-0001"`,
			},
			has: 2,
		},
		"a configuration that is not known yet": {
			before: resources{a},
			after:  resources{a, unknownString("later", managersBenchmark), dependingOn(benchmarked("b", backend, outputOf("later")), a)},
			says:   []string{alreadyAttached, `"pas-0001"`, "not known yet", "cannot compare"}, has: 2,
		},
		// Assumption A22: a position assessment that must have packages but shows none proves that the service
		// does not return them.
		"a service that hides packages": {
			mute: true, event: func(s *simulation) { s.change(attaches(backend, "asm-quartet", packages)) },
			after: resources{packaged("b", backend)},
			says:  []string{attachedTwice, `"pas-0001"`, "a configuration that the service does not show", "cannot compare"}, has: 2,
		},
		// Without that proof, a missing value means that it is not set.
		"a service that hides a benchmark": {
			mute: true, event: func(s *simulation) { s.change(attaches(backend, "asm-lumen", engineers)) },
			after: resources{benchmarked("b", backend, engineersBenchmark)},
			says:  []string{attachedTwice, `"pas-0001"`, "with a different configuration"}, has: 2,
		},
		// The core plans a tainted instance like a creation.
		"a tainted instance": {
			before: resources{a}, event: taints(a), after: resources{a}, says: []string{alreadyAttached, `"pas-0001"`}, has: 1,
		},
		"a tainted instance on a mute service": {
			mute: true, before: resources{a}, event: taints(a), after: resources{a},
			says: []string{attachedTwice, `"pas-0001"`}, has: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.applies(row.before...)
				if row.event != nil {
					row.event(s)
				}
				s.warns(s.applies(row.after...), row.says...)
				s.stays(simulatedConfig(row.after...))
				if on := s.on(backend); len(on) != row.has {
					t.Errorf("the position has %q, want %d", on, row.has)
				}
			}, func(o *sandboxtest.Options) { o.Assumptions.MuteReads, o.Assumptions.MuteWrites = row.mute, row.mute })
		})
	}
}

// After a killed apply, the next plan warns about the same assessments, and names the
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
					if id := importID.FindStringSubmatch(d.Detail); d.Summary == alreadyAttached && id != nil && lost[id[1]] != "" {
						config.Imports = append(config.Imports, coretest.Import{To: lost[id[1]], ID: id[1]})
						delete(lost, id[1])
					}
				}
				if len(lost) > 0 {
					s.t.Errorf("no warning names %v", lost)
				}
				s.apply(config)
				s.stays(config)
				s.noDuplicates()
			})
		})
	}
}
