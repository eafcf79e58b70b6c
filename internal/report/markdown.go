// SPDX-License-Identifier: MPL-2.0

package report

import (
	_ "embed"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"
)

//go:embed report.md.tmpl
var markdownText string

var markdown = sync.OnceValue(func() *template.Template {
	functions := template.FuncMap{"cell": cell}
	return template.Must(template.New("report").Funcs(functions).Parse(markdownText))
})

// Markdown writes GitHub Flavored Markdown: a ranking and, if results are known, a table with a row for each result. It
// contains no links, because it is meant for comments and summaries that many people can read. No text can leave its
// cell, become markup or a link, or mention a person. Markdown returns only errors of w.
func (r Report) Markdown(w io.Writer) error { return markdown().Execute(w, r.view()) }

// Outcome returns the text of the cell after the percentile: the level and the reasons for doubt.
func (v resultView) Outcome() string { return joinedBy(" · ", v.Level, v.Doubt) }

// Notes returns the text of a candidate's last cell: what is new since an earlier report, and the remark.
func (v candidateView) Notes(separator string) string { return joinedBy(separator, v.News, v.Remark) }

// Statuses returns the text of the cell about all invitations to an assessment.
func (v resultView) Statuses(separator string) string { return joinedBy(separator, v.Sittings...) }

// joiner is an invisible character that prevents links. A backslash prevents markup, but it does not prevent the links
// that GitHub and GitLab add to the rendered text: mentions, references, addresses, commits and emoji.
const joiner = "\u2060"

var (
	// escaped escapes what could begin markup or an entity.
	escaped = strings.NewReplacer(
		`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`,
		`|`, `\|`, `~`, `\~`, `#`, `\#`, `&`, `\&`, `!`, `\!`, `$`, `\$`,
	)
	// references matches the beginning of text that becomes a link: https://, www., GHSA-…, then @name, #12, !12, $12,
	// %12, &12, ~name, ^alert, :emoji:, mailto:a, [issue:12], GH-12 and other keys such as JOB-12.
	references = []*regexp.Regexp{
		regexp.MustCompile(`:/|(?i:www\.|ghsa-)`),
		regexp.MustCompile(`@|\[|[#!$%&~^:][\pL\pN_"+-]|\pL-\pN`),
	}
	// commit matches text that could be the hash of a commit. Hosts turn 7 or more hexadecimal digits into a link.
	commit = regexp.MustCompile(`[0-9a-fA-F]{7,}`)
	digits = regexp.MustCompile(`.{6}`)
)

// unlinked inserts an invisible character into each reference.
func unlinked(text string) string {
	for _, reference := range references {
		text = reference.ReplaceAllStringFunc(text, func(match string) string {
			_, last := utf8.DecodeLastRuneInString(match)
			if last == len(match) {
				return match + joiner
			}
			return match[:len(match)-last] + joiner + match[len(match)-last:]
		})
	}
	return commit.ReplaceAllStringFunc(text, func(hash string) string {
		return digits.ReplaceAllString(hash, "${0}"+joiner)
	})
}

// cell turns any text into one line of literal Markdown.
func cell(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	return escaped.Replace(unlinked(text))
}
