// SPDX-License-Identifier: MPL-2.0

// Package examples_test applies the examples, and runs their pipelines.
package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
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
	e.Env = append(e.Env, "TF_CLI_CONFIG_FILE="+clitest.ProviderMirror(t))
	return e
}

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

// openService opens the embedded service of the example.
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

// attached returns "POSITION/POSITION_ASSESSMENT" for each position assessment.
func (e example) attached() []string {
	e.T.Helper()
	var ids []string
	err := e.openService().View(func(st *sandbox.State) { ids = attachedIn(st) })
	if err != nil {
		e.T.Fatal(err)
	}
	return ids
}

func attachedIn(st *sandbox.State) []string {
	ids := []string{}
	for _, position := range st.Positions {
		for _, pa := range position.Assessments {
			ids = append(ids, position.ID+"/"+pa.ID)
		}
	}
	return ids
}

// managed returns the number of position assessments in the state.
func (e example) managed() int {
	e.T.Helper()
	n := 0
	for address := range strings.Lines(e.Human("state", "list").OK().Output) {
		if !strings.Contains(address, "data.") && strings.Contains(address, "assess_position_assessment.") {
			n++
		}
	}
	return n
}

// script runs a script of the example. tofu on its PATH is the CLI of this test.
func (e example) script(name string, args ...string) *clitest.Run {
	e.T.Helper()
	bin := e.T.TempDir()
	if err := os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(bin, "tofu")); err != nil {
		e.T.Fatal(err)
	}
	cmd := exec.CommandContext(e.T.Context(), "bash", append([]string{name}, args...)...)
	cmd.Dir, cmd.Env = e.Dir, append(slices.Clone(e.Env), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		e.T.Fatal(err)
	}
	return &clitest.Run{T: e.T, Code: cmd.ProcessState.ExitCode(), Output: string(out)}
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
			before := attachedIn(sandbox.Demo())
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
					if err := os.WriteFile(page, nil, 0o644); err != nil { //nolint:gosec // see above
						t.Fatal(err)
					}
					r := e.script("write.sh", "out").OK()
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

// The position of examples/import has candidates. Its assessments are imported, the
// service refuses to remove them, and a removed block drops them from the state.
func TestExampleImport(t *testing.T) {
	t.Parallel()
	adopted := []string{"ability", "emotions", "reliability", "values"}
	e := newExample(t, "import")
	written := filepath.Join(e.Dir, "resources.tf")
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	e.Human("fmt", "-check", "-recursive").OK()
	e.Human("init", "-input=false").OK()
	imports := []string{}
	for _, name := range adopted {
		imports = append(imports, "import assess_position_assessment."+name)
	}
	e.Plan().Plans(imports...)

	// The example starts without resources. The CLI generates them.
	if err := os.Remove(written); err != nil {
		t.Fatal(err)
	}
	e.Plan("-generate-config-out=generated.tf").Plans(imports...)
	e.Apply().OK()
	if n := e.managed(); n != len(adopted) {
		t.Errorf("the state has %d position assessments, want %d", n, len(adopted))
	}
	e.Plan().Empty()

	// The resources of the example are equivalent to the generated ones.
	if err := os.Remove(filepath.Join(e.Dir, "generated.tf")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(written, text, 0o600); err != nil {
		t.Fatal(err)
	}
	e.Plan().Empty()

	e.Destroy().Fails("Removal that the service would refuse", "63 candidates have been invited", "state rm")
	e.Configure(func(write func(name, text string)) {
		write("main.tf",
			"terraform {\n  required_providers {\n    assess = { source = \"assessascode/assess\" }\n  }\n}\n\n"+
				"provider \"assess\" {\n  sandbox {}\n}\n")
		for _, name := range adopted {
			write(name+".tf",
				fmt.Sprintf("removed {\n  from = assess_position_assessment.%s\n"+
					"  lifecycle {\n    destroy = false\n  }\n}\n", name))
		}
	})
	e.Apply().OK()
	if n := e.managed(); n != 0 {
		t.Errorf("%d position assessments are still in the state", n)
	}
	if left := e.attached(); !slices.Equal(left, attachedIn(sandbox.Demo())) {
		t.Errorf("unexpected position assessments in the service: %v", left)
	}
}

// The example attaches the same assessments to many positions. A further position or assessment
// changes nothing else.
func TestExampleManyPositions(t *testing.T) {
	t.Parallel()
	text := clitest.ReadFile(t, "resources/assess_position_assessment/many_positions.tf")
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	use := func(old, changed string) {
		t.Helper()
		if !strings.Contains(text, old) {
			t.Fatalf("the example does not contain %s", old)
		}
		c.UseText(strings.Replace(text, old, changed, 1))
	}
	const address = "create assess_position_assessment.each"
	london, leeds := `["backend_london_`, `["support_leeds_`
	c.UseText(text)
	c.Plan().Plans(address+london+`KST"]`, address+london+`LMN"]`, address+london+`TDL"]`,
		address+leeds+`KST"]`, address+leeds+`LMN"]`, address+leeds+`TDL"]`)
	c.Apply().OK().Quiet()
	c.Plan().Empty().Quiet()
	if pa := service.State(t).Position("pos-support-leeds").Assessments; len(pa) != 3 {
		t.Errorf("the position in Leeds has %d assessments, want 3", len(pa))
	}
	use("  positions = {\n", "  positions = {\n    controller_hamburg = \"Controller (m/w/d), Hamburg\"\n")
	hamburg := `["controller_hamburg_`
	c.Plan().Plans(address+hamburg+`KST"]`, address+hamburg+`LMN"]`, address+hamburg+`TDL"]`)
	use("KST = null\n", "KST = null\n    FCT = null\n")
	c.Plan().Plans(address+london+`FCT"]`, address+leeds+`FCT"]`)

	// A colleague renames a position. The new title in the configuration changes nothing else.
	service.Change(t, func(st *sandbox.State) {
		st.Position("pos-backend-london").Title = "Senior Backend Engineer, London"
	})
	c.UseText(text)
	c.Plan().Fails("No position found", "If the position was renamed, write its new title")
	use(`"Backend Engineer, London"`, `"Senior Backend Engineer, London"`)
	c.Plan().Empty().Quiet()
}
