// SPDX-License-Identifier: MPL-2.0

package results_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/assessascode/terraform-provider-assess/internal/acctest"
)

// report is an action with these arguments, and a resource whose creation and update trigger it.
func report(run, path, arguments string) string {
	return fmt.Sprintf(`
		action "assess_results_report" "test" {
		  config {
		    position_ids = ["pos-backend-london", "pos-graduates-2026"]
		    path         = %q
		    %s
		  }
		}
		resource "terraform_data" "trigger" {
		  input = %q
		  lifecycle {
		    action_trigger {
		      events  = [after_create, after_update]
		      actions = [action.assess_results_report.test]
		    }
		  }
		}`, filepath.ToSlash(path), arguments, run)
}

// The action writes a file, and replaces none unless it may. Package driver tests each format.
func TestAccResultsReportAction_basic(t *testing.T) {
	t.Parallel()
	acctest.SkipOpenTofu(t)
	service := london(t)
	path := filepath.Join(t.TempDir(), "report")
	has := func(parts ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			written, err := os.ReadFile(path)
			for _, part := range parts {
				if !strings.Contains(string(written), part) {
					return fmt.Errorf("the report does not contain %q: %w\n%s", part, err, written)
				}
			}
			return nil
		}
	}
	strict := service.Provider(`privacy = "strict"`)
	acctest.Test(t, resource.TestCase{
		TerraformVersionChecks: acctest.Terraform,
		Steps: []resource.TestStep{
			{
				Config: strict + report("1", path, ""),
				Check:  has("</html>", "Backend Engineer, London", "Graduate Programme 2026", "Ada Byron"),
			},
			{ // the file exists
				Config:      strict + report("2", path, ""),
				ExpectError: acctest.Error(path, "overwrite"),
			},
			{
				Config: strict + report("3", path, "format = \"csv\"\noverwrite = true\ncandidate_ids = [\"cnd-ada\"]"),
				Check:  has("Backend Engineer, London", "cnd-ada"),
			},
			service.Then(service.CheckWrites()),
		},
	})
}
