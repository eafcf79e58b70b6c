// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// The spreadsheet attaches its 12 rows, whatever program has saved it, and says in words for recruiters what is wrong
// with a row.
func TestExampleSpreadsheet(t *testing.T) {
	t.Parallel()
	const rows, london = 12, "Backend Engineer, London"
	e := newExample(t, "spreadsheet")
	sheet := clitest.ReadFile(t, "spreadsheet/positions.csv")
	save := func(text string) { e.Add("positions.csv", text) }
	replace := func(old, changed string) string {
		t.Helper()
		if !strings.Contains(sheet, old) {
			t.Fatalf("the spreadsheet does not contain %q", old)
		}
		return strings.ReplaceAll(sheet, old, changed)
	}
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	e.Human("validate").OK()
	before := len(e.attached())
	e.Apply().OK()
	if n := len(e.attached()) - before; n != rows || e.managed() != rows {
		t.Errorf("the service has %d more assessments, the state has %d, want %d", n, e.managed(), rows)
	}
	e.Plan().Empty()

	for _, saved := range []string{
		// Excel, "CSV UTF-8", with a column of the recruiter's own and empty rows
		"\ufeff" + strings.ReplaceAll(sheet, "\n", ";\"a; \"\"note\"\"\"\r\n") + ";;;;;;;\r\n;;;;;;;\r\n",
		withCommas(sheet),
		"sep=;\n" + sheet,
		"sep=\t\r\n" + strings.NewReplacer(";", "\t", "\n", "\r\n").Replace(sheet),
		// quoted cells with separators, quotation marks and line breaks
		strings.ReplaceAll(withCommas(sheet), "\n", ",\"1,\n\"\"2\"\";\"\n"),
		// headings with capital letters, spaces around a title, an empty name and one that occurs twice
		strings.NewReplacer("key;title;", "Key; Title ;", ";Chargé de", "; Chargé de", "Lyon;", "Lyon ;",
			"Forklift Theory |", "Forklift Theory | | Forklift Theory |").Replace(sheet),
	} {
		save(saved)
		e.Plan().Empty()
	}

	// Excel omits the last columns of a block of 16 rows if they are empty.
	long := strings.TrimSuffix(sheet, "\n") + strings.Repeat("\n;;;;;;", 16-1-rows) +
		"\nlyon-verbal;Chargé de clientèle, Lyon;Facet Behavioural Profile\n"
	save(long)
	e.Plan().Plans(`create module.positions.assess_position_assessment.row["lyon-verbal"]`)
	save(strings.Replace(long, "Lyon;Facet", "LyonFacet", 1))
	e.Plan().Fails(`Row 17 \(lyon-verbal\): No assessment has the name or code ""`)
	save(strings.Replace(long, "\n;;;;;;", "", 1)) // Excel writes all columns of the first block
	e.Plan().Fails(`Row 16 of positions\.csv has 3 cells, but the first line has 7\.`)
	save("notes;" + strings.ReplaceAll(long, "\n", "\n;")) // a name may be in a column that accepts all names
	e.Plan().Fails(`Row 17 of positions\.csv has 4 cells, but the first line has 8\.`)

	lines := strings.SplitAfter(strings.TrimSuffix(sheet, "\n"), "\n")
	save(strings.NewReplacer(
		"support-skills;Customer Support Adviser, Leeds", "support-skills;Customer Support, Leeds",
		"Tideline Emotional Intelligence", "Tidelines", "Verbal knowledge", "all", "Offshore;;", "On%shore;;", "Stock Keeping", "Rust Programming",
		"lyon-ability;", ";",
	).Replace(sheet) +
		lines[rows] + "\n" + strings.Replace(lines[8], "controlling", "more", 1))
	plan := e.Plan()
	for _, says := range []string{
		`Row 6 \(support-skills\): No position has the title "Customer Support, Leeds"\..*` +
			`The positions are: .*Customer Support Adviser, Leeds`,
		`Rows 13 and 14 \(paris-games\): These rows have the same key\. Delete the copy\. ` +
			`If it is for another position or assessment, give it a key of its own\.`,
		`Row 15 \(more-numbers\): Rows 9 and 15 attach Tally Numerical Reasoning to the same position\. Delete one`,
		`Row 12 \(no key\): The column "key" is empty\.`,
		`Rows 13 and 14 \(paris-games\): The column "packages" has "all".*Write a vertical bar \(\|\) between several`,
		`Row 5 \(support-emotions\): No assessment has the name or code "Tidelines"\. The assessments are: .*Tideline Emotional`,
		`Row 7 \(offshore-safety\): The column "benchmark" has "On%shore", which does not exist\. ` +
			`For this position, Hardhat Work Safety has: Logistics; Offshore\.`,
		`Row 11 \(logistics-skills\): The column "tests" has "Rust Programming", which is not enabled`,
	} {
		plan.Fails(says)
	}
	if n := strings.Count(plan.Text(), "Rows 9 and 15"); n != 1 {
		t.Errorf("the plan names two rows of one assessment %d times, want once", n)
	}

	// What is wrong with the whole file is said once, before the rows.
	for text, says := range map[string]string{
		strings.ReplaceAll(sheet, "é", "\xe9"):             `positions\.csv is not UTF-8\. Save the spreadsheet as "CSV UTF-8"`,
		strings.Replace(sheet, ";profile;", ";Profil;", 1): `The first line of positions\.csv has no column "profile"\.`,
		strings.Replace(sheet, ";profile;", ";title;", 1):  `has more than one column "title"\. Rename the others\.`,
		strings.Replace(sheet, "Games;Problem", "GamesProblem", 1): `Row 2 of positions\.csv has 6 cells, but the first line ` +
			`has 7\. Check for a missing or extra separator, or a title with a semicolon that needs quotation marks\.`,
		// Row 3 is one row, although a cell of it has a line break.
		strings.Replace(strings.ReplaceAll(withCommas(sheet),
			"Python Programming | SQL Queries", "\"Python Programming |\nSQL Queries\""),
			`"Customer Support Adviser, Leeds"`, "Customer Support Adviser, Leeds", 1): `Row 5 of positions\.csv has 8 cells, ` +
			`but the first line has 7\. Check for .* a title with a comma that needs quotation marks\.`,
	} {
		save(text)
		e.Plan().Fails(says)
	}
	e.Remove("positions.csv")
	e.Plan().Fails(`positions\.csv is not in this folder\.`)

	// The plan of a wrong row offers nothing to apply.
	// It says nothing of the row's benchmark, whose name can be right for the position that is meant.
	save(replace(london, "Backend Engineer, Londn"))
	if shown := e.Human("plan", "-input=false", "-no-color").Output; strings.Contains(shown, "apply this plan") ||
		!strings.Contains(shown, "Row 4 (backend-values)") || strings.Contains(shown, "does not exist") {
		t.Errorf("the plan of a wrong title shows:\n%s", shown)
	}
	save(strings.NewReplacer(
		"Games;Problem solving | Numerical reasoning;", "Games;;",
		"Problem solving | Numerical reasoning | Verbal knowledge", "Verbal knowledge",
		"Forklift Theory | Stock Keeping", "", "skills;Customer Support", "skills;Customer\u00a0Support",
		";Customer service;", ";Customer service | Graduates;", ";Curious builders;", ";Curious builders | Customer first;",
	).Replace(sheet))
	plan = e.Plan()
	for _, says := range []string{
		`Row 6 \(support-skills\): No position has the title .* The text in column "title" contains an unusual space or an invisible character`,
		`Row 2 \(backend-games\): The column "packages" is empty\. Write at least one of these names`,
		`Row 2 \(backend-games\): The column "packages" lacks "Problem solving", which is mandatory for Quartet Games\.`,
		`Row 13 \(paris-games\): The column "packages" lacks "Problem solving", which is mandatory for QRT\. Add it\.`,
		`Row 11 \(logistics-skills\): The column "tests" is empty\. Write at least one of these names into it.*Stock Keeping`,
		`Row 5 \(support-emotions\): The cell in the column "benchmark" has 2 names\. Keep only one of them\.`,
		`Row 4 \(backend-values\): The cell in the column "profile" has 2 names\. Keep only one of them\.`,
	} {
		plan.Fails(says)
	}

	// The plan removes the assessment of a row that was deleted, also if it was the last one of its position, and says
	// nothing about the assessments that never had a row.
	for _, row := range []int{3, 11} {
		save(replace(lines[row], ""))
		key, _, _ := strings.Cut(lines[row], ";")
		e.Plan().Plans(`delete module.positions.assess_position_assessment.row["` + key + `"]`).Quiet()
	}

	// The column "locale" is optional. If it is there, a wrong one is found.
	localized := strings.ReplaceAll(replace("key;title;", "key;locale;title;"), "-games;", "-games;en-GB;")
	localized = regexp.MustCompile(`(?m)^(\w+-\w+);([A-Z])`).ReplaceAllString(localized, "$1;;$2")
	save(strings.Replace(localized, "paris-games;en-GB;", "paris-games;fr_fr;", 1))
	e.Plan().Empty()
	save(localized)
	e.Plan().Fails(`Row 13 \(paris-games\): The position "Ingénieure données, Paris" has the locale "fr-FR", but the column ` +
		`"locale" has "en-GB"\. Correct the title, or leave the locale empty\.`)

	// A colleague renames a position. The new title is all that changes in the spreadsheet.
	// With many positions, the message lists only those whose titles have a word in common.
	e.change(func(st *sandbox.State) {
		st.Position("pos-backend-london").Title = "Backend Engineer (Go), London"
		for i := range 30 {
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprint("pos-more-", i), Title: fmt.Sprint("Porter ", i)})
		}
	})
	save(sheet)
	e.Plan().Fails(`Row 2 \(backend-games\): No position has the title "Backend Engineer, London"\. ` +
		`If it was renamed, write the new title, and keep the key\. If it was deleted, delete the row\. Similar positions are: Backend Engineer \(Go\), London\.`)
	save(replace(london, "Backend Engineer (Go), London"))
	e.Plan().Empty()
	e.change(func(st *sandbox.State) {
		st.Position("pos-backend-london").Title = " Backend Engineer (Go), London "
		st.Position("pos-more-0").Title = " "
	})
	e.Plan().Empty()
	e.change(func(st *sandbox.State) { st.Position("pos-more-0").Title = "Backend Engineer (Go), London" })
	e.Plan().Fails(`Row 2 \(backend-games\): 2 positions have the title "Backend Engineer \(Go\), London"\.`)
	e.change(func(st *sandbox.State) { st.Position("pos-more-0").Title = "Porter" })
	e.Destroy().OK()
}

// withCommas returns a spreadsheet with commas instead of semicolons between its cells.
func withCommas(sheet string) string {
	var text strings.Builder
	for line := range strings.Lines(sheet) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), ";")
		for i, cell := range cells {
			if strings.Contains(cell, ",") {
				cells[i] = `"` + cell + `"`
			}
		}
		text.WriteString(strings.Join(cells, ",") + "\n")
	}
	return text.String()
}
