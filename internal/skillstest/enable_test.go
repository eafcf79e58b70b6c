// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// stub answers requests instead of a service.
type stub func(*http.Request) *http.Response

func (s stub) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := s(req)
	resp.Request = req
	return resp, nil
}

// newStub returns the activations of a run whose requests a stub answers.
func newStub(t *testing.T, s stub) *Activations {
	t.Helper()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.New(t.Context(), run.Config{Config: connection.Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, RequestTimeout: time.Second,
		RetryTimeout: time.Second, Transport: s,
		Budget: connection.Budget{Coordination: connection.CoordinationNone, Share: 1, Unthrottled: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return Of(r)
}

func answer(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// Row 3: what a list did not show of a skills test is never deleted by sending the test back.
func TestIncompleteTestIsNotSent(t *testing.T) {
	t.Parallel()
	const skills = "/v1/assessments/asm-workbench/skills"
	const whole = `"title":"SQL","description":"d","category":"c","timeToComplete":"40","numberOfQuestions":3`
	for name, row := range map[string]struct {
		enabled, disabled string // the elements of the two lists
		second            string // of a second page of disabled tests
		missing           string // in the error, or "sent"
	}{
		"nothing but the ID":         {``, `{"id":"t"}`, ``, "nothing but the ID"},
		"nothing but the ID at all":  {`{"id":"u"}`, `{"id":"t"}`, ``, "nothing but the ID"},
		"only extra members":         {``, `{"id":"t","level":3}`, ``, "nothing but the ID"},
		"less than another one":      {`{"id":"u",` + whole + `}`, `{"id":"t","title":"Go","category":"c"}`, ``, "description, timeToComplete, numberOfQuestions"},
		"less than one in its list":  {``, `{"id":"t","title":"Go"},{"id":"u","title":"Go","description":"d"}`, ``, "description"},
		"a link lost the fields":     {``, `{"id":"u",` + whole + `}`, `{"id":"t"}`, "title, description"},
		"links of others":            {`{"id":"u","title":"t","_links":[]}`, `{"id":"t","title":"Go"}`, ``, "_links"},
		"as much as others":          {`{"id":"u","title":"t"}`, `{"id":"t","title":"Go"}`, ``, "sent"},
		"null is shown":              {`{"id":"u","title":"t"}`, `{"id":"t","title":null}`, ``, "sent"},
		"more than others":           {`{"id":"u"}`, `{"id":"t",` + whole + `}`, ``, "sent"},
		"whole, from a second page":  {``, `{"id":"u",` + whole + `}`, `{"id":"t",` + whole + `}`, "sent"},
		"only whether it is enabled": {`{"id":"u","active":true}`, `{"id":"t","active":false}`, ``, "sent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent []string
			a := newStub(t, func(req *http.Request) *http.Response {
				const signed = "Conversation-Id"
				switch {
				case req.Method == http.MethodPut:
					sent = append(sent, req.URL.Path)
					return answer(200, "", signed, "conv-1")
				case req.URL.Path != skills:
					return answer(404, "")
				case req.URL.Query().Get("active") == "true":
					return answer(200, "["+row.enabled+"]", signed, "conv-1")
				case req.URL.Query().Has("page"):
					return answer(200, "["+row.second+"]", signed, "conv-1")
				case row.second != "":
					return answer(200, "["+row.disabled+"]", signed, "conv-1", "Link", `<?active=false&page=2&fields=>; rel=next`)
				}
				return answer(200, "["+row.disabled+"]", signed, "conv-1")
			})
			_, err := a.enable(t.Context(), catalog.TestRef{Assessment: "asm-workbench", Test: "t"})
			var incomplete *assessapi.IncompleteError
			if row.missing == "sent" {
				if err != nil || len(sent) != 1 {
					t.Errorf("%v, sent %v", err, sent)
				}
				return
			}
			if !errors.As(err, &incomplete) || len(sent) > 0 || !strings.Contains(err.Error(), row.missing) {
				t.Errorf("%v, sent %v", err, sent)
			}
		})
	}
}

// Row 18c: a gateway answers PUT itself. Nothing has changed, so the activation fails, also if the service never signs.
func TestGatewayAnswersActivation(t *testing.T) {
	t.Parallel()
	for name, signature := range map[string][]string{"signed": {"Conversation-Id", "conv-1"}, "neither": nil} {
		a := newStub(t, func(req *http.Request) *http.Response {
			switch {
			case req.Method == http.MethodPut:
				return answer(200, "")
			case req.URL.Query().Get("active") == "true":
				return answer(200, "[]", signature...)
			}
			return answer(200, `[{"id":"t","title":"SQL"}]`, signature...)
		})
		_, err := a.enable(t.Context(), catalog.TestRef{Assessment: "asm-workbench", Test: "t"})
		var unproven *catalog.UnprovenError
		if !errors.As(err, &unproven) || !unproven.Remains {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Without plan checks, a plan does not require the list of enabled tests, and a position assessment does not wait for an
// activation that it cannot see. But neither hides an error that stops the run, because only the first one is complete.
func TestErrorThatStopsTheRunIsShown(t *testing.T) {
	t.Parallel()
	ref := catalog.TestRef{Assessment: "asm-workbench", Test: "t"}
	for name, call := range map[string]func(ctx context.Context, a *Activations, limit time.Time) error{
		"shown": func(ctx context.Context, a *Activations, _ time.Time) error {
			_, err := a.shown(ctx, ref)
			return err
		},
		"Await": func(ctx context.Context, a *Activations, limit time.Time) error {
			return a.Await(ctx, limit, ref.Assessment, []string{ref.Test})
		},
	} {
		for status, shown := range map[int]bool{http.StatusUnauthorized: true, http.StatusForbidden: false} {
			synctest.Test(t, func(t *testing.T) {
				a := newStub(t, func(req *http.Request) *http.Response {
					if strings.HasSuffix(req.URL.Path, "/skills") {
						return answer(status, `{"code":"denied"}`, "Conversation-Id", "conv-1")
					}
					return answer(200, "[]", "Conversation-Id", "conv-1")
				})
				err := call(t.Context(), a, time.Now().Add(time.Minute))
				if errors.As(err, new(*assessapi.FirstError)) != shown || !shown && err != nil {
					t.Errorf("%s, %d: %v", name, status, err)
				}
				if _, err := a.enable(t.Context(), ref); err == nil {
					t.Errorf("%d: the test was enabled", status)
				}
			})
		}
	}
}
