// SPDX-License-Identifier: MPL-2.0

// Package spelling_test checks that the same configuration means the same, however it is written. A seed decides which
// position assessments a configuration has, and how it spells each of their values.
package spelling_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// assessment is a position assessment that a user wants. Missing arguments are absent.
type assessment struct {
	name, position, assessment string
	onRefused                  string
	blocks                     map[string]block // by name
	// mistaken is whether the service would refuse it.
	mistaken bool
}

// block holds the arguments of a block by name: a string or, for ids, a list of strings.
type block map[string]any

func (b block) ids() []string {
	ids, _ := b["ids"].([]string)
	return ids
}

var blockNames = []string{"packages", "benchmark", "profile", "tests"}

func (a *assessment) String() string {
	text := fmt.Sprintf("%s: %s on %s", a.name, a.assessment, a.position)
	for _, name := range sortedKeys(a.blocks) {
		text += fmt.Sprintf(", %s %v", name, a.blocks[name])
	}
	return text
}

// disabledTests are not enabled for the organization, so a configuration must activate them.
var disabledTests = []string{"skt-go", "skt-rust", "skt-kubernetes"}

// wanted returns the position assessments of a seed, at most one of each kind on each position.
func wanted(r *rand.Rand, positions []string) []assessment {
	var all []assessment
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for _, position := range positions {
		for i, kind := range r.Perm(6)[:2+r.IntN(5)] {
			a := assessment{name: fmt.Sprintf("%s-%d", position, i), position: position, blocks: map[string]block{}}
			if r.IntN(4) == 0 {
				a.onRefused = pick("fail", "forget")
			}
			switch kind {
			case 0:
				a.assessment, a.blocks["packages"] = "asm-quartet", block{"select": pick("all", "mandatory")}
				if r.IntN(2) == 0 {
					a.blocks["packages"] = block{"ids": []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"}}
				}
				if r.IntN(2) == 0 {
					a.blocks["benchmark"] = block{"id": pick("bmk-quartet-graduates-en-gb", "bmk-quartet-engineers-en-gb")}
				}
			case 1:
				a.assessment = "asm-lumen"
				a.blocks["benchmark"] = block{"id": pick("bmk-lumen-graduates-en-gb", "bmk-lumen-managers-en-gb")}
			case 2:
				a.assessment = "asm-northlight"
				a.blocks["profile"] = block{"id": pick("prf-customer-first", "prf-curious-builders")}
				if r.IntN(2) == 0 {
					a.blocks["profile"]["on_supervisor_change"] = pick("keep", "reattach")
				}
			case 3:
				a.assessment = "asm-terrain"
			case 4:
				tests := slices.Concat([]string{"skt-sql", "skt-python", "skt-linux"}, disabledTests)
				r.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
				a.assessment, a.blocks["tests"] = "asm-workbench", block{"ids": tests[:1+r.IntN(4)]}
			case 5:
				a.assessment = pick("asm-facet", "asm-tideline")
			}
			all = append(all, a)
		}
	}
	return all
}

// mistakes are the ways in which a configuration is wrong whatever its spelling is.
var mistakes = map[string]assessment{
	"two blocks": {assessment: "asm-quartet", blocks: map[string]block{
		"packages": {"select": "all"}, "profile": {"id": "prf-customer-first"},
	}},
	"benchmark and tests": {assessment: "asm-workbench", blocks: map[string]block{
		"benchmark": {"id": "bmk-lumen-graduates-en-gb"}, "tests": {"ids": []string{"skt-sql"}},
	}},
	"empty block":        with("asm-lumen", "benchmark", block{}),
	"empty packages":     with("asm-quartet", "packages", block{}),
	"profile without id": with("asm-northlight", "profile", block{"on_supervisor_change": "keep"}),
	"ids and select":     with("asm-quartet", "packages", block{"ids": []string{"pkg-problem-solving"}, "select": "all"}),
	"no tests":           {assessment: "asm-workbench"},
	"no packages":        {assessment: "asm-quartet"},
	"unknown package":    with("asm-quartet", "packages", block{"ids": []string{"pkg-nowhere"}}),
	"other select":       with("asm-quartet", "packages", block{"select": "some"}),
	"unknown benchmark":  with("asm-lumen", "benchmark", block{"id": "bmk-nowhere"}),
	"other locale":       with("asm-lumen", "benchmark", block{"id": "bmk-lumen-graduates-de-de"}),
	"no benchmarks":      with("asm-facet", "benchmark", block{"id": "bmk-lumen-graduates-en-gb"}),
	"empty id":           with("asm-lumen", "benchmark", block{"id": ""}),
	"character":          with("asm-lumen", "benchmark", block{"id": "bmk-Łódź"}),
	"unknown profile":    with("asm-northlight", "profile", block{"id": "prf-nowhere"}),
	"disabled test":      with("asm-workbench", "tests", block{"ids": []string{"skt-ifrs"}}),
}

// with returns a position assessment with one block.
func with(id, name string, b block) assessment {
	return assessment{assessment: id, blocks: map[string]block{name: b}}
}

// mistake returns a position assessment that the service would refuse.
func mistake(r *rand.Rand, position string) assessment {
	names := sortedKeys(mistakes)
	a := mistakes[names[r.IntN(len(names))]]
	a.name, a.position, a.mistaken = "mistaken", position, true
	return a
}

// organization returns the demo organization with these assessments, and with empty British positions.
func organization(positions ...string) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		st.Positions = nil
		st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool { return codes[a.ID] == "" })
		tests := &st.Assessment("asm-workbench").SkillsTests
		*tests = slices.DeleteFunc(*tests, func(t sandbox.SkillsTest) bool {
			return names[t.ID()] == "" && !slices.Contains(disabledTests, t.ID()) && t.ID() != "skt-linux" && t.ID() != "skt-ifrs"
		})
		for _, id := range positions {
			st.Positions = append(st.Positions, sandbox.Position{ID: id, Title: "Title of " + id, Locale: "en-GB"})
		}
		return st
	}
}

// attached returns what a position has, without IDs, sorted.
func attached(t *testing.T, service *sandboxtest.Service, position string) []string {
	t.Helper()
	var all []string
	for _, pa := range service.State(t).Position(position).Assessments {
		m := pa.Metadata
		packages, tests := slices.Sorted(slices.Values(m.Packages)), slices.Sorted(slices.Values(m.Tests))
		all = append(all, fmt.Sprintf("%s %v %s %s %v", pa.Assessment, packages, m.Benchmark, m.Profile, tests))
	}
	slices.Sort(all)
	return all
}

// enabled returns the tests that the service has enabled.
func enabled(t *testing.T, service *sandboxtest.Service) string {
	t.Helper()
	var ids []string
	for _, test := range service.State(t).Assessment("asm-workbench").SkillsTests {
		if test.Active() {
			ids = append(ids, test.ID())
		}
	}
	return strings.Join(ids, " ")
}
