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

// mark replaces what is personal, or may be, with texts that a search finds.
func mark(st *sandbox.State) {
	sandboxtest.MarkPeople(st)
	for i := range st.Positions {
		st.Positions[i].Title = fmt.Sprintf("Title needle %d", i)
	}
	for i := range st.Assessments {
		st.Assessments[i].Name = fmt.Sprintf("Name needle %d", i)
	}
}

// The output contains nothing of a response, whatever the service does.
func TestOutputHasNoPeople(t *testing.T) {
	t.Parallel()
	for _, fault := range []sandboxtest.Fault{
		after(sandbox.RouteResults, `{"needle":[],"needle 2":[]}`),
		after(sandbox.RouteResults, `{"candidates":[{"id":"needle"},{"id":"needle"}]}`),
		after(sandbox.RouteResults, `<html>needle</html>`),
		{Route: sandbox.RouteResults, Status: http.StatusInternalServerError, Times: -1, Message: "needle"},
		{Route: sandbox.RoutePositionAssessment, Status: http.StatusForbidden, Times: -1, Message: "needle"},
	} {
		sandboxtest.Virtual(t, "fault", func(t *testing.T) { searched(t, sandboxtest.Assumptions{}, &fault) })
	}
	sandboxtest.Virtual(t, "as documented", func(t *testing.T) { searched(t, nil, nil) })
	for _, alternative := range sandboxtest.Alternatives() {
		sandboxtest.Virtual(t, alternative.Gap+" "+alternative.Name, func(t *testing.T) {
			searched(t, sandboxtest.Assumptions{alternative}, nil)
		})
	}
}

// repeating fails as net/http does for an answer that is not HTTP. The answer repeats the key.
type repeating struct{}

func (repeating) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("malformed HTTP response %q", sandbox.APIKey)
}

// The output contains no secret that an answer repeats.
func TestOutputHasNoSecrets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text, _ := output(t, repeating{})
		if strings.Contains(text, sandbox.APIKey) || !strings.Contains(text, "the response repeats a secret") {
			t.Errorf("the output is %s", text)
		}
	})
}

func searched(t *testing.T, assumptions sandboxtest.Assumptions, fault *sandboxtest.Fault) {
	t.Helper()
	for _, change := range []func(*check.Options){asJSON, func(*check.Options) {}} {
		service := newService(t, assumptions)
		service.Change(t, mark)
		if fault != nil {
			service.Inject(*fault)
		}
		text, _ := output(t, service, change)
		if service.Count(http.MethodGet, sandbox.RouteResults) == 0 {
			t.Error("no results were read, so the test proves nothing")
		}
		for _, forbidden := range []string{"needle", "pos-", "asm-", "cnd-", "pas-", sandbox.APIKey, sandbox.ClientID} {
			if strings.Contains(text, forbidden) {
				t.Errorf("the output contains %q:\n%s", forbidden, text)
			}
		}
	}
}
