// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

var pseudonym = regexp.MustCompile(
	`(Candidate|Person|Personne) ([2-9BCDFGHJKMNPQRTVWXYZ]{3}-[2-9BCDFGHJKMNPQRTVWXYZ]{3,}|\d+)\b`,
)

// In no format and language does an anonymous report contain anything that identifies a
// person: names, IDs, addresses, invitations or times. It has as many rows as one with names.
func TestAnonymousReportsIdentifyNoPerson(t *testing.T) {
	t.Parallel()
	r := demo(66)
	open := len(records(t, render(t, r, report.Report.CSV)))
	r.Options.Anonymous = true
	if rows := len(records(t, render(t, r, report.Report.CSV))); rows != open {
		t.Errorf("%d rows, and %d with names", rows, open)
	}
	needles := []string{"assess.example.com/report", "T09:", "09:00"}
	for _, c := range r.Sections[0].Candidates {
		needles = append(needles, c.ID, c.Name)
		for _, result := range c.Results {
			needles = append(needles, result.Invitations[0].ID)
		}
	}
	every := maps.Clone(formats)
	every["json"] = report.Report.JSON
	for _, r.Options.Language = range report.Languages() {
		for ending, write := range every {
			text := render(t, r, write)
			for _, needle := range needles {
				if strings.Contains(text, needle) {
					t.Errorf("%s in %s contains %q", ending, r.Options.Language, needle)
				}
			}
			if !pseudonym.MatchString(strings.ReplaceAll(text, "\u2060", "")) {
				t.Errorf("%s in %s contains no pseudonym:\n%s", ending, r.Options.Language, text)
			}
		}
	}
}

// A person has the same pseudonym in both sections and in every format. The pseudonym
// is also the same in a report about some of the candidates, and in a report of another
// day. Two people never share a pseudonym.
func TestPseudonyms(t *testing.T) {
	t.Parallel()
	r := demo(66)
	r.Options.Anonymous = true
	of := map[string]string{}
	named := demo(66)
	for i, c := range r.Shown()[0].Candidates {
		id := named.Shown()[0].Candidates[i].ID
		if c.ID != "" || !pseudonym.MatchString(c.Name) || of[c.Name] != "" {
			t.Fatalf("%q is called %q, like %q", id, c.Name, of[c.Name])
		}
		of[c.Name] = id
	}
	second := demo(20)
	second.Options.Anonymous, second.Options.Top = true, 3
	second.Sections = append(
		second.Sections,
		report.Section{Title: "Again", Candidates: second.Sections[0].Candidates[:2]},
	)
	for _, write := range formats {
		for _, match := range pseudonym.FindAllString(strings.ReplaceAll(render(t, second, write), "\u2060", ""), -1) {
			if of[match] == "" {
				t.Errorf("%q is the pseudonym of no candidate", match)
			}
		}
	}
	shown := second.Shown()
	if first := shown[0].Candidates[0].Name; first != shown[1].Candidates[0].Name {
		t.Errorf("the same person is %q and %q", first, shown[1].Candidates[0].Name)
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

// Thousands of people have different pseudonyms.
func TestPseudonymsOfThousands(t *testing.T) {
	t.Parallel()
	r := thousands(20_000)
	r.Options.Anonymous = true
	seen := map[string]bool{}
	for _, c := range r.Shown()[0].Candidates {
		if seen[c.Name] {
			t.Fatalf("two people have the pseudonym %q", c.Name)
		}
		seen[c.Name] = true
	}
}
