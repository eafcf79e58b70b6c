// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What happens to positions in the first months needs neither a block of HCL nor a command for the state.
func TestExampleGitopsPositions(t *testing.T) {
	t.Parallel()
	e := newExample(t, "gitops")
	e.Human("init", "-input=false").OK()
	e.Apply().OK()
	before := e.attached()
	const title, corrected = "Controller (m/w/d), Hamburg", "Controlling (m/w/d), Hamburg"

	// The service renames a position, and the file follows.
	e.change(func(st *sandbox.State) { st.Position(hamburg).Title = corrected })
	e.Plan().Fails("No position found")
	e.Edit("positions.yaml", [2]string{"title: " + title, "title: " + corrected + "\n    formerly: " + title})
	e.Plan().Plans()
	e.Apply().OK()

	// The service keeps what candidates have been invited to. The file ends its management.
	e.change(func(st *sandbox.State) {
		if _, err := sandboxtest.Invite(st, hamburg, "asm-tally"); err != nil {
			t.Error(err)
		}
	})
	e.Edit("positions.yaml", [2]string{"      - code: TLY # Tally Numerical Reasoning\n        benchmark: Finance\n", ""},
		[2]string{"formerly: " + title, "formerly: " + title + "\n    unmanaged: [TLY]"})
	e.Apply().OK().Warns("Cannot remove: candidates were invited")
	if n := e.managed(); n != 7 || len(e.attached()) != len(before) {
		t.Errorf("%d are managed, and %d of %d are attached", n, len(e.attached()), len(before))
	}
	e.Plan().Empty()

	// A test may be named twice.
	const enabled = "    - Go Programming\n"
	e.Edit("positions.yaml", [2]string{"  WBN:\n" + enabled, "  WBN:\n" + enabled + enabled})
	e.Plan().Empty()

	// It is managed again. The tests, which use another file, pass with the import.
	id := ""
	e.change(func(st *sandbox.State) { id = hamburg + "/" + of(st.Position(hamburg), "asm-tally").ID })
	e.Edit("positions.yaml", [2]string{"    unmanaged: [TLY]\n", ""},
		[2]string{"packages: mandatory\n", "packages: mandatory\n      - code: TLY\n        import: " + id + "\n"})
	e.Human("test", "-no-color").OK()
	e.Apply().OK().Warns("After the merge, delete")
	e.Edit("positions.yaml", [2]string{"        import: " + id + "\n", ""})
	if n := e.managed(); n != 8 {
		t.Errorf("%d are managed, want 8", n)
	}

	// A teammate attaches an assessment again. The check names both.
	again := ""
	e.change(func(st *sandbox.State) {
		var err error
		if again, err = st.Attach(hamburg, "asm-tally", sandbox.Metadata{}); err != nil {
			t.Error(err)
		}
	})
	e.Plan().Warns("has the same assessment twice", strings.TrimPrefix(id, hamburg+"/"), again)
}

// Each mistake in the file is refused with the position or the line.
func TestExampleGitopsMistakes(t *testing.T) {
	t.Parallel()
	e := newExample(t, "gitops")
	e.Human("init", "-input=false").OK()
	text := clitest.ReadFile(t, e.Dir, "positions.yaml")
	const second = "  - title: Controller (m/w/d), Hamburg\n"
	for _, c := range [][3]string{
		{"        benchmark: Finance", "       benchmark: Finance", ", column 8: did not find expected"},
		{"- SQL Queries", "- SQL Querys", "Backend Engineer, London, WBN: there is no test SQL Querys. There are "},
		{"benchmark: Finance", "profile: Finance", "Hamburg, TLY: there is no profile Finance. There is none."},
		{"benchmark: Finance", "benchmrk: Finance", "Controller (m/w/d), Hamburg, TLY: unknown keys: benchmrk."},
		{second, "  - titel: x\n", `entry 2 under "positions": "title" is missing.`},
		{second, second + "    asessments: []\n", "Controller (m/w/d), Hamburg: Unknown key asessments."},
		{second, "  - title: Backend Engineer, London\n", "Backend Engineer, London: There is more than one entry."},
		{second, second + "    unmanaged: [TLY]\n", `Controller (m/w/d), Hamburg: an assessment is either under`},
		{second, second + "    unmanaged: [XXX]\n", "Controller (m/w/d), Hamburg, unmanaged: no assessment has"},
		{"enabled_skills_tests", "enabled_tests", "unknown keys at the top level: enabled_tests."},
		{second, second + "    unmanaged: XXX\n", "Controller (m/w/d), Hamburg, unmanaged: no assessment has"},
		{text, "---\n", `positions.yaml has no list "positions".`},
		{text, "positions: {a: {title: x}}\n", `positions.yaml has no list "positions".`},
		{"  WBN:\n    - Go", "  - Go", `"enabled_skills_tests" must map the code of each skills assessment`},
		{"packages: mandatory", "packages: [mandatory]", "Hamburg, QRT: there is no package mandatory. There are: "},
		{"packages: mandatory", "packages: mandatory\n        benchmark: all", "Hamburg, QRT: there is no benchmark all. There are: "},
		{"packages: mandatory", "packages:", `Controller (m/w/d), Hamburg: set "packages" to a list of names`},
		{"profile: Curious builders", "profile: Curious builders\n        on_supervisor_change:", `London: set "on_supervisor_change" to keep`},
		{"tests: [Lohnbuchhaltung, Spreadsheets]", "tests: Lohnbuchhaltungen", "Hamburg, WBN: there is no test Lohnbuchhaltungen."},
		{"  WBN:\n    - Go Programming", "  WBN: Go Programing", "Go Programing"},
	} {
		e.Add("positions.yaml", text)
		e.Edit("positions.yaml", [2]string{c[0], c[1]})
		if found := strings.Join(strings.Fields(e.Plan().Text()), " "); !strings.Contains(found, c[2]) {
			t.Errorf("for %q, the plan does not say %q:\n%s", c[1], c[2], found)
		}
	}
}

// If the service does not list the assessments of a position, the user deletes the files that README.md names. The rest
// works without them.
func TestExampleGitopsWithoutChecks(t *testing.T) {
	t.Parallel()
	e := newExample(t, "gitops")
	files := regexp.MustCompile(`delete\s+\[(\S+)\]\(\S+\)\s+and\s+\[(\S+)\]`).
		FindStringSubmatch(clitest.ReadFile(t, e.Dir, "README.md"))
	if files == nil {
		t.Fatal("README.md does not say which files to delete")
	}
	e.Remove(files[1:]...)
	e.Human("init", "-input=false").OK()
	e.Human("validate").OK()
	e.Human("test", "-no-color").OK()
}
