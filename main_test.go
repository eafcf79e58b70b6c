// SPDX-License-Identifier: MPL-2.0

package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	program := clitest.ProviderBinary(t)
	for name, test := range map[string]func(t *testing.T, program string){
		"version": printsVersion, "help": explainsItself, "check": checksServices, "reports": writesReports,
		"plans": explainsPlans, "logs": logsOnlyOnRequest,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, program)
		})
	}
}

// ends checks how a program ends, and returns what it printed.
func ends(t *testing.T, program *exec.Cmd, code int, prints ...string) string {
	t.Helper()
	out, err := program.CombinedOutput()
	if got := program.ProcessState.ExitCode(); got != code {
		t.Errorf("%q: %v, exit code %d, want %d; printed\n%s", program.Args[1:], err, got, code, out)
	}
	for _, text := range prints {
		if !strings.Contains(string(out), text) {
			t.Errorf("%q: %q is not in:\n%s", program.Args[1:], text, out)
		}
	}
	return string(out)
}

func printsVersion(t *testing.T, program string) {
	for _, flag := range []string{"-version", "--version"} {
		out, err := exec.CommandContext(t.Context(), program, flag).CombinedOutput()
		if err != nil || string(out) != "terraform-provider-assess "+clitest.Version+"\n" {
			t.Errorf("%s: %v, printed %q", flag, err, out)
		}
	}
}

// The help of a command is not about the others, and "-help" is not the name of a folder.
func explainsItself(t *testing.T, program string) {
	dir := t.TempDir()
	for _, row := range []struct {
		flags    string
		code     int
		says     []string
		saysNone string
	}{
		{"-help", 0, []string{"-report FOLDER\n", "  -position TITLE|ID\n", "-sandbox ADDRESS\n", "-debug\n"}, "`"},
		{"-report -help", 0, []string{program + " -report FOLDER\n", "  -wide\n"}, "-comment"},
		{"-report report -help", 0, []string{"-report FOLDER\n"}, "-comment"},
		{"--check -h", 0, []string{"-check\n", "  -json\n"}, "-report"},
		{"-reprot out", 2, []string{"flag provided but not defined: -reprot", "-help prints all flags"}, "-wide"},
	} {
		run := exec.CommandContext(t.Context(), program, strings.Fields(row.flags)...)
		run.Dir = dir
		if out := ends(t, run, row.code, row.says...); strings.Contains(out, row.saysNone) {
			t.Errorf("%s printed\n%s", row.flags, out)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the program wrote %v, %v", left, err)
	}
}

// The exit code of a check is its verdict, and wrong flags are not a verdict about a
// service.
func checksServices(t *testing.T, program string) {
	server := sandboxtest.New(t, func(o *sandboxtest.Options) { o.MaxPage = 0 })
	cache := t.TempDir() // all checks share the rate limits
	for _, row := range []struct {
		flags, address string
		code           int
		prints         string
	}{
		{"-check", server.URL, 0, "\nWorks. The service meets all 20 assumptions"},
		{"-check -json", server.URL, 0, `"verdict": "works",`},
		{"-check", server.URL + "/other", 2, "Does not work. " + server.URL + "/other answered GET /assessments with 404"},
		{"-check -openapi", "", 0, string(api.OpenAPI)},
		{"-json", "", 2, "-json requires -check"},
		{"-check -adopt x", "", 2, "-check and -adopt cannot be used together"},
		{"-check -sandbox-state x", server.URL, 2, "-sandbox-state requires -sandbox or -adopt or -report"},
		{"-check bar", server.URL, 2, `"bar" is not a flag: -help prints all flags`},
		{"-adopt x bar", server.URL, 2, `"bar" is not a flag`},
		{"check", "", 2, `"check" is not a flag: -help prints all flags`},
	} {
		check := exec.CommandContext(t.Context(), program, strings.Fields(row.flags)...)
		check.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "ASSESS_BASE_URL="+row.address,
			"ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
		ends(t, check, row.code, row.prints)
	}
}

// The exit code of a report says how complete it is. Standard output and standard error name no person.
func writesReports(t *testing.T, program string) {
	dir := t.TempDir()
	for _, row := range []struct {
		flags  []string
		code   int
		prints string
	}{
		{[]string{"-report", "out"}, 0, "Positions with a page: 1. Candidates: 66."},
		{[]string{"-report", "out"}, 2, "the folder is not empty"},
		{[]string{"-report", "out", "-overwrite", "-wide", "-excel", "-anonymous", "-finished-only"}, 0, "Candidates: 66."},
		{
			[]string{"-report", "out", "-overwrite", "-position", "Graduate Programme 2026", "-position", "x", "-title", "Week 48"},
			1, `No position has the title or ID "x".`,
		},
		{[]string{"-report", "new", "-position", "x"}, 2, "Nothing was written."},
		{[]string{"-report", "out", "-overwrite", "-except", "Graduate Programme 2026"}, 0, "Positions with a page: 0."},
		{[]string{"-report", "new", "-except", ""}, 2, "name a title or an ID"},
		{[]string{"-report", "new", "-language", "it"}, 2, "-language must be one of"},
		{[]string{"-report", "new", "Backend"}, 2, `"Backend" is not a flag`},
		{[]string{"-wide"}, 2, "-wide requires -report"},
		{[]string{"-report", "-overwrite"}, 2, `-report requires FOLDER, but "-overwrite" follows it`},
		{[]string{"-report", "new", "-sandbox-state", "-wide"}, 2, `-sandbox-state requires FILE, but "-wide" follows it`},
		{[]string{"-report", "new", "-except", "-wide"}, 2, `-except requires TITLE|ID, but "-wide" follows it`},
		{[]string{"-report", "new", "-position", "x", "-title=-wide"}, 2, "Nothing was written."},
		{[]string{"-report", "new", "-position", "x", "-title", "-json"}, 2, "Nothing was written."},
		{[]string{"-report", "-wide", "new"}, 2, `-report requires FOLDER, but "-wide" follows it`},
		{[]string{"-report", "new", "-check"}, 2, "-report and -check cannot be used together"},
	} {
		if row.flags[0] == "-report" {
			row.flags = append([]string{"-sandbox-state", "assess-sandbox.json"}, row.flags...)
		}
		run := exec.CommandContext(t.Context(), program, row.flags...)
		run.Dir, run.Env = dir, append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "ASSESS_UNTHROTTLED=1")
		if out := ends(t, run, row.code, row.prints); strings.Contains(out, "Jürgen") {
			t.Errorf("%q printed the name of a candidate:\n%s", row.flags, out)
		}
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(names) != 3 {
		t.Errorf("the directory has %v, %v", names, err)
	}
}

// The comment of a plan keeps what the plan does, and a comparison with another plan fails.
func explainsPlans(t *testing.T, program string) {
	dir := t.TempDir()
	const empty = `{"format_version":"1.2"}`
	const creates = `{"format_version":"1.2","resource_changes":[{"address":"x.y","change":{"actions":["create"]}}]}`
	const same = `{"position_id":"p","assessment_id":"a"}`
	const twice = `{"format_version":"1.2","resource_changes":[{"address":"x.kept","type":"assess_position_assessment","change":` +
		`{"actions":["no-op"],"before":` + same + `,"after":` + same + `}},{"address":"x.new","type":` +
		`"assess_position_assessment","change":{"actions":["create"],"after":` + same + `}}]}`
	for name, text := range map[string]string{"plan.json": empty, "other.json": creates, "twice/plan.json": twice} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		flags  string
		code   int
		prints string
	}{
		{"-comment plan -dir .", 0, "<!-- assess: plan -->\n### Plan: no changes\n"},
		{"-comment plan -dir twice", 3, "### The apply would fail: 1 assessment that it would refuse\n"},
		{"-compare reviewed.json plan.json", 0, "Both plans change the same things to the same values.\n"},
		{"-compare reviewed.json other.json", 1, "The plans differ in 1 change:\n  x.y: create was not reviewed\n"},
		{"-compare other.json missing.json", 1, "missing.json"},
		{"-compare plan.json", 1, "-compare requires two files: -compare REVIEWED.json NEW.json\n"},
		{"-comment other", 2, "it must be plan, apply or drift"},
		{"-comment plan -dir nosuch", 2, "nosuch"},
		{"-comment plan -dir plan.json", 2, "-dir plan.json: it is not a folder"},
		{"-comment plan out", 2, `"out" is not a flag`},
		{"-dir .", 2, "-dir requires -comment"},
		{"-debug -compare a b", 2, "not defined: -debug"},
	} {
		run := exec.CommandContext(t.Context(), program, strings.Fields(row.flags)...)
		run.Dir = dir
		ends(t, run, row.code, row.prints)
	}
}

// Without TF_LOG, the CLI discards the logs of a provider, so the provider logs
// nothing.
func logsOnlyOnRequest(t *testing.T, program string) {
	for variable, logs := range map[string]bool{
		"TF_LOG=":                false,
		"TF_LOG=TRACE":           true,
		"TF_LOG_PROVIDER=INFO":   true,
		"TF_LOG_SDK_PROTO=DEBUG": true,
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			logged := logOfOneCall(t, program, variable)
			if strings.Contains(logged, `"tf_rpc":"GetProviderSchema"`) != logs {
				t.Errorf("the provider logged %.200q", logged)
			}
		})
	}
}

// logOfOneCall starts the provider like a CLI, requests its schema, and returns what
// the provider wrote to its standard error.
func logOfOneCall(t *testing.T, program, variable string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TF_LOG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, variable, "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	var logged bytes.Buffer
	cmd.Stderr = &logged
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hello, err := bufio.NewReader(out).ReadString('\n') // 1|6|unix|/path|grpc|
	words := strings.Split(hello, "|")
	if err != nil || len(words) < 4 {
		t.Fatalf("the provider printed %q, %v", hello, err)
	}
	call(ctx, t, words[2], words[3])
	cancel() // kills the provider
	_ = cmd.Wait()
	return logged.String()
}

// call requests the schema from the provider that listens on an address.
func call(ctx context.Context, t *testing.T, network, address string) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///provider",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}))
	if err != nil {
		t.Fatal(err)
	}
	var schema emptypb.Empty // this message does not know the fields of the schema, and keeps them
	err = errors.Join(conn.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema", &emptypb.Empty{}, &schema), conn.Close())
	if size := len(schema.ProtoReflect().GetUnknown()); err != nil || size == 0 {
		t.Fatalf("the schema has %d bytes, %v", size, err)
	}
}
