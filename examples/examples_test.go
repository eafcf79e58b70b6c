// SPDX-License-Identifier: MPL-2.0

// Package examples_test applies the examples, and runs their pipelines.
package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/companion/export"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// example is a copy of a folder of examples/. The CLI finds the provider like a
// released one: with init, in a mirror.
type example struct{ *clitest.CLI }

func newExample(t *testing.T, name string) example {
	t.Helper()
	e := example{clitest.NewBare(t)}
	copyExample(t, name, e.Dir)
	e.useModulesOfClone()
	e.Env = append(e.Env, "TF_CLI_CONFIG_FILE="+clitest.ProviderMirror(t))
	return e
}

// useModulesOfClone replaces the released modules in a configuration by those of the clone.
func (e example) useModulesOfClone() {
	e.T.Helper()
	clone, err := filepath.Abs("..")
	if err != nil {
		e.T.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(e.Dir, "*.tf"))
	for _, file := range files {
		text := clitest.ReadFile(e.T, file)
		e.Add(filepath.Base(file), releasedModule.ReplaceAllString(text, `"`+filepath.ToSlash(clone)+`/$1"`))
	}
}

var releasedModule = regexp.MustCompile(
	`"git::https://github\.com/assessascode/terraform-provider-assess//(modules/\w+)\?ref=v[0-9.]+"`)

// copyExample leaves out files that a run of the example in its own folder created.
func copyExample(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{".terraform*", "assess-sandbox*", "*.tfstate*"} {
		created, _ := filepath.Glob(filepath.Join(to, pattern))
		for _, path := range created {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// openService opens the sandbox of the example.
func (e example) openService() *sandbox.Service {
	e.T.Helper()
	service, err := sandbox.New(sandbox.Options{StateFile: filepath.Join(e.Dir, "assess-sandbox.json")})
	if err != nil {
		e.T.Fatal(err)
	}
	return service
}

// change changes the state of the service outside Terraform.
func (e example) change(change func(*sandbox.State)) {
	e.T.Helper()
	if err := e.openService().Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		e.T.Fatal(err)
	}
}

// attached returns the IDs of all position assessments.
func (e example) attached() []string {
	e.T.Helper()
	var ids []string
	err := e.openService().View(func(st *sandbox.State) { ids = sandboxtest.AttachedIDs(st) })
	if err != nil {
		e.T.Fatal(err)
	}
	return ids
}

// managed returns the number of position assessments in the state.
func (e example) managed() (n int) {
	e.T.Helper()
	for address := range e.Managed() {
		if strings.Contains(address, "assess_position_assessment.") {
			n++
		}
	}
	return n
}

// pathWith returns a PATH on which these names are programs, beside those of this machine.
func pathWith(t *testing.T, programs map[string]string) string {
	t.Helper()
	bin := t.TempDir()
	for name, program := range programs {
		if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
}

// bash runs commands in a working directory, and confirms an apply.
func bash(c *clitest.CLI, commands string) *clitest.Run {
	c.T.Helper()
	cmd := exec.CommandContext(c.T.Context(), "bash", "-ec", commands)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, strings.NewReader("yes\n")
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		c.T.Fatal(err)
	}
	return &clitest.Run{T: c.T, Code: cmd.ProcessState.ExitCode(), Output: string(out)}
}

// needs skips the test if a program that the scripts use is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH, and a script of the example uses it", program)
		}
	}
}

// Every example that is a complete configuration can be applied, then plans empty,
// passes its tests, and leaves nothing after destroy.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, adds := range map[string]bool{"quickstart": true, "gitops": true, "report": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newExample(t, name)
			e.Env = append(e.Env, "TF_DISABLE_PLUGIN_TLS=") // encrypts the connection to the provider, as for users
			e.Human("fmt", "-check", "-recursive").OK()
			e.Human("init", "-input=false").OK()
			e.Human("validate").OK()
			e.Apply().OK()
			before := sandboxtest.AttachedIDs(sandbox.Demo())
			if n := len(e.attached()) - len(before); n != e.managed() || adds != (n > 0) {
				t.Errorf("the service has %d more assessments, the state has %d", n, e.managed())
			}
			e.Plan().Empty()
			if name == "report" {
				t.Run("write.sh", func(t *testing.T) {
					needs(t, "bash", "jq")
					page := filepath.Join(e.Dir, "out", sandbox.DemoResultsPosition+".html")
					if err := os.Mkdir(filepath.Dir(page), 0o755); err != nil {
						t.Fatal(err)
					}
					// An earlier report that others can read.
					if err := os.WriteFile(page, nil, 0o644); err != nil { // see above
						t.Fatal(err)
					}
					cli := map[string]string{"tofu": os.Getenv("TF_ACC_TERRAFORM_PATH")}
					r := bash(e.With(pathWith(t, cli)), "bash write.sh out").OK()
					if info, err := os.Stat(page); err != nil || info.Size() == 0 {
						t.Errorf("the script wrote no report: %v\n%s", err, r.Output)
					}
					sandboxtest.AssertPrivate(t, page)
				})
			}
			if tests, _ := filepath.Glob(filepath.Join(e.Dir, "tests", "*.tftest.hcl")); len(tests) > 0 {
				e.Human("test", "-no-color").OK()
			}
			e.Destroy().OK()
			if left := e.attached(); !slices.Equal(left, before) {
				t.Errorf("the service has %v, want %v", left, before)
			}
		})
	}
}

// The position of examples/import has candidates. Its assessments are imported as they are, and the service rejects their
// removal.
func TestExampleImport(t *testing.T) {
	t.Parallel()
	e := newExample(t, "import")
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	imports := []string{}
	for _, name := range []string{"ability", "emotions", "reliability", "values"} {
		imports = append(imports, "import assess_position_assessment."+name)
	}
	resources := clitest.ReadFile(t, e.Dir, "resources.tf")
	e.Remove("resources.tf") // the CLI can write it, as the README says
	e.Plan("-generate-config-out=generated.tf").Plans(imports...)
	e.Remove("generated.tf")
	e.Add("resources.tf", resources)
	e.Apply().OK()
	e.Plan().Empty()
	e.Destroy().Fails("Cannot remove: candidates were invited", "63 candidates have been invited", "state rm")
}

// The example attaches the same assessments to many positions. A further position changes nothing else.
func TestExampleManyPositions(t *testing.T) {
	t.Parallel()
	c := clitest.New(t, sandboxtest.New(t))
	c.UseText(clitest.ReadFile(t, "resources/assess_position_assessment/many_positions.tf"))
	c.Apply().OK().Quiet()
	if n := len(c.Managed()); n != 6 {
		t.Errorf("the state has %d position assessments, want 6", n)
	}
	c.Plan().Empty().Quiet()
	c.Edit("main.tf", [2]string{"  positions = {\n", "  positions = {\n    controller_hamburg = \"Controller (m/w/d), Hamburg\"\n"})
	const each = "create assess_position_assessment.each"
	c.Plan().Plans(each+`["controller_hamburg_KST"]`, each+`["controller_hamburg_LMN"]`, each+`["controller_hamburg_TDL"]`)
}

// The command of the guide "Pipelines" finds a removal that the service would reject.
func TestPolicyOnRemovals(t *testing.T) {
	t.Parallel()
	needs(t, "bash", "jq")
	_, section, _ := strings.Cut(clitest.ReadFile(t, "..", "templates", "guides", "pipelines.md"), "## Check plans with a policy")
	policy := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(section)
	if policy == nil {
		t.Fatal("the guide shows no command")
	}
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	c.UseText(`
resource "assess_position_assessment" "removed" {
  position_id        = "pos-backend-london"
  assessment_id      = "asm-facet"
  on_refused_removal = "forget"
}
`)
	c.Apply().OK()
	c.UseText("")
	for _, invited := range []bool{false, true} {
		if invited {
			service.Invite(t, "pos-backend-london", "asm-facet")
		}
		c.Add("out/plan.jsonl", c.Plan("-out=plan").OK().Output)
		if r := bash(c, policy[1]); (r.Code != 0) != invited {
			t.Errorf("invited %t: the policy ends with %d and says %s", invited, r.Code, r.Output)
		}
	}
}

// The configuration on the page of the module position attaches its assessments, and wrong names are all named at once.
func TestModulePosition(t *testing.T) {
	t.Parallel()
	e := newExample(t, "quickstart")
	e.Remove("main.tf")
	shown := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindStringSubmatch(clitest.ReadFile(t, "../modules/position/README.md"))
	e.Add("main.tf", "terraform {\n  required_providers {\n    assess = { source = \"assessascode/assess\" }\n  }\n}\n\n"+
		"provider \"assess\" {\n  sandbox {}\n}\n\n"+shown[1])
	e.useModulesOfClone()
	e.Human("init", "-input=false").OK()
	e.Human("fmt", "-check").OK()
	e.Apply().OK()
	if n := e.managed(); n != 4 {
		t.Errorf("the state has %d position assessments, want 4", n)
	}
	e.Plan().Empty()
	e.Edit("main.tf", [2]string{`"Engineers"`, `"Engineer"`}, [2]string{`"SQL Queries"`, `"SQL"`},
		[2]string{`"Facet Behavioural Profile"   = {}`, `"Facet"                       = {}` + "\n    \"QRT\"                         = {}"})
	for _, says := range []string{
		`Backend Engineer, London, Quartet Games: There is no "Engineer" in benchmarks\. There are: Engineers; Graduates\.`,
		`Backend Engineer, London, Workbench Skills: There is no "SQL" in skills tests\. There are: .*SQL Queries`,
		`Backend Engineer, London, Facet: No assessment has this name or code\. There are: .*Facet Behavioural Profile`,
		`Backend Engineer, London, Quartet Games: This is the same assessment as "QRT"\. A position has it once\.`,
	} {
		e.Plan().Fails(says)
	}
}

// What was exported, as a spreadsheet or as HCL, is imported by one plan, which changes nothing.
func TestExportedSpreadsheetImportsEverything(t *testing.T) {
	t.Parallel()
	for format, c := range map[string]struct{ example, file, address string }{
		"csv": {"spreadsheet", "positions.csv", `module.positions.assess_position_assessment.row["backend_engineer_london_qrt"]`},
		"hcl": {"import", "existing.tf", "assess_position_assessment.backend_engineer_london_qrt"},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			const positions, each, others = 6, 5, 4
			e := newExample(t, c.example)
			for _, name := range []string{"positions.csv", "imports.tf", "resources.tf"} {
				_ = os.Remove(filepath.Join(e.Dir, name)) // not each example has it
			}
			e.attachEach(positions)
			e.Human("init", "-input=false").OK()
			var printed strings.Builder
			err := export.Write(t.Context(), export.Options{
				Options: run.Options{
					StateFile: filepath.Join(e.Dir, "assess-sandbox.json"), Getenv: func(string) string { return "" },
					CacheDir: t.TempDir(),
				},
				Format: format, File: filepath.Join(e.Dir, c.file), Out: &printed,
			})
			if err != nil {
				t.Fatal(err)
			}
			e.Human("fmt", "-check").OK()
			plan := e.Plan().OK()
			isImport := func(change string) bool { return strings.HasPrefix(change, "import ") }
			if n := len(plan.Changes); n != positions*each+others || !slices.Contains(plan.Changes, "import "+c.address) ||
				len(slices.DeleteFunc(slices.Clone(plan.Changes), isImport)) > 0 {
				t.Errorf("the plan has %d changes, want %d imports, with %s: %v\n%s", n, positions*each+others, c.address, plan.Changes, &printed)
			}
			e.Apply().OK()
			e.Plan().Empty()
		})
	}
}

// attachEach attaches an assessment of each kind to some positions.
func (e example) attachEach(positions int) {
	e.T.Helper()
	e.change(func(st *sandbox.State) {
		for _, p := range st.Positions[:positions] {
			for _, attached := range []sandbox.PositionAssessment{
				{Assessment: "asm-quartet", Metadata: sandbox.Metadata{
					Packages:  []string{"pkg-problem-solving", "pkg-numerical-reasoning"},
					Benchmark: "bmk-quartet-engineers-" + strings.ToLower(p.Locale),
				}},
				{Assessment: "asm-northlight", Metadata: sandbox.Metadata{Profile: "prf-curious-builders"}},
				{Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted}},
				{Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql"}}},
				{Assessment: "asm-facet"},
			} {
				if _, err := st.Attach(p.ID, attached.Assessment, attached.Metadata); err != nil {
					e.T.Error(err)
				}
			}
		}
	})
}

// Each configuration that users copy requires a version of the CLI, and one of the provider by its source, because the CLI
// would look for "hashicorp/assess" otherwise.
func TestExamplesRequireVersions(t *testing.T) {
	t.Parallel()
	required := regexp.MustCompile(`required_version += "|assess += \{\s+source += "assessascode/assess",?\s+version += "`)
	for _, pattern := range []string{"*/main.tf", "../modules/*/main.tf"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if n := len(required.FindAllString(clitest.ReadFile(t, file), -1)); n != 2 {
				t.Errorf("%s has %d of 2 requirements", file, n)
			}
		}
	}
}
