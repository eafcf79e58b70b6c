// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// attached is the number of position assessments in testdata/main.tf.
const attached = 6

// existing returns the IDs of all position assessments of the service.
func (g *gateway) existing() []string { return sandboxtest.AttachedIDs(g.service.State(g.T)) }

// known returns how many position assessments are in the state of the CLI.
func (g *gateway) known() (n int) {
	g.T.Helper()
	for _, attributes := range g.Managed() {
		if attributes["position_id"] != nil {
			n++
		}
	}
	return n
}

// life is a life without faults: everything works, and "assess check" finds only that the service writes links to an
// address that only the gateway reaches.
func (g *gateway) life() {
	g.T.Helper()
	g.Apply().OK()
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

// planAndDestroy checks that everything is attached once and known, removes it, and checks that nothing else was removed
// and that each request came through the gateway, which adds a header.
func (g *gateway) planAndDestroy() {
	g.T.Helper()
	if known, exist := g.known(), g.existing(); known != attached || len(exist) != len(g.before)+attached {
		g.T.Fatalf("%d are in the state, and these exist: %v", known, exist)
	}
	g.Plan().Empty()
	g.Destroy().OK()
	if known, exist := g.known(), g.existing(); known > 0 || !slices.Equal(exist, g.before) {
		g.T.Fatalf("%d are left in the state, and these exist: %v", known, exist)
	}
	for _, entry := range g.service.Journal() {
		if entry.Header.Get("X-Gateway-Proof") == "" {
			g.T.Errorf("%s %s came around the gateway", entry.Method, entry.Path)
		}
	}
}
