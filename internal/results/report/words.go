// SPDX-License-Identifier: MPL-2.0

package report

import (
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
	semicolon string // between parts of a sentence
	shortDate func(time.Time) string
	longDate  func(time.Time) string

	title, Results, nameless, pseudonym string

	// The header.
	Position, date, source            string
	confidential, HowToRead, top, cut string
	invented                          string
	finishedOnly, anonymous, page     string
	one, many, noCandidates, Long     string
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
	Shading, Details, Assessment, result, Back      string
	Percentile, validity, invited, until            string
	Distribution, Lowest, Median, Highest, counted  string

	// The index over several positions.
	ByPosition, Candidates, Finished, AllResults, NotRead string
	empty                                                 string // how many positions have no candidates
	reasons                                               [reasonCount]string

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
		return w.noCandidates, nil
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
func (w *words) glance(r ranking) (sentences []string) {
	if r.counts.groups[groupRanked] == 0 {
		return nil
	}
	add := func(format string, n int) {
		if n > 0 {
			sentences = append(sentences, fmt.Sprintf(format, w.count(n)))
		}
	}
	add(warningSign+" "+w.doubted, r.inDoubt)
	open := 0
	for g, n := range r.counts.groups {
		if group(g).isUnfinished() {
			open += n
		}
	}
	add(w.open, open)
	return append(sentences, w.alone)
}

// leaders returns the candidates with the highest score, and those with the next score.
func (r ranking) leaders() (first, next []entry) {
	for _, e := range r.ranked {
		switch {
		case e.rank == r.ranked[0].rank:
			first = append(first, e)
		case e.rank == r.ranked[len(first)].rank:
			next = append(next, e)
		}
	}
	return first, next
}

// warningSign marks a result that is doubtful. The second character prevents an emoji.
const warningSign = "⚠\ufe0e"

// doubt says why a result is doubtful, after a text that says which. It returns "" if the
// result is not doubtful.
func (w *words) doubt(which string, r assessapi.Result) string {
	var parts []string
	if unreliable(r) {
		parts = append(parts, w.check(r))
	}
	if mayChange(r) {
		parts = append(parts, w.mayChange)
	}
	if len(parts) == 0 {
		return ""
	}
	return warningSign + "\u00a0" + which + strings.Join(parts, " · ") // on one line with its text
}

// check returns the outcome of the answer check.
func (w *words) check(r assessapi.Result) string {
	if r.Validity == "" {
		return ""
	}
	return fmt.Sprintf(w.validity, translate(r.Validity, w.validities))
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

// difference says which assessments a score is based on, compared with the other
// scores.
func (w *words) difference(e entry, names func([]string) string) string {
	if !e.differs() {
		return ""
	}
	var parts []string
	if len(e.without) > 0 {
		parts = append(parts, fmt.Sprintf(w.without, names(e.without)))
	}
	if len(e.also) > 0 {
		parts = append(parts, fmt.Sprintf(w.also, names(e.also)))
	}
	return w.differs + w.Colon + strings.Join(parts, w.semicolon)
}

// remark says why a candidate has no rank, and why results are doubtful.
func (w *words) remark(e entry, names func([]string) string) string {
	parts := []string{w.unranked(e, names)}
	for _, result := range e.Results {
		which := ""
		if name := names([]string{result.AssessmentID}); name != "" {
			which = name + " – "
		}
		parts = append(parts, w.doubt(which, result))
	}
	return joinedBy(" · ", parts...)
}

// unranked says why a candidate has no rank. It returns "" for a candidate with a rank.
func (w *words) unranked(e entry, names func([]string) string) string {
	switch e.group() {
	case groupDifferent:
		return w.difference(e, names)
	case groupUninvited:
		return w.notInvited
	case groupExpired:
		return joinedBy(" · ", w.lapsed, w.difference(e, names))
	case groupUnfinished:
		return joinedBy(" · ", w.waiting, w.partial(e, names), w.difference(e, names))
	default:
		return w.partial(e, names)
	}
}

// partial names the common assessments to which the candidate was not invited.
func (w *words) partial(e entry, names func([]string) string) string {
	if len(e.uninvited) == 0 {
		return ""
	}
	return fmt.Sprintf(w.notInvitedTo, names(e.uninvited))
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
		status = "✓ " + w.day(i.Completed)
	case i.IsExpired():
		status = joinedBy(" ", status, w.day(i.Expiry))
	}
	if i.Type != remote { // the usual type
		status = joinedBy(w.Colon, translate(i.Type, w.sittings), status)
	}
	parts := []string{status}
	add := func(format, text string) {
		if text != "" {
			parts = append(parts, fmt.Sprintf(format, text))
		}
	}
	if !i.IsCompleted() && !i.IsExpired() {
		add(w.invited, w.day(i.Created))
		add(w.until, w.day(i.Expiry))
	}
	return joinedBy(", ", parts...)
}

// namer returns a function that names assessments. If several assessments have the same
// name, their id follows the name.
func (o Options) namer() func(id string) string {
	count := map[string]int{}
	for _, name := range o.AssessmentNames {
		count[name]++
	}
	return func(id string) string {
		name := o.AssessmentNames[id]
		switch {
		case strings.TrimSpace(name) == "":
			return id
		case count[name] > 1:
			return fmt.Sprintf("%s (%s)", name, id)
		default:
			return name
		}
	}
}

// joined returns a function that names several assessments in one sentence.
func joined(name func(string) string) func([]string) string {
	return func(ids []string) string {
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = name(id)
		}
		return undirected(strings.Join(names, ", "))
	}
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
