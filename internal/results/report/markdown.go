// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
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
	m := markdown{pageView: r.view()}
	m.header()
	for _, section := range m.Sections {
		m.section(section)
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct {
	pageView
	b strings.Builder
}

func (m *markdown) line(format string, a ...any) { fmt.Fprintf(&m.b, format+"\n", a...) }

// paragraph writes a text that is already Markdown, unless it is empty.
func (m *markdown) paragraph(text string) {
	if text != "" {
		m.line("\n%s", text)
	}
}

func (m *markdown) header() {
	m.line("# %s", cell(m.Title))
	var facts []string
	for _, fact := range m.Facts {
		facts = append(facts, fact.Name+m.Colon+cell(fact.Value))
	}
	m.paragraph(strings.Join(facts, " · "))
	m.paragraph(strings.Join(m.Presets, " · "))
	m.paragraph(m.Invented)
	m.paragraph(m.Confidential)
	m.paragraph(m.Positions)
}

func (m *markdown) section(s sectionView) {
	if s.Title != "" {
		m.line("\n## %s", cell(s.Title))
	}
	summary := strings.Join(append([]string{s.Summary}, s.Glance...), " ")
	if len(s.Others) > 0 {
		m.paragraph(summary + " " + m.NotRanked)
		m.line("\n- %s", strings.Join(s.Others, "\n- "))
	} else {
		m.paragraph(summary)
	}
	if s.Undescribed {
		m.paragraph(m.Undescribed)
	}
	if s.First.Score != "" {
		m.race(s)
		m.paragraph(m.Meaning)
	}
	for _, group := range s.Groups {
		m.paragraph(cell(group.Caution))
	}
	if len(s.Groups) > 0 {
		m.ranking(s)
	}
	if s.Detailed > 0 {
		m.results(s)
	}
}

// race writes who is ahead, who is next, and the gap between their scores.
func (m *markdown) race(s sectionView) {
	parts := []string{s.Lead + m.Colon + s.First.markdown()}
	if s.Next.Score != "" {
		parts = append(parts, m.Next+m.Colon+s.Next.markdown())
	}
	if s.Gap != "" {
		parts = append(parts, m.Gap+m.Colon+s.Gap)
	}
	m.line("\n%s.", strings.Join(parts, ". "))
}

func (l leaders) markdown() string {
	names := []string{}
	for _, leader := range l.Labels {
		names = append(names, cell(leader.Label)+leader.Warning)
	}
	return fmt.Sprintf("%s (%s)", joinedBy("", l.Tied, strings.Join(names, ", ")), l.Score)
}

func (m *markdown) ranking(s sectionView) {
	m.line("")
	m.row(m.Rank, m.Candidate, m.Suitability, m.Progress, "")
	m.row("---:", "---", "---:", "---", "---")
	for _, group := range s.Groups {
		for _, c := range group.Candidates {
			m.row(c.Rank, cell(c.Label), cmp.Or(c.Score, m.NoScore), c.Progress, cell(c.Remark))
		}
	}
}

func (m *markdown) results(s sectionView) {
	var benchmarks []string
	for _, column := range s.Columns {
		if column.Benchmark != "" {
			benchmarks = append(benchmarks, column.Name+m.Colon+column.Benchmark)
		}
	}
	m.paragraph(cell(strings.Join(benchmarks, m.semicolon)))
	m.line("")
	m.row(m.Candidate, m.Assessment, m.Percentile, m.result, m.Status)
	m.row("---", "---", "---:", "---", "---")
	for _, group := range s.Groups {
		for _, c := range group.Candidates {
			for _, r := range c.Results {
				m.row(
					cell(c.Label),
					cell(r.Assessment),
					cell(joinedBy("", r.Percentile, r.Missing)),
					cell(joinedBy(" · ", r.Level, r.Doubt)),
					cell(joinedBy(m.semicolon, append([]string{r.Status}, r.More...)...)),
				)
			}
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
