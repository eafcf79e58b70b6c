// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// notices collects the notices of a client.
func notices(notified *[]string) func(*Config) {
	return func(cfg *Config) {
		cfg.Refused = func(parameters string, err error) { *notified = append(*notified, parameters+": "+err.Error()) }
	}
}

// refusing answers 400 if a request has one of the parameters.
func refusing(body string, parameters ...string) step {
	return func(req *http.Request) (*http.Response, error) {
		for _, name := range parameters {
			if req.URL.Query().Has(name) {
				return answers(http.StatusBadRequest, `{"message":"unknown parameter `+name+`"}`)(req)
			}
		}
		return answers(http.StatusOK, body)(req)
	}
}

// TestRefusedParameters checks that only the parameters that a service refuses are dropped, for the lists of this route
// until the end of the run, and that there is one notice (assumption A24).
func TestRefusedParameters(t *testing.T) {
	t.Parallel()
	const fields, limit = "fields=title%2Clocale", "limit=1000"
	positions := func(c *Client) error { _, err := c.Positions(nil).All(t.Context()); return err }
	results := func(c *Client) error { _, err := c.Results(t.Context(), "p", []string{"c"}, nil); return err }
	for refused, row := range map[string]struct {
		read      func(*Client) error
		requested []string // of two lists
		notice    string
	}{
		"limit":  {positions, []string{fields + "&" + limit, fields, fields}, limit},
		"fields": {positions, []string{fields + "&" + limit, fields, limit, limit}, "fields=title,locale"},
		"limit and fields": {
			positions, []string{fields + "&" + limit, fields, limit, "", ""}, "limit=1000 and fields=title,locale",
		},
		"limit beside a filter": {
			results, []string{"candidate=c&" + limit, "candidate=c", "candidate=c"}, limit,
		},
	} {
		var notified []string
		network := newStub(refusing(`[{"id":"1","title":"One"}]`, strings.Fields(refused)...))
		c := newClient(t, network, notices(&notified))
		if err := errors.Join(row.read(c), row.read(c)); err != nil {
			t.Errorf("%s: %v", refused, err)
		}
		var requested []string
		for _, address := range network.addresses() {
			_, query, _ := strings.Cut(address, "?")
			requested = append(requested, query)
		}
		if !slices.Equal(requested, row.requested) {
			t.Errorf("%s: requested %q, want %q", refused, requested, row.requested)
		}
		if len(notified) != 1 || !strings.HasPrefix(notified[0], row.notice+": GET /positions") ||
			!strings.Contains(notified[0], ": 400 Bad Request: unknown parameter") {
			t.Errorf("%s: noticed %q", refused, notified)
		}
	}
}

// TestRefusedForAnotherReason checks that the first 400 is returned if the parameters are not its reason, and that
// another failure of the second request is returned. Nothing is learned from either.
func TestRefusedForAnotherReason(t *testing.T) {
	t.Parallel()
	refusal := answers(http.StatusBadRequest, `{"message":"of another kind"}`)
	for text, second := range map[string]step{
		"400 Bad Request: of another kind": refusal,
		"404 Not Found: gone":              answers(http.StatusNotFound, "gone"),
		"403 Forbidden: no":                answers(http.StatusForbidden, "no"),
		"503 Service Unavailable: down":    answers(http.StatusServiceUnavailable, "down"),
		"context canceled":                 nil,
	} {
		sandboxtest.Virtual(t, text, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if second == nil {
				second = func(req *http.Request) (*http.Response, error) {
					cancel()
					<-req.Context().Done()
					return nil, req.Context().Err()
				}
			}
			var notified []string
			c := newClient(t, newStub(refusal, second), notices(&notified))
			_, err := c.List(ctx, Packages, "asm")
			if !strings.Contains(fmt.Sprint(err), text) {
				t.Error(err)
			}
			learned := c.lesson(apiRoute{template: "/assessments/{assessment}/packages"}).soFar()
			if len(notified) > 0 || !learned.unknown([]string{"limit", "fields"}) {
				t.Errorf("noticed %q, and omits the parameters", notified)
			}
		})
	}
}

// TestOnly400IsAboutParameters checks that no other refusal and no other read is repeated.
func TestOnly400IsAboutParameters(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 404, 405, 409, 410, 422, 501} {
		network := newStub(answers(status, ""))
		_, err := newClient(t, network).List(t.Context(), Profiles, "asm")
		if refused := as[*Error](t, err); refused.Status != status || len(network.arrivals()) != 1 {
			t.Errorf("%d: %v after %d requests", status, err, len(network.arrivals()))
		}
	}
	network := newStub(answers(http.StatusBadRequest, ""))
	_, err := newClient(t, network).PositionAssessments().Read(t.Context(), "p", "pas")
	if _ = as[*Error](t, err); len(network.arrivals()) != 1 {
		t.Error("a read of a single object was repeated")
	}
}

// A service that ignores fields returns bare elements, which is noticed once. It needs not show the fields of each
// element.
func TestIgnoredFields(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]int{`[{"id":"1"},{"id":"2","_links":[]}]`: 1, `[{"id":"1"},{"id":"2","title":"T"}]`: 0, `[]`: 0} {
		var notified []string
		c := newClient(t, newStub(answers(200, list)), notices(&notified))
		for range 2 {
			if _, err := c.Positions(nil).All(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(notified) != want {
			t.Errorf("%s: noticed %q", list, notified)
		}
	}
}

// One request at a time learns what a route refuses, and the others wait for it. A list that the service refuses for
// another reason costs few requests.
func TestParametersAreLearnedOnce(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "ten at once", func(t *testing.T) {
		network := newStub(takes(time.Second, refusing(`[]`, "limit")))
		c := newClient(t, network)
		var all sync.WaitGroup
		for i := range 10 {
			all.Go(func() {
				if _, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := strings.Count(fmt.Sprint(network.addresses()), "limit"); n != 1 || len(network.arrivals()) != 11 {
			t.Errorf("%d refused of %d", n, len(network.arrivals()))
		}
	})
	network := newStub(answers(400, `{"message":"of another kind"}`))
	c := newClient(t, network)
	for i := range 10 {
		if _, err := c.List(t.Context(), Packages, fmt.Sprint("asm-", i)); !IsOtherKind(err) {
			t.Fatal(err)
		}
	}
	if n := len(network.arrivals()); n != 4+9*2 {
		t.Errorf("%d requests", n)
	}
}
