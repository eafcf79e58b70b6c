// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// cli is a working directory in which the real CLI runs the real provider as a separate
// process. Unlike plugin-testing, it shows warnings and saved plans, and each run is a
// separate process.
type cli struct {
	t   *testing.T
	dir string
	env []string
}

// newCLI makes a working directory whose environment configures the provider for a
// service. Without TF_ACC, the test is skipped, like other acceptance tests. make test
// sets it.
func newCLI(t *testing.T, service *sandboxtest.Server) *cli {
	t.Helper()
	return newBareCLI(t,
		"ASSESS_BASE_URL="+service.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
}

func newBareCLI(t *testing.T, env ...string) *cli {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set: make test runs the acceptance tests")
	}
	c := &cli{t: t, dir: t.TempDir()}
	cache := t.TempDir()
	rc := filepath.Join(cache, "cli.tfrc")
	overrides := fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/hashicorp/assess" = %[1]q
    "registry.opentofu.org/hashicorp/assess" = %[1]q
  }
  direct {}
}
`, filepath.Dir(providerBinary(t)))
	if err := os.WriteFile(rc, []byte(overrides), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TF_") && !strings.HasPrefix(v, "ASSESS_") {
			c.env = append(c.env, v)
		}
	}
	c.env = append(c.env, "TF_CLI_CONFIG_FILE="+rc, "XDG_CACHE_HOME="+cache, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	// Making certificates for the connection to the provider takes half of the CPU time of a small run.
	c.env = append(c.env, "TF_DISABLE_PLUGIN_TLS=1")
	c.env = append(c.env, env...)
	return c
}

// builtIn is the directory of the provider that the tests have built, or empty.
var builtIn string

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(builtIn)
	os.Exit(code)
}

var buildProvider = sync.OnceValues(func() (path string, err error) {
	if builtIn, err = os.MkdirTemp("", "assess-provider-"); err != nil {
		return "", err
	}
	path = filepath.Join(builtIn, "terraform-provider-assess")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path,
		"github.com/assessascode/terraform-provider-assess")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as in a release
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// providerBinary builds the provider once and returns its path.
func providerBinary(t *testing.T) string {
	t.Helper()
	path, err := buildProvider()
	if err != nil {
		t.Fatalf("building the provider: %v", err)
	}
	return path
}

// useFrom replaces the configuration by testdata/<test>/<step>/.
func (c *cli) useFrom(test, step string) {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", test, step, "*.tf"))
	if err != nil || len(files) == 0 {
		c.t.Fatalf("no configuration for the step %q: %v", step, err)
	}
	c.configure(func(write func(name, text string)) {
		for _, file := range files {
			write(filepath.Base(file), readFile(c.t, file))
		}
	})
}

// useText replaces the configuration by a text.
func (c *cli) useText(text string) {
	c.t.Helper()
	c.configure(func(write func(name, text string)) { write("main.tf", text) })
}

// configure replaces the configuration by generated files.
func (c *cli) configure(files func(write func(name, text string))) {
	c.t.Helper()
	old, _ := filepath.Glob(filepath.Join(c.dir, "*.tf"))
	for _, file := range old {
		_ = os.Remove(file)
	}
	files(c.add)
}

// add adds a file to the configuration.
func (c *cli) add(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// addresses returns the addresses of the resources in the state.
func (c *cli) addresses() []string {
	c.t.Helper()
	r := c.human("state", "list")
	return regexp.MustCompile(`(?m)^assess_\S+`).FindAllString(r.output, -1) // empty without a state
}

// with returns the same working directory, with more environment variables.
func (c *cli) with(env ...string) *cli {
	return &cli{t: c.t, dir: c.dir, env: slices.Concat(c.env, env)}
}

// run is the result of one CLI command.
type run struct {
	t        *testing.T
	code     int
	output   string // human-readable or JSON, including errors and warnings
	errors   []diagnostic
	warnings []diagnostic
	changes  []string // planned changes, as "action address"
}

type diagnostic struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
	Snippet  struct {
		Context string `json:"context"`
		Code    string `json:"code"`
	} `json:"snippet"`
}

func (d diagnostic) String() string { return d.Summary + "\n" + d.Detail }

// do runs the CLI with JSON output.
func (c *cli) do(command string, args ...string) *run {
	c.t.Helper()
	r := c.human(append([]string{command, "-json"}, args...)...)
	for line := range strings.Lines(r.output) {
		var event struct {
			Type       string     `json:"type"`
			Diagnostic diagnostic `json:"diagnostic"`
			Change     struct {
				Action   string `json:"action"`
				Resource struct {
					Addr string `json:"addr"`
				} `json:"resource"`
			} `json:"change"`
		}
		if json.Unmarshal([]byte(line), &event) != nil {
			continue
		}
		switch {
		case event.Type == "planned_change":
			r.changes = append(r.changes, event.Change.Action+" "+event.Change.Resource.Addr)
		case event.Type == "diagnostic" && event.Diagnostic.Severity == "error":
			r.errors = append(r.errors, event.Diagnostic)
		case event.Type == "diagnostic" && !strings.HasPrefix(event.Diagnostic.Summary, "Provider development overrides"):
			r.warnings = append(r.warnings, event.Diagnostic)
		}
	}
	return r
}

// human runs the CLI with human-readable output.
func (c *cli) human(args ...string) *run {
	c.t.Helper()
	cmd := c.command(args...)
	out, err := cmd.CombinedOutput()
	r := &run{t: c.t, output: string(out)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		c.t.Fatalf("running the CLI: %v", err)
	}
	return r
}

func (c *cli) command(args ...string) *exec.Cmd {
	binary := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if binary == "" {
		c.t.Fatal("TF_ACC is set, and TF_ACC_TERRAFORM_PATH does not name a CLI")
	}
	cmd := exec.CommandContext(c.t.Context(), binary, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	return cmd
}

func (c *cli) plan(args ...string) *run {
	c.t.Helper()
	return c.do("plan", append([]string{"-input=false"}, args...)...)
}

func (c *cli) apply(args ...string) *run {
	c.t.Helper()
	return c.do("apply", append([]string{"-input=false", "-auto-approve"}, args...)...)
}

func (c *cli) destroy(args ...string) *run {
	c.t.Helper()
	return c.do("destroy", append([]string{"-input=false", "-auto-approve"}, args...)...)
}

// ok fails the test if the command failed.
func (r *run) ok() *run {
	r.t.Helper()
	if r.code != 0 || len(r.errors) > 0 {
		r.t.Fatalf("the CLI ended with %d:\n%s", r.code, r.text())
	}
	return r
}

// fails checks that one error matches all patterns.
func (r *run) fails(patterns ...string) *run {
	r.t.Helper()
	if r.code == 0 {
		r.t.Fatalf("the CLI succeeded:\n%s", r.text())
	}
	r.mustMatch("error", r.errors, patterns)
	for _, d := range r.errors {
		if strings.Contains(d.String(), "destroy -refresh") { // dangerous to copy, so only the guide has it
			r.t.Errorf("an error shows how to destroy everything:\n%s", d)
		}
	}
	return r
}

// warns checks that one warning matches all patterns.
func (r *run) warns(patterns ...string) *run {
	r.t.Helper()
	r.mustMatch("warning", r.warnings, patterns)
	return r
}

func (r *run) mustMatch(kind string, diagnostics []diagnostic, patterns []string) {
	r.t.Helper()
	assertSelective(r.t, patterns)
	for _, d := range diagnostics {
		if matchesAll(d.String(), patterns) {
			return
		}
	}
	r.t.Fatalf("no %s matches all of %q:\n%s", kind, patterns, r.text())
}

// quiet checks that there were no warnings.
func (r *run) quiet() *run {
	r.t.Helper()
	if len(r.warnings) > 0 {
		r.t.Fatalf("unexpected warnings:\n%s", r.text())
	}
	return r
}

// empty checks that the plan has no changes.
func (r *run) empty() *run {
	r.t.Helper()
	r.ok()
	if len(r.changes) > 0 {
		r.t.Fatalf("the plan is not empty: %v\n%s", r.changes, r.text())
	}
	return r
}

// plans checks the planned changes, each as "action address", in any order.
func (r *run) plans(changes ...string) *run {
	r.t.Helper()
	r.ok()
	missing := map[string]int{}
	for _, change := range changes {
		missing[change]++
	}
	for _, change := range r.changes {
		missing[change]--
	}
	for change, n := range missing {
		if n != 0 {
			r.t.Fatalf("planned %v, want %v (%s)", r.changes, changes, change)
		}
	}
	return r
}

// text describes the run for a failure message.
func (r *run) text() string {
	var b bytes.Buffer
	for _, d := range append(r.errors, r.warnings...) {
		fmt.Fprintf(&b, "%s (%s, %s): %s\n%s\n\n", d.Severity, d.Address, d.Snippet.Code, d.Summary, d.Detail)
	}
	if b.Len() == 0 {
		return r.output
	}
	return b.String()
}

// resource returns the attributes of a resource in the state.
func (c *cli) resource(address string) map[string]any {
	c.t.Helper()
	out, err := c.command("show", "-json").Output()
	if err != nil {
		c.t.Fatalf("reading the state: %v", err)
	}
	var state struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string         `json:"address"`
					Values  map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal(out, &state); err != nil {
		c.t.Fatal(err)
	}
	for _, r := range state.Values.Root.Resources {
		if r.Address == address {
			return r.Values
		}
	}
	return nil
}

// noWrites checks that the service received only reads.
func noWrites(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	for _, entry := range service.Writes() {
		t.Errorf("%s %s reached the service: %s", entry.Method, entry.Path, entry.RequestBody)
	}
}

// onBothServices runs a test on a service that returns what is configured, and on a
// service that does not return packages, benchmark and tests (assumption A22).
func onBothServices(t *testing.T, test func(t *testing.T, like func(*sandboxtest.Options))) {
	t.Helper()
	for name, hide := range map[string]bool{"returned": false, "left out": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(o *sandboxtest.Options) { o.Assumptions.MuteReads, o.Assumptions.MuteWrites = hide, hide })
		})
	}
}
