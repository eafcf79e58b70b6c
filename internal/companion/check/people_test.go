// SPDX-License-Identifier: MPL-2.0

package check_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/companion/check"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// mark plants texts about people in what a check reads.
func mark(st *sandbox.State) {
	for i := range st.Positions {
		st.Positions[i].Extra.Set("contact", "needle")
		for j := range st.Positions[i].Candidates {
			candidate := &st.Positions[i].Candidates[j]
			candidate.Name = "needle"
			candidate.Extra.Set("needle", "needle")
		}
	}
}

// The output contains nothing of a response that the check does not understand (see output).
func TestOutputHasNoPeople(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]sandboxtest.Fault{
		"two lists":    after(sandbox.RouteResults, `{"needle":[],"needle 2":[]}`),
		"equal IDs":    after(sandbox.RouteResults, `{"candidates":[{"id":"needle"},{"id":"needle"}]}`),
		"a page":       after(sandbox.RouteResults, `<html>needle</html>`),
		"an error":     {Route: sandbox.RouteResults, Status: http.StatusInternalServerError, Times: -1, Message: "needle"},
		"no right":     {Route: sandbox.RoutePositionAssessment, Status: http.StatusForbidden, Times: -1, Message: "needle"},
		"a web server": after(sandbox.RouteAssessments, `<html>needle</html>`),
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			for _, change := range []func(*check.Options){asJSON, func(o *check.Options) { o.Verbose = true }} {
				service := newService(t, sandboxtest.Assumptions{})
				service.Change(t, mark)
				service.Inject(fault)
				output(t, service, change)
			}
		})
	}
}

// repeating fails as net/http does for a response that is not HTTP. The response repeats the key.
type repeating struct{}

func (repeating) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("malformed HTTP response %q", sandbox.APIKey)
}

// The output contains no secret that a response repeats.
func TestOutputHasNoSecrets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		if text, _ := output(t, repeating{}); !strings.Contains(text, "the response repeats a secret") {
			t.Errorf("the output is %s", text)
		}
	})
}
