// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// refusal is a configuration that is refused after another one was applied.
type refusal struct {
	before resources
	event  func(*simulation) // between the two
	after  func(*simulation) coretest.Config
	says   []string
	late   bool // the plan may accept it, and the apply refuses it
}

func (r refusal) run(s *simulation) {
	s.applies(r.before...)
	if r.event != nil {
		r.event(s)
	}
	s.service.ResetJournal()
	run := s.plan(r.after(s))
	if run.Err() == nil {
		if !r.late {
			s.t.Errorf("the plan is accepted: %v", run.Diagnostics)
		}
		s.warns(run, alreadyAttached)
		run = s.core.ApplyPlan(s.t.Context(), run.Plan, s.options)
	}
	s.fails(run, r.says...)
	s.writesNothing()
}

func these(all ...coretest.Resource) func(*simulation) coretest.Config {
	return func(*simulation) coretest.Config { return simulatedConfig(all...) }
}

// A plan refuses what the service would refuse, what attaches a duplicate, and what removes an
// object that another address imports. It sends no request to change something.
func TestRefusals(t *testing.T) {
	t.Parallel()
	a, copied := lumen("a", backend), lumen("copied", backend)
	other, engineers := benchmarked("b", backend, graduatesBenchmark), benchmarked("a", backend, engineersBenchmark)
	forgotten := positionAssessment("a", backend, "asm-lumen", "on_refused_removal", "forget")
	importsCopied := func(others ...coretest.Resource) func(*simulation) coretest.Config {
		return func(s *simulation) coretest.Config {
			return importing(backend+"/"+s.id(a), append(resources{copied}, others...)...)
		}
	}
	skills := resources{
		activation("go", "skt-go"), createFirst(tested("a", backend, coretest.Ref{Addr: activationAddr + "go", Attribute: "test_id"})),
	}
	duplicate, invited := []string{duplicateSummary}, []string{"1 candidate has been invited"}
	invites := func(replaced ...string) func(*simulation) {
		return func(s *simulation) {
			s.service.Invite(s.t, backend, "asm-facet")
			s.options.Replace = replaced
		}
	}
	imported := []string{"Import of a resource that is destroyed", `"pas-0001"`, `moved \{`}
	for name, row := range map[string]refusal{
		"a duplicate of what others have attached": {
			event: func(s *simulation) { s.change(attachByOther) }, after: these(engineers), late: true, says: []string{
				duplicateSummary, "Nothing was sent", "if this run was removing it, apply again. Otherwise, import it",
				`to = <address> id = "pos-backend-london/pas-0001"`, "create_before_destroy", "ASSESS_ADOPT_EXISTING=true",
			},
		},
		"a copy of a resource":                {before: resources{a}, after: these(a, copied), says: duplicate, late: true},
		"a duplicate in the same plan":        {after: these(a, copied), says: []string{duplicateSummary, "Another resource of this configuration"}},
		"an import of what the plan drops":    {before: resources{a}, after: importsCopied(), says: imported},
		"an import of what the plan replaces": {before: resources{a}, after: importsCopied(lumen("a", leeds)), says: imported},
		"a duplicate of what is only dropped from the state": {
			before: resources{a}, says: []string{duplicateSummary, "Nothing was sent"}, late: true,
			after: func(*simulation) coretest.Config { // removed { lifecycle { destroy = false } }
				config := simulatedConfig(copied)
				config.Removed = []string{a.Addr}
				return config
			},
		},
		"a move of what candidates are invited to": {
			before: resources{facet("a", backend)}, event: invites(), after: these(facet("a", aberdeen)), says: invited,
		},
		"-replace of what candidates are invited to": {
			before: resources{facet("a", backend)}, event: invites(a.Addr), after: these(facet("a", backend)), says: invited,
		},
		"a renamed key of what is only forgotten": {
			before: resources{forgetting("a", backend)}, event: invites(), after: these(facet("b", backend)),
			says: []string{duplicateSummary, "Candidates have been invited", `moved \{`},
		},
		"-replace of what is only forgotten": {
			before: resources{forgetting("a", backend)}, event: invites(a.Addr), after: these(forgetting("a", backend)),
			says: []string{duplicateSummary, "Candidates have been invited"},
		},
		"an update into what is only forgotten": {
			before: resources{forgotten, other}, after: these(lumen("b", backend)),
			event: func(s *simulation) { s.service.Invite(s.t, backend, "asm-lumen") },
			says:  []string{duplicateSummary, "Candidates have been invited"},
		},
		"a test that only an abandoned plan enables": {
			event: func(s *simulation) {
				s.plan(simulatedConfig(activation("go", "skt-go"), tested("a", backend, "skt-go"))) // may be refused
				s.options.Refresh = coretest.NoRefresh
			},
			after: these(tested("a", backend, "skt-go")), says: []string{"Skills test not enabled"},
		},
		"an update into a planned creation": {
			before: resources{a}, after: these(benchmarked("a", backend, graduatesBenchmark), other), says: duplicate,
		},
		"two updates into the same": {
			before: resources{a, other}, says: duplicate,
			after: these(benchmarked("a", backend, managersBenchmark), benchmarked("b", backend, managersBenchmark)),
		},
		"two that are equal, beside another configuration": {
			before: resources{packaged("a", backend)}, says: []string{"remove one of the two resources"},
			after: these(packaged("a", backend), packaged("b", backend, "pkg-processing-speed"), packaged("c", backend, "pkg-processing-speed")),
		},
		// With -minimal-refresh, an instance that no longer exists is first planned as a replacement. That may be
		// attached beside a similar position assessment. The creation that follows may not.
		"a minimal refresh of what others have moved": {
			before: resources{a}, after: these(lumen("a", leeds)), says: duplicate, late: true,
			event: minimally(func(s *simulation) {
				s.change(empty(backend))
				s.change(attaches(leeds, "asm-lumen", sandbox.Metadata{}))
			}),
		},
		"a position that does not exist, with an unknown benchmark": {
			after: these(unknownString("later", graduatesBenchmark), benchmarked("a", "pos-none", outputOf("later"))),
			says:  []string{"Unknown position", "pos-none"},
		},
		// Only what others have removed may be planned again in spite of what the service refuses.
		"an unknown benchmark beside what others have removed": {
			before: resources{a}, event: func(s *simulation) { s.change(empty(backend)) },
			after: these(a, benchmarked("b", backend, "bmk-none")), says: []string{"Unknown benchmark", "bmk-none"},
		},
		"a retired assessment": {
			before: resources{a, northlight("b", leeds)}, after: these(a, northlight("b", leeds)),
			event: func(s *simulation) {
				s.change(func(st *sandbox.State) {
					empty(backend)(st)
					isLumen := func(a sandbox.Assessment) bool { return a.ID == "asm-lumen" }
					st.Assessments = slices.DeleteFunc(st.Assessments, isLumen)
				})
			},
			says: []string{"belong to another organization, or the organization no longer has the assessment", "state rm"},
		},
		"a literal ID of a test whose activation comes later": {
			after: these(tested("a", backend, "skt-go"), dependingOn(activation("go", "skt-go"), a)),
			says:  []string{"Skills test not enabled", `"skt-go"`, "refer to the activation", "so that the test is enabled first"},
		},
		// Each alias has a process of its own, which does not know the plans of the others.
		"a reference to an activation of another alias": {
			after: func(*simulation) coretest.Config {
				config := simulatedConfig(slices.Clone(skills)...)
				config.Providers["other"] = config.Providers[""]
				config.Resources[0].Provider = "other"
				return config
			},
			says: []string{"Skills test not enabled", "of the same provider configuration"},
		},
	} {
		simulateAs(t, name, row.run)
	}
}

// A mistake is refused in any order, also if other resources that wait are accepted in the end, or
// if others have removed what the plan attaches again.
func TestMistakesAreRefusedInAnyOrder(t *testing.T) {
	t.Parallel()
	kept, a := benchmarked("b", backend, graduatesBenchmark), lumen("a", backend)
	for name, row := range map[string]refusal{
		"a copy of a creation that waits": {
			after: these(activation("go", "skt-go"), tested("a", backend, "skt-go"), tested("b", leeds, "skt-go"), tested("c", leeds, "skt-go")),
			says:  []string{duplicateSummary},
		},
		"a position that does not exist, besides a creation that waits": {
			after: these(activation("go", "skt-go"), tested("a", backend, "skt-go"), tested("b", "pos-none", "skt-go")),
			says:  []string{"Unknown position", "pos-none"},
		},
		"a test that does not exist, besides an update that waits": {
			before: resources{tested("a", backend, "skt-sql"), tested("b", leeds, "skt-sql")},
			after: these(
				activation("go", "skt-go"), tested("a", backend, "skt-go", "skt-sql"), tested("b", leeds, "skt-go", "skt-none"),
			),
			says: []string{"Unknown skills test", "skt-none"},
		},
		"an update into what another address keeps": {
			before: resources{a, kept}, after: these(benchmarked("a", backend, graduatesBenchmark), kept),
			says: []string{duplicateSummary},
		},
		"an import of what the plan drops": {
			before: resources{a}, says: []string{"Import of a resource that is destroyed"}, after: func(s *simulation) coretest.Config {
				return importing(backend+"/"+s.id(a), lumen("b", backend))
			},
		},
		"a copy of what others have removed": {
			before: resources{a}, event: func(s *simulation) { s.change(empty(backend)) },
			after: these(a, lumen("b", backend)), says: []string{duplicateSummary},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, row.run)
		})
	}
}

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
				`if candidates must take only one, and no other resource has the existing one, import it instead: +import \{ to = <address> id = "pos-backend-london/pas-0001"`,
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
		onceAs(t, name, func(s *simulation) {
			s.applies(row.before...)
			if row.event != nil {
				row.event(s)
			}
			s.warns(s.applies(row.after...), row.says...)
			s.stays(simulatedConfig(row.after...))
			if on := s.on(backend); len(on) != row.has {
				s.t.Errorf("the position has %q, want %d", on, row.has)
			}
		}, func(o *sandboxtest.Options) { o.Assumptions.MuteReads, o.Assumptions.MuteWrites = row.mute, row.mute })
	}
}

// After a killed apply, the next plan warns about the same assessments, and names the
// import block of each. After these imports, everything is in the state, and nothing is attached twice.
func TestKilledApplyIsNotDuplicated(t *testing.T) {
	t.Parallel()
	positions := numbered(0, 4)
	importID := regexp.MustCompile(`(?s)import \{\s+to = <address>\s+id = "([^"]+)"\s+\}`)
	for assessment, of := range map[string]func(name, position string) coretest.Resource{
		"facet": facet, "lumen": lumen, "northlight": northlight,
		"benchmark": func(name, position string) coretest.Resource { return benchmarked(name, position, engineersBenchmark) },
		"packages":  func(name, position string) coretest.Resource { return selected(name, position, "all") },
		"tests":     func(name, position string) coretest.Resource { return tested(name, position, "skt-sql") },
	} {
		simulateAs(t, assessment, func(s *simulation) {
			config := simulatedConfig(counted(of, positions...)...)
			s.network.Decide = coretest.OnRequest(http.MethodPost, coretest.KillAfter, 2)
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
	}
}
