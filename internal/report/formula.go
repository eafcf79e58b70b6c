// SPDX-License-Identifier: MPL-2.0

package report

import (
	"regexp"
	"strings"
)

// formulaStart matches the characters that begin a formula, including their full-width forms. skipped matches the
// characters that importers ignore before a formula. It includes quotation marks: an importer that expects a different
// separator than the file uses can read the quotation marks around a cell as the beginning of another cell.
const (
	formulaStart = `[=+\-@＝＋－＠]`
	skipped      = `["\s\pZ\pC]*`
)

var (
	formula = regexp.MustCompile(`^` + skipped + formulaStart)
	// A spreadsheet may expect a different separator than the file uses, such as a semicolon in German or French. The
	// text after that separator becomes a cell of its own, so it must not be a formula either.
	laterFormula = regexp.MustCompile(`([,;|]` + skipped + `)(` + formulaStart + `)`)
)

// escapeFormula changes text that a spreadsheet would run as a formula into text that the spreadsheet shows. It works
// for cells that are separated by commas, semicolons or vertical lines.
func escapeFormula(text string) string {
	if !strings.ContainsAny(text, "=+-@＝＋－＠") {
		return text
	}
	text = laterFormula.ReplaceAllString(text, "$1'$2")
	if formula.MatchString(text) {
		return "'" + text
	}
	return text
}
