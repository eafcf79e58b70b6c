// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// item is a position assessment that the simulated user wants.
type item struct {
	name, position, assessment string

	packages           []string
	selected           string // of packages, instead of ids
	benchmark, profile string
	reattach           bool // on_supervisor_change
	tests              []string

	createFirst, triggered bool
	ignored                []string
	later                  bool // the position is known only once something else has been applied
	forgets                bool // on_refused_removal
}

func (i item) addr() string { return "assess_position_assessment." + i.name }

// key says what the item is, for the service: two of the same key are
// duplicates.
func (i item) key(packages []string) string {
	return keyOf(
		i.position,
		i.assessment,
		sandbox.Metadata{Packages: packages, Benchmark: i.benchmark, Profile: i.profile, Tests: i.tests},
	)
}

func keyOf(position, assessment string, m sandbox.Metadata) string {
	packages, tests := slices.Sorted(slices.Values(m.Packages)), slices.Sorted(slices.Values(m.Tests))
	return fmt.Sprintf("%s %s %v %s %s %v", position, assessment, packages, m.Benchmark, m.Profile, tests)
}

func (i item) String() string {
	text := fmt.Sprintf("%s: %s on %s", i.name, i.assessment, i.position)
	for name, value := range map[string]string{
		"packages": strings.Join(i.packages, ","), "select": i.selected, "benchmark": i.benchmark, "profile": i.profile,
		"tests": strings.Join(i.tests, ","), "ignore_changes": strings.Join(i.ignored, ","),
	} {
		if value != "" {
			text += fmt.Sprintf(", %s %s", name, value)
		}
	}
	for name, is := range map[string]bool{
		"create_before_destroy": i.createFirst, "replace_triggered_by": i.triggered, "later": i.later, "reattach": i.reattach,
		"forget": i.forgets,
	} {
		if is {
			text += ", " + name
		}
	}
	return text
}

// The assessments: one for each set of blocks.
const (
	plainly      = "asm-plain"      // nothing to configure
	benchmarked  = "asm-benchmark"  // benchmarks
	packaged     = "asm-packages"   // packages and benchmarks
	profiled     = "asm-profile"    // profiles
	tested       = "asm-tests"      // skills tests
	alsoPlain    = "asm-plain-2"    // another one with nothing to configure
	alsoProfiled = "asm-profile-2"  // another one with profiles
	onlyBench    = "asm-bench-only" // another one with benchmarks
)

var assessments = []string{plainly, benchmarked, packaged, profiled, tested, alsoPlain, alsoProfiled, onlyBench}

// blocks are the blocks of the assessments that have one.
var blocks = map[string]string{
	packaged: "packages", benchmarked: "benchmark", onlyBench: "benchmark", profiled: "profile", alsoProfiled: "profile",
	tested: "tests",
}

// estateOf is the first state of the service: n positions and the assessments.
func estateOf(n int) *sandbox.State {
	st := &sandbox.State{}
	for i := range n {
		locale := "en-GB"
		if i == n-1 {
			locale = "de-DE"
		}
		st.Positions = append(
			st.Positions,
			sandbox.Position{ID: fmt.Sprintf("pos-%d", i), Title: fmt.Sprintf("Position %d", i), Locale: locale},
		)
	}
	benchmarks := func(name string) (all []sandbox.Benchmark) {
		for _, locale := range []string{"en-GB", "de-DE"} {
			for i := range 2 {
				all = append(
					all,
					sandbox.Benchmark{
						ID:     fmt.Sprintf("bmk-%s-%s-%d", name, strings.ToLower(locale), i),
						Name:   fmt.Sprint("Benchmark ", i),
						Locale: locale,
					},
				)
			}
		}
		return all
	}
	profiles := []sandbox.Profile{{ID: "prf-1", Name: "One"}, {ID: "prf-2", Name: "Two"}}
	st.Assessments = []sandbox.Assessment{
		{ID: plainly, Kind: sandbox.BehaviouralProfile, Code: "P1", Name: "Plain"},
		{ID: alsoPlain, Kind: sandbox.BehaviouralProfile, Code: "P2", Name: "Plain, too"},
		{ID: benchmarked, Kind: sandbox.CognitiveAbility, Code: "B1", Name: "Benchmarks", Benchmarks: benchmarks("a")},
		{ID: onlyBench, Kind: sandbox.NumericalReasoning, Code: "B2", Name: "Benchmarks, too", Benchmarks: benchmarks("b")},
		{
			ID: packaged, Kind: sandbox.MultiGameCognitive, Code: "M", Name: "Packages", Benchmarks: benchmarks("m"),
			Packages: []sandbox.Package{
				{
					ID:        "pkg-1",
					Name:      "One",
					Mandatory: true,
				},
				{ID: "pkg-2", Name: "Two", Mandatory: true},
				{ID: "pkg-3", Name: "Three"},
				{ID: "pkg-4", Name: "Four"},
			},
		},
		{ID: profiled, Kind: sandbox.ValuesInventory, Code: "V1", Name: "Profiles", Profiles: profiles},
		{ID: alsoProfiled, Kind: sandbox.WorkPreferencesProfile, Code: "V2", Name: "Profiles, too", Profiles: profiles},
		{ID: tested, Kind: sandbox.Skills, Code: "S", Name: "Tests"},
	}
	for i := range 6 {
		test := sandbox.SkillsTest{}
		for _, m := range []struct {
			name  string
			value any
		}{
			{"id", fmt.Sprintf("skt-%d", i)},
			{"title", fmt.Sprintf("Test %d", i)},
			{"description", "Questions."},
			{"category", "Any"},
			{"timeToComplete", "20 minutes"},
			{"numberOfQuestions", 20},
			{"active", i < 4},
		} {
			test.Set(m.name, m.value)
		}
		a := st.Assessment(tested)
		a.SkillsTests = append(a.SkillsTests, test)
	}
	return st
}

// configure gives an item blocks that suit its assessment.
func (i *item) configure(r *rand.Rand, locale string) {
	i.packages, i.selected, i.benchmark, i.profile, i.tests, i.reattach = nil, "", "", "", nil, false
	benchmark := func(name string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf("bmk-%s-%s-%d", name, strings.ToLower(locale), r.IntN(2))
	}
	switch i.assessment {
	case benchmarked:
		i.benchmark = benchmark("a")
	case onlyBench:
		i.benchmark = benchmark("b")
	case packaged:
		i.benchmark = benchmark("m")
		switch r.IntN(4) {
		case 0:
			i.selected = "all"
		case 1:
			i.selected = "mandatory"
		default:
			i.packages = []string{"pkg-1", "pkg-2", "pkg-3", "pkg-4"}[:2+r.IntN(3)]
		}
	case profiled, alsoProfiled:
		if r.IntN(3) > 0 {
			i.profile, i.reattach = []string{"prf-1", "prf-2"}[r.IntN(2)], r.IntN(3) == 0
		}
	case tested:
		first := r.IntN(4)
		i.tests = []string{"skt-0", "skt-1", "skt-2", "skt-3"}[first : first+1+r.IntN(4-first)]
		if r.IntN(4) == 0 {
			i.tests = []string{"skt-4"}
		}
	}
}

// body is the item as a configuration. Tests that an activation enables are
// referred to.
func (i item) body(activations map[string]string) coretest.Body {
	body := coretest.Body{"position_id": i.position, "assessment_id": i.assessment}
	if i.later {
		body["position_id"] = output("later_" + i.name)
	}
	if i.forgets {
		body["on_refused_removal"] = "forget"
	}
	switch {
	case i.selected != "":
		body["packages"] = coretest.Body{"select": i.selected}
	case i.packages != nil:
		body["packages"] = coretest.Body{"ids": i.packages}
	}
	if i.benchmark != "" {
		body["benchmark"] = coretest.Body{"id": i.benchmark}
	}
	if i.profile != "" {
		profile := coretest.Body{"id": i.profile}
		if i.reattach {
			profile["on_supervisor_change"] = "reattach"
		}
		body["profile"] = profile
	}
	if i.tests != nil {
		var ids []any
		for _, id := range i.tests {
			if name, ok := activations[id]; ok {
				ids = append(ids, coretest.Ref{Addr: "assess_skills_test_activation." + name, Attribute: "test_id"})
			} else {
				ids = append(ids, id)
			}
		}
		body["tests"] = coretest.Body{"ids": ids}
	}
	return body
}

// resolved is the packages that an item has when it is applied.
func (i item) resolved(st *sandbox.State) []string {
	if i.selected == "" {
		return i.packages
	}
	var ids []string
	for _, p := range st.Assessment(i.assessment).Packages {
		if i.selected == "all" || p.Mandatory {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// unacceptable says why the service would refuse an item; "" if it accepts it.
// It is a reading of section 2 of the specification.
func (i item) unacceptable(st *sandbox.State, activations map[string]string) string {
	position, assessment := st.Position(i.position), st.Assessment(i.assessment)
	if position == nil || assessment == nil {
		return "no such position or assessment"
	}
	if i.benchmark != "" {
		if b := assessment.Benchmark(i.benchmark); b == nil || b.Locale != position.Locale {
			return "no such benchmark, or of another locale"
		}
	}
	if i.profile != "" && assessment.Profile(i.profile) == nil {
		return "no such profile"
	}
	packages := i.resolved(st)
	for _, p := range assessment.Packages {
		if p.Mandatory && !slices.Contains(packages, p.ID) {
			return "a mandatory package is missing"
		}
	}
	for _, id := range packages {
		if assessment.Package(id) == nil {
			return "no such package"
		}
	}
	for _, id := range i.tests {
		test := assessment.SkillsTest(id)
		if test == nil || !test.Active() && activations[id] == "" {
			return "a test that is not enabled"
		}
	}
	return ""
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
