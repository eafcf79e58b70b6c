// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// kinds are attached to each position.
var kinds = []struct{ assessment, benchmark string }{
	{"asm-lumen", "bmk-lumen-engineers-en-gb"},
	{"asm-tideline", "bmk-tideline-customer-service-en-gb"},
	{"asm-lattice", "bmk-lattice-graduates-en-gb"},
	{"asm-tally", "bmk-tally-finance-en-gb"},
	{"asm-margin", "bmk-margin-customer-service-en-gb"},
}

// runs are measured in this order. The first one measures the time from the start to the schema.
var runs = []struct {
	name string
	args []string
}{
	{"schema", []string{"providers", "schema", "-json"}},
	{"first plan", []string{"plan", "-out=saved"}},
	{"its apply", []string{"apply", "saved"}},
	{"plan without changes", []string{"plan"}},
	{"destroy", []string{"destroy", "-auto-approve"}},
}

// measure measures each of the runs, and prints its cost.
func measure(ctx context.Context, provider, cli string, resources int) error {
	dir, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir, resources/len(kinds)); err != nil {
		return err
	}
	service, requests, err := serve(resources / len(kinds))
	if err != nil {
		return err
	}
	defer service.Close()
	usage := filepath.Join(dir, "usage")
	for _, run := range runs {
		if err := os.RemoveAll(usage); err != nil {
			return err
		}
		requests.Store(0)
		cmd := exec.CommandContext(ctx, cli, run.args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TF_INPUT=0",
			"TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"), "XDG_CACHE_HOME="+dir,
			realProvider+"="+provider, usageFile+"="+usage, "ASSESS_UNTHROTTLED=1",
			"ASSESS_BASE_URL="+service.URL+"/v1", "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
		begin := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%.2000s", run.name, err, out)
		}
		wall := time.Since(begin)
		cpu, peak, err := readUsage(usage)
		if err != nil {
			return err
		}
		fmt.Printf("| %d | %s | %d | %.1f s | %.2f s | %.2f ms | %d MB | %.1f kB |\n", resources, run.name,
			requests.Load(), wall.Seconds(), cpu.Seconds(), 1000*cpu.Seconds()/float64(resources),
			peak>>20, float64(peak>>10)/float64(resources))
	}
	return nil
}

// serve starts a sandbox, and counts its requests.
func serve(positions int) (*httptest.Server, *atomic.Int64, error) {
	service, err := sandbox.New(sandbox.Options{NoLimits: true, Seed: func() *sandbox.State {
		state := sandbox.Demo()
		state.Positions = nil
		for n := range positions {
			position := sandbox.Position{ID: fmt.Sprintf("pos-%05d", n), Title: fmt.Sprintf("Position %d", n), Locale: "en-GB"}
			state.Positions = append(state.Positions, position)
		}
		return state
	}})
	if err != nil {
		return nil, nil, err
	}
	var requests atomic.Int64
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		service.ServeHTTP(w, r)
	})), &requests, nil
}

// prepare writes the configuration, and a configuration of the CLI, which then starts this
// command as the provider.
func prepare(dir string, positions int) error {
	var resources strings.Builder
	for _, kind := range kinds {
		// With for_each, CLIs evaluate the whole map for each instance.
		fmt.Fprintf(&resources, `resource "assess_position_assessment" %q {
  count         = %d
  position_id   = format("pos-%%05d", count.index)
  assessment_id = %[1]q
  benchmark { id = %[3]q }
}
`, kind.assessment, positions, kind.benchmark)
	}
	overrides := fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/hashicorp/assess" = %[1]q
    "registry.opentofu.org/hashicorp/assess" = %[1]q
  }
  direct {}
}
`, dir)
	self, err := os.Executable()
	return errors.Join(
		err,
		os.WriteFile(filepath.Join(dir, "main.tf"), []byte(resources.String()), 0o600),
		os.WriteFile(filepath.Join(dir, "cli.tfrc"), []byte(overrides), 0o600),
		os.Symlink(self, filepath.Join(dir, "terraform-provider-assess")),
	)
}
