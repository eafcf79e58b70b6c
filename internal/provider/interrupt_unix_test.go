// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// running is a running CLI command in its own process group. A signal reaches the CLI
// and the provider, like Ctrl-C in a terminal.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	output bytes.Buffer
}

func (c *cli) start(args ...string) *running {
	c.t.Helper()
	r := &running{t: c.t, cmd: c.command(args...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := r.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// signal sends a signal as soon as this many requests with a method have arrived.
func (r *running) signal(service *sandboxtest.Server, signal syscall.Signal, method string, arrived int) {
	r.t.Helper()
	r.t.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }) // if it is still running
	waitFor(r.t, fmt.Sprintf("%d requests %s", arrived, method), func() bool {
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

// kill kills the run as soon as this many requests with a method have arrived, but not
// while the CLI writes its state file. The CLI overwrites the file in place, so an
// interrupted write would lose the state, whatever the provider does. Before the first
// write, the file is empty.
func (r *running) kill(service *sandboxtest.Server, method string, arrived int) {
	r.t.Helper()
	r.signal(service, syscall.SIGSTOP, method, arrived)
	waitFor(r.t, "a state file that is complete", func() bool {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(r.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
			r.t.Fatalf("the run did not stop: %v, %v", status, err)
		}
		text, err := os.ReadFile(filepath.Join(r.cmd.Dir, "terraform.tfstate"))
		if errors.Is(err, fs.ErrNotExist) || len(text) == 0 || json.Valid(text) {
			return true
		}
		r.send(syscall.SIGCONT)
		time.Sleep(time.Millisecond)
		r.send(syscall.SIGSTOP)
		return false
	})
	r.send(syscall.SIGKILL)
}

// ended waits for the end. It returns how long that took and the exit status, which is
// -1 after a signal.
func (r *running) ended() (took time.Duration, status int) {
	r.t.Helper()
	began := time.Now()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return time.Since(began), r.cmd.ProcessState.ExitCode()
}

// plainOutput returns the output without the frame around diagnostics.
func (r *running) plainOutput() string { return strings.ReplaceAll(r.output.String(), "│", "") }

// interrupted waits for the end of a run whose wait was interrupted. The CLI must end
// with status 1, because the provider reports the interrupt. If the provider crashes,
// the CLI ends as fast, but without that report.
func (r *running) interrupted(says string) {
	r.t.Helper()
	const atMost = 3 * time.Second // all waits are longer than 20 seconds
	took, status := r.ended()
	r.t.Logf("the run ended %s after the interrupt", took.Round(time.Millisecond))
	if took > atMost || status != 1 {
		r.t.Errorf("the run ended %s after the interrupt with status %d, want 1:\n%s", took, status, r.plainOutput())
	}
	if !matchesAll(r.plainOutput(), []string{says}) {
		r.t.Errorf("the output does not match %q:\n%s", says, r.plainOutput())
	}
	if matchesAll(r.plainOutput(), []string{"(?i)panic|crash|did not respond|plugin encountered|unexpected EOF"}) {
		r.t.Errorf("the provider crashed:\n%s", r.plainOutput())
	}
}

const interruptReported = `The run was interrupted\. To fix this: run the command again\.`

// An interrupt also ends the wait for a slot, and the pause before recovery reads the
// position again.
func TestInterruptEndsWaitsOfAnApply(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step    string
		arrived int // POST requests before the interrupt
		fault   sandboxtest.Fault
		says    string
	}{
		"rate limit of the provider": {step: "budget", arrived: 3, says: interruptReported},
		"recovery of a lost response": {
			step: "settling", arrived: 1, fault: sandboxtest.Fault{Status: http.StatusGatewayTimeout},
			says: "Unknown whether the assessment was attached.*The run was interrupted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const positions = 40
			service, c := large(t, positions)
			c.env = append(c.env, "ASSESS_UNTHROTTLED=0")
			c.useFrom("TestInterrupt", row.step)
			row.fault.Method = http.MethodPost
			service.Inject(row.fault)
			r := c.start("apply", "-input=false", "-auto-approve", "-no-color")
			r.signal(service, syscall.SIGINT, http.MethodPost, row.arrived)
			r.interrupted(row.says)
			kept := len(c.addresses())
			if has := attachedTo(t, service); has != kept {
				t.Errorf("the service has %d position assessments, the state has %d", has, kept)
			}
		})
	}
}

func attachedTo(t *testing.T, service *sandboxtest.Server) int {
	t.Helper()
	n := 0
	for _, p := range service.State(t).Positions {
		n += len(p.Assessments)
	}
	return n
}

// A write that was sent is finished after an interrupt, and its result is in the state.
func TestInterruptFinishesWrites(t *testing.T) {
	t.Parallel()
	const position, activation = "assess_position_assessment.a", "assess_skills_test_activation.a"
	for name, row := range map[string]struct {
		before, step, method string
		kept                 func(*cli) bool
	}{
		"creation": {"", "one", http.MethodPost, func(c *cli) bool { return c.resource(position)["id"] == "pas-0001" }},
		"update": {"one", "other", http.MethodPut, func(c *cli) bool {
			return strings.Contains(fmt.Sprint(c.resource(position)["benchmark"]), "managers")
		}},
		"removal": {"one", "none", http.MethodDelete, func(c *cli) bool { return c.resource(position) == nil }},
		"activation": {"", "activation", http.MethodPut, func(c *cli) bool {
			return c.resource(activation)["active"] == true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
			c := newCLI(t, service)
			if row.before != "" {
				c.useFrom("TestInterrupt", row.before)
				c.apply().ok()
				service.ResetJournal()
			}
			c.useFrom("TestInterrupt", row.step)
			service.Inject(sandboxtest.Fault{Method: row.method, When: sandboxtest.AfterEffect, Delay: 2 * time.Second})
			r := c.start("apply", "-input=false", "-auto-approve", "-no-color")
			r.signal(service, syscall.SIGINT, row.method, 1)
			if took, status := r.ended(); took < time.Second || took > 10*time.Second || status < 0 {
				t.Errorf(
					"the run ended %s after the interrupt with status %d, but the response took 2s:\n%s",
					took,
					status,
					r.plainOutput(),
				)
			}
			if !row.kept(c) {
				t.Errorf("the result of the write is not in the state:\n%s", r.output.String())
			}
			service.AssertCount(t, row.method, "", 1)
			c.plan().empty()
		})
	}
}

// A run that is killed in the middle of 60 creations leaves position assessments that
// are not in the state. The next plan names each of them with its import block. After
// these imports, everything is in the state, and nothing was attached twice.
func TestKilledRunIsRecovered(t *testing.T) {
	t.Parallel()
	const resources, killedAfter = 60, 25
	service, c := large(t, resources)
	c.useFrom("TestRequestCount", "one_each")
	service.Inject(sandboxtest.Fault{
		Method: http.MethodPost, When: sandboxtest.AfterEffect, Delay: 30 * time.Millisecond, Times: -1,
	})
	r := c.start("apply", "-input=false", "-auto-approve", "-no-color")
	r.kill(service, http.MethodPost, killedAfter)
	if _, status := r.ended(); status != -1 {
		t.Fatalf("the run ended with %d before it was killed:\n%s", status, r.plainOutput())
	}
	waitForQuiet(t, service)
	service.ClearFaults()

	missing := c.notInState(service, resources)
	t.Logf("killed after %d of %d creations: %d are not in the state",
		service.Count(http.MethodPost, ""), resources, len(missing))
	if len(missing) == 0 || len(missing) == resources {
		t.Fatal("the run was killed too early or too late")
	}
	c.add("imports.tf", c.plan().fails("Duplicate assessment", "with the same configuration").imports(missing))
	c.apply().ok()
	service.AssertCount(t, http.MethodPost, "", resources)
	for _, p := range service.State(t).Positions {
		if len(p.Assessments) != 1 {
			t.Errorf("position %s has %d assessments", p.ID, len(p.Assessments))
		}
	}
	c.plan().empty()
}

// waitForQuiet waits until all requests in progress have arrived.
func waitForQuiet(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	last, since := -1, time.Now()
	waitFor(t, "the last request", func() bool {
		if n := service.Count("", ""); n != last {
			last, since = n, time.Now()
		}
		return time.Since(since) > 300*time.Millisecond
	})
}

// notInState returns the position assessments that are not in the state: import ID by
// address.
func (c *cli) notInState(service *sandboxtest.Server, resources int) map[string]string {
	c.t.Helper()
	left := map[string]string{}
	inState, st := c.addresses(), service.State(c.t)
	for n := range resources {
		position, address := fmt.Sprintf("pos-%04d", n), fmt.Sprintf("assess_position_assessment.all[%d]", n)
		if has := st.Position(position).Assessments; len(has) > 0 && !slices.Contains(inState, address) {
			left[address] = position + "/" + has[0].ID
		}
	}
	return left
}

// imports fills in the import blocks from the errors of a plan. They must be exactly
// the wanted ones, by address.
func (r *run) imports(want map[string]string) string {
	r.t.Helper()
	importID := regexp.MustCompile(`(?s)import \{\s+to = <address>\s+id = "([^"]+)"\s+\}`)
	var blocks strings.Builder
	named, addresses := map[string]bool{}, map[string]string{}
	for address, id := range want {
		addresses[id] = address
	}
	for _, d := range r.errors {
		id := importID.FindStringSubmatch(d.Detail)
		if id == nil || addresses[id[1]] == "" ||
			addresses[id[1]] != d.Address && !strings.Contains(d.Detail, "about another resource of this plan") {
			r.t.Errorf("%s has the import ID %q, want %q:\n%s", d.Address, id, want[d.Address], d)
			continue
		}
		named[addresses[id[1]]] = true
		fmt.Fprintf(&blocks, "import {\n  to = %s\n  id = %q\n}\n", addresses[id[1]], id[1])
	}
	if len(named) != len(want) {
		r.t.Fatalf("the plan names %v, want %v", named, want)
	}
	return blocks.String()
}
