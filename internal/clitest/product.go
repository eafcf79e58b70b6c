// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"regexp"
	"strconv"
)

var product = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\d+)\.(\d+)`)

// NeedsTerraform skips a test unless the CLI is Terraform 1.minor or later. OpenTofu
// has other features in the same versions. Only the output of "version" names the
// product.
func (c *CLI) NeedsTerraform(minor int) {
	c.T.Helper()
	match := c.Product()
	first, _ := strconv.Atoi(match[2])
	second, _ := strconv.Atoi(match[3])
	if match[1] != "Terraform" || first == 1 && second < minor {
		c.T.Skipf("%s does not have the features of Terraform 1.%d", match[0], minor)
	}
}

// NeedsIdentity skips a test unless the CLI imports by identity, as Terraform 1.12 and OpenTofu 1.12 do.
func (c *CLI) NeedsIdentity() {
	c.T.Helper()
	match := c.Product()
	if minor, _ := strconv.Atoi(match[3]); match[2] == "1" && minor < 12 {
		c.T.Skipf("%s does not import by identity", match[0])
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
