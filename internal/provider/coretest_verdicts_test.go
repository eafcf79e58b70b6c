// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// inOrders runs a scenario in many orders of core.
func inOrders(t *testing.T, scenario func(s *simulation)) {
	t.Helper()
	orders := uint64(24)
	if testing.Short() {
		orders = 4
	}
	for seed := range orders {
		for _, parallelism := range []int{1, 2, 3, 10} {
			t.Run(fmt.Sprintf("seed %d, parallelism %d", seed, parallelism), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					options := coretest.Options{Seed: seed, Parallelism: parallelism}
					scenario(newSimulation(t, coretest.Terraform117, options, withPositions(2)))
				})
			})
		}
	}
}

// A mistake is refused in any order, also if other resources that wait are accepted in the end, or
// if others have removed what the plan attaches again.
func TestMistakesAreRefusedInAnyOrder(t *testing.T) {
	t.Parallel()
	goTest, sql := coretest.Body{"ids": []string{"skt-go"}}, coretest.Body{"ids": []string{"skt-sql"}}
	benchmark := coretest.Body{"id": "bmk-lumen-graduates-en-gb"}
	workbench := func(name, position string, tests coretest.Body) coretest.Resource {
		return positionAssessment(name, position, "asm-workbench", "tests", tests)
	}
	lumen := positionAssessment("a", "pos-000", "asm-lumen")
	kept := positionAssessment("b", "pos-000", "asm-lumen", "benchmark", benchmark)
	for name, row := range map[string]struct {
		before, after []coretest.Resource
		others        func(*sandbox.State)
	}{
		"a copy of a creation that waits": {nil, []coretest.Resource{
			activation("go", "skt-go"),
			workbench("a", "pos-000", goTest), workbench("b", "pos-001", goTest), workbench("c", "pos-001", goTest),
		}, nil},
		"a position that does not exist, besides a creation that waits": {nil, []coretest.Resource{
			activation("go", "skt-go"), workbench("a", "pos-000", goTest), workbench("b", "pos-none", goTest),
		}, nil},
		"a test that does not exist, besides an update that waits": {
			[]coretest.Resource{workbench("a", "pos-000", sql), workbench("b", "pos-001", sql)},
			[]coretest.Resource{
				activation("go", "skt-go"), workbench("a", "pos-000", coretest.Body{"ids": []string{"skt-go", "skt-sql"}}),
				workbench("b", "pos-001", coretest.Body{"ids": []string{"skt-go", "skt-none"}}),
			},
			nil,
		},
		"an update into what another address keeps": {
			[]coretest.Resource{lumen, kept},
			[]coretest.Resource{positionAssessment("a", "pos-000", "asm-lumen", "benchmark", benchmark), kept},
			nil,
		},
		"a copy of what others have removed": {
			[]coretest.Resource{lumen},
			[]coretest.Resource{lumen, positionAssessment("b", "pos-000", "asm-lumen")},
			func(st *sandbox.State) { st.Position("pos-000").Assessments = nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, func(s *simulation) {
				s.apply(simulatedConfig(row.before...))
				if row.others != nil {
					s.change(row.others)
				}
				if r := s.plan(simulatedConfig(row.after...)); r.Err() == nil {
					s.t.Errorf("the plan is accepted: %v", r.Diagnostics)
				}
			})
		})
	}
}

// A plan that was refused notes nothing on which a later one relies.
func TestRefusedPlanIsNotTrusted(t *testing.T) {
	t.Parallel()
	t.Run("an activation", func(t *testing.T) {
		t.Parallel()
		inOrders(t, func(s *simulation) {
			a := positionAssessment("a", "pos-000", "asm-workbench", "tests", coretest.Body{"ids": []string{"skt-go"}})
			first := s.plan(simulatedConfig(a, activation("go", "skt-go")))
			second := s.core.Plan(s.t.Context(), simulatedConfig(a), s.with(func(o *coretest.Options) {
				o.Refresh = coretest.NoRefresh
			}))
			if first.Err() != nil && second.Err() == nil {
				s.t.Errorf("the second plan is accepted: %v", second.Diagnostics)
			}
		})
	})
	t.Run("an import", func(t *testing.T) {
		t.Parallel()
		inOrders(t, func(s *simulation) {
			a := positionAssessment("a", "pos-000", "asm-lumen")
			s.apply(simulatedConfig(a))
			saved := s.succeeds(s.plan(simulatedConfig()))
			if r := s.plan(s.importing("b", s.id(a))); r.Err() == nil {
				s.t.Fatalf("the import of what the plan removes is accepted: %v", r.Diagnostics)
			}
			s.succeeds(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options))
		})
	})
}

// importing returns a configuration that imports a position assessment at an address.
func (s *simulation) importing(name, id string, others ...coretest.Resource) coretest.Config {
	config := simulatedConfig(append(others, positionAssessment(name, "pos-000", "asm-lumen"))...)
	config.Imports = []coretest.Import{{To: attachmentAddr + name, ID: "pos-000/" + id}}
	return config
}

// What another address imports or keeps is never removed, however often the user applies.
func TestSharedObjectIsKept(t *testing.T) {
	t.Parallel()
	a, b := positionAssessment("a", "pos-000", "asm-lumen"), positionAssessment("b", "pos-000", "asm-lumen")
	for name, share := range map[string]func(s *simulation) coretest.Config{
		"by an import": func(s *simulation) coretest.Config { return s.importing("b", s.id(a), a) },
		"by an adoption": func(s *simulation) coretest.Config {
			s.env["ASSESS_ADOPT_EXISTING"] = "true"
			defer delete(s.env, "ASSESS_ADOPT_EXISTING")
			onlyB := s.with(func(o *coretest.Options) { o.Targets = []string{b.Addr} })
			s.succeeds(s.core.Apply(s.t.Context(), simulatedConfig(a, b), onlyB))
			return simulatedConfig(a, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inOrders(t, func(s *simulation) {
				s.apply(simulatedConfig(a))
				shared := s.on("pos-000")
				config := share(s)
				s.core.Taint(a.Addr)
				for range 2 {
					r := s.core.Apply(s.t.Context(), config, s.options)
					s.fails(r, "Could not remove the position assessment", "Another resource imports it, keeps it")
				}
				if on := s.on("pos-000"); !slices.Equal(on, shared) {
					s.t.Errorf("the position has %q, want %q", on, shared)
				}
			})
		})
	}
}

// A read-only apply changes nothing: the same saved plan applies afterwards.
func TestSavedPlanAfterReadOnly(t *testing.T) {
	t.Parallel()
	inOrders(t, func(s *simulation) {
		a := positionAssessment("a", "pos-000", "asm-lumen")
		a.CreateBeforeDestroy = true
		s.apply(simulatedConfig(a))
		before, saved := s.core.State, s.plansForced(simulatedConfig(a))
		s.env["ASSESS_READ_ONLY"] = "true"
		s.fails(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options), "read-only")
		delete(s.env, "ASSESS_READ_ONLY")
		s.core.State = before
		s.succeeds(s.core.ApplyPlan(s.t.Context(), saved.Plan, s.options))
	})
}

// A process that plans and applies several times, as in "terraform test", trusts its own plans.
func TestReusedProcess(t *testing.T) {
	t.Parallel()
	t.Run("replaces a tainted instance", func(t *testing.T) {
		t.Parallel()
		inOrders(t, func(s *simulation) {
			s.core.KeepProcesses = true
			a := positionAssessment("a", "pos-000", "asm-lumen")
			a.CreateBeforeDestroy = true
			s.apply(simulatedConfig(a))
			s.core.Taint(a.Addr)
			s.apply(simulatedConfig(a))
		})
	})
	t.Run("destroys what it has imported", func(t *testing.T) {
		t.Parallel()
		inOrders(t, func(s *simulation) {
			a := positionAssessment("a", "pos-000", "asm-lumen")
			s.apply(simulatedConfig(a))
			config := s.importing("b", s.id(a))
			s.core.Forget(a.Addr)
			s.succeeds(s.plan(config))
			s.core.KeepProcesses = true
			s.apply(config)
			config.Imports = nil
			s.destroys(config)
		})
	})
}
