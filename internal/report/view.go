// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// pageView is what the page and Markdown show. Its texts are formatted, but not escaped.
type pageView struct {
	frame

	Home      string // the address of the page about all positions
	Positions string // a note if the page has several positions, or empty
	Sections  []sectionView
	Explained bool // whether the page has a section about how to read it
}

// frame is the part of a view that a report page and the index share.
type frame struct {
	Words        *words
	Lang, Title  string
	Footer       string   // of each printed page
	PageOf       []string // the three texts before, between and after the two numbers in "Page 1 of 5"
	Facts        []fact
	Presets      []string
	Confidential string
	Invented     string // a note if the people are invented by the sandbox, or empty
}

// fact is a line of the header. Time is the ISO 8601 form if the value is a date.
type fact struct{ Name, Value, Time string }

type sectionView struct {
	ID           string
	Title        string // empty if the title of the report is enough
	Summary      string
	Glance       []string // what to know before reading the ranking
	RankedOver   string   // which assessments the ranking is based on, if not on all
	Since        string   // what is new since an earlier report
	Ranked       bool     // whether any candidate has a rank
	Undescribed  bool     // whether some benchmarks or assessments could not be read
	Digits       int      // characters of the longest score
	Distribution *distribution
	Progress     bool // whether the ranking has a column for progress
	Groups       []groupView
	Columns      []columnView // of the table by assessment
	Benchmarks   string       // each assessment with its benchmark, separated by semicolons
	Shown        int          // number of candidates shown
	Detailed     int          // number of shown candidates with results
}

// groupView is a group of candidates in the ranking, with its heading.
type groupView struct {
	Heading    string
	Caution    string
	Candidates []candidateView
}

type candidateView struct {
	Anchor    string // empty if the candidate has no results
	Rank      string
	Label     string
	Address   string // target of the name: the details, or the report if there are no details
	ReportURL string
	Score     string
	Bar       *int // length of the bar, from 0 to 100, or nil without a rank
	Progress  string
	Remark    string
	News      string // what is new since an earlier report
	Unranked  string // the part of Remark that says why the candidate is not ranked
	Doubtful  bool
	Cells     []cellView // of the table by assessment
	Results   []resultView
}

type resultView struct {
	Assessment, ReportURL string
	Percentile            string
	Missing               string // shown instead of a percentile
	Bar                   int    // length of the bar, from 0 to 100
	Level                 string // the classification and the result of the answer check
	Doubt                 string
	Sittings              []string // one text for each invitation, or only "Done" (see [viewer.sittings])
}

type columnView struct{ Name, Benchmark string }

// cellView is a result in the table by assessment. Class is "p0" to "p4" for the shade of a percentile, "o" for soft
// text, or empty.
type cellView struct{ Text, Class string }

// view returns what the page shows: each section with its ranking, and what is new in it.
func (r Report) view() pageView {
	v, rankings := r.Options.viewer(), r.rankings()
	view := pageView{frame: r.frameOf(v.words, rankings), Home: r.Home}
	if len(rankings) > 1 {
		view.Positions = v.EachPosition
	}
	for i, ranked := range rankings {
		s := v.section(fmt.Sprintf("s%d", i+1), ranked)
		s.Since = v.sinceEarlier(r.Earlier, ranked)
		title := strings.TrimSpace(ranked.Title)
		if len(rankings) > 1 || title != view.Title { // the only section does not repeat the title of the page
			s.Title = title
		}
		view.Sections = append(view.Sections, s)
		view.Explained = view.Explained || ranked.counts.total > 0
	}
	return view
}

// frameOf returns the texts around the sections of a report, in the language of w. The parameter rankings contains all
// rankings that the page or the index shows, because the presets count hidden candidates of all rankings.
func (r Report) frameOf(w *words, rankings []ranking) frame {
	f := frame{
		Words: w, Lang: w.tag, Title: r.title(w), Footer: w.footer(r), Facts: w.facts(r),
		PageOf:  strings.Split(w.Page, "%s"), // Page has two %s in each language
		Presets: w.presets(r.Options, rankings),
	}
	if r.isInvented() {
		f.Invented = w.Invented
	}
	if !r.Options.Public {
		f.Confidential = w.Confidential
	}
	return f
}

// isInvented reports whether the results come from the sandbox. Its host name ends with .invalid, which no real host
// name does (RFC 2606).
func (r Report) isInvented() bool {
	return strings.HasSuffix(strings.TrimSpace(r.Options.Source), ".invalid")
}

// footer returns the footer of a printed page: the title and, if there is one, the date, both shortened to fit a line.
func (w *words) footer(r Report) string {
	title := shortened(r.title(w), 70)
	date := strings.TrimSpace(clean(r.Options.Date))
	if date == "" {
		return title
	}
	return title + " · " + shortened(dated(date, w.longDate), 30)
}

func (w *words) facts(r Report) []fact {
	facts := []fact{{Name: w.Date, Value: clean(r.Options.Date)}, {Name: w.Source, Value: clean(r.Options.Source)}}
	if t, ok := timeOf(strings.TrimSpace(r.Options.Date)); ok {
		facts[0].Value, facts[0].Time = w.longDate(t), isoDay(t)
	}
	if len(r.Sections) == 1 && strings.TrimSpace(clean(r.Sections[0].Title)) != r.title(w) {
		facts = slices.Insert(facts, 0, fact{Name: w.Position, Value: clean(r.Sections[0].Title)})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return strings.TrimSpace(f.Value) == "" })
}

// section returns the part of a page about one position, without Title and Since. Candidates with results get anchors
// that begin with the id of the section.
func (v viewer) section(id string, r ranking) sectionView {
	view := sectionView{
		ID:           id,
		Summary:      v.summary(r.counts),
		Glance:       v.glance(r.counts),
		RankedOver:   v.rankedOver(r),
		Ranked:       r.counts.groups[groupRanked] > 0,
		Undescribed:  r.Undescribed,
		Distribution: distributionOf(r.spread, r.scores, v.words),
		Shown:        len(r.entries),
	}
	view.Columns, view.Benchmarks = v.columns(r)
	for i, e := range r.entries {
		if i == 0 || e.group != r.entries[i-1].group {
			view.Groups = append(view.Groups, v.group(e.group, r))
		}
		view.addCandidate(v.candidate(e, r))
	}
	return view
}

// addCandidate adds a candidate to the last group. If the candidate has results, it sets the anchor of the details.
func (s *sectionView) addCandidate(c candidateView) {
	if len(c.Results) > 0 {
		s.Detailed++
		c.Anchor = fmt.Sprintf("%sc%d", s.ID, s.Detailed)
		c.Address = "#" + c.Anchor
	}
	s.Progress = s.Progress || c.Progress != ""
	s.Digits = max(s.Digits, utf8.RuneCountInString(c.Score))
	last := &s.Groups[len(s.Groups)-1]
	last.Candidates = append(last.Candidates, c)
}

// columns returns the columns of the table by assessment, and a text that names the benchmark of each assessment.
func (v viewer) columns(r ranking) (columns []columnView, benchmarks string) {
	for _, id := range r.columns {
		column := columnView{v.name(id), filled(v.Benchmark, strings.TrimSpace(r.Benchmarks[id]))}
		columns = append(columns, column)
		if column.Benchmark != "" {
			benchmarks = joinedBy(v.Semicolon, benchmarks, column.Name+v.Colon+column.Benchmark)
		}
	}
	return columns, benchmarks
}

// group returns the view of a group of a ranking, without its candidates. Ranked candidates have no heading.
func (v viewer) group(g group, r ranking) groupView {
	if g == groupRanked {
		return groupView{}
	}
	view := groupView{Heading: fmt.Sprintf(v.NotRanked, fmt.Sprintf(v.Groups[g], v.count(r.counts.groups[g])))}
	if g == groupDifferent {
		view.Caution = fmt.Sprintf(v.ComparesOnly, v.names(r.common))
	}
	return view
}

// candidate returns the view of a candidate in a ranking, without an anchor. The field Address is the address of the
// candidate's report.
func (v viewer) candidate(e entry, r ranking) candidateView {
	view := candidateView{
		Rank: v.rank(e.rank), Label: v.label(e.Candidate), Address: e.ReportURL, ReportURL: e.ReportURL,
		Progress: v.progressOf(e), Remark: v.remark(e), News: v.news(e), Unranked: v.unranked(e), Doubtful: e.doubtful(),
		Cells: v.cells(e, r),
	}
	if e.Suitability != nil {
		view.Score = r.scores.text(*e.Suitability, v.words)
		if e.rank > 0 { // the scale of the bars contains only the scores with a rank
			bar := r.bars.position(*e.Suitability)
			view.Bar = &bar
		}
	}
	for _, result := range e.Results {
		view.Results = append(view.Results, v.result(result, r.percentiles))
	}
	return view
}

// result returns the view of a result. percentiles is the scale of all percentiles of the ranking. A completed result
// with neither a percentile nor a classification says that the percentile is missing.
func (v viewer) result(r assessapi.Result, percentiles scale) resultView {
	view := resultView{
		Assessment: v.name(r.AssessmentID), ReportURL: r.ReportURL,
		Level: v.level(r), Sittings: v.sittings(r),
	}
	if doubt := v.doubt(r); doubt != "" {
		view.Doubt = withWarningSign(doubt)
	}
	switch {
	case r.Percentile != nil:
		view.Percentile = percentiles.percentile(*r.Percentile, v.words)
		view.Bar = scale{high: 100}.position(*r.Percentile) // whatever the other percentiles are
	case r.IsCompleted() && r.Classification == "":
		view.Missing = v.NoPercentile
	}
	return view
}

// level returns the classification of a result, followed by the outcome of the answer check. It leaves out an outcome
// that makes the result doubtful, because the doubt is shown separately.
func (v viewer) level(r assessapi.Result) string {
	classification := translate(r.Classification, v.Classifications)
	if unreliable(r) {
		return classification
	}
	return joinedBy(" · ", classification, v.check(r))
}

// sittings returns one text for each invitation. If a completed result has no such text, sittings returns only "Done"
// in the language of the report.
func (v viewer) sittings(r assessapi.Result) (texts []string) {
	for _, invitation := range r.Invitations {
		texts = append(texts, v.sitting(invitation))
	}
	if r.IsCompleted() && strings.Join(texts, "") == "" {
		return []string{v.Done}
	}
	return texts
}

// cells returns a candidate's results by assessment, in the order of the columns. Several results for the same
// assessment share a cell without a shade. If no results are known, all cells are empty.
func (v viewer) cells(e entry, r ranking) []cellView {
	none := cellView{Text: "–", Class: "o"} // not invited
	if len(e.Results) == 0 && e.group != groupUninvited {
		none = cellView{}
	}
	cells := slices.Repeat([]cellView{none}, len(r.columns))
	for _, result := range e.Results {
		view := v.cellOf(result, r.percentiles)
		i := slices.Index(r.columns, result.AssessmentID)
		if cells[i] != none {
			view = cellView{Text: cells[i].Text + " / " + view.Text}
		}
		cells[i] = view
	}
	return cells
}

// cellOf returns a result in the table by assessment: the percentile with one of five shades or, without a percentile,
// whether the result is completed, expired or still open. A doubtful result also has a warning sign. percentiles is the
// scale of all percentiles of the ranking.
func (v viewer) cellOf(r assessapi.Result, percentiles scale) (view cellView) {
	switch {
	case r.Percentile != nil:
		shade := int(min(max(*r.Percentile/20, 0), 4)) // 0 below 20, 1 below 40, and so on
		view = cellView{percentiles.percentile(*r.Percentile, v.words), fmt.Sprintf("p%d", shade)}
	case r.IsCompleted():
		view = cellView{Text: v.Done}
	case r.IsExpired():
		view = cellView{Text: v.Statuses[expired], Class: "o"}
	default: // the text is "Open", also for a sitting in progress
		view = cellView{Text: v.Statuses[invited], Class: "o"}
	}
	if doubtful(r) {
		view.Text += " " + warningSign
	}
	return view
}

// shortened returns a text of no more than the given number of characters. A text that was cut ends with an ellipsis.
func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
