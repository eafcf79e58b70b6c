// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// words are all texts of a report in one language. Texts with a verb such as %d are
// formats. The template of the page uses the exported ones.
type words struct {
	tag       string // BCP 47
	decimal   string // decimal separator
	thousands string // separator of groups of three digits
	separator string // the character that separates the cells of a CSV file in Excel
	Colon     string // between a word and what it is about
	Semicolon string // between parts of a sentence
	shortDate func(time.Time) string
	longDate  func(time.Time) string

	title, Results, nameless, pseudonym string

	// The header.
	Position, date, source            string
	confidential, HowToRead, top, cut string
	invented                          string
	finishedOnly, anonymous, page     string
	one, many, NoCandidates, Long     string
	positions                         string // why several positions must not be compared

	// What the scores say and do not say.
	finished               string             // how many candidates have finished
	NotRanked              string             // introduces the groups without a rank
	groups                 [groupCount]string // how many candidates are in each group
	ahead, only, Next, Gap string
	tied, each             string // several candidates with one score
	Undescribed            string // what the report lacks
	Notes                  string // heading of what follows the ranking
	doubted, open, alone   string // the line above the ranking
	mayChange, Meaning     string
	longest, negative      string // what the bars show, and what if scores are below zero

	// Tables.
	Ranking, Rank, Candidate, Suitability, Progress string
	Status, Report, NoScore, of, different          string
	unscored, unfinished, differs, without, also    string
	lapsed, waiting, notInvited, notInvitedTo       string
	caution, Sideways                               string
	ByAssessment, done, benchmark, reportOnly       string
	Shading, Details, Assessment, Result, Back      string
	Percentile, validity, invited, until            string
	Distribution, Lowest, Median, Highest, counted  string

	// The index over several positions.
	ByPosition, Candidates, Finished, AllResults, NotRead string
	empty                                                 string // how many positions have no candidates
	Reasons                                               [reasonCount]string

	Legend []term // how to read the report

	statuses, sittings, classifications, validities map[string]string
}

// term explains a word of the report.
type term struct{ Word, Meaning string }

var languages = map[string]*words{"en": &english, "de": &german, "fr": &french}

// Languages returns the codes of the available languages.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

func wordsOf(language string) *words {
	if w, ok := languages[language]; ok {
		return w
	}
	return &english
}

// people returns the number of candidates as text.
func (w *words) people(n int) string {
	if n == 1 {
		return w.one
	}
	return fmt.Sprintf(w.many, w.count(n))
}

// summary says how many candidates of a section have finished and how many are ranked, and
// why the others are not.
func (w *words) summary(c counts) (sentence string, others []string) {
	if c.total == 0 {
		return w.NoCandidates, nil
	}
	sentence = w.people(c.total)
	if c.unknown == 0 {
		sentence = fmt.Sprintf(w.finished, w.count(c.finished), sentence)
	}
	for group, n := range c.groups {
		if n == 0 {
			continue
		}
		text := fmt.Sprintf(w.groups[group], w.count(n))
		if group == int(groupRanked) {
			sentence += ", " + text
			continue
		}
		others = append(others, text)
	}
	return sentence + ".", others
}

// glance says what to know before reading a ranking. The notes below it say more.
func (w *words) glance(c counts) (sentences []string) {
	if c.groups[groupRanked] == 0 {
		return nil
	}
	add := func(format string, n int) {
		if n > 0 {
			sentences = append(sentences, fmt.Sprintf(format, w.count(n)))
		}
	}
	add(warningSign+" "+w.doubted, c.inDoubt)
	open := 0
	for g, n := range c.groups {
		if group(g).part() == partUnfinished {
			open += n
		}
	}
	add(w.open, open)
	return append(sentences, w.alone)
}

// warningSign marks a result that is doubtful. The second character prevents an emoji.
const warningSign = "⚠\ufe0e"

// doubt says why a result is doubtful, after a text that says which. It returns "" if the
// result is not doubtful.
func (w *words) doubt(which string, r assessapi.Result) string {
	reason := ""
	if unreliable(r) {
		reason = w.check(r)
	}
	if mayChange(r) {
		reason = joinedBy(" · ", reason, w.mayChange)
	}
	if reason == "" {
		return ""
	}
	return warningSign + "\u00a0" + which + reason // on one line with its text
}

// check returns the outcome of the answer check.
func (w *words) check(r assessapi.Result) string {
	return filled(w.validity, translate(r.Validity, w.validities))
}

// presets returns one sentence for each option that hides or replaces something.
func (w *words) presets(o Options, sections []ranking) []string {
	var presets []string
	if o.Top > 0 {
		presets = append(presets, fmt.Sprintf(w.top, w.count(o.Top)))
		cut := 0
		for _, s := range sections {
			cut += s.cut
		}
		if cut > 0 {
			presets = append(presets, fmt.Sprintf(w.cut, w.count(cut)))
		}
	}
	if o.FinishedOnly {
		presets = append(presets, w.finishedOnly)
	}
	if o.Anonymous {
		presets = append(presets, w.anonymous)
	}
	return presets
}

// progressOf returns how many of the assessments to which the candidate was invited are
// completed, such as "2 of 3". It returns "" if the results are not known.
func (w *words) progressOf(e entry) string {
	if len(e.Results) == 0 {
		return ""
	}
	return fmt.Sprintf(w.of, e.done, len(e.Results))
}

var enumerated = pattern(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

// translate translates an enumerated string of the service. Without a translation, FAR_ABOVE
// becomes "Far above". Other text is not changed.
func translate(value string, translations map[string]string) string {
	if text, ok := translations[value]; ok {
		return text
	}
	if !enumerated().MatchString(value) {
		return value
	}
	text := strings.ToLower(strings.ReplaceAll(value, "_", " "))
	return strings.ToUpper(text[:1]) + text[1:]
}

// sitting returns the type of an invitation, its status and its dates.
func (w *words) sitting(i assessapi.Invitation) string {
	status := translate(i.Status, w.statuses)
	switch {
	case i.Completed != "":
		status = "✓ " + dated(i.Completed, w.shortDate)
	case i.IsExpired():
		status = joinedBy(" ", status, dated(i.Expiry, w.shortDate))
	}
	if i.Type != remote { // the usual type
		status = joinedBy(w.Colon, translate(i.Type, w.sittings), status)
	}
	if i.IsCompleted() || i.IsExpired() {
		return status
	}
	return joinedBy(", ", status,
		filled(w.invited, dated(i.Created, w.shortDate)), filled(w.until, dated(i.Expiry, w.shortDate)))
}

// viewer writes the texts of a report.
type viewer struct {
	*words
	assessmentNames map[string]string // by id. If several have the same name, their id follows it
}

func (o Options) viewer() viewer {
	count := map[string]int{}
	for _, name := range o.AssessmentNames {
		count[name]++
	}
	distinct := map[string]string{}
	for id, name := range o.AssessmentNames {
		if strings.TrimSpace(name) == "" {
			continue
		}
		if count[name] > 1 {
			name = fmt.Sprintf("%s (%s)", name, id)
		}
		distinct[id] = name
	}
	return viewer{wordsOf(o.Language), distinct}
}

// name returns the name of an assessment, or its id if it has no name.
func (v viewer) name(id string) string { return cmp.Or(v.assessmentNames[id], id) }

// names names several assessments in one sentence.
func (v viewer) names(ids []string) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = v.name(id)
	}
	return undirected(strings.Join(names, ", "))
}

// label returns the name or the pseudonym of a candidate.
func (v viewer) label(c assessapi.Candidate) string {
	for _, label := range []string{c.Name, c.ID} {
		if strings.TrimSpace(label) != "" {
			return label
		}
	}
	return v.nameless
}

// about writes a text about some assessments, unless there are none.
func (v viewer) about(format string, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(format, v.names(ids))
}

// difference says which assessments a score is based on, compared with the other
// scores.
func (v viewer) difference(e entry) string {
	if !e.differs() {
		return ""
	}
	return v.differs + v.Colon + joinedBy(v.Semicolon, v.about(v.without, e.without), v.about(v.also, e.also))
}

// remark says why a candidate has no rank, and why results are doubtful.
func (v viewer) remark(e entry) string {
	parts := []string{v.unranked(e)}
	for _, result := range e.Results {
		which := filled("%s – ", v.names([]string{result.AssessmentID}))
		parts = append(parts, v.doubt(which, result))
	}
	return joinedBy(" · ", parts...)
}

// unranked says why a candidate has no rank. It returns "" for a candidate with a rank.
func (v viewer) unranked(e entry) string {
	switch e.group {
	case groupDifferent:
		return v.difference(e)
	case groupUninvited:
		return v.notInvited
	case groupExpired:
		return joinedBy(" · ", v.lapsed, v.difference(e))
	case groupUnfinished:
		return joinedBy(" · ", v.waiting, v.about(v.notInvitedTo, e.uninvited), v.difference(e))
	default:
		return v.about(v.notInvitedTo, e.uninvited)
	}
}

// filled writes a text into a format, unless the text is empty.
func filled(format, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(format, text)
}

// joinedBy joins the texts that are not empty.
func joinedBy(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), separator)
}

// undirected removes characters that would change the direction of a whole line.
func undirected(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)
}

// safeLink returns an address that may become a link. It returns "" unless the address is an
// absolute http or https address.
func safeLink(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
