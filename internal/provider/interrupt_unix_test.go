// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// crash matches what a CLI says about a provider that has crashed or ended too early.
const crash = "(?i)panic|crash|did not respond|plugin encountered|unexpected EOF"

// running is a running CLI command in its own process group. A signal reaches the CLI
// and the provider, like Ctrl-C in a terminal.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	output bytes.Buffer
}

func begin(c *clitest.CLI, args ...string) *running {
	c.T.Helper()
	r := &running{t: c.T, cmd: c.Command(args...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		c.T.Fatal(err)
	}
	return r
}

// signal sends a signal as soon as this many requests with a method have arrived.
func (r *running) signal(service *sandboxtest.Server, signal syscall.Signal, method string, arrived int) {
	r.t.Helper()
	r.t.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }) // if it is still running
	clitest.WaitFor(r.t, fmt.Sprintf("%d requests %s", arrived, method), func() bool {
		return service.Count(method, "") >= arrived
	})
	r.send(signal)
}

func (r *running) send(signal syscall.Signal) {
	r.t.Helper()
	if err := syscall.Kill(-r.cmd.Process.Pid, signal); err != nil {
		r.t.Fatal(err)
	}
}

// ended waits for the end. It returns the exit status, which is -1 after a signal.
func (r *running) ended() (status int) {
	r.t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return r.cmd.ProcessState.ExitCode()
}

// plainOutput returns the output without the frame around diagnostics.
func (r *running) plainOutput() string { return strings.ReplaceAll(r.output.String(), "│", "") }

// An interrupt of the real CLI reaches the provider, which ends the wait for a slot and reports the
// interrupt. If it crashed, the CLI would end as fast. What was attached is in the state.
func TestInterruptEndsAnApply(t *testing.T) {
	t.Parallel()
	service, c := large(t, 40)
	c.Env = append(c.Env, "ASSESS_UNTHROTTLED=0")
	c.UseFrom("TestInterrupt", "budget")
	r := begin(c, "apply", "-input=false", "-auto-approve", "-no-color")
	r.signal(service, syscall.SIGINT, http.MethodPost, 3)
	if status, n := r.ended(), service.Count(http.MethodPost, ""); n >= 40 || status != 1 { // 37 creations would take 37 s
		t.Errorf("the run ended after %d of 40 creations with status %d, want 1:\n%s", n, status, r.plainOutput())
	}
	if !clitest.MatchesAll(r.plainOutput(), []string{`The run was interrupted\. To fix this: run the command again\.`}) ||
		clitest.MatchesAll(r.plainOutput(), []string{crash}) {
		t.Errorf("the provider does not report the interrupt, or has crashed:\n%s", r.plainOutput())
	}
	if has, kept := len(sandboxtest.AttachedIDs(service.State(t))), len(c.Managed()); has != kept {
		t.Errorf("the service has %d position assessments, the state has %d", has, kept)
	}
}

// Ctrl-C reaches the CLI and the provider. The provider stays until the CLI has stored what the service created.
func TestInterruptFinishesWrites(t *testing.T) {
	t.Parallel()
	const resources = 30 // the CLI sends 10 at once
	service, c := large(t, resources)
	c.UseFrom("TestInterrupt", "budget")
	service.Inject(sandboxtest.Fault{
		Method: http.MethodPost, When: sandboxtest.AfterEffect, Delay: 7 * time.Second, Times: -1,
	})
	r := begin(c, "apply", "-input=false", "-auto-approve", "-no-color")
	r.signal(service, syscall.SIGINT, http.MethodPost, 3)
	if status := r.ended(); status != 1 || clitest.MatchesAll(r.plainOutput(), []string{crash}) {
		t.Errorf("the run ended with status %d, want 1 and no crash:\n%s", status, r.plainOutput())
	}
	has, kept := len(sandboxtest.AttachedIDs(service.State(t))), len(c.Managed())
	if posts := service.Count(http.MethodPost, ""); has != kept || has != posts || has == resources {
		t.Errorf("the service has %d position assessments after %d requests, the state has %d", has, posts, kept)
	}
}
