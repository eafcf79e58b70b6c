// SPDX-License-Identifier: MPL-2.0

package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed report.html.tmpl
var pageText string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"link":     link,
	"readable": readable,
}).Parse(pageText))

// HTML writes one page that needs nothing else: no script, no font, no request,
// and a policy that would refuse them. It follows the reader's choice of dark or
// light, fits a phone and prints on white. An error is the writer's.
func (r Report) HTML(w io.Writer) error {
	view := pageView{Title: r.title()}
	for i, section := range r.Sections {
		view.Sections = append(view.Sections, viewOf(i+1, section))
	}
	return page.Execute(w, view)
}

type pageView struct {
	Title    string
	Sections []sectionView
}

type sectionView struct {
	Title    string
	Summary  string
	Caution  string
	Progress bool // whether the column has anything to say
	Reports  bool // the same
	Groups   []groupView
	Detailed []candidateView // those with results
}

// Columns of the table of candidates.
func (v sectionView) Columns() int {
	columns := 2
	for _, shown := range []bool{v.Progress, v.Reports} {
		if shown {
			columns++
		}
	}
	return columns
}

type groupView struct {
	Heading    string
	Candidates []candidateView
}

type candidateView struct {
	Anchor     string // empty without results
	Label      string
	ID         string // empty where it is the label
	ReportURL  string
	Score      *bar
	Progress   string
	Difference string
	Results    []resultView
}

type resultView struct {
	Result
	Percentile *bar
}

func viewOf(number int, section Section) sectionView {
	s := standingsOf(section.Candidates)
	view := sectionView{Title: section.title(), Summary: s.summary(), Caution: s.caution()}
	scale := 100.0
	for _, candidate := range s.scored {
		scale = max(scale, *candidate.Suitability)
	}
	n := 0
	group := func(heading string, candidates []standing) {
		if len(candidates) == 0 {
			return
		}
		g := groupView{Heading: heading}
		for _, candidate := range candidates {
			n++
			c := candidate.view(scale)
			c.Progress = s.progress(candidate)
			if len(c.Results) > 0 {
				c.Anchor = fmt.Sprintf("section-%d-candidate-%d", number, n)
				view.Detailed = append(view.Detailed, c)
			}
			view.Progress = view.Progress || c.Progress != ""
			view.Reports = view.Reports || c.ReportURL != ""
			g.Candidates = append(g.Candidates, c)
		}
		view.Groups = append(view.Groups, g)
	}
	group("", s.scored)
	group("Without a suitability score", s.unscored)
	return view
}

func (s standing) view(scale float64) candidateView {
	view := candidateView{
		Label:      s.label(),
		ReportURL:  link(s.ReportURL),
		Score:      barOf(s.Suitability, scale),
		Difference: s.difference(),
	}
	if s.ID != view.Label {
		view.ID = s.ID
	}
	for _, result := range s.Results {
		view.Results = append(view.Results, resultView{result, barOf(result.Percentile, 100)})
	}
	return view
}

// bar is a number with its picture.
type bar struct {
	Text  string
	Scale string
	Width string // of 100
}

func barOf(n *float64, scale float64) *bar {
	if n == nil {
		return nil
	}
	width := min(max(*n/scale*100, 0), 100)
	return &bar{Text: number(n), Scale: number(&scale), Width: fmt.Sprintf("%.1f", width)}
}
