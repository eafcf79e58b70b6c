// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// The import examples on the pages of both resources work after an init that installs the provider. The configuration
// that the CLI generates then plans empty.
func TestImportPages(t *testing.T) {
	t.Parallel()
	for resource, address := range map[string]string{
		"assess_position_assessment":    "assess_position_assessment.ability",
		"assess_skills_test_activation": "assess_skills_test_activation.sql",
	} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			page := filepath.Join("resources", resource)
			t.Run("identity", func(t *testing.T) {
				t.Parallel()
				clitest.NewBare(t).Needs(12, 12)
				importsAndGenerates(t, filepath.Join(page, "import-by-identity.tf"), address)
			})
			t.Run("id, and command", func(t *testing.T) {
				t.Parallel()
				needs(t, "bash")
				e := importsAndGenerates(t, filepath.Join(page, "import-by-string-id.tf"), address)
				e.Human("state", "rm", address).OK()
				path := pathWith(t, map[string]string{"terraform": os.Getenv("TF_ACC_TERRAFORM_PATH")})
				bash(e.With(path), clitest.ReadFile(t, page, "import.sh")).OK()
				if e.Managed()[address] == nil {
					t.Errorf("the state has %v", e.Managed())
				}
				e.Plan().Empty()
			})
		})
	}
}

// importsAndGenerates imports what an import block names, with a configuration that the CLI generates.
func importsAndGenerates(t *testing.T, block, address string) example {
	t.Helper()
	e := newExample(t, "import")
	e.Remove("imports.tf", "resources.tf")
	e.Add("import.tf", clitest.ReadFile(t, block))
	e.Human("init", "-input=false").OK()
	e.Plan("-generate-config-out=generated.tf").Plans("import " + address)
	e.Apply().OK()
	e.Remove("import.tf")
	e.Plan().Empty()
	return e
}
