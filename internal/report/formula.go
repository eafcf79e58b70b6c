// SPDX-License-Identifier: MPL-2.0

package report

import (
	"strings"
)

// What begins a formula, also in its full-width form, and what importers skip
// before it. A quotation mark counts: after a separator that the file does not
// use, the marks that quote the cell are read as the beginning of another one.
const (
	formulaStart = `[=+\-@＝＋－＠]`
	skipped      = `["\s\pZ\pC]*`
)

var (
	formula = pattern(`^(` + skipped + `)(` + formulaStart + `)`)
	control = pattern(`^[\t\r\n]`)
	// A spreadsheet may separate at another character than the file does, for
	// example a semicolon in German and French. What begins a cell there must
	// not be a formula either.
	laterFormula = pattern(`([,;|\t\n]` + skipped + `)(` + formulaStart + `)`)
)

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// harmless turns text that a spreadsheet would run as a formula into text that
// it shows, whether cells are separated by commas, semicolons or tabs. Line
// breaks become line feeds, because carriage returns inside a cell get lost.
func harmless(text string) string {
	if !strings.ContainsAny(text, "=+-@＝＋－＠\t\r\n") {
		return text
	}
	text = lineBreaks.Replace(text)
	text = laterFormula().ReplaceAllString(text, "$1'$2")
	if formula().MatchString(text) || control().MatchString(text) {
		return "'" + text
	}
	return text
}
