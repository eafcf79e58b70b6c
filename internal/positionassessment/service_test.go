// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// response is what a scripted service answers.
type response struct {
	status   int
	body     string
	unsigned bool // without a Conversation-Id
	cached   bool // with Age
	lost     bool // the connection breaks after the request
}

// script is a service that answers each request with the next response for it, and repeats the last one. What the
// script does not contain is 404.
type script struct {
	responses map[string][]response // by method and path
	sent      []string
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	name := req.Method + " " + strings.TrimPrefix(req.URL.Path, "/v1")
	s.sent = append(s.sent, name)
	r := response{status: http.StatusNotFound, body: `{"code":"NOT_FOUND","message":"not found"}`}
	if all := s.responses[name]; len(all) > 0 {
		r = all[0]
		if len(all) > 1 {
			s.responses[name] = all[1:]
		}
	}
	if r.lost {
		return nil, io.ErrUnexpectedEOF
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if !r.unsigned {
		header.Set("Conversation-Id", "conv-1")
	}
	if r.cached {
		header.Set("Age", "60")
	}
	return &http.Response{
		StatusCode: r.status, Header: header, Body: io.NopCloser(strings.NewReader(r.body)), Request: req,
		ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

// writes returns the requests other than GET.
func (s *script) writes() (all []string) {
	for _, request := range s.sent {
		if !strings.HasPrefix(request, http.MethodGet) {
			all = append(all, request)
		}
	}
	return all
}

const (
	listRoute  = "GET /positions/pos/assessments"
	fetchRoute = "GET /positions/pos/assessments/pas"
	attachPOST = "POST /positions/pos/assessments"
	removeDEL  = "DELETE /positions/pos/assessments/pas"

	pasJSON   = `{"id":"pas","organizationAssessment":"asm","metadata":{}}`
	otherJSON = `{"id":"other","organizationAssessment":"asm-other","metadata":{}}`
)

func ok(body string) response { return response{status: http.StatusOK, body: body} }

func status(code int) response {
	return response{status: code, body: `{"code":"CODE","message":"the service says so"}`}
}

func list(elements ...string) response { return ok("[" + strings.Join(elements, ",") + "]") }

// runOn returns a run on a scripted service.
func runOn(t *testing.T, s *script, change func(*run.Config)) *run.Run {
	t.Helper()
	base, err := url.Parse("http://127.0.0.1/v1")
	if err != nil {
		t.Fatal(err)
	}
	cfg := run.Config{
		BaseURL: base, ClientID: "client", APIKey: "a-long-secret-key", Transport: s,
		RequestTimeout: 30 * time.Second, RetryTimeout: 5 * time.Minute,
		Budget: run.Budget{Share: 1, Coordination: run.CoordinationNone, Unthrottled: true},
	}
	if change != nil {
		change(&cfg)
	}
	r, err := run.New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
