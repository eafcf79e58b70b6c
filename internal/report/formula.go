// SPDX-License-Identifier: MPL-2.0

package report

import (
	"regexp"
	"strings"
	"sync"
)

// Characters that begin a formula, also in their full-width form, and characters that
// importers skip before them. A quotation mark counts as well: if an importer expects
// another separator than the file uses, it reads the quotes around a cell as the
// beginning of another cell.
const (
	formulaStart = `[=+\-@＝＋－＠]`
	skipped      = `["\s\pZ\pC]*`
)

var (
	formula = pattern(`^(?:` + skipped + formulaStart + `|[\t\r\n])`)
	// A spreadsheet may expect another separator than the file uses, for example a
	// semicolon in German and French. The text after that separator must not be a
	// formula either.
	laterFormula = pattern(`([,;|\t\n]` + skipped + `)(` + formulaStart + `)`)
)

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// escapeFormula changes text that a spreadsheet would run as a formula into text that the
// spreadsheet shows. It works for cells that are separated by commas, semicolons or
// tabs. Line breaks become line feeds, because carriage returns in a cell get lost.
func escapeFormula(text string) string {
	if !strings.ContainsAny(text, "=+-@＝＋－＠\t\r\n") {
		return text
	}
	text = lineBreaks.Replace(text)
	text = laterFormula().ReplaceAllString(text, "$1'$2")
	if formula().MatchString(text) {
		return "'" + text
	}
	return text
}

// pattern compiles an expression when it is first used, because the provider starts
// several times in a run, and few runs write a report.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
