// SPDX-License-Identifier: MPL-2.0

// Package clitest runs the real CLI with the real provider, in tests.
package clitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// CLI is a working directory in which the CLI runs the provider as a separate process.
type CLI struct {
	T   *testing.T
	Dir string
	Env []string
}

// New makes a working directory whose environment configures the provider for a service.
func New(t *testing.T, service *sandboxtest.Server) *CLI {
	t.Helper()
	return NewBare(t,
		"ASSESS_BASE_URL="+service.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
}

// NewBare makes a working directory with these environment variables. Without TF_ACC, the test is
// skipped. make test-all sets it.
func NewBare(t *testing.T, env ...string) *CLI {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set: make test-all runs the tests with a CLI")
	}
	c := &CLI{T: t, Dir: t.TempDir()}
	cache := t.TempDir()
	rc := filepath.Join(cache, "cli.tfrc")
	overrides := fmt.Sprintf(`provider_installation {
  dev_overrides {
    "registry.terraform.io/hashicorp/assess" = %[1]q
    "registry.opentofu.org/hashicorp/assess" = %[1]q
  }
  direct {}
}
`, filepath.Dir(ProviderBinary(t)))
	if err := os.WriteFile(rc, []byte(overrides), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TF_") && !strings.HasPrefix(v, "ASSESS_") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "TF_CLI_CONFIG_FILE="+rc, "XDG_CACHE_HOME="+cache, "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1")
	// Making certificates for the connection to the provider takes half of the CPU time of a small run.
	c.Env = append(c.Env, "TF_DISABLE_PLUGIN_TLS=1")
	proxy := trapProxy(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		c.Env = append(c.Env, name+"="+proxy)
	}
	c.Env = append(c.Env, "NO_PROXY=", "no_proxy=")
	c.Env = append(c.Env, env...)
	return c
}

// UseFrom replaces the configuration by testdata/<test>/<step>/main.tf.
func (c *CLI) UseFrom(test, step string) {
	c.T.Helper()
	c.UseText(ReadFile(c.T, "testdata", test, step, "main.tf"))
}

// UseText replaces the configuration by a text.
func (c *CLI) UseText(text string) {
	c.T.Helper()
	c.Add("main.tf", text)
}

// Add adds a file to the configuration, and its folder.
func (c *CLI) Add(name, text string) {
	c.T.Helper()
	path := filepath.Join(c.Dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		c.T.Fatal(err)
	}
}

// Remove removes files, which must exist.
func (c *CLI) Remove(names ...string) {
	c.T.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(c.Dir, name)); err != nil {
			c.T.Fatal(err)
		}
	}
}

// Edit replaces texts in a file.
func (c *CLI) Edit(name string, edits ...[2]string) {
	c.T.Helper()
	text := ReadFile(c.T, c.Dir, name)
	for _, edit := range edits {
		if !strings.Contains(text, edit[0]) {
			c.T.Fatalf("%s does not contain %q", name, edit[0])
		}
		text = strings.Replace(text, edit[0], edit[1], 1)
	}
	c.Add(name, text)
}

// ReadFile returns the text of a file.
func ReadFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// With returns the same working directory, with more environment variables.
func (c *CLI) With(env ...string) *CLI {
	return &CLI{T: c.T, Dir: c.Dir, Env: slices.Concat(c.Env, env)}
}

// Do runs the CLI with JSON output.
func (c *CLI) Do(command string, args ...string) *Run {
	c.T.Helper()
	r := c.Human(append([]string{command, "-json"}, args...)...)
	for line := range strings.Lines(r.Output) {
		var event struct {
			Type       string     `json:"type"`
			Diagnostic Diagnostic `json:"diagnostic"`
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
			r.Changes = append(r.Changes, event.Change.Action+" "+event.Change.Resource.Addr)
		case event.Type == "diagnostic" && event.Diagnostic.Severity == "error":
			r.Errors = append(r.Errors, event.Diagnostic)
		case event.Type == "diagnostic" && !strings.HasPrefix(event.Diagnostic.Summary, "Provider development overrides"):
			r.Warnings = append(r.Warnings, event.Diagnostic)
		}
	}
	return r
}

// Human runs the CLI with human-readable output.
func (c *CLI) Human(args ...string) *Run {
	c.T.Helper()
	cmd := c.Command(args...)
	out, err := cmd.CombinedOutput()
	r := &Run{T: c.T, Output: string(out)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.Code = exit.ExitCode()
	} else if err != nil {
		c.T.Fatalf("running the CLI: %v", err)
	}
	return r
}

func (c *CLI) Command(args ...string) *exec.Cmd {
	binary := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if binary == "" {
		c.T.Fatal("TF_ACC is set, and TF_ACC_TERRAFORM_PATH does not name a CLI")
	}
	cmd := exec.CommandContext(c.T.Context(), binary, args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	return cmd
}

func (c *CLI) Plan(args ...string) *Run {
	c.T.Helper()
	return c.Do("plan", append([]string{"-input=false"}, args...)...)
}

func (c *CLI) Apply(args ...string) *Run {
	c.T.Helper()
	return c.Do("apply", append([]string{"-input=false", "-auto-approve"}, args...)...)
}

func (c *CLI) Destroy(args ...string) *Run {
	c.T.Helper()
	return c.Do("destroy", append([]string{"-input=false", "-auto-approve"}, args...)...)
}

// Managed returns the attributes of the provider's resources in the state file, by their addresses.
func (c *CLI) Managed() map[string]map[string]any {
	c.T.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, "terraform.tfstate"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var state struct {
		Resources []struct {
			Module, Mode, Type, Name string
			Instances                []struct {
				Key        any `json:"index_key"`
				Attributes map[string]any
			}
		}
	}
	if err := errors.Join(err, json.Unmarshal(text, &state)); err != nil {
		c.T.Fatal(err)
	}
	managed := map[string]map[string]any{}
	for _, r := range state.Resources {
		for _, i := range r.Instances {
			address := strings.TrimPrefix(r.Module+"."+r.Type+"."+r.Name, ".")
			if i.Key != nil {
				key, _ := json.Marshal(i.Key) // as in HCL
				address += "[" + string(key) + "]"
			}
			if r.Mode == "managed" && strings.HasPrefix(r.Type, "assess_") {
				managed[address] = i.Attributes
			}
		}
	}
	return managed
}
