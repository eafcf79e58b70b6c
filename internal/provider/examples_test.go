// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// example is a copy of a folder of examples/. The CLI finds the provider like a
// released one: with init, in a mirror.
type example struct{ *cli }

func newExample(t *testing.T, name string) example {
	t.Helper()
	e := example{newBareCLI(t)}
	copyExample(t, filepath.Join("..", "..", "examples", name), e.dir)
	e.env = append(e.env, "TF_CLI_CONFIG_FILE="+providerMirror(t))
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

// providerMirror makes a mirror with the provider for both registries and returns the
// CLI configuration for it.
func providerMirror(t *testing.T) string {
	t.Helper()
	mirror := t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "assessascode", "assess", "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(providerBinary(t), filepath.Join(folder, "terraform-provider-assess")); err != nil {
			t.Fatal(err)
		}
	}
	rc := filepath.Join(mirror, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror { path = %q }\n}\n", mirror)
	if err := os.WriteFile(rc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return rc
}

// openService opens the embedded service of the example.
func (e example) openService() *sandbox.Service {
	e.t.Helper()
	service, err := sandbox.New(sandbox.Options{StateFile: filepath.Join(e.dir, "assess-sandbox.json")})
	if err != nil {
		e.t.Fatal(err)
	}
	return service
}

// change changes the state of the service outside Terraform.
func (e example) change(change func(*sandbox.State)) {
	e.t.Helper()
	if err := e.openService().Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		e.t.Fatal(err)
	}
}

// attached returns "POSITION/POSITION_ASSESSMENT" for each position assessment.
func (e example) attached() []string {
	e.t.Helper()
	var ids []string
	err := e.openService().View(func(st *sandbox.State) { ids = attachedIn(st) })
	if err != nil {
		e.t.Fatal(err)
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
	e.t.Helper()
	n := 0
	for address := range strings.Lines(e.human("state", "list").ok().output) {
		if !strings.Contains(address, "data.") && strings.Contains(address, "assess_position_assessment.") {
			n++
		}
	}
	return n
}

// script runs a script of the example. tofu on its PATH is the CLI of this test.
func (e example) script(name string, args ...string) *run {
	e.t.Helper()
	bin := e.t.TempDir()
	if err := os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(bin, "tofu")); err != nil {
		e.t.Fatal(err)
	}
	cmd := exec.CommandContext(e.t.Context(), "bash", append([]string{name}, args...)...)
	cmd.Dir, cmd.Env = e.dir, append(slices.Clone(e.env), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		e.t.Fatal(err)
	}
	return &run{t: e.t, code: cmd.ProcessState.ExitCode(), output: string(out)}
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
			e.env = append(e.env, "TF_DISABLE_PLUGIN_TLS=") // encrypts the connection to the provider, as for users
			e.human("fmt", "-check", "-recursive").ok()
			e.human("init", "-input=false").ok()
			e.human("validate").ok()
			e.apply().ok()
			before := attachedIn(sandbox.Demo())
			if n := len(e.attached()) - len(before); n != e.managed() || adds != (n > 0) {
				t.Errorf("the service has %d more assessments, the state has %d", n, e.managed())
			}
			e.plan().empty()
			if name == "report" {
				t.Run("write.sh", func(t *testing.T) {
					needs(t, "bash", "jq")
					r := e.script("write.sh", "out").ok()
					if _, err := os.Stat(filepath.Join(e.dir, "out", sandbox.DemoResultsPosition+".html")); err != nil {
						t.Errorf("the script wrote no report: %v\n%s", err, r.output)
					}
				})
			}
			if tests, _ := filepath.Glob(filepath.Join(e.dir, "tests", "*.tftest.hcl")); len(tests) > 0 {
				e.human("test", "-no-color").ok()
			}
			e.destroy().ok()
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
	written := filepath.Join(e.dir, "resources.tf")
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	e.human("fmt", "-check", "-recursive").ok()
	e.human("init", "-input=false").ok()
	imports := []string{}
	for _, name := range adopted {
		imports = append(imports, "import assess_position_assessment."+name)
	}
	e.plan().plans(imports...)

	// The example starts without resources. The CLI generates them.
	if err := os.Remove(written); err != nil {
		t.Fatal(err)
	}
	e.plan("-generate-config-out=generated.tf").plans(imports...)
	e.apply().ok()
	if n := e.managed(); n != len(adopted) {
		t.Errorf("the state has %d position assessments, want %d", n, len(adopted))
	}
	e.plan().empty()

	// The resources of the example are equivalent to the generated ones.
	if err := os.Remove(filepath.Join(e.dir, "generated.tf")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(written, text, 0o600); err != nil {
		t.Fatal(err)
	}
	e.plan().empty()

	e.destroy().fails("Removal that the service would refuse", "63 candidates have been invited", "state rm")
	e.configure(func(write func(name, text string)) {
		write("main.tf",
			"terraform {\n  required_providers {\n    assess = { source = \"assessascode/assess\" }\n  }\n}\n\n"+
				"provider \"assess\" {\n  sandbox {}\n}\n")
		for _, name := range adopted {
			write(name+".tf",
				fmt.Sprintf("removed {\n  from = assess_position_assessment.%s\n"+
					"  lifecycle {\n    destroy = false\n  }\n}\n", name))
		}
	})
	e.apply().ok()
	if n := e.managed(); n != 0 {
		t.Errorf("%d position assessments are still in the state", n)
	}
	if left := e.attached(); !slices.Equal(left, attachedIn(sandbox.Demo())) {
		t.Errorf("unexpected position assessments in the service: %v", left)
	}
}
