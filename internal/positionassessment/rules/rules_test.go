// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

type (
	desired = rules.Desired
	rejects = []messages.Rule
	says    = []string
)

// row is a new position assessment, the rules that reject it, and texts that the findings contain.
type row struct {
	desired desired
	rejects rejects
	says    says
}

func check(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rules.CheckCreation(t.Context(), &facts{}, r.desired)
			assertFindings(t, got, r.rejects...)
			var all strings.Builder
			for _, f := range got {
				all.WriteString(f.Detail + "\n")
			}
			for _, text := range r.says {
				if !strings.Contains(all.String(), text) {
					t.Errorf("no finding contains %q:\n%s", text, all.String())
				}
			}
		})
	}
}

// TestUnknownAssessment tests rule 1.
func TestUnknownAssessment(t *testing.T) {
	t.Parallel()
	unknown := rejects{messages.UnknownAssessment}
	check(t, map[string]row{
		"known":           {desired{Assessment: "plain"}, nil, nil},
		"unknown at plan": {desired{}, nil, nil},
		"not listed":      {desired{Assessment: "plane"}, unknown, says{`"plane"`, `"Plain" (plain)`}},
		"a code":          {desired{Assessment: "CODE"}, unknown, says{`code or name of assessment "Plain" (plain)`}},
		"a name":          {desired{Assessment: "Plain"}, unknown, says{`code or name of assessment "Plain" (plain)`}},
		"a name of two":   {desired{Assessment: "Twin"}, unknown, says{`no assessment "Twin"`, `"Twin" (values), "Twin" (skills)`}},
	})
}

// TestUnknownPosition tests rule 2, which interprets a 404 for the list of a position's assessments.
func TestUnknownPosition(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		id   string
		list error
		want rejects
		says string
	}{
		{"pos-no", nil, rejects{rules.UnknownPosition}, "created again, set position_id to its new ID."},
		{"pos", nil, nil, ""}, // the service has no list of a position's assessments
		{"pos", errNoList, nil, ""},
		{"pos", errServer, rejects{messages.LookupFailed}, `position "pos"`},
	} {
		f := &facts{errs: map[string]error{"positions": row.list}}
		got := rules.CheckPosition(t.Context(), f, row.id)
		if skipped := len(f.skips) > 0; skipped != errors.Is(row.list, errNoList) {
			t.Errorf("%s: %q are reported as not listed", row.id, f.skips)
		}
		assertFindings(t, got, row.want...)
		if len(got) > 0 && !strings.Contains(got[0].Detail, `"`+row.id+`"`) {
			t.Errorf("the position is not named: %s", got[0].Detail)
		}
		if len(got) > 0 && !strings.Contains(got[0].Detail, row.says) {
			t.Errorf("got %s, want %s", got[0].Detail, row.says)
		}
	}
}

// TestPackages tests rules 3 to 5.
func TestPackages(t *testing.T) {
	t.Parallel()
	games := func(packages ...string) desired { return desired{Assessment: "games", Packages: ids(packages...)} }
	unknown, absent := rejects{rules.UnknownPackage}, rejects{rules.MissingPackages}
	check(t, map[string]row{
		"mandatory only":                    {games("pkg-one"), nil, nil},
		"all":                               {games("pkg-one", "pkg-two", "pkg-unmarked"), nil, nil},
		"mandatory omitted":                 {games("pkg-two"), rejects{rules.MandatoryPackage}, says{`"pkg-one"`, "games"}},
		"unknown package":                   {games("pkg-one", "pkg-no"), unknown, says{`"pkg-no"`, `"pkg-two"`}},
		"one mistyped package is one error": {games("pkg-no"), unknown, nil}, // perhaps the mandatory one
		"block omitted": {
			desired{Assessment: "games"}, absent, says{`Packages marked as mandatory: "pkg-one".`, `"pkg-unmarked"`},
		},
		"assessment without packages": {
			desired{Assessment: "plain", Packages: ids("pkg-one")}, unknown, says{"Its packages: none"},
		},
	})
}

// TestBenchmark tests rules 6 to 8.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	of := func(assessment, position string, benchmark rules.Block) desired {
		return desired{Assessment: assessment, Position: position, Benchmark: benchmark}
	}
	german, none, unknown := ids("bmk-german"), rejects{rules.NoBenchmarks}, rejects{rules.UnknownBenchmark}
	check(t, map[string]row{
		"fits":              {of("ability", "pos", ids("bmk")), nil, nil},
		"without locale":    {of("ability", "pos", ids("bmk-plain")), nil, nil},
		"unknown benchmark": {of("ability", "pos", ids("bmk-no")), unknown, says{`"bmk-no"`, `for "en-GB": "bmk".`}},
		"unknown, and none for the locale": {of("ability", "pos-french", ids("bmk-no")), unknown, says{
			`for "fr-FR": none.`, `this: remove the block`,
		}},
		"unknown, without a locale": {of("ability", "pos-plain", ids("bmk-no")), unknown, says{
			`All benchmarks: "bmk", "bmk-german", "bmk-plain".`,
		}},
		"other locale": {of("ability", "pos", german), rejects{rules.BenchmarkLocale}, says{
			`"bmk-german"`, `"de-DE"`, `"Engineer" (pos) has locale "en-GB"`, `for "en-GB": "bmk".`, "use the ID",
		}},
		"other locale, and none for the locale": {of("ability", "pos-french", german), rejects{rules.BenchmarkLocale}, says{
			`for "fr-FR": none.`, `this: remove the block`,
		}},
		"position without locale":     {of("ability", "pos-plain", german), nil, nil},
		"position not listed":         {of("ability", "pos-no", german), nil, nil},
		"position not known yet":      {of("ability", "", german), nil, nil},
		"assessment without any":      {of("plain", "pos", ids("bmk")), none, says{"plain", `benchmark "bmk" cannot be used`}},
		"without any, unknown ID yet": {of("plain", "pos", unknownIDs), none, says{`the block "benchmark" cannot be used`}},
	})
}

// TestProfile tests rule 9.
func TestProfile(t *testing.T) {
	t.Parallel()
	unknown := rejects{rules.UnknownProfile}
	check(t, map[string]row{
		"known":   {desired{Assessment: "values", Profile: ids("prf")}, nil, nil},
		"unknown": {desired{Assessment: "values", Profile: ids("prf-no")}, unknown, says{`"prf-no"`, `"prf"`}},
		"assessment without profiles": {desired{Assessment: "plain", Profile: ids("prf")}, unknown, says{
			"has no profiles", `profile "prf" cannot be used`, `remove the block "profile"`,
		}},
		"no block": {desired{Assessment: "values"}, nil, nil},
	})
}

// TestSkillsTests tests rules 10 to 12.
func TestSkillsTests(t *testing.T) {
	t.Parallel()
	skills := func(tests ...string) desired { return desired{Assessment: "skills", Tests: ids(tests...)} }
	activated := skills("skt-off")
	activated.Activations = map[string]bool{"skt-off": true}
	check(t, map[string]row{
		"enabled": {skills("skt"), nil, nil},
		"not enabled": {skills("skt", "skt-off"), rejects{rules.TestNotEnabled}, says{
			`"skt-off"`, `Enabled tests: "skt".`, "ids = [assess_skills_test_activation.NAME.test_id]",
		}},
		"enabled by the same plan": {activated, nil, nil},
		"unknown":                  {skills("skt-no"), rejects{messages.UnknownTest}, says{`"skt-no"`, `"skt"`}},
		"two rejected":             {skills("skt-no", "skt-off"), rejects{messages.UnknownTest, rules.TestNotEnabled}, nil},
		"block omitted":            {desired{Assessment: "skills"}, rejects{rules.MissingTests}, says{`Enabled tests: "skt".`}},
		"assessment without tests": {desired{Assessment: "plain", Tests: ids("skt")}, rejects{messages.UnknownTest}, nil},
	})
}

// What is unknown at plan is not checked. Rule 8 is the exception.
func TestUnknownAtPlan(t *testing.T) {
	t.Parallel()
	for _, d := range []desired{
		{Assessment: "games", Packages: unknownIDs},
		{Assessment: "games", Packages: unknownBlock},
		{Assessment: "ability", Benchmark: unknownIDs},
		{Assessment: "plain", Benchmark: unknownBlock},
		{Assessment: "values", Profile: unknownIDs},
		{Assessment: "plain", Profile: unknownBlock},
		{Assessment: "skills", Tests: unknownIDs},
		{Assessment: "skills", Tests: unknownBlock},
	} {
		assertFindings(t, rules.CheckCreation(t.Context(), &facts{}, d))
	}
}

// A list that a service does not show skips its checks. Of benchmarks and profiles (A8), the user learns this. Another
// failure rejects.
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	for list, row := range map[string]struct {
		desired desired
		skips   []string
	}{
		"packages":   {desired{Assessment: "games", Packages: ids("pkg-no")}, nil},
		"benchmarks": {desired{Assessment: "ability", Benchmark: ids("bmk-no")}, []string{"benchmarks"}},
		"positions":  {desired{Assessment: "ability", Position: "pos", Benchmark: ids("bmk-german")}, nil},
		"profiles":   {desired{Assessment: "values", Profile: ids("prf-no")}, []string{"profiles"}},
		"enabled":    {desired{Assessment: "skills", Tests: ids("skt-no")}, nil},
		"disabled":   {desired{Assessment: "skills", Tests: ids("skt-no")}, nil},
	} {
		hidden, failing := &facts{errs: map[string]error{list: errNoList}}, &facts{errs: map[string]error{list: errServer}}
		assertFindings(t, rules.CheckCreation(t.Context(), hidden, row.desired))
		if !slices.Equal(hidden.skips, row.skips) {
			t.Errorf("without the list of %s, %q are reported", list, hidden.skips)
		}
		assertFindings(t, rules.CheckCreation(t.Context(), failing, row.desired), messages.LookupFailed)
	}
}

// An update sends all blocks, so all of them are checked. Tests that were attached before need not be enabled.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after desired
		want          rejects
	}{
		"unchanged packages that no longer suffice": {
			desired{Packages: ids("pkg-two")},
			desired{Assessment: "games", Packages: ids("pkg-two")},
			rejects{rules.MandatoryPackage},
		},
		"assessment not known":   {desired{}, desired{Packages: ids("pkg-no")}, nil},
		"packages removed":       {desired{Packages: ids("pkg-one")}, desired{Assessment: "games"}, rejects{rules.MissingPackages}},
		"another test":           {desired{Tests: ids("skt")}, desired{Assessment: "skills", Tests: ids("skt-off")}, rejects{rules.TestNotEnabled}},
		"a test that was there":  {desired{Tests: ids("skt-off")}, desired{Assessment: "skills", Tests: ids("skt-off")}, nil},
		"a test that is deleted": {desired{Tests: ids("skt-no")}, desired{Assessment: "skills", Tests: ids("skt-no")}, rejects{messages.UnknownTest}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertFindings(t, rules.CheckUpdate(t.Context(), &facts{}, row.before, row.after), row.want...)
		})
	}
}

// Facts are fetched only if a rule asks for them.
func TestFactsAreFetchedOnDemand(t *testing.T) {
	t.Parallel()
	f := &facts{}
	rules.CheckCreation(t.Context(), f, desired{Assessment: "plain"})
	if want := []string{"assessments", "packages", "enabled", "disabled"}; !slices.Equal(f.asked, want) {
		t.Errorf("a creation without blocks requested %q, want %q", f.asked, want)
	}
}

// The attribute select means packages of the list, and is an error if it means none.
func TestSelect(t *testing.T) {
	t.Parallel()
	all := items["games packages"]
	one, two, unmarked := all[0], all[1], all[2]
	for _, row := range []struct {
		packages []assessapi.Item
		value    string
		want     []string
		rejects  rejects
	}{
		{all, rules.SelectAll, []string{"pkg-one", "pkg-two", "pkg-unmarked"}, nil},
		{[]assessapi.Item{one, two}, rules.SelectMandatory, []string{"pkg-one"}, nil},
		{[]assessapi.Item{one, unmarked}, rules.SelectMandatory, nil, rejects{rules.UnmarkedPackages}},
		{[]assessapi.Item{two}, rules.SelectMandatory, nil, rejects{rules.NothingToSelect}},
		{nil, rules.SelectAll, nil, rejects{rules.NothingToSelect}},
	} {
		got, found := rules.Select(row.packages, names.Assessment, row.value)
		assertFindings(t, found, row.rejects...)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s of %v: got %q, want %q", row.value, row.packages, got, row.want)
		}
	}
}
