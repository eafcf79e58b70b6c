// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"regexp"
	"strconv"
)

// Never is a version for [CLI.Needs]: the product does not have it.
const Never = 1000

var product = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v1\.(\d+)`)

// Needs skips a test unless the CLI is Terraform or OpenTofu with at least this minor version of 1.
func (c *CLI) Needs(terraform, openTofu int) {
	c.T.Helper()
	out, err := c.Command("version").Output() // only the output for people names the product
	match := product.FindStringSubmatch(string(out))
	if err != nil || match == nil {
		c.T.Fatalf("running the CLI's version command: %v: %s", err, out)
	}
	minor, _ := strconv.Atoi(match[2]) // the pattern matches digits
	if minor < map[string]int{"Terraform": terraform, "OpenTofu": openTofu}[match[1]] {
		c.T.Skipf("%s 1.%d does not have what this test is about", match[1], minor)
	}
}
