// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

var update = flag.Bool("update", false, "write the recordings of the CLI that TF_ACC_TERRAFORM_PATH names")

const (
	recordTo  = "CORETEST_RECORD"  // path of the recording; when set, this process is the probe
	objectsIn = "CORETEST_OBJECTS" // directory of the probe's objects
)

// TestMain runs the probe when a CLI starts this program as its provider.
func TestMain(m *testing.M) {
	if file := os.Getenv(recordTo); file != "" {
		server := &probe{dir: os.Getenv(objectsIn), process: fmt.Sprint(os.Getpid()), write: appendTo(file)}
		serve := func() tfprotov6.ProviderServer { return server }
		if err := tf6server.Serve("registry.terraform.io/probe/probe", serve); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// golden returns the path of a scenario's recording for a CLI.
func golden(cli, scenario string) string {
	return filepath.Join("testdata", cli, scenario+".txt")
}

// TestCalibration checks that the simulated core makes the calls that were recorded
// from the real CLIs.
func TestCalibration(t *testing.T) {
	t.Parallel()
	profiles := map[string]coretest.Profile{"terraform": coretest.Terraform117, "opentofu": coretest.OpenTofu}
	for cli, profile := range profiles {
		for scenario, steps := range calibrations {
			if strings.HasPrefix(scenario, "minimal") && !profile.MinimalRefresh {
				continue
			}
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("%s/%s/%d", cli, scenario, seed), func(t *testing.T) {
					t.Parallel()
					want, err := os.ReadFile(golden(cli, scenario))
					if err != nil {
						t.Fatal(err)
					}
					synctest.Test(t, func(t *testing.T) { compare(t, simulated(t, profile, steps, seed), string(want)) })
				})
			}
		}
	}
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	missing, extra := difference(want, got), difference(got, want)
	t.Errorf("calls differ from the recording.\nMissing:\n%s\nUnexpected:\n%s\nAll calls:\n%s", missing, extra, got)
}

func difference(a, b string) string {
	in := map[string]bool{}
	for line := range strings.Lines(b) {
		in[line] = true
	}
	var found strings.Builder
	for line := range strings.Lines(a) {
		if !in[line] {
			found.WriteString(line)
		}
	}
	return found.String()
}

// simulated runs a scenario on the simulated core and returns its calls.
func simulated(t *testing.T, profile coretest.Profile, steps []step, seed uint64) string {
	t.Helper()
	dir := t.TempDir()
	var (
		mu        sync.Mutex
		lines     strings.Builder
		processes atomic.Int64
	)
	core := coretest.New(profile, func(string) (tfprotov6.ProviderServer, error) {
		return &probe{dir: dir, process: fmt.Sprint(processes.Add(1)), write: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			lines.WriteString(line)
		}}, nil
	})
	for i, s := range steps {
		if s.before != nil {
			s.before(dir)
		}
		s.options.Seed = seed
		var result coretest.Result
		switch s.command {
		case "apply":
			result = core.Apply(t.Context(), s.config, s.options)
		case "destroy":
			result = core.Destroy(t.Context(), s.config, s.options)
		case "saved":
			if result = core.Plan(t.Context(), s.config, s.options); result.Err() == nil {
				result = core.ApplyPlan(t.Context(), result.Plan, s.options)
			}
		case "taint":
			core.Taint(s.address)
		}
		if failed := result.Err() != nil; failed != s.fails {
			t.Fatalf("step %d: %v", i, result.Err())
		}
	}
	return normal(lines.String())
}

// TestRecordings records the real CLI and compares the recordings with testdata.
// -update writes them.
func TestRecordings(t *testing.T) {
	t.Parallel()
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if os.Getenv("TF_ACC") == "" || cli == "" {
		t.Skip("records a real CLI: set TF_ACC and TF_ACC_TERRAFORM_PATH")
	}
	asking := exec.CommandContext(t.Context(), cli, "version")
	asking.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	version, err := asking.Output()
	if err != nil {
		t.Fatal(err)
	}
	name := "terraform"
	if bytes.HasPrefix(version, []byte("OpenTofu")) {
		name = "opentofu"
	}
	minimal := bytes.HasPrefix(version, []byte("Terraform v1.17"))
	for scenario, steps := range calibrations {
		if strings.HasPrefix(scenario, "minimal") && !minimal {
			continue
		}
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			got := recorded(t, cli, steps)
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden(name, scenario)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden(name, scenario), []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden(name, scenario))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, string(want))
		})
	}
}

// recorded runs a scenario on a real CLI and returns its calls.
func recorded(t *testing.T, cli string, steps []step) string {
	t.Helper()
	dir, objects, bin, record := t.TempDir(), t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "calls")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "terraform-provider-probe")); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const rc = "provider_installation {\n  dev_overrides {\n    \"probe/probe\" = %q\n  }\n  direct {}\n}\n"
	write("cli.tfrc", fmt.Sprintf(rc, bin))
	run := func(fails bool, arguments ...string) {
		cmd := exec.CommandContext(t.Context(), cli, append(arguments, "-no-color")...) //nolint:gosec // the CLI under test
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"), recordTo+"="+record,
			objectsIn+"="+objects, "CHECKPOINT_DISABLE=1", "TF_INPUT=0",
			"TF_DISABLE_PLUGIN_TLS=1") // half of the CPU time
		if out, err := cmd.CombinedOutput(); (err != nil) != fails {
			t.Fatalf("%v: %v\n%s\n%s", arguments, err, out, hclOf(dir))
		}
	}
	for _, s := range steps {
		if s.before != nil {
			s.before(objects)
		}
		if s.command != "taint" {
			write("main.tf", hcl(s.config))
		}
		switch s.command {
		case "taint":
			run(false, "taint", s.address)
		case "saved":
			run(false, append([]string{"plan", "-out=saved"}, flags(s.options)...)...)
			run(s.fails, "apply", "saved")
		default:
			run(s.fails, append([]string{s.command, "-auto-approve"}, flags(s.options)...)...)
		}
	}
	lines, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	return normal(string(lines))
}

func hclOf(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, "main.tf")) // used only in a failure message
	return string(text)
}

func flags(o coretest.Options) (all []string) {
	switch o.Refresh {
	case coretest.NoRefresh:
		all = append(all, "-refresh=false")
	case coretest.MinimalRefresh:
		all = append(all, "-minimal-refresh")
	case coretest.FullRefresh:
	}
	for _, addr := range o.Replace {
		all = append(all, "-replace="+addr)
	}
	for _, addr := range o.Targets {
		all = append(all, "-target="+addr)
	}
	return all
}
