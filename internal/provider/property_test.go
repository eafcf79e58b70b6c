// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// setup is what a random resource configures.
type setup struct {
	Position, Assessment string
	Packages             []string
	Select               string
	Benchmark, Profile   string
	Tests                []string
}

// config is the setup as a configuration.
func (s setup) config() map[string]any {
	config := map[string]any{"position_id": s.Position, "assessment_id": s.Assessment}
	switch {
	case s.Select != "":
		config["packages"] = map[string]any{"select": s.Select}
	case s.Packages != nil:
		config["packages"] = map[string]any{"ids": s.Packages}
	}
	if s.Benchmark != "" {
		config["benchmark"] = map[string]any{"id": s.Benchmark}
	}
	if s.Profile != "" {
		config["profile"] = map[string]any{"id": s.Profile}
	}
	if s.Tests != nil {
		config["tests"] = map[string]any{"ids": s.Tests}
	}
	return config
}

// body is the setup as somebody else would send it, who checks nothing.
func (s setup) body(service *sandboxtest.Server, t *testing.T) []byte {
	t.Helper()
	metadata := map[string]any{}
	if s.Select != "" {
		s.Packages = []string{}
		if a := service.State(t).Assessment(s.Assessment); a != nil {
			for _, p := range a.Packages {
				if s.Select == "all" || p.Mandatory {
					s.Packages = append(s.Packages, p.ID)
				}
			}
		}
	}
	if s.Packages != nil {
		metadata["packages"] = s.Packages
	}
	if s.Benchmark != "" {
		metadata["benchmark"] = s.Benchmark
	}
	if s.Profile != "" {
		metadata["profile"] = s.Profile
	}
	if s.Tests != nil {
		metadata["tests"] = s.Tests
	}
	text, err := json.Marshal(map[string]any{"organizationAssessment": s.Assessment, "metadata": metadata})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// randomSetup is right about as often as not: mostly it chooses what belongs to
// the kind of assessment, and sometimes anything.
func randomSetup(r *rand.Rand, st *sandbox.State) setup {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	some := func(list []string) []string {
		chosen := []string{}
		for _, id := range list {
			if r.IntN(3) > 0 {
				chosen = append(chosen, id)
			}
		}
		return chosen
	}
	var packages, benchmarks, profiles, tests, positions []string
	a := &st.Assessments[r.IntN(len(st.Assessments))]
	for i := range st.Assessments {
		b := &st.Assessments[i]
		if own := b.ID == a.ID; !own && r.IntN(20) > 0 {
			continue // somebody else's are a rare choice
		}
		for _, p := range b.Packages {
			packages = append(packages, p.ID)
		}
		for _, m := range b.Benchmarks {
			benchmarks = append(benchmarks, m.ID)
		}
		for _, p := range b.Profiles {
			profiles = append(profiles, p.ID)
		}
		for _, k := range b.SkillsTests {
			if k.Active() || r.IntN(10) == 0 {
				tests = append(tests, k.ID())
			}
		}
	}
	for _, p := range st.Positions {
		if len(p.Assessments) == 0 { // doubles are another test's matter
			positions = append(positions, p.ID)
		}
	}
	s := setup{Position: pick(positions), Assessment: a.ID}
	if r.IntN(30) == 0 {
		s.Position = "pos-nowhere"
	}
	if r.IntN(30) == 0 {
		s.Assessment = "asm-nowhere"
	}
	likely := func(has []string) bool { return len(has) > 0 && r.IntN(6) > 0 || r.IntN(25) == 0 }
	if likely(packages) {
		switch r.IntN(4) {
		case 0:
			s.Select = "all"
		case 1:
			s.Select = "mandatory"
		default:
			s.Packages = append(some(packages), "pkg-problem-solving", "pkg-numerical-reasoning")[r.IntN(3):]
			s.Packages = unique(s.Packages)
		}
	}
	if likely(benchmarks) && len(benchmarks) > 0 {
		s.Benchmark = pick(benchmarks)
	}
	if likely(profiles) && len(profiles) > 0 {
		s.Profile = pick(profiles)
	}
	if likely(tests) && len(tests) > 0 {
		s.Tests = unique([]string{pick(tests), pick(tests), pick(tests)})
	}
	if r.IntN(40) == 0 {
		s.Benchmark = "bmk-nowhere"
	}
	return s
}

func unique(ids []string) []string {
	seen, list := map[string]bool{}, []string{}
	for _, id := range ids {
		if !seen[id] {
			list = append(list, id)
		}
		seen[id] = true
	}
	return list
}

// For random configurations, a plan succeeds exactly where the service accepts
// what it would send; and after a successful apply the next plan is empty. The
// same for an update to another random configuration.
func TestPlanAgreesWithTheService(t *testing.T) {
	t.Parallel()
	onBothServices(t, planAgrees)
}

func planAgrees(t *testing.T, like func(*sandboxtest.Options)) {
	seeds := []uint64{rand.Uint64() % 1_000_000} // printed; one that fails becomes a fixed case below
	seeds = append(seeds, 1, 2)
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			accepted := 0
			const cases = 100
			for n := range cases {
				first, second := randomSetup(r, sandbox.Demo()), randomSetup(r, sandbox.Demo())
				second.Position, second.Assessment = first.Position, first.Assessment
				if agrees(t, like, fmt.Sprintf("seed %d, case %d", seed, n), first, second) {
					accepted++
				}
			}
			t.Logf("seed %d: %d of %d creations accepted", seed, accepted, cases)
			if accepted < cases/10 || accepted > cases*9/10 {
				t.Errorf("the cases are one-sided: %d of %d accepted", accepted, cases)
			}
		})
	}
}

// agrees reports whether the creation was accepted.
func agrees(t *testing.T, like func(*sandboxtest.Options), name string, first, second setup) bool {
	t.Helper()
	service := sandboxtest.New(t, like, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 0 })
	w := newWalker(t, service)
	i := &instance{walker: w, name: "assess_position_assessment"}

	planned := i.step(name+" (creation)", service, http.MethodPost, "", first)
	if !planned {
		return false
	}
	id := ""
	if err := i.attribute("id").As(&id); err != nil {
		t.Fatal(err)
	}
	i.step(name+" (update)", service, http.MethodPut, id, second)
	return true
}

func (i *instance) attribute(name string) tftypes.Value {
	i.t.Helper()
	members := map[string]tftypes.Value{}
	if err := i.value(i.state).As(&members); err != nil {
		i.t.Fatal(err)
	}
	return members[name]
}

// step plans and applies a setup, and compares with what the service says to
// the same request from somebody who checks nothing.
func (i *instance) step(name string, service *sandboxtest.Server, method, id string, s setup) bool {
	i.t.Helper()
	context := fmt.Sprintf("%s: %s %+v", name, method, s)
	config := s.config()
	invalid := i.validate(config)
	if len(invalid) > 0 {
		if status := raw(i.t, service, method, id, s); status < 400 {
			i.t.Errorf("%s: refused by a rule, and the service answers %d:\n%s", context, status, invalid[0].Detail)
		}
		return false
	}
	i.walk(map[string]any{})
	if i.state != nil {
		if failed := i.refresh(); failed != nil {
			i.t.Fatalf("%s: the refresh fails: %s", context, failed[0].Detail)
		}
	}
	plan, refused := i.plan(config, i.proposed(config))
	if refused != nil {
		if status := raw(i.t, service, method, id, s); status < 400 {
			i.t.Errorf("%s: refused by the plan, and the service answers %d:\n%s", context, status, refused[0].Detail)
		}
		return false
	}
	i.walk(map[string]any{}) // the apply is a walk of its own
	if failed := i.apply(config, plan); failed != nil {
		i.t.Errorf("%s: planned, and the apply fails: %s", context, failed[0].Detail)
		return false
	}
	i.walk(map[string]any{})
	if failed := i.refresh(); failed != nil {
		i.t.Fatalf("%s: the refresh fails: %s", context, failed[0].Detail)
	}
	again, refused := i.plan(config, i.proposed(config))
	if refused != nil {
		i.t.Errorf("%s: the second plan fails: %s", context, refused[0].Detail)
	} else if !i.value(again.PlannedState).Equal(i.value(i.state)) {
		i.t.Errorf("%s: the second plan is not empty:\n%s\n%s", context, i.value(i.state), i.value(again.PlannedState))
	}
	return true
}

// proposed merges a configuration with what is computed in the state, as a CLI
// does it.
func (i *instance) proposed(config map[string]any) map[string]any {
	i.t.Helper()
	proposed := maps.Clone(config)
	if i.state == nil {
		return proposed
	}
	for _, name := range []string{"id", "profile_status", "profile_url", "self_link"} {
		proposed[name] = i.attribute(name)
	}
	keep := func(block, name string) {
		given, ok := config[block].(map[string]any)
		before := i.attribute(block)
		if !ok || before.IsNull() || given[name] != nil {
			return
		}
		members := map[string]tftypes.Value{}
		if err := before.As(&members); err != nil {
			i.t.Fatal(err)
		}
		merged := maps.Clone(given)
		merged[name] = members[name]
		proposed[block] = merged
	}
	keep("packages", "ids")
	keep("profile", "on_supervisor_change")
	return proposed
}

// raw sends what the setup amounts to and returns the service's status. It
// changes the service, so it is the last thing that happens to it.
func raw(t *testing.T, service *sandboxtest.Server, method, id string, s setup) int {
	t.Helper()
	address := service.URL + "/positions/" + s.Position + "/assessments"
	if id != "" {
		address += "/" + id
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(s.body(service, t)))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
