// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// setup is a random configuration of a resource.
type setup struct {
	Position, Assessment string
	Packages             []string
	Select               string
	Benchmark, Profile   string
	Tests                []string
}

// config returns the setup as a configuration.
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

// body returns the request that a client without checks would send for the setup.
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

// randomSetup is valid about half of the time. It usually chooses what belongs to the
// kind of assessment, and sometimes any value.
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
			continue // rarely choose values of another assessment
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
		if len(p.Assessments) == 0 { // other tests cover duplicates
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
