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

// What a test needs from the CLI. Ephemeral resources came with Terraform 1.10 and OpenTofu 1.11.
var (
	Ephemeral = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_11_0), openTofu112{}}
	Identity  = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)}
	Terraform = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)}
	// OpenTofu112 skips a test with OpenTofu before 1.12, and accepts each version of Terraform. Those versions of
	// OpenTofu configure the provider for functions, plan an update without a change after a destroy that failed, and
	// reject provider settings that are unknown at plan.
	OpenTofu112 = []tfversion.TerraformVersionCheck{openTofu112{}}
)

type openTofu112 struct{}

func (openTofu112) CheckTerraformVersion(
	_ context.Context, req tfversion.CheckTerraformVersionRequest, resp *tfversion.CheckTerraformVersionResponse,
) {
	if line, _ := cli(); strings.HasPrefix(line, "OpenTofu") && req.TerraformVersion.LessThan(tfversion.Version1_12_0) {
		resp.Skip = line + " is older than OpenTofu 1.12"
	}
}

// SkipOpenTofu skips a test of what only Terraform has: list resources and actions. Use it together with [Terraform].
func SkipOpenTofu(t *testing.T) { skip(t, "OpenTofu", "has neither list resources nor actions") }

// SkipTerraform skips a test of what only OpenTofu has: enabled in lifecycle blocks. Use it with [OpenTofu112].
func SkipTerraform(t *testing.T) { skip(t, "Terraform", "has no enabled in lifecycle blocks") }

func skip(t *testing.T, product, why string) {
	t.Helper()
	PreCheck(t)
	if line, _ := cli(); strings.HasPrefix(line, product) {
		t.Skip(line, why)
	}
}
