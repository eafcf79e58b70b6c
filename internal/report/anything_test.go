// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// fragments are pieces of text that careless reports handle wrongly.
var fragments = append(strings.Split(`a|b c|Ö|"|""|'|=|+|-|@|;|,|	|
|`+"\r|\r\n|\u2028|\u00a0|\u200b|\u202e|\u2067|\x00|\x1b|`"+`|<|>|&|&amp;|</style>|</title>|<script>|<!--|-->|{{|\|#|12|GH-|!7|~x|:x:|://|http|`+
	`https://e.example/|www.|*|_|[|]|(|)|$|%|^|0123456789abcdef|＝|cmd|1|()|;"=1|,"@x|	"+1|--|/*|*/|}|\22 `, "|"), "|", "||")

var numbers = []float64{
	0,
	math.Copysign(0, -1),
	1,
	-1,
	0.1,
	70.125,
	99.99,
	100,
	1e-9,
	-1e-9,
	5e-324,
	1e12,
	1e15,
	math.MaxFloat64,
	-math.MaxFloat64,
}

// anything returns a report in which every text and number is hostile. It is the same
// for the same seed.
func anything(seed uint64) report.Report {
	g := generator{rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a test, not a secret
	r := report.Report{Title: g.text(), Options: report.Options{
		Language: g.oneOf(
			"en",
			"de",
			"fr",
			"",
		),
		Source:          g.text(),
		Date:            g.text(),
		Top:             g.IntN(4),
		FinishedOnly:    g.IntN(4) == 0,
		Anonymous:       g.IntN(3) == 0,
		Public:          g.IntN(2) == 0,
		Excel:           g.IntN(2) == 0,
		AssessmentNames: map[string]string{"x": g.text(), "y": g.text(), g.text(): g.text()},
	}}
	for range 1 + g.IntN(3) {
		s := report.Section{Title: g.text(), Benchmarks: map[string]string{"x": g.text()}}
		for range g.IntN(12) {
			s.Candidates = append(s.Candidates, g.candidate())
		}
		r.Sections = append(r.Sections, s)
	}
	return r
}

type generator struct{ *rand.Rand }

func (g generator) oneOf(texts ...string) string { return texts[g.IntN(len(texts))] }

func (g generator) text() string {
	var b strings.Builder
	for range g.IntN(5) {
		b.WriteString(fragments[g.IntN(len(fragments))])
	}
	return b.String()
}

func (g generator) number() *float64 {
	switch g.IntN(4) {
	case 0:
		return nil
	case 1:
		return number(float64(g.IntN(1000)) / 10)
	default:
		return number(numbers[g.IntN(len(numbers))])
	}
}

func (g generator) candidate() report.Candidate {
	c := report.Candidate{ID: g.text(), Name: g.text(), ReportURL: g.text(), Suitability: g.number()}
	for range g.IntN(4) {
		result := report.Result{
			AssessmentID: g.oneOf("x", "y", g.text()), Type: g.text(), ReportURL: g.text(), Percentile: g.number(),
			Classification: g.text(), Validity: g.text(),
		}
		for range g.IntN(3) {
			result.Invitations = append(result.Invitations, report.Invitation{
				ID: g.text(), Type: g.text(), Status: g.oneOf("INVITED", "EXPIRED", "TESTED_WITH_RESULTS", g.text()),
				Expiry: g.text(), Created: g.text(), Completed: g.text(),
			})
		}
		c.Results = append(c.Results, result)
	}
	return c
}
