// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Markdown writes GitHub flavoured Markdown: a table of the candidates and, where
// results are known, one with a row for each of them. No text can leave its cell,
// become markup or a link, or mention anybody. An error is the writer's.
func (r Report) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", cell(r.title()))
	for _, section := range r.Sections {
		if strings.TrimSpace(section.Title) != "" {
			fmt.Fprintf(&b, "\n## %s\n", cell(section.Title))
		}
		markdownSection(&b, standingsOf(section.Candidates))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownSection(b *strings.Builder, s standings) {
	fmt.Fprintf(b, "\n%s\n", s.summary())
	if caution := s.caution(); caution != "" {
		fmt.Fprintf(b, "\n%s\n", cell(caution))
	}
	if len(s.all()) == 0 {
		return
	}

	fmt.Fprint(b, "\n| Candidate | Suitability | Completed | Remark |\n| --- | ---: | --- | --- |\n")
	for _, candidate := range s.all() {
		score, remark := number(candidate.Suitability), ""
		switch {
		case candidate.Suitability == nil:
			score = "no score"
		case candidate.differs():
			remark = "different assessments: " + candidate.difference()
		}
		row(b, markdownLink(candidate.label(), candidate.ReportURL), score, s.progress(candidate), cell(remark))
	}

	headed := false
	for _, candidate := range s.all() {
		for _, result := range candidate.Results {
			if !headed {
				fmt.Fprint(b, "\n| Candidate | Assessment | Percentile | Classification | Validity | Sitting |\n| --- | --- | ---: | --- | --- | --- |\n")
				headed = true
			}
			row(b, cell(candidate.label()), markdownLink(result.AssessmentID, result.ReportURL),
				number(result.Percentile), cell(readable(result.Classification)), cell(readable(result.Validity)), cell(result.sittings()))
		}
	}
}

// sittings describes a result's invitations in one line.
func (r Result) sittings() string {
	var sittings []string
	for _, i := range r.Invitations {
		sitting := readable(i.Status)
		if details := i.Details(); len(details) > 0 {
			sitting += " (" + strings.Join(details, ", ") + ")"
		}
		sittings = append(sittings, sitting)
	}
	return strings.Join(sittings, "; ")
}

// row writes cells that are Markdown already.
func row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// markdownText escapes what could begin markup, an entity or a link. A backslash
// does not stop mentions and e-mail links, which are found after the rendering:
// an invisible word joiner does.
var markdownText = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`,
	`|`, `\|`, `~`, `\~`, `#`, `\#`, `&`, `\&`, `!`, `\!`, `$`, `\$`, `://`, `\://`, `www.`, `www\.`, `@`, "@\u2060",
)

// cell makes one line of literal Markdown of any text. Characters that would turn
// the direction of the whole line are left out.
func cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, undirected(text))
	return markdownText.Replace(strings.Join(strings.Fields(text), " "))
}

// markdownAddress encodes what could end the address of a link, or its cell.
var markdownAddress = strings.NewReplacer(
	` `, `%20`, `"`, `%22`, `(`, `%28`, `)`, `%29`, `<`, `%3C`, `>`, `%3E`, `[`, `%5B`, `\`, `%5C`, `]`, `%5D`, "`", `%60`, `|`, `%7C`,
	`&`, `&amp;`,
)

// markdownLink is a link, or mere text where the address may not be followed.
func markdownLink(text, address string) string {
	target := link(address)
	if target == "" {
		return cell(text)
	}
	return fmt.Sprintf("[%s](%s)", cmp.Or(cell(text), "Report"), markdownAddress.Replace(target))
}
