// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// facts is a service as data. A list with an error in errs is not available.
type facts struct {
	packages     []assessapi.Item
	benchmarks   []assessapi.Item
	profiles     []assessapi.Item
	tests        map[string]bool // by ID: whether the test is enabled
	positions    []assessapi.Item
	names        map[string]string // names of assessments and positions, for messages
	errs         map[string]error
	asked, skips []string
}

func (f *facts) ask(list string) error {
	f.asked = append(f.asked, list)
	return f.errs[list]
}

func (f *facts) Items(_ context.Context, k assessapi.Kind, _ string) ([]assessapi.Item, error) {
	text := func(s string) *string { return &s }
	lists := map[string][]assessapi.Item{
		"assessments": {{ID: "asm", Code: text("CODE"), Name: text("Name")}, {ID: "asm-other"}},
		"packages":    f.packages, "benchmarks": f.benchmarks, "profiles": f.profiles,
	}
	return lists[k.Plural], f.ask(k.Plural)
}

func (f *facts) SkillsTests(_ context.Context, _ string, active bool) ([]assessapi.SkillsTest, error) {
	var tests []assessapi.SkillsTest
	for id, enabled := range f.tests {
		if enabled == active {
			tests = append(tests, assessapi.SkillsTest{Item: assessapi.Item{ID: id}})
		}
	}
	list := "disabled tests"
	if active {
		list = "enabled tests"
	}
	return tests, f.ask(list)
}

func (f *facts) Position(_ context.Context, id string) (assessapi.Item, bool, error) {
	i := slices.IndexFunc(f.positions, func(p assessapi.Item) bool { return p.ID == id })
	if i < 0 {
		return assessapi.Item{}, false, f.ask("positions")
	}
	return f.positions[i], true, f.ask("positions")
}

func (f *facts) Positions(context.Context) ([]assessapi.Item, error) {
	return f.positions, f.ask("positions")
}

func (f *facts) AssessmentLabel(id string) assessapi.Label {
	return assessapi.Label{ID: id, Name: f.names[id]}
}

func (f *facts) PositionLabel(id string) assessapi.Label {
	return assessapi.Label{ID: id, Name: f.names[id]}
}

func (f *facts) SkipList(list string, _ error) { f.skips = append(f.skips, list) }

var (
	errNoList = &assessapi.Error{Own: true, Status: http.StatusMethodNotAllowed}
	errServer = &assessapi.Error{Own: true, Status: http.StatusInternalServerError}
)

// service returns an assessment "asm", with the lists that change adds, and a position
// with a locale.
func service(change func(*facts)) *facts {
	locale := "en-GB"
	f := &facts{
		positions: []assessapi.Item{{ID: "pos", Locale: &locale}, {ID: "pos-plain"}},
		names:     map[string]string{"asm": "Lumen", "pos": "Engineer"},
		errs:      map[string]error{},
	}
	if change != nil {
		change(f)
	}
	return f
}

func withPackages(f *facts) {
	yes, no := true, false
	f.packages = []assessapi.Item{
		{ID: "pkg-one", Mandatory: &yes},
		{ID: "pkg-two", Mandatory: &no},
		{ID: "pkg-unmarked"},
	}
}

func withBenchmarks(f *facts) {
	british, german := "en_gb", "de-DE"
	f.benchmarks = []assessapi.Item{
		{ID: "bmk", Locale: &british},
		{ID: "bmk-german", Locale: &german},
		{ID: "bmk-plain"},
	}
}

func withProfiles(f *facts) { f.profiles = []assessapi.Item{{ID: "prf"}} }

func withTests(f *facts) { f.tests = map[string]bool{"skt": true, "skt-off": false} }

func missing(list string, err error, with ...func(*facts)) func(*facts) {
	return func(f *facts) {
		for _, change := range with {
			change(f)
		}
		f.errs[list] = err
	}
}

func ids(values ...string) rules.Block { return rules.Block{Set: true, Known: true, IDs: values} }

var (
	unknownIDs   = rules.Block{Set: true}
	unknownBlock = rules.Block{Unknown: true}
)

// assertFindings checks that exactly these rules reject, in any order, and that there
// are no warnings.
func assertFindings(t *testing.T, got []messages.Finding, want ...messages.Rule) {
	t.Helper()
	var rejected, wanted []string
	for _, f := range got {
		if f.Warning {
			t.Errorf("%q is a warning", f.Summary)
		}
		if f.Summary == "" || f.Detail == "" || len(f.Path) == 0 {
			t.Errorf("incomplete finding %+v", f)
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
