// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// simulation is a working directory on the simulated core, with the embedded service
// behind a simulated network, in virtual time.
type simulation struct {
	t       *testing.T
	core    *coretest.Core
	network *coretest.Network
	service *sandboxtest.Service
	options coretest.Options  // options of every operation
	env     map[string]string // environment of the provider
}

// simulate runs a scenario once for each CLI and for several seeds, which decide the
// order of independent steps.
func simulate(t *testing.T, scenario func(s *simulation), change ...func(*sandbox.Options)) {
	t.Helper()
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for _, profile := range []coretest.Profile{coretest.Terraform117, coretest.OpenTofu} {
		for seed := range seeds {
			options := coretest.Options{Seed: seed, Parallelism: []int{1, 10}[seed%2]}
			t.Run(fmt.Sprintf("%s, seed %d", profile.Name, seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { scenario(newSimulation(t, profile, options, change...)) })
			})
		}
	}
}

// once runs a scenario once, in virtual time.
func once(t *testing.T, scenario func(s *simulation), change ...func(*sandboxtest.Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { scenario(newSimulationOf(t, coretest.OpenTofu, coretest.Options{}, change...)) })
}

func newSimulation(
	t *testing.T,
	profile coretest.Profile,
	o coretest.Options,
	change ...func(*sandbox.Options),
) *simulation {
	t.Helper()
	return newSimulationOf(t, profile, o, func(options *sandboxtest.Options) {
		for _, option := range change {
			option(&options.Options)
		}
	})
}

// newSimulationOf returns a simulation of a service with any options.
func newSimulationOf(
	t *testing.T, profile coretest.Profile, o coretest.Options, change ...func(*sandboxtest.Options),
) *simulation {
	t.Helper()
	options := sandboxtest.Options{Options: sandbox.Options{Seed: smallState, NoLimits: true}}
	for _, option := range change {
		option(&options)
	}
	service := sandboxtest.NewService(t, options)
	network := &coretest.Network{Next: service}
	home := t.TempDir()
	env := map[string]string{
		"ASSESS_BASE_URL":  sandbox.BaseURL,
		"ASSESS_CLIENT_ID": sandbox.ClientID,
		"ASSESS_API_KEY":   sandbox.APIKey,
	}
	core := coretest.New(profile, func(machine string) (tfprotov6.ProviderServer, error) {
		return newServer(&provider.Provider{
			Version: "test", Getenv: func(name string) string { return env[name] },
			CacheDir: filepath.Join(home, machine), Transport: network,
		})()
	})
	network.Core = core
	return &simulation{t: t, core: core, network: network, service: service, options: o, env: env}
}

// setNoList makes a service that does not list the assessments of a position, if
// missing is set.
func setNoList(o *sandboxtest.Options, missing bool) {
	if missing {
		o.Assumptions.PositionAssessmentList = http.StatusMethodNotAllowed
	}
}

// smallState is the part of the demo organization that simulations use.
func smallState() *sandbox.State {
	st := sandbox.Demo()
	kept := []string{"asm-lumen", "asm-quartet", "asm-northlight", "asm-terrain", "asm-workbench", "asm-facet"}
	st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool {
		return !slices.Contains(kept, a.ID)
	})
	tests := &st.Assessment("asm-workbench").SkillsTests
	*tests = slices.DeleteFunc(*tests, func(t sandbox.SkillsTest) bool {
		return !slices.Contains([]string{"skt-go", "skt-rust", "skt-sql", "skt-linux", "skt-python", "skt-networks"}, t.ID())
	})
	candidates := &st.Position(sandbox.DemoResultsPosition).Candidates
	*candidates = (*candidates)[:4]
	return st
}

// simulatedConfig returns a configuration of resources, with provider settings for
// virtual time.
func simulatedConfig(resources ...coretest.Resource) coretest.Config {
	return coretest.Config{
		Providers: map[string]coretest.Body{"": {"rate_limit": coretest.Body{"coordination": "none"}}},
		Resources: resources,
	}
}

const (
	attachmentAddr = "assess_position_assessment."
	activationAddr = "assess_skills_test_activation."
)

// positionAssessment returns a resource. members are pairs of a name and a value.
func positionAssessment(name, position, assessment string, members ...any) coretest.Resource {
	body := coretest.Body{"position_id": position, "assessment_id": assessment}
	for i := 0; i < len(members); i += 2 {
		body[fmt.Sprint(members[i])] = members[i+1]
	}
	return coretest.Resource{Addr: attachmentAddr + name, Body: body}
}

func activation(name, test string) coretest.Resource {
	return coretest.Resource{
		Addr: activationAddr + name,
		Body: coretest.Body{"assessment_id": "asm-workbench", "test_id": test},
	}
}

// unknownString returns a resource whose output is unknown until it is applied.
func unknownString(name, input string) coretest.Resource {
	return coretest.Resource{Addr: "terraform_data." + name, Body: coretest.Body{"input": input}}
}

func (s *simulation) with(change func(*coretest.Options)) coretest.Options {
	o := s.options
	change(&o)
	return o
}

// plan makes a plan, which may be refused.
func (s *simulation) plan(config coretest.Config) coretest.Result {
	s.t.Helper()
	return s.core.Plan(s.t.Context(), config, s.options)
}

// apply plans and applies, and fails the test if that fails.
func (s *simulation) apply(config coretest.Config) coretest.Result {
	s.t.Helper()
	return s.succeeds(s.core.Apply(s.t.Context(), config, s.options))
}

func (s *simulation) succeeds(r coretest.Result) coretest.Result {
	s.t.Helper()
	if err := r.Err(); err != nil {
		s.t.Fatalf("the run failed:\n%v", err)
	}
	return r
}

// stays fails the test unless a plan is empty.
func (s *simulation) stays(config coretest.Config) {
	s.t.Helper()
	if r := s.succeeds(s.core.Plan(s.t.Context(), config, s.options)); len(r.Plan.Actions()) > 0 {
		s.t.Fatalf("the plan is not empty: %v", r.Plan.Actions())
	}
}

// change changes the service outside Terraform.
func (s *simulation) change(change func(*sandbox.State)) {
	s.t.Helper()
	if err := s.service.Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		s.t.Fatal(err)
	}
}

// attached returns the position assessments in the service, as "position: assessment
// configuration", sorted.
func (s *simulation) attached() []string {
	s.t.Helper()
	var all []string
	err := s.service.View(func(st *sandbox.State) {
		for _, p := range st.Positions {
			for _, a := range p.Assessments {
				m := a.Metadata
				slices.Sort(m.Packages)
				all = append(all, strings.TrimSpace(fmt.Sprintf("%s: %s %s %s %s %s", p.ID, a.Assessment,
					strings.Join(m.Packages, ","), m.Benchmark, m.Profile, strings.Join(m.Tests, ","))))
			}
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// noDuplicates fails the test if a position has two equal position assessments.
func (s *simulation) noDuplicates() {
	s.t.Helper()
	all := s.attached()
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			s.t.Errorf("attached twice: %s", all[i])
		}
	}
}
