// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// proof is the header that a gateway adds, so that the journal shows what came around it.
const proof = "X-Gateway-Proof"

// attached is the number of position assessments in testdata/main.tf.
const attached = 6

// innerLinks is the difference that -check finds if the service writes links to an address that only
// the gateway reaches.
const innerLinks = "A1"

// existing returns the IDs of all position assessments of the service.
func (g *gateway) existing() []string { return sandboxtest.AttachedIDs(g.service.State(g.T)) }

// known returns the IDs of the position assessments in the state of the CLI.
func (g *gateway) known() (ids []string) {
	g.T.Helper()
	for _, attributes := range g.Managed() {
		if attributes["position_id"] != nil {
			ids = append(ids, fmt.Sprint(attributes["id"]))
		}
	}
	return ids
}

// step does something, and checks what must hold after it, whatever it has said: nothing that the
// state knew and that exists was dropped, nothing is attached twice, nothing of others is removed,
// and each request came through the gateway.
func (g *gateway) step(name string, do func() *clitest.Run) *clitest.Run {
	g.T.Helper()
	knew := g.known()
	run := do()
	after, exist := g.known(), g.existing()
	for _, id := range knew {
		if slices.Contains(exist, id) && !slices.Contains(after, id) {
			g.T.Errorf("%s dropped %s from the state, although it exists:\n%s", name, id, run.Text())
		}
	}
	for _, id := range g.before {
		if !slices.Contains(exist, id) {
			g.T.Errorf("%s removed %s, which is not its own:\n%s", name, id, run.Text())
		}
	}
	contents := map[string]int{}
	for _, p := range g.service.State(g.T).Positions {
		for _, a := range p.Assessments {
			contents[fmt.Sprint(p.ID, a.Assessment, a.Metadata.Benchmark, a.Metadata.Packages, a.Metadata.Tests)]++
		}
	}
	for content, n := range contents {
		if n > 1 {
			g.T.Errorf("%s attached %d times: %s\n%s", name, n, content, run.Text())
		}
	}
	for _, entry := range g.service.Journal() {
		if entry.Header.Get(proof) == "" {
			g.T.Errorf("%s: %s %s came around the gateway", name, entry.Method, entry.Path)
		}
	}
	return run
}

// applied checks that everything is attached once and known.
func (g *gateway) applied() {
	g.T.Helper()
	exist := g.existing()
	if known := g.known(); len(known) != attached || len(exist) != len(g.before)+attached {
		g.T.Fatalf("%d of %d are in the state: %v, and these exist: %v", len(known), attached, known, exist)
	}
}

// destroyed checks that nothing is left.
func (g *gateway) destroyed() {
	g.T.Helper()
	if known, exist := g.known(), g.existing(); len(known) > 0 || !slices.Equal(exist, g.before) {
		g.T.Fatalf("left in the state: %v, and these exist: %v", known, exist)
	}
}

func (g *gateway) apply() *clitest.Run {
	return g.step("apply", func() *clitest.Run { return g.Apply() })
}

func (g *gateway) plan() *clitest.Run { return g.step("plan", func() *clitest.Run { return g.Plan() }) }

func (g *gateway) destroy() *clitest.Run {
	return g.step("destroy", func() *clitest.Run { return g.Destroy() })
}

// whole is a life without faults: everything works, and "assess check" finds only these differences.
func (g *gateway) whole(differences ...string) {
	g.T.Helper()
	g.begin()
	code, text := g.check()
	var found []string
	for _, line := range regexp.MustCompile(`(?m)^(A\d+) +(differs|not offered)`).FindAllStringSubmatch(text, -1) {
		found = append(found, line[1])
	}
	if code > 1 || !slices.Equal(found, differences) {
		g.T.Errorf("assess check ended with %d and found %v, want %v:\n%s", code, found, differences, text)
	}
	g.destroy().OK()
	g.destroyed()
}

// begin applies, and plans again.
func (g *gateway) begin() {
	g.T.Helper()
	g.apply().OK()
	g.applied()
	g.plan().Empty()
	clitest.Contains(g.T, "output", g.Human("output", "-json").Output, `"value": 8`, `"value": 66`)
}

// check runs the provider with "assess check", and returns its exit code and what it prints.
func (g *gateway) check() (code int, text string) {
	g.T.Helper()
	cmd := exec.CommandContext(g.T.Context(), clitest.CompanionBinary(g.T), "check")
	cmd.Env, cmd.Dir = g.Env, g.Dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		g.T.Fatal(err)
	}
	return 0, string(out)
}

// slowly makes the service work this long on the next creation before it has its effect, and calls
// what must happen meanwhile.
func (g *gateway) slowly(took time.Duration, meanwhile func()) (ended <-chan struct{}) {
	done := make(chan struct{})
	began := g.service.Count(http.MethodPost, "")
	g.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.BeforeEffect, Delay: took})
	go func() {
		defer close(done)
		clitest.WaitFor(g.T, "a creation", func() bool {
			return g.service.Count(http.MethodPost, "") > began || g.T.Context().Err() != nil
		})
		meanwhile()
	}()
	return done
}
