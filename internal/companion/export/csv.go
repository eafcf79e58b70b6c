// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// columns are those of the module spreadsheet.
var columns = []string{"key", "title", "assessment", "packages", "benchmark", "profile", "tests"}

// optionNames are the names of the packages, benchmarks, profiles and skills tests of an assessment, by id.
type optionNames struct{ packages, benchmarks, profiles, tests map[string]string }

// readNames reads the names of the options of all assessments that positions have, as far as some use them. A list that
// the service does not offer has no names.
func (o *organization) readNames(ctx context.Context, service *run.Run) error {
	items := func(kind assessapi.Kind, assessment string) func() (map[string]string, error) {
		return func() (map[string]string, error) {
			items, err := service.Lists.Items(ctx, kind, assessment)
			return namesOf(items), err
		}
	}
	for _, p := range o.positions {
		for _, a := range p.attached {
			assessment, m := assessmentOf(a), a.Metadata
			n := o.names[assessment]
			for _, list := range []struct {
				used  bool
				names *map[string]string
				read  func() (map[string]string, error)
			}{
				{len(idsOf(m.Packages)) > 0, &n.packages, items(assessapi.Packages, assessment)},
				{len(one(m.Benchmark)) > 0, &n.benchmarks, items(assessapi.Benchmarks, assessment)},
				{len(one(m.Profile)) > 0, &n.profiles, items(assessapi.Profiles, assessment)},
				{len(idsOf(m.Tests)) > 0, &n.tests, func() (map[string]string, error) {
					tests, err := service.Lists.SkillsTests(ctx, assessment, true)
					return namesOfTests(tests), err
				}},
			} {
				if !list.used || *list.names != nil {
					continue
				}
				names, err := list.read()
				if err != nil && !assessapi.IsNoList(err) && !isForbidden(err) {
					return err
				}
				*list.names = names
			}
			o.names[assessment] = n
		}
	}
	return nil
}

func namesOfTests(tests []assessapi.SkillsTest) map[string]string {
	names := map[string]string{}
	for _, t := range tests {
		names[t.ID] = textOrEmpty(t.Name)
	}
	return names
}

func namesOf(items []assessapi.Item) map[string]string {
	names := map[string]string{}
	for _, i := range items {
		names[i.ID] = textOrEmpty(i.Name)
	}
	return names
}

// writeSpreadsheet writes a spreadsheet and the import blocks of its rows, and returns what has a row.
func (o organization) writeSpreadsheet(options Options, all []addressedAssessment) ([]addressedAssessment, error) {
	rows, written := o.rows(all)
	if len(rows) > 0 {
		write := writeImports(filepath.Base(options.File), options.Module, written)
		if err := options.imports().Write(write); err != nil {
			return nil, err
		}
	}
	return written, files.File{Path: options.File}.Write(writeRows(rows))
}

// rows returns the rows of a spreadsheet, and adds a note to what has none.
func (o organization) rows(all []addressedAssessment) (rows [][]string, imported []addressedAssessment) {
	titles := map[string]int{}
	for _, p := range o.positions {
		titles[textOrEmpty(p.Name)]++
	}
	for i := range all {
		b := &all[i]
		row, problem := o.row(b, titles)
		if problem != "" {
			b.notes = append(b.notes, problem+" It has no row.")
			continue
		}
		rows, imported = append(rows, row), append(imported, *b)
	}
	return rows, imported
}

// row returns the row of a position assessment, or why it can have none.
func (o organization) row(b *addressedAssessment, titles map[string]int) (row []string, problem string) {
	attached := assessmentOf(b.PositionAssessment)
	assessment := o.assessments[attached]
	name := textOrEmpty(assessment.Name)
	if code := textOrEmpty(assessment.Code); name == "" || o.isAmbiguous(name) {
		name = code
	}
	m, n := b.Metadata, o.names[attached]
	cells := map[string]string{"key": b.address, "title": b.plainTitle, "assessment": name}
	for _, list := range []struct {
		column string
		ids    []string
		names  map[string]string
	}{
		{"packages", idsOf(m.Packages), n.packages},
		{"benchmark", one(m.Benchmark), n.benchmarks},
		{"profile", one(m.Profile), n.profiles},
		{"tests", idsOf(m.Tests), n.tests},
	} {
		var named []string
		for _, id := range list.ids {
			text := list.names[id]
			if _, disabled := o.disabled[id]; disabled && list.column == "tests" {
				return nil, "A row can name enabled tests only."
			}
			if text == "" || strings.Contains(text, "|") {
				return nil, fmt.Sprintf("The service shows no name for %s in %q.", strconv.Quote(id), list.column)
			}
			named = append(named, text)
		}
		cells[list.column] = strings.Join(named, " | ")
	}
	switch {
	case b.duplicate:
		return nil, "A spreadsheet attaches an assessment to a position once."
	case cells["title"] == "":
		return nil, "Its position has no title."
	case titles[cells["title"]] > 1:
		return nil, "Several positions have this title. Rename one of them in the service."
	case name == "":
		return nil, "The organization no longer has its assessment."
	}
	for _, column := range columns {
		// A spreadsheet would run it. It cannot be escaped, because the module compares names exactly.
		if strings.ContainsAny(firstOf(cells[column]), "=+-@\t\r") {
			return nil, fmt.Sprintf("%s would be a formula.", strconv.Quote(cells[column]))
		}
		row = append(row, cells[column])
	}
	return row, ""
}

func firstOf(text string) string { return text[:min(1, len(text))] }

func one(member assessapi.Member[string]) []string {
	if id, ok := member.Get(); ok {
		return []string{id}
	}
	return nil
}

// isAmbiguous reports whether several assessments have a name.
func (o organization) isAmbiguous(name string) bool {
	n := 0
	for _, a := range o.assessments {
		if textOrEmpty(a.Name) == name {
			n++
		}
	}
	return n > 1
}

// writeRows writes a spreadsheet as Excel saves it: UTF-8 with a byte order mark.
func writeRows(rows [][]string) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, "\ufeff"); err != nil {
			return err
		}
		out := csv.NewWriter(w)
		out.UseCRLF = true
		return out.WriteAll(slices.Concat([][]string{columns}, rows))
	}
}

// writeImports writes the import block of the rows of a spreadsheet.
func writeImports(file, module string, all []addressedAssessment) func(io.Writer) error {
	return func(w io.Writer) error {
		var text strings.Builder
		fmt.Fprintf(&text, "# The import IDs of the rows of %s, by key. Delete this file after the apply.\n", oneLine(file))
		text.WriteString("import {\n  for_each = {\n")
		longest := 0
		for _, b := range all {
			longest = max(longest, len(b.address))
		}
		for _, b := range all {
			fmt.Fprintf(&text, "    %-*s = %s\n", longest, b.address, quoteHCL(words.JoinImportID(b.position, b.ID)))
		}
		fmt.Fprintf(&text, "  }\n\n  to = module.%s.assess_position_assessment.row[each.key]\n  id = each.value\n}\n", module)
		_, err := io.WriteString(w, text.String())
		return err
	}
}
