// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// desired returns a desired position assessment of assessment "asm" on position "pos".
func desired(change func(*rules.Desired)) rules.Desired {
	d := rules.Desired{Position: "pos", Assessment: "asm"}
	if change != nil {
		change(&d)
	}
	return d
}

func packages(b rules.Block) rules.Desired { return desired(func(d *rules.Desired) { d.Packages = b }) }

func benchmark(b rules.Block) rules.Desired {
	return desired(func(d *rules.Desired) { d.Benchmark = b })
}

func profile(b rules.Block) rules.Desired { return desired(func(d *rules.Desired) { d.Profile = b }) }

func tests(b rules.Block) rules.Desired { return desired(func(d *rules.Desired) { d.Tests = b }) }

// row describes what a service offers, what a configuration wants, and which rules
// reject it. The findings must contain all texts of says.
type row struct {
	service func(*facts)
	desired rules.Desired
	want    []messages.Rule
	says    []string
}

func (r row) run(t *testing.T) {
	t.Helper()
	got := rules.CheckCreation(t.Context(), service(r.service), r.desired)
	assertFindings(t, got, r.want...)
	var all strings.Builder
	for _, f := range got {
		all.WriteString(f.Summary + "\n" + f.Detail + "\n")
	}
	for _, text := range r.says {
		if !strings.Contains(all.String(), text) {
			t.Errorf("no finding contains %q:\n%s", text, all.String())
		}
	}
}

func runRows(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.run(t)
		})
	}
}

// TestUnknownAssessment tests rule 1.
func TestUnknownAssessment(t *testing.T) {
	t.Parallel()
	named := func(id string) rules.Desired { return rules.Desired{Position: "pos", Assessment: id} }
	unknown := []messages.Rule{messages.UnknownAssessment}
	runRows(t, map[string]row{
		"known":           {desired: desired(nil)},
		"unknown at plan": {desired: named("")},
		"not listed": {
			desired: named("asm-no"),
			want:    unknown,
			says:    []string{`"asm-no"`, `"Name" (asm), "asm-other"`},
		},
		"a code": {desired: named("CODE"), want: unknown, says: []string{`code or name of assessment "Name" (asm)`}},
		"a name": {desired: named("Name"), want: unknown, says: []string{`code or name of assessment "Name" (asm)`}},
		"list fails": {
			service: missing("assessments", errServer), desired: desired(nil), want: []messages.Rule{messages.LookupFailed},
		},
	})
}

// TestUnknownPosition tests rule 2, which interprets a 404 for the list of a position's
// assessments.
func TestUnknownPosition(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		service func(*facts)
		id      string
		want    []messages.Rule
	}{
		"not listed":                           {nil, "pos-no", []messages.Rule{rules.UnknownPosition}},
		"listed, no such list on this service": {nil, "pos", nil},
		"no list of positions either":          {missing("positions", errNoList), "pos", nil},
		"list of positions fails":              {missing("positions", errServer), "pos", []messages.Rule{messages.LookupFailed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rules.PositionNotListed(t.Context(), service(row.service), row.id, false)
			assertFindings(t, got, row.want...)
			for _, f := range got {
				if !strings.Contains(f.Detail, `"`+row.id+`"`) {
					t.Errorf("the position is not named: %s", f.Detail)
				}
			}
		})
	}
}

// TestPackages tests rules 3 to 5.
func TestPackages(t *testing.T) {
	t.Parallel()
	mandatory, unknown, absent := rules.MandatoryPackage, rules.UnknownPackage, rules.MissingPackages
	runRows(t, map[string]row{
		"mandatory only": {service: withPackages, desired: packages(ids("pkg-one"))},
		"all":            {service: withPackages, desired: packages(ids("pkg-one", "pkg-two", "pkg-unmarked"))},
		"mandatory omitted": {
			service: withPackages, desired: packages(ids("pkg-two")), want: []messages.Rule{mandatory},
			says: []string{`"pkg-one"`, `"Lumen" (asm)`},
		},
		"unknown package": {
			service: withPackages, desired: packages(ids("pkg-one", "pkg-no")), want: []messages.Rule{unknown},
			says: []string{`"pkg-no"`, `"pkg-two"`},
		},
		"one mistyped package is one error": {
			service: withPackages, desired: packages(ids("pkg-no")), want: []messages.Rule{unknown},
		},
		"block omitted": {
			service: withPackages, desired: desired(nil), want: []messages.Rule{absent},
			says: []string{`Mandatory packages: "pkg-one".`, `"pkg-unmarked"`},
		},
		"benchmark only": {
			service: missing("benchmarks", errNoList, withPackages), desired: benchmark(ids("bmk")),
			want: []messages.Rule{absent},
		},
		"ids not known yet":      {service: withPackages, desired: packages(unknownIDs)},
		"block not known yet":    {service: withPackages, desired: packages(unknownBlock)},
		"assessment without any": {desired: desired(nil)},
		"of another kind": {
			desired: packages(ids("pkg-one")), want: []messages.Rule{unknown},
			says: []string{"Its packages: none"},
		},
		"list not shown": {service: missing("packages", errNoList), desired: packages(ids("pkg-no"))},
		"list fails": {
			service: missing("packages", errServer, withPackages), desired: packages(ids("pkg-one")),
			want: []messages.Rule{messages.LookupFailed},
		},
	})
}

// TestBenchmark tests rules 6 to 8.
func TestBenchmark(t *testing.T) {
	t.Parallel()
	elsewhere := func(position string) rules.Desired {
		return desired(func(d *rules.Desired) { d.Position, d.Benchmark = position, ids("bmk-german") })
	}
	runRows(t, map[string]row{
		"fits":           {service: withBenchmarks, desired: benchmark(ids("bmk"))},
		"without locale": {service: withBenchmarks, desired: benchmark(ids("bmk-plain"))},
		"unknown benchmark": {
			service: withBenchmarks, desired: benchmark(ids("bmk-no")), want: []messages.Rule{rules.UnknownBenchmark},
			says: []string{`"bmk-no"`, `"bmk"`},
		},
		"other locale": {
			service: withBenchmarks, desired: benchmark(ids("bmk-german")), want: []messages.Rule{rules.BenchmarkLocale},
			says: []string{`"bmk-german"`, `"de-DE"`, `"Engineer" (pos) has locale "en-GB"`, `for "en-GB": "bmk".`},
		},
		"position without locale": {service: withBenchmarks, desired: elsewhere("pos-plain")},
		"position not listed":     {service: withBenchmarks, desired: elsewhere("pos-no")},
		"position not known yet":  {service: withBenchmarks, desired: elsewhere("")},
		"assessment without any": {
			desired: benchmark(ids("bmk")), want: []messages.Rule{rules.NoBenchmarks},
			says: []string{`"Lumen" (asm)`, `benchmark "bmk" cannot be used`},
		},
		"without any, unknown id": {
			desired: benchmark(unknownIDs), want: []messages.Rule{rules.NoBenchmarks},
			says: []string{`the block "benchmark" cannot be used`},
		},
		"id not known yet":    {service: withBenchmarks, desired: benchmark(unknownIDs)},
		"block not known yet": {desired: benchmark(unknownBlock)},
		"no block":            {service: withBenchmarks, desired: desired(nil)},
		"list not shown":      {service: missing("benchmarks", errNoList), desired: benchmark(ids("bmk-no"))},
		"list fails": {
			service: missing("benchmarks", errServer), desired: benchmark(ids("bmk")),
			want: []messages.Rule{messages.LookupFailed},
		},
		"list of positions fails": {
			service: missing("positions", errServer, withBenchmarks),
			desired: elsewhere("pos-no"), want: []messages.Rule{messages.LookupFailed},
		},
		"no list of positions": { // assumption A11
			service: missing("positions", errNoList, withBenchmarks), desired: elsewhere("pos-no"),
		},
	})
}

// The attribute select means packages of the list, and is an error if it means none.
func TestSelect(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	one, two := assessapi.Item{ID: "pkg-one", Mandatory: &yes}, assessapi.Item{ID: "pkg-two", Mandatory: &no}
	unmarked := assessapi.Item{ID: "pkg-unmarked"}
	for _, row := range []struct {
		packages []assessapi.Item
		value    string
		want     []string
		rejects  []messages.Rule
	}{
		{[]assessapi.Item{one, two, unmarked}, rules.SelectAll, []string{"pkg-one", "pkg-two", "pkg-unmarked"}, nil},
		{[]assessapi.Item{one, two}, rules.SelectMandatory, []string{"pkg-one"}, nil},
		{[]assessapi.Item{one, unmarked}, rules.SelectMandatory, nil, []messages.Rule{rules.UnmarkedPackages}},
		{[]assessapi.Item{two}, rules.SelectMandatory, nil, []messages.Rule{rules.NothingToSelect}},
		{nil, rules.SelectAll, nil, []messages.Rule{rules.NothingToSelect}},
	} {
		got, found := rules.Select(row.packages, names.Assessment, row.value)
		assertFindings(t, found, row.rejects...)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s of %v: got %q, want %q", row.value, row.packages, got, row.want)
		}
	}
}

// TestProfile tests rule 9.
func TestProfile(t *testing.T) {
	t.Parallel()
	unknown := []messages.Rule{rules.UnknownProfile}
	runRows(t, map[string]row{
		"known": {service: withProfiles, desired: profile(ids("prf"))},
		"unknown": {
			service: withProfiles, desired: profile(ids("prf-no")), want: unknown,
			says: []string{`"prf-no"`, `"prf"`},
		},
		"of another kind": {
			desired: profile(ids("prf")),
			want:    unknown,
			says:    []string{"has no profiles", `profile "prf" cannot be used`, `remove the block "profile"`},
		},
		"id not known yet":    {service: withProfiles, desired: profile(unknownIDs)},
		"block not known yet": {service: withProfiles, desired: profile(unknownBlock)},
		"no block":            {service: withProfiles, desired: desired(nil)},
		"list not shown":      {service: missing("profiles", errNoList), desired: profile(ids("prf-no"))},
		"list fails": {
			service: missing("profiles", errServer), desired: profile(ids("prf")),
			want: []messages.Rule{messages.LookupFailed},
		},
	})
}

// TestSkillsTests tests rules 10 to 12.
func TestSkillsTests(t *testing.T) {
	t.Parallel()
	activated := tests(ids("skt-off"))
	activated.Activations = map[string]bool{"skt-off": true}
	onlyDisabled := func(f *facts) { f.tests = map[string]bool{"skt-off": false} }
	runRows(t, map[string]row{
		"enabled": {service: withTests, desired: tests(ids("skt"))},
		"disabled": {
			service: withTests, desired: tests(ids("skt", "skt-off")), want: []messages.Rule{rules.TestNotEnabled},
			says: []string{`"skt-off"`, `Enabled tests: "skt".`, "ids = [assess_skills_test_activation.NAME.test_id]"},
		},
		"activated in the same plan": {service: withTests, desired: activated},
		"unknown": {
			service: withTests, desired: tests(ids("skt-no")), want: []messages.Rule{messages.UnknownTest},
			says: []string{`"skt-no"`, `"skt"`},
		},
		"two rejected": {
			service: withTests, desired: tests(ids("skt-no", "skt-off")),
			want: []messages.Rule{messages.UnknownTest, rules.TestNotEnabled},
		},
		"block omitted": {
			service: withTests, desired: desired(nil), want: []messages.Rule{rules.MissingTests},
			says: []string{`Enabled tests: "skt".`},
		},
		"omitted, all disabled": {
			service: onlyDisabled, desired: desired(nil), want: []messages.Rule{rules.MissingTests},
			says: []string{"Enabled tests: none"},
		},
		"of another kind":        {desired: tests(ids("skt")), want: []messages.Rule{messages.UnknownTest}},
		"assessment without any": {desired: desired(nil)},
		"ids not known yet":      {service: withTests, desired: tests(unknownIDs)},
		"block not known yet":    {service: withTests, desired: tests(unknownBlock)},
		"list not shown":         {service: missing("enabled tests", errNoList), desired: tests(ids("skt-no"))},
		"disabled tests not shown": {
			service: missing("disabled tests", errNoList, withTests), desired: tests(ids("skt-off")),
		},
		"list fails": {
			service: missing("enabled tests", errServer), desired: tests(ids("skt")),
			want: []messages.Rule{messages.LookupFailed},
		},
	})
}

// Lists of benchmarks and profiles that a service does not show are reported, so that
// the user knows what was not checked (assumption A8).
func TestListsThatAreNotShown(t *testing.T) {
	t.Parallel()
	for list, desired := range map[string]rules.Desired{
		"benchmarks": benchmark(ids("bmk")), "profiles": profile(ids("prf")),
	} {
		f := service(missing(list, errNoList))
		assertFindings(t, rules.CheckCreation(t.Context(), f, desired))
		if !slices.Equal(f.skips, []string{list}) {
			t.Errorf("reported %q, want %q", f.skips, list)
		}
	}
}

// An update sends all blocks, so that all of them are checked, also those that do not change. Tests that were
// attached before need not be enabled.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		service       func(*facts)
		before, after rules.Desired
		want          []messages.Rule
	}{
		"unchanged packages that no longer suffice": {
			withPackages, packages(ids("pkg-two")), packages(ids("pkg-two")), []messages.Rule{rules.MandatoryPackage},
		},
		"assessment not known":   {withPackages, packages(ids("pkg-one")), rules.Desired{Packages: ids("pkg-no")}, nil},
		"packages removed":       {withPackages, packages(ids("pkg-one")), desired(nil), []messages.Rule{rules.MissingPackages}},
		"benchmark added":        {withBenchmarks, desired(nil), benchmark(ids("bmk-no")), []messages.Rule{rules.UnknownBenchmark}},
		"a profile that is gone": {withProfiles, profile(ids("prf-no")), profile(ids("prf-no")), []messages.Rule{rules.UnknownProfile}},
		"other tests":            {withTests, tests(ids("skt")), tests(ids("skt-off")), []messages.Rule{rules.TestNotEnabled}},
		"tests that still hold":  {withTests, tests(ids("skt-off")), tests(ids("skt-off")), nil},
		"a test that is gone":    {withTests, tests(ids("skt-no")), tests(ids("skt-no")), []messages.Rule{messages.UnknownTest}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assertFindings(t, rules.CheckUpdate(t.Context(), service(row.service), row.before, row.after), row.want...)
		})
	}
}

// Facts are fetched only if a rule asks for them.
func TestFactsAreFetchedOnDemand(t *testing.T) {
	t.Parallel()
	f := service(nil)
	rules.CheckCreation(t.Context(), f, desired(nil))
	if want := []string{"assessments", "packages", "enabled tests", "disabled tests"}; !slices.Equal(f.asked, want) {
		t.Errorf("a creation without blocks requested %q, want %q", f.asked, want)
	}
}
