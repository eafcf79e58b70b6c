// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

var pseudonym = regexp.MustCompile(
	`(Candidate|Person|Personne) ([2-9BCDFGHJKMNPQRTVWXYZ]{4}-[2-9BCDFGHJKMNPQRTVWXYZ]{4}|\d+)\b`,
)

// In no format and language does an anonymous report contain anything that identifies a person: names,
// IDs, addresses, invitations or times. It has as many rows as one with names.
func TestAnonymousReportsIdentifyNoPerson(t *testing.T) {
	t.Parallel()
	r := demo(t, 66)
	needles := []string{"/report/", "T09:", "09:00"}
	r.Sections[0].Candidates[0].Results[0].Invitations[0].Expiry = "2026-03-15T09:00:00Z"
	for _, c := range r.Sections[0].Candidates {
		needles = append(needles, c.ID, c.Name)
		for _, result := range c.Results {
			needles = append(needles, result.Invitations[0].ID)
		}
	}
	rows := len(records(t, render(t, r, report.Report.CSV)))
	r.Options.Anonymous = true
	if got := len(records(t, render(t, r, report.Report.CSV))); got != rows {
		t.Errorf("%d rows, and %d with names", got, rows)
	}
	for _, r.Options.Language = range report.Languages() {
		for ending, write := range formats {
			text := render(t, r, write)
			for _, needle := range needles {
				if strings.Contains(text, needle) {
					t.Errorf("%s in %s contains %q", ending, r.Options.Language, needle)
				}
			}
			if !pseudonym.MatchString(text) {
				t.Errorf("%s in %s contains no pseudonym:\n%s", ending, r.Options.Language, text)
			}
		}
	}
}

// A person has the same pseudonym in each section. Different people have different ones.
func TestPseudonyms(t *testing.T) {
	t.Parallel()
	r := ranks(60)
	r.Sections = append(r.Sections, r.Sections[0])
	r.Options.Anonymous = true
	shown, known := r.Shown(), map[string]bool{}
	for i, c := range shown[0].Candidates {
		known[c.Name] = true
		if again := shown[1].Candidates[i].Name; again != c.Name {
			t.Errorf("a person is %s and %s", c.Name, again)
		}
	}
	if len(known) != 60 {
		t.Errorf("60 people have %d pseudonyms", len(known))
	}
}

func TestPseudonymsOfPeopleWithoutIDs(t *testing.T) {
	t.Parallel()
	r := one(projection("Ada", "Grace", "Ada", "", "")...)
	r.Options.Anonymous = true
	var names []string
	for _, c := range r.Shown()[0].Candidates {
		names = append(names, c.Name)
	}
	want := "Candidate 1, Candidate 2, Candidate 1, Candidate 3, Candidate 4"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("they are %s, want %s", got, want)
	}
}

// A page of a position numbers the candidates without IDs as the index and the table do.
func TestPagesHaveTheNumbersOfTheIndex(t *testing.T) {
	t.Parallel()
	section := func(title string, names ...string) report.Section {
		s := report.Section{Title: title}
		for i, name := range names {
			c := scored("", float64(9-i))
			c.Name = name
			s.Candidates = append(s.Candidates, c)
		}
		if title == "A" {
			s.Candidates[0].ID = "\u2066" // no ID, because clean removes this character
		}
		return s
	}
	r := report.Report{
		Options:  report.Options{Anonymous: true},
		Sections: []report.Section{section("A", "Ada", "Bob"), section("B", "Bob", "Cem", "")},
	}
	whole := column(t, records(t, render(t, r, report.Report.CSV)), "candidate_name")
	var parts []string
	for _, part := range r.Parts() {
		parts = append(parts, column(t, records(t, render(t, part, report.Report.CSV)), "candidate_name")...)
	}
	want := []string{"Candidate 1", "Candidate 2", "Candidate 2", "Candidate 3", "Candidate 4"}
	if !slices.Equal(whole, want) || !slices.Equal(parts, want) {
		t.Errorf("the pseudonyms are %q, and %q in the parts", whole, parts)
	}
}
