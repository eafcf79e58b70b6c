// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
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

const somePosition = "pos-backend-london"

// late is a network in which a gateway answers the first POST, while the service works on it for a while.
type late struct {
	*sandboxtest.Service
	work    time.Duration // 0: the gateway never sends the POST to the service
	gives   time.Duration // after which the gateway gives up
	answer  reply
	lists   func(*http.Request) *http.Response // answers lists instead, or returns nil
	posts   int
	settled chan struct{}
}

func (n *late) RoundTrip(req *http.Request) (*http.Response, error) {
	switch req.Method {
	case http.MethodPost:
		n.posts++
		if n.posts > 1 {
			break
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		go func() {
			defer close(n.settled)
			if n.work == 0 {
				return
			}
			time.Sleep(n.work)
			later := req.Clone(context.WithoutCancel(req.Context()))
			later.Body = io.NopCloser(strings.NewReader(string(body)))
			if resp, err := n.Service.RoundTrip(later); err == nil {
				_ = resp.Body.Close()
			}
		}()
		time.Sleep(n.gives)
		return n.answer(req)
	case http.MethodGet:
		if n.lists != nil {
			if resp := n.lists(req); resp != nil {
				return resp, nil
			}
		}
	}
	return n.Service.RoundTrip(req)
}

// reply answers a request instead of a service.
type reply func(*http.Request) (*http.Response, error)

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

func fails(err error) reply {
	return func(*http.Request) (*http.Response, error) { return nil, err }
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

// attaches attaches an assessment through a network as Attach does, and returns how often the position has it.
func (n *late) attaches(t *testing.T) (count int, err error) {
	t.Helper()
	n.settled = make(chan struct{})
	lists := catalog.New(newClient(t, n, 10*time.Second, time.Minute), func(string, error) {}).PositionAssessments
	wanted := assessapi.PositionAssessment{AssessmentID: "asm-lumen"}
	_, _, err = lists.Create(t.Context(), time.Minute, somePosition, wanted, nil)
	<-n.settled
	return len(n.State(t).Position(somePosition).Assessments), err
}

func newLate(t *testing.T, assume sandboxtest.Assumptions) *late {
	options := sandboxtest.Options{Options: sandbox.Options{NoLimits: true}, Assumptions: assume}
	return &late{Service: sandboxtest.NewService(t, options)}
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
	for name, answer := range map[string]reply{
		"500, JSON":   says(500, fault),
		"502, JSON":   says(502, fault),
		"503, JSON":   says(503, fault),
		"408, JSON":   says(408, fault),
		"499, JSON":   says(499, fault),
		"408, page":   says(408, "<html>408 Request Time-out</html>"),
		"503, signed": says(503, "", "Conversation-Id", "of-the-gateway"),
		"408, signed": says(408, fault, "Conversation-Id", "of-the-gateway"),
		"Varnish":     says(503, "<html><h1>Error 503 Backend fetch failed</h1></html>", "Content-Type", "text/html"),
		"Apache":      says(502, "<html><title>502 Proxy Error</title></html>"),
		"hard reload": fails(io.EOF),
		"reset":       fails(errors.New("read tcp: read: connection reset by peer")),
		"500 page":    says(500, "<html>Internal Server Error</html>"),
		"520":         says(520, "error code: 520"),
		"sign-in":     says(200, "<html>Sign in</html>"),
		"empty 200":   says(200, ""),
	} {
		for _, work := range []time.Duration{4 * time.Second, 9 * time.Second} {
			if work > 5*time.Second && strings.Contains("sign-in empty 200", name) {
				continue // the service did not see such a request at all, or it is done
			}
			sandboxtest.Virtual(t, name+" "+work.String(), func(t *testing.T) {
				n := newLate(t, assume[name])
				n.work, n.gives, n.answer = work, time.Second, answer
				if strings.Contains("sign-in empty 200", name) {
					n.work, n.gives = time.Second/2, time.Second
				}
				if count, err := n.attaches(t); count != 1 || err != nil || n.posts != 1 {
					t.Errorf("attached %d times with %d requests: %v", count, n.posts, err)
				}
			})
		}
	}
}

// A gateway refuses a POST. It is a refusal if the list shows that nothing was attached, and it is not sent again.
func TestGatewayRefusesPost(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]reply{
		"firewall": says(403, "<html>Request blocked</html>"), "route": says(404, `{"message":"no Route matched"}`),
		"size": says(413, "<html>413 Request Entity Too Large</html>"), "method": says(405, ""),
		"web page": says(200, "<html>Sign in</html>"), "nothing": says(200, ""),
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			n := newLate(t, sandboxtest.Assumptions{})
			n.answer = answer
			count, err := n.attaches(t)
			if count != 0 || err == nil || n.posts != 1 || errors.As(err, new(*catalog.UnresolvedError)) {
				t.Errorf("attached %d times with %d requests: %v", count, n.posts, err)
			}
		})
		sandboxtest.Virtual(t, name+" of the answer", func(t *testing.T) { // the service has done it
			n := newLate(t, sandboxtest.Assumptions{})
			n.answer, n.work, n.gives = answer, time.Second, 2*time.Second
			if count, err := n.attaches(t); count != 1 || err != nil || n.posts != 1 {
				t.Errorf("attached %d times with %d requests: %v", count, n.posts, err)
			}
		})
	}
}

// Row 20: a cache answers with an earlier list after a lost response. It is never believed.
func TestCachedListDecidesNothing(t *testing.T) {
	t.Parallel()
	old := func(header ...string) func(*http.Request) *http.Response {
		return func(req *http.Request) *http.Response {
			if !strings.HasSuffix(req.URL.Path, "/assessments") || !strings.Contains(req.URL.Path, somePosition) {
				return nil
			}
			resp, _ := says(200, "[]", header...)(req)
			return resp
		}
	}
	for name, header := range map[string][]string{
		"Age":                 {"Age", "12", "Conversation-Id", "conv-1"},
		"Age and a signature": {"Conversation-Id", "conv-1", "Age", "59", "X-Cache", "HIT"},
		"no signature":        {},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			n := newLate(t, sandboxtest.Assumptions{})
			n.work, n.answer = time.Second, fails(io.EOF)
			n.lists = func(req *http.Request) *http.Response {
				if n.posts == 0 {
					return nil
				}
				return old(header...)(req)
			}
			count, err := n.attaches(t)
			var unresolved *catalog.UnresolvedError
			if count != 1 || n.posts != 1 || !errors.As(err, &unresolved) {
				t.Errorf("attached %d times with %d requests: %v", count, n.posts, err)
			}
		})
	}
	sandboxtest.Virtual(t, "expires", func(t *testing.T) { // the last look is answered by the service
		n := newLate(t, sandboxtest.Assumptions{})
		n.work, n.answer = time.Second, fails(io.EOF)
		looks := 0
		n.lists = func(req *http.Request) *http.Response {
			if n.posts == 0 {
				return nil
			}
			if looks++; looks > 2 {
				return nil
			}
			return old("Age", "12")(req)
		}
		if count, err := n.attaches(t); count != 1 || n.posts != 1 || err != nil {
			t.Errorf("attached %d times with %d requests: %v", count, n.posts, err)
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
				service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
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
