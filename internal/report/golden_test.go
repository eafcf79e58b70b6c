// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// formats are the formats by file extension.
var formats = map[string]func(report.Report, io.Writer) error{
	"html": report.Report.HTML,
	"csv":  report.Report.CSV,
	"md":   report.Report.Markdown,
	"json": report.Report.JSON,
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]report.Report{
		"empty": {Sections: []report.Section{{}}},
		"selection": {
			Title:    "Backend Engineer, London",
			Sections: []report.Section{{Candidates: selection(), Benchmarks: map[string]string{"ast-ability": "Graduates"}}},
			Options: report.Options{AssessmentNames: map[string]string{
				"ast-ability": "Ability", "ast-values": "Inventory", "ast-safety": "Inventory ", "other": "Unused",
			}},
		},
		"names": {
			Title:    "Spring",
			Sections: []report.Section{{Title: "Backend Engineer", Candidates: projection("Ada Lovelace", "Grace Hopper")}},
			Options:  report.Options{Date: "2026-03-05T23:30:00-02:00", Source: "assess.example.com", Public: true},
		},
		"wide": {
			Sections: []report.Section{{
				Title: "Backend Engineer, London", Candidates: selection(), Assessments: []string{"ast-unused"},
				Benchmarks: map[string]string{"ast-ability": "Graduates"},
			}},
			Options: report.Options{Wide: true, AssessmentNames: map[string]string{
				"ast-ability": "Ability", "ast-values": "Inventory", "ast-safety": "Inventory ", "ast-unused": "Never used",
			}},
		},
		"sections": {Title: "Spring intake", Sections: []report.Section{
			{
				Title: "Backend Engineer, London", Candidates: selection()[:2],
				RankedOver: []string{"ast-quartet", "ast-ability"}, Without: []string{"ast-values", "ast-facet"},
			},
			{Title: "=Controller | Hamburg", Candidates: selection()[4:6]},
			{Title: "Nobody yet"},
		}},
	} {
		for _, ending := range []string{"html", "csv", "md"} {
			if r.Options.Wide && ending != "csv" {
				continue
			}
			t.Run(name+"."+ending, func(t *testing.T) {
				t.Parallel()
				got := withoutStyle(render(t, r, formats[ending]))
				file := filepath.Join("testdata", name+"."+ending)
				if os.Getenv("UPDATE") != "" {
					if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if want, err := os.ReadFile(file); err != nil || got != string(want) {
					t.Errorf("the report differs from %s (%v). UPDATE=1 go test ./internal/report writes it. The report:\n%s",
						file, err, got)
				}
			})
		}
	}
}

// withoutStyle empties the style sheet, which golden files do not repeat.
func withoutStyle(page string) string {
	before, rest, _ := strings.Cut(page, "<style>")
	_, after, found := strings.Cut(rest, "</style>")
	if !found {
		return page
	}
	return before + "<style></style>" + after
}

func render(t *testing.T, r report.Report, write func(report.Report, io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(r, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// selection returns a position for which the selection has started. A result with a rank is in doubt, the
// highest score has no rank, and the lowest is negative.
func selection() []assessapi.Candidate {
	const address = "https://assess.example.com/report/1/"
	doubtful := quartet(79.96)
	doubtful.Validity = "INVALID"
	verified := sat("ast-safety", "VALIDATED", number(4), "FAR_BELOW_AVERAGE")
	verified.Validity, verified.ReportURL = "VALID", ""
	verified.Invitations = append(verified.Invitations, assessapi.Invitation{
		ID: "inv-42", Type: "SUPERVISED", Status: "INVITED", Created: "2026-03-08T09:00:00Z", Expiry: "2026-03-22",
	})
	started := assessapi.Result{
		AssessmentID: "ast-quartet", Type: "SCORED", ReportURL: address + "cnd-03/ast-quartet",
		Invitations: []assessapi.Invitation{{
			ID: "inv-31", Type: "REMOTE", Status: "IN_PROGRESS", Created: "2026-03-02T09:00:00Z", Expiry: "2026-03-16",
		}},
	}
	missed := started
	missed.Invitations = []assessapi.Invitation{{Status: "EXPIRED", Expiry: "2026-03-16"}}
	return []assessapi.Candidate{
		{
			ID: "cnd-01", Name: "Ada Lovelace", ReportURL: address + "cnd-01", Suitability: number(91.4),
			Results: []assessapi.Result{ability(99.95), quartet(88.5), values()},
		},
		{
			ID: "cnd-02", Name: "Zoë Müller-Ağaoğlu", ReportURL: address + "cnd-02", Suitability: number(74),
			Results: []assessapi.Result{ability(70.25), doubtful, values()},
		},
		{ID: "cnd-03", Name: "Jean d’Arc", Results: []assessapi.Result{ability(99), started}},
		{
			ID: "cnd-04", Name: "Søren Kierkegaard", ReportURL: address + "cnd-04", Suitability: number(95.125),
			Results: []assessapi.Result{ability(70.125), values(), verified},
		},
		{ID: "cnd-05", Name: "Nobody Invited", Results: []assessapi.Result{}},
		{ID: "cnd-06", Suitability: number(-2.5), Results: []assessapi.Result{ability(0), quartet(0), values()}},
		{ID: "cnd-07", Name: "Partly Invited", Results: []assessapi.Result{ability(50), values()}},
		{ID: "cnd-08", Name: "Too Late", Results: []assessapi.Result{ability(50), missed, values()}},
	}
}

func ability(percentile float64) assessapi.Result {
	return sat("ast-ability", "SCORED", number(percentile), classified(percentile))
}

func quartet(percentile float64) assessapi.Result {
	return sat("ast-quartet", "SCORED", number(percentile), classified(percentile))
}

func classified(percentile float64) string {
	levels := []string{"FAR_BELOW_AVERAGE", "BELOW_AVERAGE", "AVERAGE", "ABOVE_AVERAGE", "FAR_ABOVE_AVERAGE"}
	return levels[min(int(percentile/20), len(levels)-1)]
}

func values() assessapi.Result { return sat("ast-values", "REPORT_ONLY", nil, "") }

func sat(assessment, kind string, percentile *float64, classification string) assessapi.Result {
	return assessapi.Result{
		AssessmentID: assessment, Type: kind, ReportURL: "https://assess.example.com/report/" + assessment,
		Percentile: percentile, Classification: classification,
		Invitations: []assessapi.Invitation{{
			ID: "inv-" + assessment, Type: "REMOTE", Status: "TESTED_WITH_RESULTS",
			Created: "2026-03-01T09:00:00Z", Completed: "2026-03-03T17:45:00.5Z", Expiry: "2026-03-15",
		}},
	}
}

// projection returns candidates of which only the names are known.
func projection(names ...string) []assessapi.Candidate {
	candidates := make([]assessapi.Candidate, len(names))
	for i, name := range names {
		candidates[i].Name = name
	}
	return candidates
}

func number(n float64) *float64 { return &n }
