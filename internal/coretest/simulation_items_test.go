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

// item is a position assessment in the simulated user's configuration.
type item struct {
	name, position, assessment string

	packages           []string
	selected           string // packages.select, instead of ids
	benchmark, profile string
	reattach           bool // on_supervisor_change
	tests              []string

	createFirst, triggered bool
	ignored                []string
	later                  bool   // the position is unknown until another resource is applied
	slow                   bool   // the position comes from a data source of another provider
	user                   user   // a resource of another provider depends on it
	vague                  bool   // so is the benchmark or the profile
	literal                bool   // the tests do not refer to their activations
	forgets                bool   // on_refused_removal
	alias                  string // of the provider configuration
}

// user is how a resource of another provider depends on an item.
type user int

const (
	noUser user = iota
	plainUser
	createFirstUser // with create_before_destroy, which forces it on the item
)

func (i item) addr() string { return "assess_position_assessment." + i.name }

// key identifies the item for the service. Two items with the same key are duplicates.
func (i item) key(packages []string) string {
	m := sandbox.Metadata{Packages: packages, Benchmark: i.benchmark, Profile: i.profile, Tests: i.tests}
	return keyOf(i.position, i.assessment, m)
}

func keyOf(position, assessment string, m sandbox.Metadata) string {
	packages, tests := slices.Sorted(slices.Values(m.Packages)), slices.Sorted(slices.Values(m.Tests))
	return fmt.Sprintf("%s %s %v %s %s %v", position, assessment, packages, m.Benchmark, m.Profile, tests)
}

func (i item) String() string {
	text := fmt.Sprintf("%s: %s on %s", i.name, i.assessment, i.position)
	values := map[string]string{
		"packages": strings.Join(i.packages, ","), "select": i.selected, "benchmark": i.benchmark, "profile": i.profile,
		"tests": strings.Join(i.tests, ","), "ignore_changes": strings.Join(i.ignored, ","), "provider": i.alias,
	}
	for _, name := range sortedNames(values) {
		if value := values[name]; value != "" {
			text += fmt.Sprintf(", %s %s", name, value)
		}
	}
	flags := map[string]bool{
		"create_before_destroy": i.createFirst, "replace_triggered_by": i.triggered, "later": i.later, "reattach": i.reattach,
		"forget": i.forgets, "unknown block": i.vague, "literal tests": i.literal, "slow": i.slow,
		"used":                            i.user == plainUser,
		"used with create_before_destroy": i.user == createFirstUser,
	}
	for _, name := range sortedNames(flags) {
		if flags[name] {
			text += ", " + name
		}
	}
	return text
}

// The assessments. Each set of blocks has at least one.
const (
	asmPlain     = "asm-plain"      // nothing to configure
	asmBenchmark = "asm-benchmark"  // benchmarks
	asmPackages  = "asm-packages"   // packages and benchmarks
	asmProfile   = "asm-profile"    // profiles
	asmTests     = "asm-tests"      // skills tests
	asmPlain2    = "asm-plain-2"    // another one with nothing to configure
	asmProfile2  = "asm-profile-2"  // another one with profiles
	asmBenchOnly = "asm-bench-only" // another one with benchmarks
)

var assessments = []string{
	asmPlain, asmBenchmark, asmPackages, asmProfile, asmTests, asmPlain2, asmProfile2, asmBenchOnly,
}

// blocks names the block of each assessment that has one.
var blocks = map[string]string{
	asmPackages:  "packages",
	asmBenchmark: "benchmark",
	asmBenchOnly: "benchmark",
	asmProfile:   "profile",
	asmProfile2:  "profile",
	asmTests:     "tests",
}

// initialState returns the first state of the service: n positions and the assessments.
func initialState(n int) *sandbox.State {
	st := &sandbox.State{}
	for i := range n {
		locale := "en-GB"
		if i == n-1 {
			locale = "de-DE"
		}
		id, title := fmt.Sprintf("pos-%d", i), fmt.Sprintf("Position %d", i)
		st.Positions = append(st.Positions, sandbox.Position{ID: id, Title: title, Locale: locale})
	}
	benchmarks := func(name string) (all []sandbox.Benchmark) {
		for _, locale := range []string{"en-GB", "de-DE"} {
			for i := range 2 {
				id := fmt.Sprintf("bmk-%s-%s-%d", name, strings.ToLower(locale), i)
				all = append(all, sandbox.Benchmark{ID: id, Name: fmt.Sprint("Benchmark ", i), Locale: locale})
			}
		}
		return all
	}
	profiles := []sandbox.Profile{{ID: "prf-1", Name: "One"}, {ID: "prf-2", Name: "Two"}}
	st.Assessments = []sandbox.Assessment{
		{ID: asmPlain, Kind: sandbox.BehaviouralProfile, Code: "P1", Name: "Plain"},
		{ID: asmPlain2, Kind: sandbox.BehaviouralProfile, Code: "P2", Name: "Plain, too"},
		{ID: asmBenchmark, Kind: sandbox.CognitiveAbility, Code: "B1", Name: "Benchmarks", Benchmarks: benchmarks("a")},
		{
			ID: asmBenchOnly, Kind: sandbox.NumericalReasoning, Code: "B2", Name: "Benchmarks, too", Benchmarks: benchmarks("b"),
		},
		{
			ID: asmPackages, Kind: sandbox.MultiGameCognitive, Code: "M", Name: "Packages", Benchmarks: benchmarks("m"),
			Packages: []sandbox.Package{
				{ID: "pkg-1", Name: "One", Mandatory: true},
				{ID: "pkg-2", Name: "Two", Mandatory: true},
				{ID: "pkg-3", Name: "Three"},
				{ID: "pkg-4", Name: "Four"},
			},
		},
		{ID: asmProfile, Kind: sandbox.ValuesInventory, Code: "V1", Name: "Profiles", Profiles: profiles},
		{ID: asmProfile2, Kind: sandbox.WorkPreferencesProfile, Code: "V2", Name: "Profiles, too", Profiles: profiles},
		{ID: asmTests, Kind: sandbox.Skills, Code: "S", Name: "Tests"},
	}
	for i := range 6 {
		test, err := sandbox.ParseObject(fmt.Appendf(nil, `{"id": "skt-%d", "title": "Test %[1]d", "description": "Questions.",
			"category": "Any", "timeToComplete": "20 minutes", "numberOfQuestions": 20, "active": %t}`, i, i < 4))
		if err != nil {
			panic(err)
		}
		a := st.Assessment(asmTests)
		a.SkillsTests = append(a.SkillsTests, sandbox.SkillsTest{Object: test})
	}
	return st
}

// configure sets random blocks that suit the item's assessment.
func (i *item) configure(r *rand.Rand, locale string) {
	i.packages, i.selected, i.benchmark, i.profile, i.tests, i.reattach = nil, "", "", "", nil, false
	i.literal = false
	if i.assessment == asmTests {
		i.literal = r.IntN(4) == 0
		i.alias = "" // a reference to an activation counts only in its own provider configuration
	}
	benchmark := func(name string) string {
		if r.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf("bmk-%s-%s-%d", name, strings.ToLower(locale), r.IntN(2))
	}
	switch i.assessment {
	case asmBenchmark:
		i.benchmark = benchmark("a")
	case asmBenchOnly:
		i.benchmark = benchmark("b")
	case asmPackages:
		i.benchmark = benchmark("m")
		switch r.IntN(4) {
		case 0:
			i.selected = "all"
		case 1:
			i.selected = "mandatory"
		default:
			i.packages = []string{"pkg-1", "pkg-2", "pkg-3", "pkg-4"}[:2+r.IntN(3)]
		}
	case asmProfile, asmProfile2:
		if r.IntN(3) > 0 {
			i.profile, i.reattach = []string{"prf-1", "prf-2"}[r.IntN(2)], r.IntN(3) == 0
		}
	case asmTests:
		first := r.IntN(4)
		i.tests = []string{"skt-0", "skt-1", "skt-2", "skt-3"}[first : first+1+r.IntN(4-first)]
		if r.IntN(4) == 0 {
			i.tests = []string{"skt-4"}
		}
	}
}

// body returns the item as a configuration. It refers to the activations of its skills
// tests.
func (i item) body(activations map[string]string) coretest.Body {
	body := coretest.Body{"position_id": i.position, "assessment_id": i.assessment}
	switch {
	case i.later:
		body["position_id"] = output("later_" + i.name)
	case i.slow:
		body["position_id"] = coretest.Ref{Addr: slowData(i.name).Addr, Attribute: "output"}
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
	id := func(known string) any {
		if i.vague {
			return output("block_" + i.name)
		}
		return known
	}
	if i.benchmark != "" {
		body["benchmark"] = coretest.Body{"id": id(i.benchmark)}
	}
	if i.profile != "" {
		profile := coretest.Body{"id": id(i.profile)}
		if i.reattach {
			profile["on_supervisor_change"] = "reattach"
		}
		body["profile"] = profile
	}
	if i.tests != nil {
		var ids []any
		for _, id := range i.tests {
			if name, ok := activations[id]; ok && !i.literal {
				ids = append(ids, coretest.Ref{Addr: "assess_skills_test_activation." + name, Attribute: "test_id"})
			} else {
				ids = append(ids, id)
			}
		}
		body["tests"] = coretest.Body{"ids": ids}
	}
	return body
}

// slowData returns a data source of another provider.
func slowData(name string) coretest.Resource {
	return coretest.Resource{Addr: "data.terraform_data.slow_" + name, Body: coretest.Body{}}
}

// resolved returns the packages that the item gets when it is applied.
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

// noSuchPlace is the only refusal that does not depend on the blocks of an item.
const noSuchPlace = "no such position or assessment"

// unacceptable returns why the service would refuse an item, or "" if it accepts it. It
// implements the specification.
func (i item) unacceptable(st *sandbox.State, activations map[string]string) string {
	position, assessment := st.Position(i.position), st.Assessment(i.assessment)
	if position == nil || assessment == nil {
		return noSuchPlace
	}
	if i.benchmark != "" {
		if b := assessment.Benchmark(i.benchmark); b == nil || b.Locale != position.Locale {
			return "no such benchmark, or wrong locale"
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
