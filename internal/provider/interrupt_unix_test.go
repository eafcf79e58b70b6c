// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// crash matches what a CLI says about a provider that has crashed or ended too early.
const crash = "(?i)panic|crash|did not respond|plugin encountered|unexpected EOF"

// Ctrl-C reaches the CLI and the provider, as in a terminal. The provider ends the wait for the rate limits and reports
// the interrupt, and stays until the CLI has stored what the service has created.
func TestInterruptOfAnApply(t *testing.T) {
	t.Parallel()
	const resources = 40 // creating them would take 40 s
	service, c := large(t, resources)
	c.Env = append(c.Env, "ASSESS_UNTHROTTLED=0")
	c.UseFrom("TestInterrupt", "budget")
	service.Inject(sandboxtest.Fault{ // a CLI kills a provider that does not end within two seconds
		Method: http.MethodPost, When: sandboxtest.AfterEffect, Delay: 7 * time.Second, Times: -1,
	})
	cmd := c.Command("apply", "-input=false", "-auto-approve", "-no-color")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a process group of its own
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	signal := func(s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
	t.Cleanup(func() { _ = signal(syscall.SIGKILL) }) // if it is still running
	clitest.WaitFor(t, "3 creations", func() bool { return service.Count(http.MethodPost, "") >= 3 })
	if err := signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()                                       // the exit status is checked
	said := strings.ReplaceAll(output.String(), "│", "") // without the frame around diagnostics
	if status := cmd.ProcessState.ExitCode(); status != 1 || clitest.MatchesAll(said, []string{crash}) ||
		!clitest.MatchesAll(said, []string{`The run was interrupted\. To fix this: run the command again\.`}) {
		t.Errorf("the run ended with status %d:\n%s", status, said)
	}
	has, kept := len(sandboxtest.AttachedIDs(service.State(t))), len(c.Managed())
	if posts := service.Count(http.MethodPost, ""); has != kept || has != posts || has == resources {
		t.Errorf("the service has %d position assessments after %d requests, the state has %d", has, posts, kept)
	}
}
