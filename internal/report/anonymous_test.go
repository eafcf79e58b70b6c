// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

var pseudonym = regexp.MustCompile(
	`(Candidate|Person|Personne) ([2-9BCDFGHJKMNPQRTVWXYZ]{3}-[2-9BCDFGHJKMNPQRTVWXYZ]{3,}|\d+)\b`,
)

// people returns a report about invented people, and every text that could identify
// them.
func people(seed uint64) (r report.Report, needles []string) {
	g := generator{rand.New(rand.NewPCG(seed, 2))} //nolint:gosec // a test, not a secret
	needle := func(kind string) string {
		text := fmt.Sprintf("%s-%x", kind, g.Uint64())
		needles = append(needles, text)
		return text
	}
	r.Options = report.Options{Anonymous: true, Language: g.oneOf("en", "de", "fr"), Excel: g.IntN(2) == 0}
	ids := []string{needle("cnd"), needle("cnd"), needle("cnd"), needle("cnd")}
	for s := range 2 {
		section := report.Section{Title: fmt.Sprint("Position ", s)}
		for i, id := range ids {
			c := report.Candidate{
				ID:          id,
				Name:        needle("name"),
				ReportURL:   "https://assess.example.com/" + needle("r"),
				Suitability: g.number(),
			}
			if i == 3 {
				c.ID = "" // a projection without ids
			}
			c.Results = []report.Result{{
				AssessmentID: "x", ReportURL: "https://assess.example.com/" + needle("rr"), Percentile: g.number(),
				Invitations: []report.Invitation{
					{
						ID: needle(
							"inv",
						),
						Status:    "TESTED_WITH_RESULTS",
						Created:   "2026-03-01T09:17:31Z",
						Completed: "2026-03-02T10:41:53Z",
					},
				},
			}}
			section.Candidates = append(section.Candidates, c)
		}
		r.Sections = append(r.Sections, section)
	}
	return r, append(needles, "09:17", "10:41", "example.com")
}

func TestAnonymousReportsIdentifyNoPerson(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r, needles := people(seed)
		for ending, write := range formats {
			text := render(t, r, write)
			for _, needle := range needles {
				if strings.Contains(text, needle) {
					t.Fatalf("seed %d: %s contains %q", seed, ending, needle)
				}
			}
			if !pseudonym.MatchString(text) {
				t.Fatalf("seed %d: %s contains no pseudonym:\n%s", seed, ending, text)
			}
		}
		for _, section := range r.Shown() {
			if text := fmt.Sprintf("%#v", section); strings.Contains(text, needles[0]) {
				t.Fatalf("seed %d: Shown returns %s", seed, text)
			}
		}
		// The anonymous report has as many rows as the report with names.
		open := r
		open.Options.Anonymous = false
		if a, b := records(t, csvOf(t, r)), records(t, csvOf(t, open)); len(a) != len(b) {
			t.Fatalf("seed %d: %d rows, and %d with names", seed, len(a), len(b))
		}
	}
}

// csvOf returns a report as CSV without a byte order mark.
func csvOf(t *testing.T, r report.Report) string {
	r.Options.Excel = false
	return render(t, r, report.Report.CSV)
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
