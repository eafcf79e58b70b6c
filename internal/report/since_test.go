// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// A report says who is new, who has finished, and whose rank has changed since an earlier one, whatever options that had. A
// spreadsheet would run the ID "-7" as a formula, so the table has an escape in it, but it is the same ID.
func TestSinceAnEarlierReport(t *testing.T) {
	t.Parallel()
	position := func(candidates ...assessapi.Candidate) report.Report {
		return report.Report{Sections: []report.Section{{Title: "=Engineer", Candidates: candidates}}}
	}
	open := invited(unscored(scored("d", 0, "x")), "y", "INVITED")
	now := position(scored("-7", 9, "x"), scored("c", 8, "x"), scored("b", 7, "x"), scored("d", 6, "x"), open)
	now.Sections[0].Candidates[4].ID = "e"
	for name, options := range map[string]report.Options{
		"plain": {}, "wide": {Wide: true}, "excel": {Excel: true, Language: "de"}, "anonymous": {Anonymous: true, Language: "fr"},
	} {
		before := position(scored("-7", 9, "x"), scored("b", 7, "x"), unscored(scored("c", 0, "x")), open)
		before.Options = options
		r := now
		var err error
		if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, before, report.Report.CSV))); err != nil {
			t.Fatal(err)
		}
		r.Earlier.Date = "2026-03-02"
		rows := records(t, render(t, r, report.Report.CSV))
		if got, want := perCandidate(t, rows, "since"), []string{"", "ranked", "moved from 2", "finished", "new"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		text := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(render(t, r, report.Report.Markdown))
		for _, want := range []string{
			"Since March 2, 2026: 1 new (e), 1 newly finished (d), 2 with another rank (c; b).", "| Rank – → 2 |", "| New |",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, now, report.Report.CSV))); err != nil {
			t.Fatal(err)
		}
		if text := render(t, r, report.Report.Markdown); !strings.Contains(text, "Since the earlier report: nothing new.") {
			t.Errorf("%s: something is new:\n%s", name, text)
		}
	}
}

// Each row has a candidate of an earlier report, who has the rank 2, a candidate of the next report, who has the rank 1,
// and what is new about the latter.
func TestWhoIsTheSame(t *testing.T) {
	t.Parallel()
	anonymous, named := report.Options{Anonymous: true}, report.Options{}
	candidate := func(id, name string) assessapi.Candidate { return assessapi.Candidate{ID: id, Name: name} }
	for name, row := range map[string]struct {
		before, after assessapi.Candidate
		options       report.Options // of both reports
		want          string
	}{
		"the same ID":           {candidate("1", "Ada"), candidate("1", "Ada Smith"), named, "moved from 2"},
		"an ID with quotes":     {candidate(`1"`, ""), candidate(`1"`, ""), named, "moved from 2"},
		"another ID":            {candidate("1", "Ada"), candidate("2", "Ada"), named, "new"},
		"the same name":         {candidate("", "Ada Smith"), candidate("", "Ada Smith"), named, "moved from 2"},
		"an escaped name":       {candidate("", "-Ada"), candidate("", "-Ada"), named, "moved from 2"},
		"the same last name":    {candidate("", "Ada Smith"), candidate("", "Bob Smith"), named, "new"},
		"the same number":       {candidate("", "Ada"), candidate("", "Bob"), anonymous, ""},
		"neither a name nor ID": {candidate("", ""), candidate("", ""), named, ""},
	} {
		row.before.Suitability, row.after.Suitability = number(1), number(1)
		position := report.Section{Title: "Engineer", Candidates: []assessapi.Candidate{scored("first", 2), row.before}}
		r := report.Report{Sections: []report.Section{position}, Options: row.options}
		earlier, err := report.ReadEarlier(strings.NewReader(render(t, r, report.Report.CSV)))
		if err != nil {
			t.Fatal(err)
		}
		r.Earlier, r.Sections[0].Candidates = earlier, []assessapi.Candidate{row.after}
		if got := column(t, records(t, render(t, r, report.Report.CSV)), "since")[0]; got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// Two candidates without IDs who have the same name cannot be told apart.
func TestWhoCannotBeToldApart(t *testing.T) {
	t.Parallel()
	candidates := []assessapi.Candidate{scored("", 3, "x"), scored("", 2, "x"), scored("c", 1, "x")}
	candidates[0].Name, candidates[1].Name = "Ada", "Ada"
	r := report.Report{Sections: []report.Section{{Title: "Cook", Candidates: candidates}}}
	var err error
	if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, r, report.Report.CSV))); err != nil {
		t.Fatal(err)
	}
	if got := column(t, records(t, render(t, r, report.Report.CSV)), "since"); !slices.Equal(got, []string{"", "", ""}) {
		t.Errorf("%q, want nothing", got)
	}
	says := func(want string) {
		t.Helper()
		text := strings.NewReplacer("\u2068", "", "\u2069", "").Replace(render(t, r, report.Report.Markdown))
		if !strings.Contains(text, "Since the earlier report: "+want+".") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	says("2 not recognized (Ada; Ada)")

	one := r
	one.Sections = []report.Section{{Title: "Cook", Candidates: candidates[1:]}}
	if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, one, report.Report.CSV))); err != nil {
		t.Fatal(err)
	}
	if got := column(t, records(t, render(t, r, report.Report.CSV)), "since"); !slices.Equal(got, []string{"", "", "moved from 2"}) {
		t.Errorf("after a report on one of them: %q, want another rank of the third", got)
	}

	r.Options.Anonymous = true
	r.Sections[0].Candidates = candidates[:2]
	says("2 not recognized (Candidate 1; Candidate 1)")

	if r.Earlier, err = report.ReadEarlier(strings.NewReader(render(t, r, report.Report.CSV))); err != nil {
		t.Fatal(err)
	}
	r.Options.Anonymous = false
	r.Sections[0].Candidates = candidates
	says("1 new (c), 2 not recognized (Ada; Ada)") // either Ada may be Candidate 1
}

// A position is the same if its title is followed by the ID in only one of the reports, because another position then has
// the same title.
func TestWhichPositionIsTheSame(t *testing.T) {
	t.Parallel()
	for _, titles := range [][2]string{{"Cook", "Cook (p1)"}, {"Cook (p1)", "Cook"}, {"Cook (p1)", "Cook (p1)"}} {
		position := report.Section{PositionID: "p1", Title: titles[0], Candidates: []assessapi.Candidate{scored("a", 2)}}
		r := report.Report{Sections: []report.Section{position}}
		earlier, err := report.ReadEarlier(strings.NewReader(render(t, r, report.Report.CSV)))
		if err != nil {
			t.Fatal(err)
		}
		r.Earlier, r.Sections[0].Title = earlier, titles[1]
		r.Sections = append(r.Sections, report.Section{PositionID: "p2", Title: "Cook (p2)", Candidates: []assessapi.Candidate{scored("b", 1)}})
		got := column(t, records(t, render(t, r, report.Report.CSV)), "since")
		if want := []string{"", "new"}; !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", titles, got, want)
		}
	}
}

func TestReadEarlierRejectsOtherTables(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                      "the table is empty",
		"a,b\n1,2\n":            `no column "position"`,
		"position,candidate_id": `no column "candidate_name"`,
		"position,\"x\ny,z":     "parse error",
	} {
		if _, err := report.ReadEarlier(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
