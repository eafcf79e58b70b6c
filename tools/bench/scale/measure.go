// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// runs are measured in this order.
var runs = []struct {
	name string
	args []string
}{
	{"first plan", []string{"plan", "-out=saved"}},
	{"its apply", []string{"apply", "saved"}},
	{"plan without changes", []string{"plan"}},
	{"destroy", []string{"destroy", "-auto-approve"}},
}

// cost is the cost of a run.
type cost struct {
	requests  int
	wall, cpu time.Duration // cpu is the provider's
	peak      int64         // memory of the provider, in bytes
}

func (c cost) print(resources int, run, provider string, growth float64) {
	fmt.Printf("| %d | %s | %s | %d | %.1f s | %.1f s | %.1f ms | %.1f | %d MB | %d kB |\n", resources, run, provider,
		c.requests, c.wall.Seconds(), c.cpu.Seconds(), 1000*c.cpu.Seconds()/float64(resources), growth,
		c.peak>>20, c.peak>>10/int64(resources))
}

// measure measures each of the runs, and reports its cost.
func (s subject) measure(ctx context.Context, cli string, resources int, report func(run string, c cost)) error {
	dir, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := s.prepare(dir, self, resources); err != nil {
		return err
	}
	env := append(os.Environ(),
		"TF_CLI_CONFIG_FILE="+filepath.Join(dir, "cli.tfrc"), "XDG_CACHE_HOME="+dir,
		realProvider+"="+s.binary, usageFile+"="+filepath.Join(dir, "usage"))
	requests := func() (int, error) { return 0, nil }
	if s.positions != nil {
		service, err := startService(ctx, self, s.positions(resources))
		if err != nil {
			return err
		}
		defer service.stop()
		requests = func() (int, error) { return service.requests(ctx) }
		env = append(env, "ASSESS_UNTHROTTLED=1", "ASSESS_BASE_URL="+service.address+"/v1",
			"ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
	}
	for _, run := range runs {
		cmd := exec.CommandContext(ctx, cli, append([]string{run.args[0], "-input=false", "-no-color"}, run.args[1:]...)...)
		cmd.Dir, cmd.Env = dir, env
		c, err := measureRun(cmd, requests)
		if err != nil {
			return fmt.Errorf("%s: %w", run.name, err)
		}
		report(run.name, c)
	}
	return nil
}

// prepare writes the configuration, and a configuration of the CLI, which then starts this
// command as the provider.
func (s subject) prepare(dir, self string, resources int) error {
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(s.configuration(resources)), 0o600); err != nil {
		return err
	}
	if err := os.Symlink(self, filepath.Join(dir, "terraform-provider-"+s.name)); err != nil {
		return err
	}
	overrides := fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/hashicorp/%[1]s" = %[2]q
    "registry.opentofu.org/hashicorp/%[1]s" = %[2]q
  }
  direct {}
}
`, s.name, dir)
	return os.WriteFile(filepath.Join(dir, "cli.tfrc"), []byte(overrides), 0o600)
}

// measureRun runs the CLI.
func measureRun(cmd *exec.Cmd, requests func() (int, error)) (c cost, err error) {
	before, err := requests()
	if err != nil {
		return c, err
	}
	usage := filepath.Join(cmd.Dir, "usage")
	if err := os.RemoveAll(usage); err != nil {
		return c, err
	}
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return c, fmt.Errorf("%w\n%.2000s", err, out)
	}
	c.wall = time.Since(begin)
	if c.cpu, c.peak, err = readUsage(usage); err != nil {
		return c, err
	}
	after, err := requests()
	c.requests = after - before
	return c, err
}
