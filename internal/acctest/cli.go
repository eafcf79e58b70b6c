// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// cli returns the first line of "terraform version", such as "OpenTofu v1.12.6".
var cli = sync.OnceValues(func() (string, error) {
	path, err := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	if err != nil {
		return "", fmt.Errorf("there is no CLI for acceptance tests: set TF_ACC_TERRAFORM_PATH, or run make testacc: %w", err)
	}
	out, err := exec.CommandContext(context.Background(), path, "version").Output()
	if err != nil {
		return "", fmt.Errorf("%s version: %w", path, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line, nil
})

// What a test needs from the CLI, by versions that both CLIs have in common. Ephemeral resources came with Terraform
// 1.10 and OpenTofu 1.11.
var (
	Ephemeral = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0)}
	Identity  = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)}
	Terraform = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)}
)

// SkipOpenTofu skips a test of what only Terraform has: list resources and actions. Use it together with [Terraform].
func SkipOpenTofu(t *testing.T) {
	t.Helper()
	PreCheck(t)
	if line, _ := cli(); strings.HasPrefix(line, "OpenTofu") {
		t.Skip(line + " has neither list resources nor actions")
	}
}
