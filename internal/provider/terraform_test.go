// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"regexp"
	"strconv"
)

var product = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\d+)\.(\d+)`)

// needsTerraform skips a test unless the CLI is Terraform 1.minor or later. OpenTofu
// has other features in the same versions. Only the output of "version" names the
// product.
func (c *cli) needsTerraform(minor int) {
	c.t.Helper()
	match := c.product()
	first, _ := strconv.Atoi(match[2])
	second, _ := strconv.Atoi(match[3])
	if match[1] != "Terraform" || first == 1 && second < minor {
		c.t.Skipf("%s does not have the features of Terraform 1.%d", match[0], minor)
	}
}

// needsTerraformOrTofu skips a test if the CLI is Terraform before 1.minor. Each OpenTofu that the provider
// supports has the feature.
func (c *cli) needsTerraformOrTofu(minor int) {
	c.t.Helper()
	if c.product()[1] == "Terraform" {
		c.needsTerraform(minor)
	}
}

// product returns the name and the version of the CLI.
func (c *cli) product() []string {
	c.t.Helper()
	out, err := c.command("version").Output()
	match := product.FindStringSubmatch(string(out))
	if err != nil || match == nil {
		c.t.Fatalf("running the CLI's version command: %v: %s", err, out)
	}
	return match
}
