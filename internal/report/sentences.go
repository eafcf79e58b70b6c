// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// summary says how many candidates a section has, how many have finished, and how many are ranked. It leaves out how
// many have finished if this is unknown for any candidate, and how many are ranked if nobody is.
func (w *words) summary(c counts) string {
	if c.total == 0 {
		return w.NoCandidates
	}
	sentence := fmt.Sprintf(w.ManyCandidates, w.count(c.total))
	if c.total == 1 {
		sentence = w.OneCandidate
	}
	if c.unknown == 0 {
		sentence = fmt.Sprintf(w.FinishedOf, w.count(c.finished), sentence)
	}
	if n := c.groups[groupRanked]; n > 0 {
		sentence += ", " + fmt.Sprintf(w.Groups[groupRanked], w.count(n))
	}
	return sentence + "."
}

// glance returns the sentences to read before a ranking: how many ranked candidates have a doubtful result, how many
// candidates have not finished, and a reminder not to decide by rank alone. It returns nil if no candidate is ranked.
func (w *words) glance(c counts) (sentences []string) {
	if c.groups[groupRanked] == 0 {
		return nil
	}
	if c.inDoubt > 0 {
		sentences = append(sentences, warningSign+" "+fmt.Sprintf(w.InDoubt, w.count(c.inDoubt)))
	}
	if open := c.total - c.finished - c.unknown; open > 0 {
		sentences = append(sentences, fmt.Sprintf(w.StillOpen, w.count(open)))
	}
	return append(sentences, w.RankAlone)
}

// warningSign marks a doubtful result. The second character makes browsers show the sign as text, not as an emoji.
const warningSign = "⚠\ufe0e"

// doubt says why a result is doubtful. It returns "" if the result is not doubtful.
func (w *words) doubt(r assessapi.Result) string {
	var reasons []string
	if unreliable(r) {
		reasons = append(reasons, w.check(r))
	}
	if mayChange(r) {
		reasons = append(reasons, w.MayChange)
	}
	return joinedBy(" · ", reasons...)
}

// withWarningSign returns a text after the warning sign. A no-break space keeps them on one line.
func withWarningSign(text string) string { return warningSign + "\u00a0" + text }

// check returns the outcome of the answer check.
func (w *words) check(r assessapi.Result) string {
	return filled(w.AnswerCheck, translate(r.Validity, w.Validities))
}

// presets returns the sentences about the options that hide candidates or replace their names. If [Options.Top] hides
// candidates with the same score as the last one shown, a sentence counts them.
func (w *words) presets(o Options, rankings []ranking) []string {
	var presets []string
	if o.Top > 0 {
		presets = append(presets, fmt.Sprintf(w.Top, w.count(o.Top)))
		cut := 0
		for _, r := range rankings {
			cut += r.cut
		}
		if cut > 0 {
			presets = append(presets, fmt.Sprintf(w.Cut, w.count(cut)))
		}
	}
	if o.FinishedOnly {
		presets = append(presets, w.FinishedOnly)
	}
	if o.Anonymous {
		presets = append(presets, w.Anonymous)
	}
	return presets
}

// progressOf returns how many of a candidate's assessments are completed, such as "2 of 3". It returns "" if no results
// are known.
func (w *words) progressOf(e entry) string {
	if len(e.Results) == 0 {
		return ""
	}
	return fmt.Sprintf(w.Of, w.count(e.done), w.count(len(e.Results)))
}

var enumerated = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

// translate returns the translation of an enumerated value of the service. A value without a translation, such as
// FAR_ABOVE, becomes "Far above". A text that is not an enumerated value is returned unchanged.
func translate(value string, translations map[string]string) string {
	if text, ok := translations[value]; ok {
		return text
	}
	if !enumerated.MatchString(value) {
		return value
	}
	text := strings.ToLower(strings.ReplaceAll(value, "_", " "))
	return strings.ToUpper(text[:1]) + text[1:]
}

// sitting describes an invitation: its type unless the type is remote, its status, and its dates. For a completed
// invitation, the date of completion, if known, replaces the status. For an expired invitation, sitting adds the date
// of expiry. For an open invitation, it adds the dates of invitation and expiry. It leaves out what is not known.
func (w *words) sitting(i assessapi.Invitation) string {
	status := translate(i.Status, w.Statuses)
	switch {
	case i.IsCompleted() && i.Completed != "":
		status = "✓ " + dated(i.Completed, w.shortDate)
	case i.IsExpired():
		status = joinedBy(" ", status, dated(i.Expiry, w.shortDate))
	}
	if i.Type != remote { // most invitations are remote
		status = joinedBy(w.Colon, translate(i.Type, w.Sittings), status)
	}
	if i.IsCompleted() || i.IsExpired() {
		return status
	}
	return joinedBy(", ", status,
		filled(w.Invited, dated(i.Created, w.shortDate)), filled(w.Until, dated(i.Expiry, w.shortDate)))
}

// viewer writes the texts of a report.
type viewer struct {
	*words
	assessmentNames map[string]string // by ID. A name that several have is followed by the ID. A blank name is empty
}

// viewer returns the viewer for the language and the names of assessments in the options. It cleans names and IDs,
// trims names, and adds the ID to a name that several assessments have.
func (o Options) viewer() viewer {
	names, count := map[string]string{}, map[string]int{}
	for _, id := range slices.Sorted(maps.Keys(o.AssessmentNames)) { // sorted, because cleaned IDs can be equal
		name := strings.TrimSpace(clean(o.AssessmentNames[id]))
		names[clean(id)] = name
		count[name]++
	}
	for id, name := range names {
		if name != "" && count[name] > 1 {
			names[id] = fmt.Sprintf("%s (%s)", name, id)
		}
	}
	return viewer{wordsOf(o.Language), names}
}

// name returns the name of an assessment, or else its id, or else a general word.
func (v viewer) name(id string) string { return cmp.Or(v.assessmentNames[id], id, v.Assessment) }

// names returns the names of several assessments, separated by commas.
func (v viewer) names(ids []string) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = v.name(id)
	}
	return strings.Join(names, ", ")
}

// label returns the name or pseudonym of a candidate. If there is none, it returns the ID. If there is no ID, it
// returns the general text "Candidate without a name" in the language of the report.
func (v viewer) label(c assessapi.Candidate) string {
	return cmp.Or(strings.TrimSpace(c.Name), strings.TrimSpace(c.ID), v.Nameless)
}

// unranked says which assessments keep a candidate out of the ranking, or returns "". The heading of the candidate's
// group gives all other reasons.
func (v viewer) unranked(e entry) string {
	if e.group == groupUninvited {
		return ""
	}
	differences := joinedBy(v.Semicolon, filled(v.Without, v.names(e.without)), filled(v.Also, v.names(e.also)))
	if differences != "" {
		differences = v.Differs + v.Colon + differences
	}
	return joinedBy(" · ", filled(v.NotInvitedTo, v.names(e.uninvited)), differences)
}

// remark says what is missing for a rank, and why results are doubtful.
func (v viewer) remark(e entry) string {
	parts := []string{v.unranked(e)}
	for _, result := range e.Results {
		if doubt := v.doubt(result); doubt != "" {
			parts = append(parts, withWarningSign(v.name(result.AssessmentID)+" – "+doubt))
		}
	}
	return joinedBy(" · ", parts...)
}

// filled returns format with a text in the place of %s, or "" if the text is empty.
func filled(format, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(format, text)
}

// joinedBy joins the texts that are not empty.
func joinedBy(separator string, texts ...string) string {
	isEmpty := func(text string) bool { return text == "" }
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), isEmpty), separator)
}
