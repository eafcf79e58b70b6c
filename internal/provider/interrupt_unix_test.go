// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"bytes"
	"fmt"
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

// running is a run of the CLI that is under way, in a process group of its own:
// a signal reaches the CLI and the provider, as Ctrl-C in a terminal does.
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

// add writes one more file of the configuration.
func (c *cli) add(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// addresses are those of the resources in the state.
func (c *cli) addresses() []string {
	c.t.Helper()
	r := c.human("state", "list")
	return regexp.MustCompile(`(?m)^assess_\S+`).FindAllString(r.output, -1) // none where there is no state yet
}

// kill sends a signal once so many requests with a method have arrived.
func (r *running) kill(service *sandboxtest.Server, signal syscall.Signal, method string, arrived int) {
	r.t.Helper()
	for began := time.Now(); service.Count(method, "") < arrived; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL)
			r.t.Fatalf("%d requests %s have not arrived:\n%s", arrived, method, r.output.String())
		}
	}
	if err := syscall.Kill(-r.cmd.Process.Pid, signal); err != nil {
		r.t.Fatal(err)
	}
}

// ended waits for the end and returns how long that took.
func (r *running) ended() time.Duration {
	began := time.Now()
	_ = r.cmd.Wait() // an interrupted run ends with a code of its own
	return time.Since(began)
}

// Whatever a run waits for, an interrupt ends the wait.
func TestInterruptEndsWaits(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ fault sandboxtest.Fault }{
		"the pause before another attempt": {fault: sandboxtest.Fault{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"60"}}, Times: -1}},
		"the gate after a 429":             {fault: sandboxtest.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"60"}}, Times: -1}},
		"an answer":                        {fault: sandboxtest.Fault{Delay: 25 * time.Second, Times: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
			c := newCLI(t, service)
			c.useFrom("TestInterrupt", "one")
			row.fault.Method = http.MethodGet
			service.Inject(row.fault)
			r := c.start("plan", "-input=false", "-no-color")
			r.kill(service, syscall.SIGINT, http.MethodGet, 1)
			took := r.ended()
			t.Logf("the run ended %s after the interrupt", took.Round(time.Millisecond))
			if took > 3*time.Second { // the waits are all longer than 20
				t.Errorf("the run ended %s after the interrupt:\n%s", took, r.output.String())
			}
		})
	}
}

// An interrupt during the wait for our own budget ends it too, and so does one
// during the pause before a lost addition is looked for again.
func TestInterruptEndsWaitsOfAnApply(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step    string
		arrived int // POST requests before the interrupt
		fault   sandboxtest.Fault
		says    string
	}{
		"our own budget":               {"budget", 3, sandboxtest.Fault{}, "The run was interrupted. Run it again"},
		"the settling of a lost write": {"settling", 1, sandboxtest.Fault{Status: http.StatusGatewayTimeout}, "Unknown whether the assessment was attached.*the run was interrupted"},
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
			r.kill(service, syscall.SIGINT, http.MethodPost, row.arrived)
			took := r.ended()
			t.Logf("the run ended %s after the interrupt", took.Round(time.Millisecond))
			if took > 3*time.Second {
				t.Errorf("the run ended %s after the interrupt:\n%s", took, r.output.String())
			}
			if said := strings.ReplaceAll(r.output.String(), "│", ""); !matchesAll(said, []string{row.says}) {
				t.Errorf("it does not say %q:\n%s", row.says, said)
			}
			kept := len(c.addresses())
			if has := attachedTo(t, service); has != kept {
				t.Errorf("the service has %d, and the state %d", has, kept)
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

// A write that has been sent is finished although the run was interrupted, and
// its result is in the state.
func TestInterruptFinishesWrites(t *testing.T) {
	t.Parallel()
	const position, activation = "assess_position_assessment.a", "assess_skills_test_activation.a"
	for name, row := range map[string]struct {
		before, step, method string
		kept                 func(*cli) bool
	}{
		"creation":   {"", "one", http.MethodPost, func(c *cli) bool { return c.resource(position)["id"] == "pas-0001" }},
		"update":     {"one", "other", http.MethodPut, func(c *cli) bool { return strings.Contains(fmt.Sprint(c.resource(position)["benchmark"]), "managers") }},
		"removal":    {"one", "none", http.MethodDelete, func(c *cli) bool { return c.resource(position) == nil }},
		"activation": {"", "activation", http.MethodPut, func(c *cli) bool { return c.resource(activation)["active"] == true }},
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
			r.kill(service, syscall.SIGINT, row.method, 1)
			if took := r.ended(); took < time.Second || took > 10*time.Second {
				t.Errorf("the run ended %s after the interrupt, and the answer took 2s:\n%s", took, r.output.String())
			}
			if !row.kept(c) {
				t.Errorf("its result is not in the state:\n%s", r.output.String())
			}
			service.AssertCount(t, row.method, "", 1)
			c.plan().empty()
		})
	}
}

// A run that is killed in the middle of 60 creations leaves some behind that are
// in no state. The next plan names every one, with its import block; with these
// filled in everything is in the state, and nothing was added twice.
func TestKilledRunIsRecovered(t *testing.T) {
	t.Parallel()
	const resources, killedAfter = 60, 25
	service, c := large(t, resources)
	c.useFrom("TestEconomy", "one_each")
	service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Delay: 30 * time.Millisecond, Times: -1})
	r := c.start("apply", "-input=false", "-auto-approve", "-no-color")
	r.kill(service, syscall.SIGKILL, http.MethodPost, killedAfter)
	r.ended()
	for last := -1; last != service.Count("", ""); time.Sleep(300 * time.Millisecond) {
		last = service.Count("", "") // what was on its way arrives
	}
	service.ClearFaults()

	leftBehind := map[string]string{} // by address of the resource: the import id
	inState, st := c.addresses(), service.State(t)
	for n := range resources {
		position, address := fmt.Sprintf("pos-%04d", n), fmt.Sprintf("assess_position_assessment.all[%d]", n)
		if has := st.Position(position).Assessments; len(has) > 0 && !slices.Contains(inState, address) {
			leftBehind[address] = position + "/" + has[0].ID
		}
	}
	t.Logf("killed after %d of %d creations: %d are in no state", service.Count(http.MethodPost, ""), resources, len(leftBehind))
	if len(leftBehind) == 0 || len(leftBehind) == resources {
		t.Fatal("that is not the middle")
	}

	importID := regexp.MustCompile(`(?s)import \{\s+to = <address>\s+id = "([^"]+)"\s+\}`)
	var blocks strings.Builder
	plan := c.plan().fails(there)
	for _, d := range plan.errors {
		id := importID.FindStringSubmatch(d.Detail)
		if id == nil || leftBehind[d.Address] != id[1] {
			t.Errorf("%s is to be imported with %q, want %q:\n%s", d.Address, id, leftBehind[d.Address], d)
			continue
		}
		delete(leftBehind, d.Address)
		fmt.Fprintf(&blocks, "import {\n  to = %s\n  id = %q\n}\n", d.Address, id[1])
	}
	if len(leftBehind) > 0 {
		t.Fatalf("the plan does not name %v", leftBehind)
	}

	c.add("imports.tf", blocks.String())
	c.apply().ok()
	service.AssertCount(t, http.MethodPost, "", resources)
	for _, p := range service.State(t).Positions {
		if len(p.Assessments) != 1 {
			t.Errorf("the position %s has %d assessments", p.ID, len(p.Assessments))
		}
	}
	c.plan().empty()
}
