// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The real CLI creates, plans, changes and destroys one resource of each kind.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	onBothServices(t, lifecycle)
}

func lifecycle(t *testing.T, like func(*sandboxtest.Options)) {
	service := sandboxtest.New(t, like)
	c := clitest.New(t, service)

	c.UseFrom("TestLifecycle", "all")
	c.Plan().OK().Quiet()
	service.NoWrites(t)
	c.Apply().OK().Quiet()
	service.AssertCount(t, http.MethodPost, "", 6)
	service.AssertCount(t, http.MethodPut, "", 1)
	assertHeaders(t, service)

	values := c.Resource("assess_position_assessment.values")
	if values["profile_status"] != "PROFILE_ATTACHED" || values["profile_url"] == "" || values["self_link"] == "" {
		t.Errorf("computed attributes after the creation: %v", values)
	}
	status := c.Resource("assess_position_assessment.preferences")["profile_status"]
	if status != "SUPERVISOR_TO_COMPLETE" {
		t.Errorf("profile_status without a profile is %v", status)
	}
	if title := c.Resource("assess_skills_test_activation.go")["title"]; title != "Go Programming" {
		t.Errorf("title of the activated test is %v", title)
	}

	service.ResetJournal()
	c.Plan().Empty().Quiet()
	service.NoWrites(t)

	c.UseFrom("TestLifecycle", "without_benchmark")
	c.Plan().Plans("update assess_position_assessment.games")
	c.Apply().OK()
	writes := service.Writes()
	if len(writes) != 1 || writes[0].Method != http.MethodPut ||
		strings.Contains(string(writes[0].RequestBody), "benchmark") {
		t.Errorf("removing the benchmark sent %+v", writes)
	}
	c.Plan().Empty()

	service.ResetJournal()
	c.Destroy().OK().Warns("Skills test stays enabled", `"skt-go"`)
	service.AssertCount(t, http.MethodDelete, sandbox.RoutePositionAssessment, 6)
	if n := len(service.Writes()); n != 6 {
		t.Errorf("destroying sent %d writes, want 6", n)
	}
	if left := service.State(t).Position("pos-backend-london").Assessments; len(left) != 0 {
		t.Errorf("the position still has %v", left)
	}
}

// assertHeaders checks the headers of each request.
func assertHeaders(t *testing.T, service *sandboxtest.Server) {
	t.Helper()
	for _, entry := range service.Journal() {
		agent := entry.Header.Get("User-Agent")
		if !clitest.MatchesAll(agent, []string{`^terraform-provider-assess/\S+ Terraform/\d+\.\d+\.\d+`}) {
			t.Errorf("User-Agent %q", agent)
		}
		if accept := entry.Header.Get("Accept"); accept != "application/json" {
			t.Errorf("Accept %q", accept)
		}
		if sent := entry.Header.Get("Content-Type"); (entry.Method == http.MethodGet) != (sent == "") {
			t.Errorf("%s with Content-Type %q", entry.Method, sent)
		}
	}
}
