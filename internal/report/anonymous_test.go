// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"regexp"
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

// A person has the same pseudonym in each section, part and format, and in a report about some of the
// candidates. Among 20,000 people, no two share one.
func TestPseudonyms(t *testing.T) {
	t.Parallel()
	many := thousands(20_000)
	const few = 60
	some := one(many.Sections[0].Candidates[:few]...)
	some.Sections = append(some.Sections, some.Sections[0])
	many.Options.Anonymous, some.Options.Anonymous = true, true
	seen := map[string]bool{}
	for _, c := range shown(many) {
		if seen[c.Name] {
			t.Fatalf("two people have the pseudonym %q", c.Name)
		}
		seen[c.Name] = true
	}
	both := report.Report{Sections: []report.Section{some.Sections[0], many.Sections[0]}, Options: many.Options}
	whole := shown(both)
	for i, c := range shown(both.Parts()[0]) {
		if c.Name != whole[i].Name {
			t.Errorf("a part has the pseudonym %q, and the whole report %q", c.Name, whole[i].Name)
		}
	}
	for _, write := range formats {
		found := map[string]bool{}
		for _, match := range pseudonym.FindAllString(render(t, some, write), -1) {
			found[match] = true
			if !seen[match] {
				t.Errorf("%q is the pseudonym of no candidate", match)
			}
		}
		if len(found) != few {
			t.Errorf("%d people have the pseudonyms %v", few, found)
		}
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
