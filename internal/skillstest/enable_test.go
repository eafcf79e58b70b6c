// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// emptyLists is a service whose lists are all empty.
type emptyLists struct{}

func (emptyLists) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader("[]")), Request: req, ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// A test that the service does not list is not a mistake of the provider, and the error says so.
func TestEnableUnlisted(t *testing.T) {
	t.Parallel()
	activations, plan := activationsOn(t, emptyLists{})
	plan.Set(t.Context(), model{AssessmentID: types.StringValue("asm"), TestID: types.StringValue("sql")})
	var resp resource.CreateResponse
	activations.Create(t.Context(), resource.CreateRequest{Plan: plan}, &resp)
	if failures := resp.Diagnostics.Errors(); len(failures) != 1 ||
		!strings.Contains(failures[0].Detail(), "To fix this: correct assessment_id or test_id.") ||
		strings.Contains(failures[0].Detail(), "bug") {
		t.Errorf("a creation whose test the service does not list says %v", failures)
	}
}

// lateLists is a service whose list of enabled tests has the test sql only after a PUT, whose response does not show it
// as enabled. All later responses have the header Age.
type lateLists struct {
	age  string
	sent bool
}

func (l *lateLists) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, _ := emptyLists{}.RoundTrip(req)
	isList, body := req.Method == http.MethodGet, `{"id":"sql","title":"SQL","active":false}`
	switch {
	case isList && l.sent:
		body = `[{"id":"sql","title":"SQL","active":true}]`
		resp.Header.Set("Age", l.age)
	case isList:
		body = "[" + body + "]"
	default:
		l.sent = true
	}
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

// A list that a cache may have kept from earlier does not show that a PUT has enabled the test.
func TestEnableWithUnknownOutcome(t *testing.T) {
	t.Parallel()
	for age, isConfirmed := range map[string]bool{"0": true, "60": false} {
		activations, _ := activationsOn(t, &lateLists{age: age})
		_, err := enable(t.Context(), activations.Run.Run, run.TestRef{Assessment: "asm", Test: "sql"})
		if isConfirmed != (err == nil) || err != nil && !strings.Contains(err.Error(), "with `active` false") {
			t.Errorf("Age %s: error %v", age, err)
		}
	}
}
