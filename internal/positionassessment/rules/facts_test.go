// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// What the organization of the tests has. Assessments of other IDs than these have no lists.
var (
	yes, no                  = true, false
	british, spelled, german = "en-GB", "en_gb", "de-DE"
	french                   = "fr-FR"
	code, name, twin         = "CODE", "Plain", "Twin"

	items = map[string][]assessapi.Item{
		"assessments": {
			{ID: "plain", Code: &code, Name: &name},
			{ID: "games"},
			{ID: "ability"},
			{ID: "values", Name: &twin},
			{ID: "skills", Name: &twin},
		},
		"positions": {{ID: "pos", Locale: &british}, {ID: "pos-french", Locale: &french}, {ID: "pos-plain"}},

		"games packages":     {{ID: "pkg-one", Mandatory: &yes}, {ID: "pkg-two", Mandatory: &no}, {ID: "pkg-unmarked"}},
		"ability benchmarks": {{ID: "bmk", Locale: &spelled}, {ID: "bmk-german", Locale: &german}, {ID: "bmk-plain"}},
		"values profiles":    {{ID: "prf"}},
		"skills enabled":     {{ID: "skt"}},
		"skills disabled":    {{ID: "skt-off"}},
	}
	names = rules.Names{Position: label("pos"), Assessment: label("ability")}
)

// label returns an ID with the name that messages show.
func label(id string) assessapi.Label {
	return assessapi.Label{ID: id, Name: map[string]string{"pos": "Engineer", "ability": "Lumen"}[id]}
}

// facts are the lists of the organization. A list with an error in errs cannot be read.
type facts struct {
	errs         map[string]error // by "benchmarks" and so on
	asked, skips []string
}

func (f *facts) list(assessment, kind string) ([]assessapi.Item, error) {
	f.asked = append(f.asked, kind)
	return items[strings.TrimSpace(assessment+" "+kind)], f.errs[kind]
}

func (f *facts) Items(_ context.Context, k assessapi.Kind, assessment string) ([]assessapi.Item, error) {
	return f.list(assessment, k.Plural)
}

func (f *facts) SkillsTests(_ context.Context, assessment string, active bool) (tests []assessapi.SkillsTest, _ error) {
	all, err := f.list(assessment, map[bool]string{true: "enabled", false: "disabled"}[active])
	for _, item := range all {
		tests = append(tests, assessapi.SkillsTest{Item: item})
	}
	return tests, err
}

func (f *facts) Position(_ context.Context, id string) (assessapi.Item, bool, error) {
	all, err := f.list("", "positions")
	i := slices.IndexFunc(all, func(p assessapi.Item) bool { return p.ID == id })
	if i < 0 || err != nil {
		return assessapi.Item{}, false, err
	}
	return all[i], true, nil
}

func (f *facts) Positions(context.Context) ([]assessapi.Item, error) { return f.list("", "positions") }
func (f *facts) AssessmentLabel(id string) assessapi.Label           { return label(id) }
func (f *facts) PositionLabel(id string) assessapi.Label             { return label(id) }
func (f *facts) SkipList(list string, _ error)                       { f.skips = append(f.skips, list) }

var (
	errNoList = &assessapi.Error{Own: true, Status: http.StatusMethodNotAllowed}
	errServer = &assessapi.Error{Own: true, Status: http.StatusInternalServerError}
)

func ids(values ...string) rules.Block { return rules.Block{Set: true, Known: true, IDs: values} }

var (
	unknownIDs   = rules.Block{Set: true}
	unknownBlock = rules.Block{Unknown: true}
)

// assertFindings checks that exactly these rules reject, in any order, and that there are no warnings.
func assertFindings(t *testing.T, got []messages.Finding, want ...messages.Rule) {
	t.Helper()
	var rejected, wanted []string
	for _, f := range got {
		if f.Warning || f.Summary == "" || f.Detail == "" || len(f.Path) == 0 {
			t.Errorf("a warning or an incomplete finding: %+v", f)
		}
		rejected = append(rejected, f.Summary)
	}
	for _, rule := range want {
		wanted = append(wanted, rule.Summary)
	}
	slices.Sort(rejected)
	slices.Sort(wanted)
	if !slices.Equal(rejected, wanted) {
		t.Errorf("rejected by %q, want %q: %+v", rejected, wanted, got)
	}
}
