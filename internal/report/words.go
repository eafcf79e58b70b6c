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
)

// words is everything that a report says in one language. Texts with a verb
// such as %d are formats.
type words struct {
	tag       string // BCP 47
	decimal   string // decimal separator
	separator string // what Excel separates the cells of a CSV file by
	shortDate func(time.Time) string
	longDate  func(time.Time) string

	title, results, nameless, pseudonym string

	// The header.
	position, date, source, candidates              string
	finished, pending, expired, uninvited, withRank string
	confidential, howToRead, top, cut               string
	finishedOnly, anonymous, page                   string
	one, many, noCandidates                         string

	// Tables.
	ranking, rank, candidate, suitability, progress string
	report, noScore, of, notRanked, unscored        string
	differs, without, also, waiting, lapsed         string
	notInvited, notInvitedTo, caution               string
	byAssessment, done, benchmark, reportOnly       string
	shading                                         string
	details, assessment, result, back               string
	percentile, validity, invited, until            string
	distribution, lowest, median, highest, counted  string

	legend []term // how to read the report

	statuses, sittings, classifications, validities map[string]string
}

// term explains a word of the report.
type term struct{ Word, Meaning string }

var languages = map[string]*words{"en": &english, "de": &german, "fr": &french}

// Languages returns the codes of the languages that a report can be in.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

func wordsOf(language string) *words {
	if w, ok := languages[language]; ok {
		return w
	}
	return &english
}

// people counts candidates.
func (w *words) people(n int) string {
	if n == 1 {
		return w.one
	}
	return fmt.Sprintf(w.many, n)
}

// summary counts a section's candidates in one line.
func (w *words) summary(c counts) string {
	if c.total == 0 {
		return w.noCandidates
	}
	parts := []string{w.people(c.total)}
	for _, group := range []struct {
		n    int
		word string
	}{{c.finished, w.finished}, {c.pending, w.pending}, {c.expired, w.expired}, {c.uninvited, w.uninvited}} {
		if group.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", group.word, group.n))
		}
	}
	return strings.Join(parts, " · ")
}

// presets says what the options leave out or replace, one sentence each.
func (w *words) presets(o Options, sections []ranking) []string {
	var presets []string
	if o.Top > 0 {
		presets = append(presets, fmt.Sprintf(w.top, o.Top))
		cut := 0
		for _, s := range sections {
			cut += s.cut
		}
		if cut > 0 {
			presets = append(presets, fmt.Sprintf(w.cut, cut))
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

// cautions says which scores do not compare. It is empty if all do.
func (w *words) cautions(r ranking, names func([]string) string) string {
	if len(r.different) == 0 {
		return ""
	}
	return fmt.Sprintf(w.caution, names(r.common))
}

// difference says which assessments a score is based on, compared with others.
func (w *words) difference(e entry, names func([]string) string) string {
	var parts []string
	if len(e.without) > 0 {
		parts = append(parts, fmt.Sprintf(w.without, names(e.without)))
	}
	if len(e.also) > 0 {
		parts = append(parts, fmt.Sprintf(w.also, names(e.also)))
	}
	return strings.Join(parts, "; ")
}

// remark says why a candidate has no rank. It is empty for one who has.
func (w *words) remark(e entry, names func([]string) string) string {
	switch {
	case e.differs():
		return w.differs + ": " + w.difference(e, names)
	case e.Suitability != nil:
		return ""
	case e.state == uninvited:
		return w.notInvited
	case e.state == lapsed:
		return w.lapsed
	case len(e.uninvited) > 0:
		return fmt.Sprintf(w.notInvitedTo, names(e.uninvited))
	case e.known && e.state == pending:
		return w.waiting
	default:
		return ""
	}
}

// progressOf is how many of the assessments that the candidate was invited to
// are completed, such as "2 of 3". It is empty if the results are not known.
func (w *words) progressOf(e entry) string {
	if len(e.Results) == 0 {
		return ""
	}
	return fmt.Sprintf(w.of, e.done, len(e.Results))
}

var enumerated = pattern(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

// say translates an enumerated string of the service. One without a translation
// becomes words: FAR_ABOVE becomes "Far above". Other text stays as it is.
func say(value string, translations map[string]string) string {
	if text, ok := translations[value]; ok {
		return text
	}
	if !enumerated().MatchString(value) {
		return value
	}
	text := strings.ToLower(strings.ReplaceAll(value, "_", " "))
	return strings.ToUpper(text[:1]) + text[1:]
}

// sitting says how far an invitation is, and how and when it is used.
func (w *words) sitting(i Invitation) string {
	parts := []string{say(i.Status, w.statuses)}
	switch {
	case i.Completed != "":
		parts[0] = w.day(i.Completed)
	case i.Status == expired:
		parts[0] = joinedBy(" ", parts[0], w.day(i.Expiry))
	}
	add := func(format, text string) {
		if text != "" {
			parts = append(parts, fmt.Sprintf(format, text))
		}
	}
	if i.Type != remote { // the usual way
		add("%s", say(i.Type, w.sittings))
	}
	if !i.completed() && i.Status != expired {
		add(w.invited, w.day(i.Created))
		add(w.until, w.day(i.Expiry))
	}
	return joinedBy(", ", parts...)
}

// namer returns a function that names assessments. Assessments that share a
// name have their id after it.
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

// link returns an address that may become a link. It is empty for an address
// that is not http or https.
func link(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
