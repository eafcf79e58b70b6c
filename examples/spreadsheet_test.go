// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The spreadsheet attaches its 12 rows, whatever program has saved it.
func TestExampleSpreadsheet(t *testing.T) {
	t.Parallel()
	const rows = 12
	e := newExample(t, "spreadsheet")
	sheet := clitest.ReadFile(t, e.Dir, "positions.csv")
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	before := len(e.attached())
	e.Apply().OK()
	if n := len(e.attached()) - before; n != rows || e.managed() != rows {
		t.Errorf("the service has %d more assessments, the state has %d, want %d", n, e.managed(), rows)
	}
	for _, saved := range []string{
		sheet,
		// Excel, "CSV UTF-8", with a column of the recruiter's own and empty rows
		"\ufeff" + strings.ReplaceAll(sheet, "\n", ";\"a; \"\"note\"\"\"\r\n") + ";;;;;;;\r\n;;;;;;;\r\n",
		"sep=\t\r\n" + strings.NewReplacer(";", "\t", "\n", "\r\n").Replace(sheet),
		// commas, and quoted cells with separators, quotation marks and line breaks
		strings.ReplaceAll(withCommas(sheet), "\n", ",\"1,\n\"\"2\"\";\"\n"),
		// headings with capital letters, spaces around a title, an empty name and one that occurs twice
		strings.NewReplacer("key;title;", "Key; Title ;", ";Chargé de", "; Chargé de", "Lyon;", "Lyon ;",
			"Forklift Theory |", "Forklift Theory | | Forklift Theory |").Replace(sheet),
	} {
		e.Add("positions.csv", saved)
		e.Plan().Empty()
	}
	// Excel omits the last columns of a block of 16 rows if they are empty.
	e.Add("positions.csv", sheet+strings.Repeat(";;;;;;\n", 16-1-rows)+"lyon-verbal;Chargé de clientèle, Lyon;Facet Behavioural Profile\n")
	e.Plan().Plans(`create module.positions.assess_position_assessment.row["lyon-verbal"]`)

	// A deleted row is a removal, and a changed cell a change. The plan says nothing about assessments without a row.
	lines := strings.SplitAfter(sheet, "\n")
	e.Add("positions.csv", strings.Replace(strings.Join(slices.Delete(lines, 3, 4), ""), ";Finance;", ";;", 1))
	e.Plan().Plans(`delete module.positions.assess_position_assessment.row["backend-values"]`,
		`update module.positions.assess_position_assessment.row["controlling-numbers"]`)

	// A colleague renames a position. The new title is all that changes in the spreadsheet.
	e.Add("positions.csv", strings.ReplaceAll(sheet, "Backend Engineer, London", "Backend Engineer (Go), London"))
	e.change(func(st *sandbox.State) { st.Position("pos-backend-london").Title = "Backend Engineer (Go), London" })
	e.Plan().Empty()
	e.Destroy().OK()
}

// A plan says in words for recruiters what is wrong with a spreadsheet. Each row has edits and the messages.
func TestSpreadsheetMessages(t *testing.T) {
	t.Parallel()
	e := newExample(t, "spreadsheet")
	sheet := clitest.ReadFile(t, e.Dir, "positions.csv")
	e.Human("init", "-input=false").OK()
	e.change(func(st *sandbox.State) {
		for i := range 30 { // so many that a message lists only those whose titles have a word in common
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprint("pos-more-", i), Title: fmt.Sprint("Porter ", min(i, 28))})
		}
		for _, id := range []string{"asm-twin-1", "asm-twin-2"} {
			twin := sandbox.Assessment{ID: id, Name: "Twin Test", Kind: sandbox.AbstractReasoning}
			st.Assessments = append(st.Assessments, twin)
		}
	})
	for _, row := range []struct{ edits, says []string }{
		{ // of rows
			[]string{
				"support-skills;Customer Support Adviser, Leeds", "support-skills;Customer Support, Leeds",
				"Tideline Emotional Intelligence", "Tidelines", "Verbal knowledge", "all", "Offshore;;", "On%shore;;",
				"Stock Keeping", "Rust Programming", "lyon-ability;", ";", "backend-skills;", "backend-games;",
				"offshore-work;Offshore Technician, Aberdeen", "offshore-work;Porter 28",
				"controlling-numbers;", "more;Controller (m/w/d), Hamburg;Tally Numerical Reasoning;;Finance;;\ncontrolling-numbers;",
			},
			[]string{
				`Row 6 \(support-skills\): No position has the title "Customer Support, Leeds"\. If it was renamed, write the new title, ` +
					`and keep the key\. If it was deleted, delete the row\. Similar positions are: Customer Support Adviser, Leeds\.`,
				`Row 8 \(offshore-work\): 2 positions have the title "Porter 28"\.`,
				`Rows 2 and 3 \(backend-games\): These rows have the same key\. Delete the copy\. ` +
					`If it is for another position or assessment, give it a key of its own\.`,
				`Row 10 \(controlling-numbers\): Rows 9 and 10 attach Tally Numerical Reasoning to the same position\. Delete one`,
				`Row 13 \(no key\): The column "key" is empty\.`,
				`Row 14 \(paris-games\): The column "packages" has "all".*Write a vertical bar \(\|\) between several`,
				`Row 5 \(support-emotions\): No assessment has the name or code "Tidelines"\. The assessments are: .*Tideline Emotional`,
				`Row 7 \(offshore-safety\): The column "benchmark" has "On%shore", which does not exist\. ` +
					`For this position, Hardhat Work Safety has: Logistics; Offshore\.`,
				`Row 12 \(logistics-skills\): The column "tests" has "Rust Programming", which is not enabled`,
			},
		},
		{ // of cells that are empty, or have several names
			[]string{
				"Games;Problem solving | Numerical reasoning;", "Games;;", "Problem solving | Numerical reasoning | Verbal", "Verbal",
				"Forklift Theory | Stock Keeping", "", "Lumen Ability Test;;Graduates", "Twin Test;;", "skills;Customer Support", "skills;Customer\u00a0Support",
				";Customer service;", ";Customer service | Graduates;", ";Curious builders;", ";Curious builders | Customer first;",
			},
			[]string{
				`Row 6 \(support-skills\): No position has the title .* The text in column "title" contains an unusual space or an invisible character`,
				`Row 12 \(lyon-ability\): 2 assessments have the name "Twin Test"\. Write the code of the right one\.`,
				`Row 2 \(backend-games\): The column "packages" is empty\. Write at least one of these names`,
				`Row 13 \(paris-games\): The column "packages" lacks "Problem solving", which is mandatory for QRT\. Add it\.`,
				`Row 11 \(logistics-skills\): The column "tests" is empty\. Write at least one of these names into it.*Stock Keeping`,
				`Row 5 \(support-emotions\): The cell in the column "benchmark" has 2 names\. Keep only one of them\.`,
				`Row 4 \(backend-values\): The cell in the column "profile" has 2 names\. Keep only one of them\.`,
			},
		},
		// Of the whole file. Such a message comes before the rows.
		{[]string{"é", "\xe9"}, []string{`positions\.csv is not UTF-8\. Save the spreadsheet as "CSV UTF-8"`}},
		{[]string{";profile;", ";Profil;"}, []string{`The first line of positions\.csv has no column "profile"\.`}},
		{[]string{";profile;", ";title;"}, []string{`has more than one column "title"\. Rename the others\.`}},
		{[]string{"Games;Problem", "GamesProblem"}, []string{`Row 2 of positions\.csv has 6 cells, but the first line ` +
			`has 7\. Check for a missing or extra separator, or a title with a semicolon that needs quotation marks\.`}},
		{ // of the optional column "locale"
			[]string{"tests\n", "tests;locale\n", "Verbal knowledge;Engineers;;\n", "Verbal knowledge;Engineers;;;en-GB\n", "\n", ";\n"},
			[]string{`Row 13 \(paris-games\): The position "Ingénieure données, Paris" has the locale "fr-FR", but the column ` +
				`"locale" has "en-GB"\. Correct the title, or leave the locale empty\.`},
		},
	} {
		e.Add("positions.csv", strings.NewReplacer(row.edits...).Replace(sheet))
		for plan := e.Plan(); len(row.says) > 0; row.says = row.says[1:] {
			plan.Fails(row.says[0])
		}
	}
	e.Remove("positions.csv")
	e.Plan().Fails(`positions\.csv is not in this folder\.`)

	// The plan of a wrong row offers nothing to apply. It says nothing of the row's benchmark, whose name can be right for
	// the position that is meant.
	e.Add("positions.csv", strings.ReplaceAll(sheet, "Backend Engineer, London", "Backend Engineer, Londn"))
	if shown := e.Human("plan", "-input=false", "-no-color").Output; strings.Contains(shown, "apply this plan") ||
		!strings.Contains(shown, "Row 4 (backend-values)") || strings.Contains(shown, "does not exist") {
		t.Errorf("the plan of a wrong title shows:\n%s", shown)
	}
}

// withCommas returns a spreadsheet with commas instead of semicolons between its cells.
func withCommas(sheet string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^;\n]*,[^;\n]*`).ReplaceAllString(sheet, `"$0"`), ";", ",")
}
