// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
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

// simulate runs a scenario for each CLI and for several seeds, which decide the order of independent steps.
// With -short, each CLI has one seed of its own.
func simulate(t *testing.T, scenario func(s *simulation), change ...func(*sandboxtest.Options)) {
	t.Helper()
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for i, profile := range []coretest.Profile{coretest.Terraform117, coretest.OpenTofu} {
		for seed := range seeds {
			if testing.Short() && seed != uint64(i) {
				continue
			}
			options := coretest.Options{Seed: seed, Parallelism: []int{1, 10}[seed%2]}
			sandboxtest.Virtual(t, fmt.Sprintf("%s, seed %d", profile.Name, seed), func(t *testing.T) {
				scenario(newSimulation(t, profile, options, change...))
			})
		}
	}
}

// simulateAs runs a scenario with simulate, as a part of a test.
func simulateAs(t *testing.T, name string, scenario func(s *simulation), change ...func(*sandboxtest.Options)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		simulate(t, scenario, change...)
	})
}

// inOrders runs a scenario in many orders of core.
func inOrders(t *testing.T, scenario func(s *simulation)) {
	t.Helper()
	orders := uint64(24)
	if testing.Short() {
		orders = 4
	}
	for seed := range orders {
		for _, parallelism := range []int{1, 2, 3, 10} {
			options := coretest.Options{Seed: seed, Parallelism: parallelism}
			sandboxtest.Virtual(t, fmt.Sprintf("seed %d, parallelism %d", seed, parallelism), func(t *testing.T) {
				scenario(newSimulation(t, coretest.Terraform117, options))
			})
		}
	}
}

// once runs a scenario once, in virtual time.
func once(t *testing.T, scenario func(s *simulation), change ...func(*sandboxtest.Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { scenario(newSimulation(t, coretest.OpenTofu, coretest.Options{}, change...)) })
}

// onceAs runs a scenario once, as a part of a test.
func onceAs(t *testing.T, name string, scenario func(s *simulation), change ...func(*sandboxtest.Options)) {
	t.Helper()
	sandboxtest.Virtual(t, name, func(t *testing.T) {
		scenario(newSimulation(t, coretest.OpenTofu, coretest.Options{}, change...))
	})
}

func newSimulation(
	t *testing.T, profile coretest.Profile, o coretest.Options, change ...func(*sandboxtest.Options),
) *simulation {
	t.Helper()
	options := sandboxtest.Options{Options: sandbox.Options{Seed: demoPart, NoLimits: true}}
	for _, option := range change {
		option(&options)
	}
	schemas, err := providerSchemas()
	if err != nil {
		t.Fatal(err)
	}
	service := sandboxtest.NewService(t, options)
	network := &coretest.Network{Next: service}
	home := t.TempDir()
	env := sandboxtest.Environment()
	core := coretest.New(profile, func(machine string) (tfprotov6.ProviderServer, error) {
		return provider.NewServer(&provider.Provider{
			Version: "test", Getenv: func(name string) string { return env[name] },
			CacheDir: filepath.Join(home, machine), Transport: network,
		}), nil
	})
	core.Schemas, network.Core = schemas, core
	return &simulation{t: t, core: core, network: network, service: service, options: o, env: env}
}

// mute is a service that never shows packages, benchmark and tests (assumption A22).
func mute(o *sandboxtest.Options) { o.Assumptions = sandboxtest.Mute }

// demoPart is smallState, which each service copies.
var demoPart = sync.OnceValue(smallState)

// smallState is the part of the demo organization that simulations use, and the positions
// pos-0000 to pos-0011.
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
	st.Positions = append(st.Positions, emptyPositions(12)...)
	return st
}

// resources are the resources of a configuration.
type resources = []coretest.Resource

// simulatedConfig returns a configuration of resources, with provider settings for
// virtual time.
func simulatedConfig(all ...coretest.Resource) coretest.Config {
	return coretest.Config{
		Providers: map[string]coretest.Body{"": {"rate_limit": coretest.Body{"coordination": "none"}}},
		Resources: all,
	}
}

const (
	attachmentAddr = "assess_position_assessment."
	activationAddr = "assess_skills_test_activation."

	backend  = "pos-backend-london"
	leeds    = "pos-support-leeds"
	aberdeen = "pos-safety-aberdeen"

	graduatesBenchmark = "bmk-lumen-graduates-en-gb"
	engineersBenchmark = "bmk-lumen-engineers-en-gb"
	managersBenchmark  = "bmk-lumen-managers-en-gb"
)

// positionAssessment returns a resource. members are pairs of a name and a value.
func positionAssessment(name, position, assessment string, members ...any) coretest.Resource {
	body := coretest.Body{"position_id": position, "assessment_id": assessment}
	for i := 0; i < len(members); i += 2 {
		body[fmt.Sprint(members[i])] = members[i+1]
	}
	return coretest.Resource{Addr: attachmentAddr + name, Body: body}
}

// facet returns a position assessment that accepts no block.
func facet(name, position string) coretest.Resource {
	return positionAssessment(name, position, "asm-facet")
}

// lumen returns a position assessment that accepts a benchmark but has none.
func lumen(name, position string) coretest.Resource {
	return positionAssessment(name, position, "asm-lumen")
}

func benchmarked(name, position string, benchmark any) coretest.Resource {
	return positionAssessment(name, position, "asm-lumen", "benchmark", coretest.Body{"id": benchmark})
}

// northlight returns a position assessment that accepts a profile but has none.
func northlight(name, position string) coretest.Resource {
	return positionAssessment(name, position, "asm-northlight")
}

func profiled(name, position, profile string) coretest.Resource {
	return positionAssessment(name, position, "asm-northlight", "profile", coretest.Body{"id": profile})
}

func tested(name, position string, tests ...any) coretest.Resource {
	return positionAssessment(name, position, "asm-workbench", "tests", coretest.Body{"ids": tests})
}

// packaged returns a position assessment with the mandatory packages and more.
func packaged(name, position string, more ...any) coretest.Resource {
	ids := append([]any{"pkg-problem-solving", "pkg-numerical-reasoning"}, more...)
	return positionAssessment(name, position, "asm-quartet", "packages", coretest.Body{"ids": ids})
}

func selected(name, position, selection string) coretest.Resource {
	return positionAssessment(name, position, "asm-quartet", "packages", coretest.Body{"select": selection})
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

func outputOf(name string) coretest.Ref {
	return coretest.Ref{Addr: "terraform_data." + name, Attribute: "output"}
}

// at returns a resource whose position is known when terraform_data.position is applied.
func at(r coretest.Resource, trigger, position string) resources {
	r.Body["position_id"] = outputOf("position")
	known := unknownString("position", position)
	known.Body["triggers_replace"] = trigger
	return resources{known, r}
}

func createFirst(r coretest.Resource) coretest.Resource {
	r.CreateBeforeDestroy = true
	return r
}

func ignoring(r coretest.Resource, names ...string) coretest.Resource {
	r.IgnoreChanges = names
	return r
}

func dependingOn(r coretest.Resource, other coretest.Resource) coretest.Resource {
	r.DependsOn = []string{other.Addr}
	return r
}

// counted returns the instances of a resource with count, one for each position.
func counted(of func(name, position string) coretest.Resource, positions ...string) resources {
	var all resources
	for i, p := range positions {
		all = append(all, of(fmt.Sprintf("a[%d]", i), p))
	}
	return all
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

// run plans and applies resources. Both may fail.
func (s *simulation) run(all ...coretest.Resource) coretest.Result {
	s.t.Helper()
	return s.core.Apply(s.t.Context(), simulatedConfig(all...), s.options)
}

// apply plans and applies, and fails the test if that fails.
func (s *simulation) apply(config coretest.Config) coretest.Result {
	s.t.Helper()
	return s.succeeds(s.core.Apply(s.t.Context(), config, s.options))
}

func (s *simulation) applies(all ...coretest.Resource) coretest.Result {
	s.t.Helper()
	return s.succeeds(s.run(all...))
}

// converges applies resources. Afterwards, a plan is empty, and nothing is attached twice.
func (s *simulation) converges(all ...coretest.Resource) {
	s.t.Helper()
	s.applies(all...)
	s.stays(simulatedConfig(all...))
	s.noDuplicates()
}

// appliesPlan applies a plan on this machine.
func (s *simulation) appliesPlan(planned coretest.Result) coretest.Result {
	s.t.Helper()
	return s.succeeds(s.core.ApplyPlan(s.t.Context(), s.succeeds(planned).Plan, s.options))
}

// destroys destroys everything and fails the test if an object is left in the state.
func (s *simulation) destroys(config coretest.Config) {
	s.t.Helper()
	s.succeeds(s.core.Destroy(s.t.Context(), config, s.options))
	if left := s.core.State.Addresses(); len(left) > 0 {
		s.t.Errorf("the state still holds %q", left)
	}
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

// says reports whether a diagnostic of the run matches all patterns.
func says(r coretest.Result, isError bool, patterns []string) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d coretest.Diagnostic) bool {
		return !d.Dropped && d.Error == isError && clitest.MatchesAll(d.Summary+"\n"+d.Detail, patterns)
	})
}

// fails fails the test unless an error matches all patterns.
func (s *simulation) fails(r coretest.Result, patterns ...string) {
	s.t.Helper()
	clitest.AssertSelective(s.t, patterns)
	if !says(r, true, patterns) {
		s.t.Errorf("no error matches all of %q:\n%v", patterns, r.Diagnostics)
	}
}

func (s *simulation) warns(r coretest.Result, patterns ...string) {
	s.t.Helper()
	clitest.AssertSelective(s.t, patterns)
	if !says(r, false, patterns) {
		s.t.Errorf("no warning matches all of %q:\n%v", patterns, r.Diagnostics)
	}
}

// refusing is a fault of each request that reads from a route.
func refusing(route string, status int) sandboxtest.Fault {
	return sandboxtest.Fault{Method: http.MethodGet, Route: route, Status: status, Times: -1}
}

// change changes the service outside Terraform.
func (s *simulation) change(change func(*sandbox.State)) {
	s.t.Helper()
	s.service.Change(s.t, change)
}

func removePosition(id string) func(*sandbox.State) {
	return func(st *sandbox.State) {
		st.Positions = slices.DeleteFunc(st.Positions, func(p sandbox.Position) bool { return p.ID == id })
	}
}

// empty removes all assessments from a position.
func empty(position string) func(*sandbox.State) {
	return func(st *sandbox.State) { st.Position(position).Assessments = nil }
}

// attaches lets others attach an assessment.
func attaches(position, assessment string, metadata sandbox.Metadata) func(*sandbox.State) {
	return func(st *sandbox.State) {
		if _, err := st.Attach(position, assessment, metadata); err != nil {
			panic(err)
		}
	}
}

// attachByOther attaches the same as engineers.
func attachByOther(st *sandbox.State) {
	attaches(backend, "asm-lumen", sandbox.Metadata{Benchmark: engineersBenchmark})(st)
}

// loses drops addresses from the state. The service keeps everything.
func (s *simulation) loses(addrs ...string) {
	for _, addr := range addrs {
		s.core.Forget(addr)
	}
}

// object returns the object at the address of a resource, or nil.
func (s *simulation) object(r coretest.Resource) *coretest.Object {
	return s.core.State.Object(r.Addr)
}

// text returns an attribute of a resource in the state, or "". names are its path.
func (s *simulation) text(r coretest.Resource, names ...string) string {
	return s.object(r).Text(names...)
}

// id returns the ID of a resource in the state, or "".
func (s *simulation) id(r coretest.Resource) string { return s.text(r, "id") }

// importing returns a configuration that imports an ID into its first resource.
func importing(id string, all ...coretest.Resource) coretest.Config {
	config := simulatedConfig(all...)
	config.Imports = []coretest.Import{{To: all[0].Addr, ID: id}}
	return config
}

// on returns the IDs of the position assessments of a position.
func (s *simulation) on(position string) []string {
	s.t.Helper()
	ids := []string{}
	for _, pa := range s.service.State(s.t).Position(position).Assessments {
		ids = append(ids, pa.ID)
	}
	return ids
}

// attached returns the position assessments in the service, as "position: assessment
// configuration", sorted.
func (s *simulation) attached() []string {
	s.t.Helper()
	var all []string
	for _, p := range s.service.State(s.t).Positions {
		for _, a := range p.Assessments {
			m := a.Metadata
			slices.Sort(m.Packages)
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s: %s %s %s %s %s", p.ID, a.Assessment,
				strings.Join(m.Packages, ","), m.Benchmark, m.Profile, strings.Join(m.Tests, ","))))
		}
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

// writes returns the methods of the requests to change something, in order.
func (s *simulation) writes() string {
	var methods []string
	for _, w := range s.service.Writes() {
		methods = append(methods, w.Method)
	}
	return strings.Join(methods, " ")
}

// writesNothing fails the test if the service received a request to change something.
func (s *simulation) writesNothing() {
	s.t.Helper()
	s.service.NoWrites(s.t)
}
