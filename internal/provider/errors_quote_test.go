// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What the service writes into the answer of a refusal is in the error and in a log, also in strict mode.
func TestErrorsQuoteTheService(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	log := filepath.Join(t.TempDir(), "log")
	c.Env = append(c.Env, "ASSESS_PRIVACY=strict", "TF_LOG=trace", "TF_LOG_PATH="+log)
	c.Add("main.tf", "data \"assess_assessments\" \"all\" {}\n")
	const quoted = "ask Liam Walker"
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RouteAssessments, Status: http.StatusForbidden, Times: -1,
		Body: []byte(`{"message":"` + quoted + strings.Repeat(" x", 500) + `"}`),
	})
	r := c.Plan().Fails("Could not list the assessments", quoted)
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), quoted) {
		t.Errorf("the log does not contain the answer: %v", err)
	}
	if strings.Contains(r.Errors[0].Detail, strings.Repeat("x ", 160)) {
		t.Errorf("more than 300 characters are quoted: %s", r.Errors[0].Detail)
	}
}
