// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// proof is the header that a gateway adds, so that the journal shows what came around it.
const proof = "X-Gateway-Proof"

// attached is the number of position assessments in testdata/main.tf.
const attached = 6

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

// do runs the CLI, and checks what must hold after it, whatever it has said: nothing that the state knew and that
// exists was dropped, nothing is attached twice, nothing of others is removed, and each request came through the
// gateway.
func (g *gateway) do(command func(...string) *clitest.Run) *clitest.Run {
	g.T.Helper()
	knew := g.known()
	run := command()
	after, exist := g.known(), g.existing()
	for _, id := range knew {
		if slices.Contains(exist, id) && !slices.Contains(after, id) {
			g.T.Errorf("%s is no longer in the state, although it exists:\n%s", id, run.Text())
		}
	}
	for _, id := range g.before {
		if !slices.Contains(exist, id) {
			g.T.Errorf("%s was removed, although it is not ours:\n%s", id, run.Text())
		}
	}
	keys := map[string]bool{}
	for _, p := range g.service.State(g.T).Positions {
		for _, a := range p.Assessments {
			key := p.ID + " " + a.Assessment
			if keys[key] {
				g.T.Errorf("%s is attached twice:\n%s", key, run.Text())
			}
			keys[key] = true
		}
	}
	for _, entry := range g.service.Journal() {
		if entry.Header.Get(proof) == "" {
			g.T.Errorf("%s %s came around the gateway", entry.Method, entry.Path)
		}
	}
	return run
}

// life is a life without faults: everything works, and "assess check" finds only that the service writes links to an
// address that only the gateway reaches.
func (g *gateway) life() {
	g.T.Helper()
	g.do(g.Apply).OK()
	clitest.Contains(g.T, "output", g.Human("output", "-json").Output, `"value": 8`, `"value": 66`)
	cmd := exec.CommandContext(g.T.Context(), clitest.CompanionBinary(g.T), "check")
	cmd.Env, cmd.Dir = g.Env, g.Dir
	out, _ := cmd.CombinedOutput() // the exit code is 1
	found := regexp.MustCompile(`(?m)^A\d+ +(differs|not offered)`).FindAllString(string(out), -1)
	if code := cmd.ProcessState.ExitCode(); code != 1 || len(found) != 1 || !strings.HasPrefix(found[0], "A1 ") {
		g.T.Errorf("assess check ended with %d and found %q:\n%s", code, found, out)
	}
	g.planAndDestroy()
}

// planAndDestroy checks that everything is attached once and known, and removes it.
func (g *gateway) planAndDestroy() {
	g.T.Helper()
	if known, exist := g.known(), g.existing(); len(known) != attached || len(exist) != len(g.before)+attached {
		g.T.Fatalf("%d of %d are in the state: %v, and these exist: %v", len(known), attached, known, exist)
	}
	g.do(g.Plan).Empty()
	g.do(g.Destroy).OK()
	if known, exist := g.known(), g.existing(); len(known) > 0 || !slices.Equal(exist, g.before) {
		g.T.Fatalf("left in the state: %v, and these exist: %v", known, exist)
	}
}
