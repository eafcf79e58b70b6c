// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// reply answers a request instead of a service.
type reply func(*http.Request) (*http.Response, error)

func (r reply) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func says(status int, body string, header ...string) reply {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: req,
		}, nil
	}
}

// newClient returns a client of the service behind a network.
func newClient(t *testing.T, network http.RoundTripper, timeout, retryTimeout time.Duration) *assessapi.Client {
	t.Helper()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return assessapi.New(assessapi.Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, RequestTimeout: timeout,
		RetryTimeout: retryTimeout, Transport: &assessapi.Attempt{Next: network, Timeout: timeout},
	})
}

// attaches attaches an assessment while a gateway answers the first POST, and returns how often the position has it.
func attaches(t *testing.T, service *sandboxtest.Service, gateway sandboxtest.Fault) (count int, err error) {
	t.Helper()
	gateway.Method, gateway.Times = http.MethodPost, 1
	service.Inject(gateway)
	lists := catalog.New(newClient(t, service, 10*time.Second, time.Minute), func(string, error) {}).PositionAssessments
	wanted := assessapi.PositionAssessment{AssessmentID: "asm-lumen"}
	_, _, err = lists.Create(t.Context(), time.Minute, somePosition, wanted, nil)
	service.ClearFaults()
	service.AssertCount(t, http.MethodPost, "", 1)
	return len(service.State(t).Position(somePosition).Assessments), err
}

func newService(t *testing.T, assume sandboxtest.Assumptions) *sandboxtest.Service {
	t.Helper()
	options := sandboxtest.Options{Options: sandbox.Options{NoLimits: true}, Assumptions: assume}
	return sandboxtest.NewService(t, options)
}

// Row 19: a gateway gives up on a POST while the service still works on it. It is not sent again.
func TestGatewayGivesUpOnPost(t *testing.T) {
	t.Parallel()
	const fault = `{"code":"101503","type":"Status report","message":"Error connecting to the back end"}`
	unsigned := sandboxtest.Assumptions{NoConversationID: true}
	assume := map[string]sandboxtest.Assumptions{ // of the others, the service signs
		"500, JSON": unsigned, "502, JSON": unsigned, "503, JSON": unsigned, "408, JSON": unsigned, "499, JSON": unsigned,
		"408, page": unsigned,
	}
	for name, gateway := range map[string]sandboxtest.Fault{
		"500, JSON":   answer(500, fault),
		"502, JSON":   answer(502, fault),
		"503, JSON":   answer(503, fault),
		"408, JSON":   answer(408, fault),
		"499, JSON":   answer(499, fault),
		"408, page":   answer(408, "<html>408 Request Time-out</html>"),
		"503, signed": answer(503, "", "Conversation-Id", "of-the-gateway"),
		"408, signed": answer(408, fault, "Conversation-Id", "of-the-gateway"),
		"Varnish":     answer(503, "<html><h1>Error 503 Backend fetch failed</h1></html>", "Content-Type", "text/html"),
		"Apache":      answer(502, "<html><title>502 Proxy Error</title></html>"),
		"hard reload": {Hangup: true},
		"reset":       {Reset: true},
		"500 page":    answer(500, "<html>Internal Server Error</html>"),
		"520":         answer(520, "error code: 520"),
		"sign-in":     answer(200, "<html>Sign in</html>"),
		"empty 200":   answer(200, ""),
	} {
		for _, work := range []time.Duration{4 * time.Second, 9 * time.Second} {
			if work > 5*time.Second && strings.Contains("sign-in empty 200", name) {
				continue // the service did not see such a request at all, or it is done
			}
			sandboxtest.Virtual(t, name+" "+work.String(), func(t *testing.T) {
				gateway := gateway
				gateway.Late, gateway.Delay = work, time.Second
				if strings.Contains("sign-in empty 200", name) {
					gateway.Late = time.Second / 2
				}
				if count, err := attaches(t, newService(t, assume[name]), gateway); count != 1 || err != nil {
					t.Errorf("attached %d times: %v", count, err)
				}
			})
		}
	}
}

// A gateway refuses a POST. It is a refusal if the list shows that nothing was attached, and it is not sent again.
func TestGatewayRefusesPost(t *testing.T) {
	t.Parallel()
	for name, gateway := range map[string]sandboxtest.Fault{
		"firewall": answer(403, "<html>Request blocked</html>"), "route": answer(404, `{"message":"no Route matched"}`),
		"size": answer(413, "<html>413 Request Entity Too Large</html>"), "method": answer(405, ""),
		"web page": answer(200, "<html>Sign in</html>"), "nothing": answer(200, ""),
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			count, err := attaches(t, newService(t, sandboxtest.Assumptions{}), gateway)
			if count != 0 || err == nil || errors.As(err, new(*catalog.UnresolvedError)) {
				t.Errorf("attached %d times: %v", count, err)
			}
		})
		sandboxtest.Virtual(t, name+" of the answer", func(t *testing.T) { // the service has done it
			gateway := gateway
			gateway.Late, gateway.Delay = time.Second, 2*time.Second
			if count, err := attaches(t, newService(t, sandboxtest.Assumptions{}), gateway); count != 1 || err != nil {
				t.Errorf("attached %d times: %v", count, err)
			}
		})
	}
}

// Row 20: a cache answers with an earlier list after a lost response. It is never believed.
func TestCachedListDecidesNothing(t *testing.T) {
	t.Parallel()
	lost := sandboxtest.Fault{Hangup: true, Late: time.Second}
	cache := func(t *testing.T, times int, header ...string) *sandboxtest.Service {
		t.Helper()
		service, list := newService(t, sandboxtest.Assumptions{}), answer(200, "[]", header...)
		list.Times, list.Match = times, func(req *http.Request) bool {
			return isList(req) && service.Count(http.MethodPost, "") > 0
		}
		service.Inject(list)
		return service
	}
	for name, header := range map[string][]string{
		"Age":                 {"Age", "12", "Conversation-Id", "conv-1"},
		"Age and a signature": {"Conversation-Id", "conv-1", "Age", "59", "X-Cache", "HIT"},
		"no signature":        {},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			count, err := attaches(t, cache(t, -1, header...), lost)
			if count != 1 || !errors.As(err, new(*catalog.UnresolvedError)) {
				t.Errorf("attached %d times: %v", count, err)
			}
		})
	}
	sandboxtest.Virtual(t, "expires", func(t *testing.T) { // the last look is answered by the service
		if count, err := attaches(t, cache(t, 2, "Age", "12"), lost); count != 1 || err != nil {
			t.Errorf("attached %d times: %v", count, err)
		}
	})
	sandboxtest.Virtual(t, "no Age", func(t *testing.T) { // nginx answers with a copy, and does not say so
		service := newService(t, sandboxtest.Assumptions{})
		service.Inject(sandboxtest.Fault{
			Method: http.MethodGet, Times: -1, Cached: 5 * time.Minute, When: sandboxtest.AfterEffect,
			Header: http.Header{"Age": nil},
		})
		count, err := attaches(t, service, lost)
		if count != 1 || !errors.As(err, new(*catalog.UnresolvedError)) {
			t.Errorf("attached %d times: %v", count, err)
		}
	})
}

// Each of several equal creations at the same time returns an object of its own, even if a request or its response is
// lost.
func TestEqualCreations(t *testing.T) {
	t.Parallel()
	for _, when := range []sandboxtest.Moment{sandboxtest.BeforeEffect, sandboxtest.AfterEffect} {
		for lost := range 3 {
			sandboxtest.Virtual(t, fmt.Sprintf("request %d is lost %s", lost+1, when), func(t *testing.T) {
				service := newService(t, sandboxtest.Assumptions{})
				service.Inject(sandboxtest.Fault{
					Method: http.MethodPost, Route: sandbox.RoutePositionAssessments, Skip: lost, When: when, Reset: true,
				})
				client := newClient(t, service, 10*time.Second, time.Minute)
				objects := catalog.New(client, func(string, error) {}).PositionAssessments
				var ids [3]string
				var creations errgroup.Group
				for i := range ids {
					creations.Go(func() error {
						created, _, err := objects.Create(t.Context(), time.Minute, somePosition,
							assessapi.PositionAssessment{AssessmentID: "asm-facet"}, nil)
						ids[i] = created.ID
						return err
					})
				}
				err := creations.Wait()
				has := map[string]bool{}
				for _, attached := range service.State(t).Position(somePosition).Assessments {
					has[attached.ID] = true
				}
				got := map[string]bool{ids[0]: true, ids[1]: true, ids[2]: true}
				if err != nil || len(got) != len(ids) || !maps.Equal(got, has) {
					t.Errorf("created %q, %v, the service has %v", ids, err, has)
				}
			})
		}
	}
}
