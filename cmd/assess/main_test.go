// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// runs runs the companion with environment variables, and checks the exit code and a part of the output.
func runs(t *testing.T, environment map[string]string, args []string, code int, prints string) string {
	t.Helper()
	var out bytes.Buffer
	f := &cmdutil.Factory{
		Version: clitest.Version, Out: &out, ErrOut: &out, Getenv: func(name string) string { return environment[name] },
	}
	got := run(t.Context(), f, args)
	if got != code || !strings.Contains(out.String(), prints) {
		t.Errorf("%q: exit code %d, want %d and %q; printed\n%s", args, got, code, prints, &out)
	}
	return out.String()
}

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"version", "--version"} {
		if out := runs(t, nil, []string{arg}, 0, ""); out != "assess "+clitest.Version+"\n" {
			t.Errorf("%s printed %q", arg, out)
		}
	}
}

// A program that is built like a release links to the pages of its version.
func TestLinkOfRelease(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), clitest.CompanionBinary(t), "--help").Output()
	const page = "https://registry.terraform.io/providers/assessascode/assess/1.2.3/docs/guides/getting-started\n"
	if err != nil || !strings.Contains(string(out), page) {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each command explains itself on one screen, with an example.
func TestHelp(t *testing.T) {
	t.Parallel()
	for _, c := range newCmdRoot(cmdutil.NewFactory("test")).Commands() {
		out := runs(t, nil, []string{c.Name(), "--help"}, 0, "\n  assess "+c.Name())
		if lines := strings.Count(out, "\n"); lines > 40 || c.Example == "" || c.Long == "" && c.Name() != "version" {
			t.Errorf("the help of %q has %d lines:\n%s", c.Name(), lines, out)
		}
	}
}

// A shell completes commands, and the values of arguments and flags.
func TestCompletion(t *testing.T) {
	t.Parallel()
	runs(t, nil, []string{"completion", "bash"}, 0, "assess")
	for _, row := range [][]string{
		{"export\t", "ex"}, {"drift\n", "comment", ""}, {"de\n", "report", "out", "--language", ""}, {"csv\n", "export", "--format", ""},
	} {
		runs(t, nil, append([]string{"__complete"}, row[1:]...), 0, row[0])
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ args, prints string }{
		{"reprot out", `unknown command "reprot" for "assess"`},
		{"report", "DIR is missing: assess report DIR"},
		{"report out more", `"more" is one argument too many: assess report DIR`},
		{"report out --reprot", "unknown flag: --reprot"},
		{"report out --position a --except b", "[position except]"},
		{"report out --except=", "require a title or an ID"},
		{"report out --language xx", "--language must be one of de, "},
		{"check bar", `"bar" is one argument too many`},
		{"check --json --openapi", "[json openapi]"},
		{"check --verbose --openapi", "[openapi verbose]"},
		{"export existing.tf", `"format" not set`},
		{"export existing.tf --format toml", "--format must be"},
		{"comment other", "it must be plan, apply or drift"},
		{"compare plan.json", "NEW.json is missing: assess compare REVIEWED.json NEW.json"},
		{"sandbox --limits=perhaps", "invalid argument"},
		{"version bar", "too many"},
	} {
		runs(t, nil, strings.Fields(row.args), 2, row.prints)
	}
}

// Output that cannot be written is not a wrong use.
func TestOutputFails(t *testing.T) {
	t.Parallel()
	out, err := os.Open(os.DevNull) // only for reading
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	for args, want := range map[string]int{"version": 1, "check --openapi": 2} {
		var printed bytes.Buffer
		code := run(t.Context(), &cmdutil.Factory{Out: out, ErrOut: &printed}, strings.Fields(args))
		if code != want || printed.Len() == 0 || strings.Contains(printed.String(), "--help") {
			t.Errorf("%q: exit code %d, printed %s", args, code, &printed)
		}
	}
}

// serviceEnvironment returns the variables that select a service.
func serviceEnvironment(address string) map[string]string {
	return map[string]string{
		"ASSESS_BASE_URL": address, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
}

// The exit code of a check is its verdict.
func TestCheck(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, func(o *sandboxtest.Options) { o.MaxPage, o.NoLimits = 0, true })
	limited := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.MaxPage, o.NoLimits, o.Assumptions = 0, true, sandboxtest.Differing("A8 404")
	})
	for _, row := range []struct {
		args, address string
		code          int
		prints        string
	}{
		{"check", server.URL, 0, "Works. The service meets all 20 assumptions"},
		{"check --json", server.URL, 0, `"verdict": "works",`},
		{"check --json --verbose", server.URL, 0, `"verdict": "works",`},
		{"check", limited.URL, 1, "Works with limits. Of the 20 assumptions"},
		{"check", server.URL + "/other", 2, "Does not work. " + server.URL + "/other answered GET /assessments with 404"},
		{"check", "", 2, "ASSESS_BASE_URL"},
		{"check --openapi", "", 0, string(api.OpenAPI)},
		{"check --sandbox " + filepath.Join(t.TempDir(), "demo.json"), "", 0, "Works."},
	} {
		runs(t, serviceEnvironment(row.address), strings.Fields(row.args), row.code, row.prints)
	}
}

// The exit code of a report says how complete it is. Standard output and standard error name no person. The limits are
// off, because the sandbox accepts 30 requests for results in a minute.
func TestReport(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	dir := t.TempDir()
	for _, row := range []struct {
		args   string
		code   int
		prints string
	}{
		{"DIR/out", 0, "Positions with a page: 1. Candidates: 66."},
		{"DIR/out", 2, "the folder is not empty"},
		{"DIR/out --overwrite --wide --excel --anonymous --finished-only", 0, "Candidates: 66."},
		{"DIR/out --overwrite --position pos-graduates-2026 --position x --title Week", 1, `No position has the title or ID "x".`},
		{"DIR/new --position x", 2, "Nothing was written."},
		{"DIR/out --overwrite --except pos-graduates-2026", 0, "Positions with a page: 0."},
	} {
		args := strings.Fields("report " + strings.ReplaceAll(row.args, "DIR", dir))
		if out := runs(t, serviceEnvironment(server.URL), args, row.code, row.prints); strings.Contains(out, "Jürgen") {
			t.Errorf("%q printed the name of a candidate:\n%s", row.args, out)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 1 {
		t.Errorf("the directory has %v, %v", names, err)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, state := filepath.Join(dir, "existing.tf"), filepath.Join(dir, "assess-sandbox.json")
	args := []string{"export", "--format", "hcl", file, "--sandbox", state}
	runs(t, map[string]string{"ASSESS_UNTHROTTLED": "1"}, args, 0, "Next, plan and apply.")
	runs(t, nil, args, 1, "already exists")
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), `resource "assess_position_assessment" "graduate_programme_2026_`) {
		t.Errorf("%v: %s", err, text)
	}
}

// A sandbox is served until the run ends.
func TestSandbox(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	f := &cmdutil.Factory{Out: &out, ErrOut: &out, Getenv: func(string) string { return "" }}
	if code := run(ctx, f, []string{"sandbox", "--listen", "127.0.0.1:0", "--limits=false"}); code != 0 {
		t.Errorf("exit code %d: %s", code, &out)
	}
	if !strings.Contains(out.String(), "Limits: off") || !strings.Contains(out.String(), "export ASSESS_API_KEY=") {
		t.Errorf("printed %s", &out)
	}
	runs(t, nil, []string{"sandbox", "--listen", "192.0.2.1:8377"}, 1, "other machines can reach")
}

// The comment of a plan keeps what the plan does, and a comparison with another plan fails.
func TestCommentAndCompare(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const empty = `{"format_version":"1.2","planned_values":{}}`
	const creates = `{"format_version":"1.2","planned_values":{},"resource_changes":[{"address":"x.y","change":{"actions":["create"]}}]}`
	const same = `{"position_id":"p","assessment_id":"a"}`
	const twice = `{"format_version":"1.2","planned_values":{},"resource_changes":[{"address":"x.kept","type":"assess_position_assessment","change":` +
		`{"actions":["no-op"],"before":` + same + `,"after":` + same + `}},{"address":"x.new","type":` +
		`"assess_position_assessment","change":{"actions":["create"],"after":` + same + `}}]}`
	for name, text := range map[string]string{"plan.json": empty, "other.json": creates, "twice/plan.json": twice} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		args   string
		code   int
		prints string
	}{
		{"comment plan --dir DIR", 0, "<!-- assess: plan -->\n### Plan: no changes\n"},
		{"comment plan --dir DIR/twice", 3, "### The plan must be corrected: 1 assessment to correct\n"},
		{"compare DIR/reviewed.json DIR/plan.json", 0, "The plan makes only changes that were reviewed.\n"},
		{"compare DIR/reviewed.json DIR/other.json", 1, "The plan differs from the reviewed one in 1 change:\n  x.y: create was not reviewed\n"},
		{"compare DIR/other.json DIR/missing.json", 1, "missing.json"},
		{"comment plan --dir DIR/nosuch", 2, "nosuch"},
		{"comment plan --dir DIR/plan.json", 2, "--dir: "},
		{"comment plan --dir DIR --limit 5", 2, "--limit 5: it must be at least"},
	} {
		runs(t, nil, strings.Fields(strings.ReplaceAll(row.args, "DIR", dir)), row.code, row.prints)
	}
}
