// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"path/filepath"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

const (
	budgetPassword = "r3dis-password-0815" // of a server that does not exist
	noRedis        = "redis://someone:" + budgetPassword + "@127.0.0.1:1/2"
)

// A run that cannot reach the server of its shared budget fails before it sends anything, and never shows the password.
// Attributes take precedence over the variable, which the sandbox ignores.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	unreachable := []string{
		"Could not reach the shared budget of the API key", "redis://127.0.0.1:1/2", "connection refused",
		`"coordination"`, "ASSESS_RATE_LIMIT_URL", "Nothing was sent to the service", `set coordination = "host"`,
	}
	for name, row := range map[string]struct {
		settings, variable string
		fails              []string // nil if the plan succeeds
	}{
		"unreachable attribute":        {"rate_limit { coordination = \"" + noRedis + "\" }", "", unreachable},
		"unreachable variable":         {"", noRedis, unreachable},
		"attribute before environment": {`rate_limit { coordination = "none" }`, noRedis, nil},
		"sandbox ignores the variable": {"sandbox {}", noRedis, nil},
		"invalid variable": {"", "https://:" + budgetPassword + "@localhost", []string{
			"Invalid address of the shared budget", "ASSESS_RATE_LIMIT_URL", "not shown here", "rediss://",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t)
			written := t.TempDir()
			log := filepath.Join(written, "log")
			c := clitest.New(t, service).With("ASSESS_RATE_LIMIT_URL="+row.variable, "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+log)
			c.UseText("provider \"assess\" {\n  " + row.settings + "\n}\n" + anyAssessment)
			r := c.Plan("-out=saved")
			if row.fails == nil {
				r.OK().Quiet()
			} else if r.Fails(row.fails...); len(service.Journal()) != 0 {
				t.Errorf("%d requests were sent", len(service.Journal()))
			}
			all := texts(t, written)
			all["the output"], all["what people read"] = r.Output, c.Human("plan", "-input=false", "-no-color").Output
			if all[log] == "" && row.fails == nil {
				t.Error("the log of the provider is empty")
			}
			if places := all.containing(budgetPassword); len(places) > 0 {
				t.Errorf("the password is in %q", places)
			}
		})
	}
}
