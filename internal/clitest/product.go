// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"math"
	"regexp"
	"strconv"
)

var product = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\d+)\.(\d+)`)

// none is for a product that never has a feature.
const none = math.MaxInt

// NeedsTerraform skips a test unless the CLI is Terraform 1.minor or later. OpenTofu
// has other features in the same versions. Only the output of "version" names the
// product.
func (c *CLI) NeedsTerraform(minor int) {
	c.T.Helper()
	c.needs(minor, none)
}

// NeedsOpenTofu skips a test unless the CLI is OpenTofu 1.minor or later.
func (c *CLI) NeedsOpenTofu(minor int) {
	c.T.Helper()
	c.needs(none, minor)
}

// NeedsIdentity skips a test unless the CLI imports by identity.
func (c *CLI) NeedsIdentity() {
	c.T.Helper()
	c.needs(12, 12)
}

// NeedsEphemeral skips a test unless the CLI has ephemeral resources, also in tofu test.
func (c *CLI) NeedsEphemeral() {
	c.T.Helper()
	c.needs(10, 12)
}

// needs skips a test unless the CLI is one of these minor versions of 1, or later.
func (c *CLI) needs(terraform, openTofu int) {
	c.T.Helper()
	match := c.Product()
	needed := map[string]int{"Terraform": terraform, "OpenTofu": openTofu}[match[1]]
	major, _ := strconv.Atoi(match[2])
	minor, _ := strconv.Atoi(match[3])
	if needed == none || major == 1 && minor < needed {
		c.T.Skipf("%s does not have what this test is about", match[0])
	}
}

// Product returns the name and the version of the CLI.
func (c *CLI) Product() []string {
	c.T.Helper()
	out, err := c.Command("version").Output()
	match := product.FindStringSubmatch(string(out))
	if err != nil || match == nil {
		c.T.Fatalf("running the CLI's version command: %v: %s", err, out)
	}
	return match
}
