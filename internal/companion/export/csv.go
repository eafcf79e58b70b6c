// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// columns are the columns of a spreadsheet, which the module "spreadsheet" reads. The last four are blocks.
var columns = []string{"key", "title", "assessment", "packages", "benchmark", "profile", "tests"}

// importsName is the name of the file with the import block for the rows of a spreadsheet.
const importsName = "imports.tf"

// optionList identifies a list of what a block can contain for an assessment.
type optionList struct{ assessment, block string }

// optionItems are the items of each list that was read.
type optionItems map[optionList][]assessapi.Item

// readOptions reads, for each block that a position assessment has, the list of what the block can contain. A list has
// no items if the service does not offer it, or if the API key may not read it.
func readOptions(ctx context.Context, service *run.Run, positions []positionContents) (optionItems, error) {
	items := optionItems{}
	for _, p := range positions {
		for _, a := range p.attached {
			for _, b := range blocks {
				list := optionList{a.AssessmentID.OrZero(), b.name}
				if _, wasRead := items[list]; wasRead || len(a.Metadata.IDs(b.name)) == 0 {
					continue
				}
				read, err := b.list(ctx, service, list.assessment)
				switch {
				case err == nil:
					items[list] = read
				case isNotListed(err):
					items[list] = nil // even if some were read, because a later one may have the same name
				default:
					return nil, err
				}
			}
		}
	}
	return items, nil
}

// writeSpreadsheet writes the file with the import block, and then the spreadsheet. It returns the position assessments
// that have a row. To each other element of the parameter all, it adds a note that says why it has no row
// ([organization.rows]). If there are no rows, or after an error, it leaves no new file.
func (o organization) writeSpreadsheet(options Options, all []exported) (written []exported, err error) {
	rows, written := o.rows(all)
	if len(rows) == 0 {
		return nil, nil
	}
	imports := options.importsPath()
	if err := writeFile(imports, renderImports(filepath.Base(options.File), written)); err != nil {
		return nil, err
	}
	if err := writeFile(options.File, renderRows(rows)); err != nil {
		_ = os.Remove(imports) // it imports the rows of a file that does not exist
		return nil, err
	}
	return written, nil
}

// rows returns the rows of the spreadsheet, and for each row its position assessment. To each position assessment in
// all that has no row, it adds a note with the reason.
func (o organization) rows(all []exported) (rows [][]string, written []exported) {
	for i := range all {
		row, problem := o.row(all[i])
		if problem != "" {
			all[i].notes = append(all[i].notes, problem+" It has no row.")
			continue
		}
		rows, written = append(rows, row), append(written, all[i])
	}
	return rows, written
}

// row returns the cells of a position assessment in the order of [columns], or the reason why it cannot have a row.
func (o organization) row(e exported) (row []string, problem string) {
	_, exists := o.assessments[e.AssessmentID.OrZero()]
	name := o.nameOf(e.AssessmentID.OrZero())
	switch {
	case e.duplicate:
		return nil, "A spreadsheet attaches an assessment to a position once."
	case e.title == "":
		return nil, "The service shows no title for its position."
	case o.titles[e.title] > 1:
		return nil, "Several positions have this title. Rename one of them in the service."
	case !exists:
		return nil, "The organization no longer has its assessment."
	case name == "":
		return nil, "The service shows no name or code of its assessment that is unique and that a cell can contain."
	}
	row = []string{e.address, e.title, name}
	for _, b := range blocks {
		cell, noCell := o.cell(e, b)
		if noCell != "" {
			return nil, noCell
		}
		row = append(row, cell)
	}
	if i := slices.IndexFunc(row, isFormula); i >= 0 { // an apostrophe before it would become a part of the name
		return nil, fmt.Sprintf("%s would be a formula.", strconv.Quote(row[i]))
	}
	if i := slices.IndexFunc(row, isAltered); i >= 0 {
		return nil, fmt.Sprintf("No cell can contain %s.", strconv.Quote(row[i]))
	}
	return row, ""
}

// isFormula reports whether a spreadsheet would run the text of a cell as a formula.
func isFormula(cell string) bool { return cell != "" && strings.ContainsAny(cell[:1], "=+-@") }

// isAltered reports whether the module "spreadsheet" would read another text than the cell's. It ends lines with line
// feeds, and marks the ends of cells with U+001F.
func isAltered(cell string) bool { return strings.ContainsAny(cell, "\r\x1f") }

// cell returns the names in a block, separated by vertical bars, or why a row cannot contain the block.
func (o organization) cell(e exported, b block) (cell, problem string) {
	assessment, ids := e.AssessmentID.OrZero(), e.Metadata.IDs(b.name)
	items := o.options[optionList{assessment, b.name}]
	namesByID := b.names(items, e.locale)
	var names []string
	for _, id := range ids {
		if _, disabled := o.disabledTests[assessmentTest{assessment, id}]; disabled && b.name == "tests" {
			return "", "A row can name enabled tests only. Enable the test, or remove it from the position, and export again."
		}
		name := namesByID[id]
		if name == "" || name != strings.TrimSpace(name) || strings.Contains(name, "|") {
			return "", fmt.Sprintf("The service shows no name for %q in %q, or a name that is not unique, that belongs to "+
				"another locale, or that no cell can contain.", id, b.name)
		}
		names = append(names, name)
	}
	isMissing := func(i assessapi.Item) bool { // the module requires mandatory packages with unique names
		return i.IsMandatory() && namesByID[i.ID] != "" && !slices.Contains(ids, i.ID)
	}
	if i := slices.IndexFunc(items, isMissing); i >= 0 {
		return "", fmt.Sprintf("A row must name the mandatory package %s. Add it to the position, and export again.",
			items[i].Label())
	}
	return strings.Join(names, " | "), ""
}

// nameOf returns the name or else the code by which the module finds an assessment, or "" if a cell can contain
// neither.
func (o organization) nameOf(id string) string {
	a := o.assessments[id]
	for _, name := range []string{textOrEmpty(a.Name), textOrEmpty(a.Code)} {
		isTrimmed := name == strings.TrimSpace(name) // the module removes spaces around a cell
		if o.idsByName[name] == id && isTrimmed && !isFormula(name) && !isAltered(name) {
			return name
		}
	}
	return ""
}

// renderRows returns a spreadsheet as Excel saves it: UTF-8 with a byte order mark.
func renderRows(rows [][]string) string {
	text := &strings.Builder{}
	text.WriteString("\ufeff")
	out := csv.NewWriter(text)
	out.UseCRLF = true
	_ = out.WriteAll(slices.Concat([][]string{columns}, rows)) // a strings.Builder has no errors
	return text.String()
}

// renderImports returns a file with one import block for all rows of the spreadsheet file. The block refers to the
// module "positions", with which a configuration reads the spreadsheet.
func renderImports(file string, all []exported) string {
	text := &strings.Builder{}
	fmt.Fprintf(text, "# The import IDs of the rows of %s, by key. Delete this file after the apply.\n", oneLine(file))
	text.WriteString("import {\n  for_each = {\n")
	width := 0 // of the longest key, so that the values are below each other, as "terraform fmt" writes them
	for _, e := range all {
		width = max(width, len(e.address))
	}
	for _, e := range all {
		fmt.Fprintf(text, "    %-*s = %s\n", width, e.address, e.importID())
	}
	text.WriteString("  }\n\n  to = module.positions.assess_position_assessment.row[each.key]\n  id = each.value\n}\n")
	return text.String()
}
