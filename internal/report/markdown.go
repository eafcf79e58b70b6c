// SPDX-License-Identifier: MPL-2.0

package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown writes GitHub Flavored Markdown: a ranking and, if results are known, a
// table with a row for each result. It contains no links, because it is meant for
// comments and summaries that many people can read. No text can leave its cell, become
// markup or a link, or mention a person. Errors are those of the writer.
func (r Report) Markdown(w io.Writer) error {
	words := wordsOf(r.Options.Language)
	name := r.Options.namer()
	m := markdown{viewer: viewer{words: words, name: name, names: joined(name)}}
	sections := r.sections(words)
	rankings := make([]ranking, len(sections))
	for i, section := range sections {
		rankings[i] = section.rank(r.Options, words.labelOf)
	}
	m.header(r, rankings)
	for i, section := range sections {
		title := strings.TrimSpace(section.Title)
		if title != "" && (len(sections) > 1 || title != r.title(words)) {
			m.line("\n## %s", cell(title))
		}
		m.section(section, rankings[i])
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct {
	viewer
	b strings.Builder
}

func (m *markdown) line(format string, a ...any) { fmt.Fprintf(&m.b, format+"\n", a...) }

func (m *markdown) header(r Report, rankings []ranking) {
	m.line("# %s", cell(r.title(m.words)))
	var facts []string
	for _, fact := range m.facts(r) {
		facts = append(facts, fact.Name+m.colon+cell(fact.Value))
	}
	for _, text := range []string{strings.Join(facts, " · "), strings.Join(m.presets(r.Options, rankings), " · ")} {
		if text != "" {
			m.line("\n%s", text)
		}
	}
	if !r.Options.Public {
		m.line("\n%s", m.confidential)
	}
	if len(rankings) > 1 {
		m.line("\n%s", m.positions)
	}
}

func (m *markdown) section(section Section, r ranking) {
	sentence, others := m.summary(r.counts)
	m.line("\n%s", sentence)
	if len(others) > 0 {
		m.line("\n- %s", strings.Join(others, "\n- "))
	}
	if len(r.ranked) > 0 {
		m.race(r)
		m.line("\n%s", joinedBy("\n\n", m.doubts(r.doubts), m.meaning))
	}
	if caution := m.cautions(r, m.names); caution != "" {
		m.line("\n%s", cell(caution))
	}
	entries := r.all()
	if len(entries) == 0 {
		return
	}
	m.line(
		"\n| %s | %s | %s | %s | |\n| ---: | --- | ---: | --- | --- |",
		m.rank,
		m.candidate,
		m.suitability,
		m.progress,
	)
	results := false
	for _, e := range entries {
		rank, score := "–", m.noScore
		if e.rank > 0 {
			rank = m.count(e.rank)
		}
		if e.Suitability != nil {
			score = r.scores.text(*e.Suitability, m.words)
		}
		m.row(rank, cell(e.label), score, m.progressOf(e), cell(m.remark(e, m.names)))
		results = results || len(e.Results) > 0
	}
	if results {
		m.results(entries, scaleOfPercentiles(section.Candidates))
	}
}

// race writes who is ahead, who is next, and the gap between their scores.
func (m *markdown) race(r ranking) {
	first, next, gap := m.viewer.race(r)
	parts := []string{m.ahead + m.colon + m.named(first)}
	if next.Score != "" {
		parts = append(parts, m.next+m.colon+m.named(next))
	}
	if gap != "" {
		parts = append(parts, m.gap+m.colon+gap)
	}
	m.line("\n%s.", strings.Join(parts, ". "))
}

func (m *markdown) named(l leaders) string {
	names := []string{}
	for _, leader := range l.Labels {
		names = append(names, cell(leader.Label)+leader.Warning)
	}
	return fmt.Sprintf("%s (%s)", joinedBy("", l.Tied, strings.Join(names, ", ")), l.Score)
}

func (m *markdown) results(entries []entry, percentiles scale) {
	m.line(
		"\n| %s | %s | %s | %s | %s |\n| --- | --- | ---: | --- | --- |",
		m.candidate,
		m.assessment,
		m.percentile,
		m.result,
		m.status,
	)
	for _, e := range entries {
		for _, result := range e.Results {
			v := m.resultOf(result, percentiles)
			doubt := v.Doubt
			if doubt != "" {
				doubt = warning + " " + doubt
			}
			status := joinedBy(m.semicolon, append([]string{v.Status}, v.More...)...)
			m.row(
				cell(e.label),
				cell(v.Assessment),
				cell(joinedBy("", v.Percentile, v.Missing)),
				cell(joinedBy(" · ", v.Level, doubt)),
				cell(status),
			)
		}
	}
}

// row writes cells that are already Markdown.
func (m *markdown) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

// joiner is an invisible character. A backslash prevents markup. It does not prevent
// the links that GitHub and GitLab add to the rendered text: mentions, references,
// addresses, commits and emoji.
const joiner = "\u2060"

var (
	// markdownText escapes what could begin markup or an entity.
	markdownText = strings.NewReplacer(
		`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`,
		`|`, `\|`, `~`, `\~`, `#`, `\#`, `&`, `\&`, `!`, `\!`, `$`, `\$`,
	)
	// references matches the beginning of text that becomes a link: https://, www.,
	// GHSA-…, then @name, #12, !12, $12, %12, &12, ~name, ^alert, :emoji:, mailto:a,
	// [issue:12], GH-12 and other keys such as JOB-12.
	references = []func() *regexp.Regexp{
		pattern(`:/|(?i:www\.|ghsa-)`),
		pattern(`@|\[|[#!$%&~^:][\pL\pN_"+-]|\pL-\pN`),
	}
	// commit matches text that could be the hash of a commit, which becomes a link from
	// 7 digits.
	commit = pattern(`[0-9a-fA-F]{7,}`)
	digits = pattern(`.{6}`)
)

// unlinked inserts an invisible character into each reference.
func unlinked(text string) string {
	for _, reference := range references {
		text = reference().ReplaceAllStringFunc(text, func(match string) string {
			_, last := utf8.DecodeLastRuneInString(match)
			if last == len(match) {
				return match + joiner
			}
			return match[:len(match)-last] + joiner + match[len(match)-last:]
		})
	}
	return commit().ReplaceAllStringFunc(text, func(hash string) string {
		return digits().ReplaceAllString(hash, "${0}"+joiner)
	})
}

// cell turns any text into one line of literal Markdown. It removes characters that
// would change the direction of the whole line.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, undirected(text))
	text = strings.Join(strings.Fields(text), " ")
	return markdownText.Replace(unlinked(text))
}
