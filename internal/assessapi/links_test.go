// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// TestNextOfLinkHeader checks every spelling of the next link in RFC 8288.
func TestNextOfLinkHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`<https://a/2>; rel="next"`:                                    "https://a/2",
		`<https://a/2>;rel=next`:                                       "https://a/2",
		`< https://a/2 > ; REL = "Next"`:                               "https://a/2",
		`</v1/x?a=1,2;3>; rel="next"`:                                  "/v1/x?a=1,2;3",
		`<https://a/0>; rel="previous", <https://a/2>; rel="next"`:     "https://a/2",
		`<https://a/2>; rel="next",<https://a/0>; rel=previous`:        "https://a/2",
		`<https://a/9>; rel="last next"`:                               "https://a/9",
		`<https://a/2>; title="a, b; rel=\"x\""; rel=next`:             "https://a/2",
		`<https://a/2>; title="<https://evil/>; rel=next"; rel="next"`: "https://a/2",
		`<https://a/0>; title="rel=next"; rel=prev`:                    "",
		`<https://a/1>; rel=prev; rel=next`:                            "", // RFC 8288: only the first counts
		`<https://a/1>; rel="nextish"`:                                 "",
		`<https://a/1>`:                                                "",
		`<>; rel=next`:                                                 "",
		`https://a/1; rel=next`:                                        "",
		`<https://a/1; rel=next`:                                       "",
	} {
		if got := nextOfHeader([]string{header}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if got := nextOfHeader([]string{`</1>; rel=first`, `</2>; rel=next`}); got != "/2" {
		t.Errorf("the second Link header was ignored: %q", got)
	}
}

// TestLinks checks what a link to the next page becomes: an address that the client builds itself, or an error. Nothing
// is sent to another host, to another list, or outside of the path of the base URL.
func TestLinks(t *testing.T) {
	t.Parallel()
	const (
		ours, filter = "fields=title%2Clocale&limit=1000", "&title=A+B"
		inside       = "points to https://sandbox.assess.invalid/v1/"
		another      = ", which is not a page of https://sandbox.assess.invalid/v1/positions: nothing is sent there"
	)
	for want, links := range map[string][]string{
		"/positions?offset=5&" + ours + filter:                               {"?offset=5", "/v1/positions?offset=5"},
		"/positions?offset=5&limit=10&fields=title%2Clocale" + filter:        {"?offset=5&limit=10"},
		"/positions?offset=5&fields=title&title=A%20B&limit=1000":            {"?offset=5&fields=title&title=A%20B"},
		"/positions?cursor=%C3%A9%E2%82%AC&" + ours + filter:                 {"?cursor=\u00e9\u20ac"},
		"/positions?title=donn%C3%A9es%201&cursor=%2F&" + ours:               {"?title=donn\u00e9es 1&cursor=%2F"},
		"/positions?cursor=%7B%22a%22:1%7D%7Cx%5E%60%5C&" + ours + filter:    {"?cursor={\"a\":1}|x^`\\"},
		"/positions?page%5Boffset%5D=5&q=100%25&r=%25zz%41&" + ours + filter: {"?page[offset]=5&q=100%&r=%zz%41"},
		"/positions?o=1&" + ours + filter: {
			"https://inner:8443/positions?o=1", "http://sandbox.assess.invalid/v1/positions?o=1",
			"https://10.0.0.7/a/b/v1/positions?o=1&", "//inner/positions/?o=1#x", "https://SANDBOX.assess.invalid:443/%70ositions?o=1",
			"ftp://a:b@inner/positions?o=1", "/v1/%2e%2e/positions?o=1", "https://inner/x/..;x/positions?o=1",
		},
		"points to https://elsewhere.example/position" + another:            {"https://elsewhere.example/position"},
		"points to https://elsewhere.example/positions/7" + another:         {"//elsewhere.example/positions/7"},
		"points to https://inner.example/positions/p/assessments" + another: {"https://inner.example/positions/p/assessments"},
		"points to file:///etc/passwd" + another:                            {"file:///etc/passwd"},
		"points to javascript://" + another:                                 {"javascript:alert(1)"},
		"points to https://sandbox.assess.invalid/" + another:               {"/", "https://user:pw@sandbox.assess.invalid/"},
		"points to https://evil.example" + another:                          {"https://sandbox.assess.invalid@evil.example"},
		inside + "cursors/7" + another:                                      {"/v1/cursors/7?x=1#top", "cursors/7"},
		inside + "..%2fpositions" + another:                                 {"/v1/..%2fpositions"},
		inside + "assessments" + another:                                    {"/v1/assessments"},
		inside + "positions/p/results" + another:                            {"/v1/positions/p/results?page=2"},
		"is not an address":                                                 {"https://[::1", "%zz"},
	} {
		for _, link := range links {
			for where, first := range map[string]step{
				"the header": answers(200, `[{"id":"1"}]`, "Link", "<"+link+">; rel=next"),
				"the body":   answers(200, fmt.Sprintf(`{"items":[{"id":"1"}],"_links":[{"rel":"next","href":%q}]}`, link)),
			} {
				network := newStub(first, answers(200, `[{"id":"2"}]`))
				all, err := newClient(t, network).Positions(new("A B")).All(t.Context())
				requested := network.addresses()
				if err == nil && (len(all) != 2 || requested[1] != want) {
					t.Errorf("%s in %s: %v, requested %s, want %s", link, where, all, requested, want)
				}
				if err != nil && (!strings.Contains(as[*ShapeError](t, err).Problem, want) || len(requested) != 1) {
					t.Errorf("%s in %s: %v, requested %s, want %s", link, where, err, requested, want)
				}
			}
		}
	}
}

// If a service refuses our parameters beside those of its link, the link is complete.
func TestStrictLinks(t *testing.T) {
	t.Parallel()
	network := newStub(
		answers(200, `[{"id":"1"}]`, "Link", "<?cursor=2>; rel=next"),
		answers(400, "unknown parameter"),
		answers(200, `[{"id":"2"}]`, "Link", "<?cursor=3>; rel=next"),
		answers(200, `[{"id":"3"}]`),
	)
	all, err := newClient(t, network).Positions(nil).All(t.Context())
	const ours = "fields=title%2Clocale&limit=1000"
	want := "/positions?" + ours + " /positions?cursor=2&" + ours + " /positions?cursor=2 /positions?cursor=3"
	if got := strings.Join(network.addresses(), " "); err != nil || len(all) != 3 || got != want {
		t.Errorf("%v, %v, requested %s", all, err, got)
	}
}

// TestRedirects checks that a read follows a redirect only where it would follow a link, and never with credentials of
// another origin.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for fails, addresses := range map[string][]string{
		"": { // it is followed, without the credentials of the address, and also if the base URL lacks something
			"/v1/positions/", "/v2/positions?limit=1000", "/positions", "https://a:b@sandbox.assess.invalid/v1/positions",
		},
		"another address, https://sandbox.assess.invalid:444/v1/positions, ": {"https://sandbox.assess.invalid:444/v1/positions"},
		"another address, https://elsewhere.example/v1/positions, ":          {"https://elsewhere.example/v1/positions?x=1"},
		"another address, http://sandbox.assess.invalid/positions, ":         {"http://sandbox.assess.invalid/positions"},
		"another address, gopher://sandbox.assess.invalid/positions, ":       {"gopher://sandbox.assess.invalid/positions"},
		"another address, https://sandbox.assess.invalid/v1/assessments, ":   {"/v1/assessments", "assessments"},
		"another address, https://sandbox.assess.invalid/v1/%2e%2e/admin, ":  {"/v1/%2e%2e/admin"},
		"another address, https://sandbox.assess.invalid/, ":                 {"/"},
		"30":                     {"https://[::1"},
		"more than 10 redirects": {"/v1/positions?loop"},
	} {
		for _, to := range addresses {
			for _, status := range []int{301, 302, 303, 307, 308} {
				steps := []step{answers(status, "", "Location", to), answers(200, `[{"id":"1"}]`)}
				if strings.Contains(to, "loop") {
					steps = steps[:1]
				}
				network := newStub(steps...)
				_, err := newClient(t, network).Positions(nil).All(t.Context())
				if fails == "" && (err != nil || len(network.arrivals()) != 2) || !strings.Contains(fmt.Sprint(err), fails) {
					t.Errorf("%s %d: %v, requested %v, want %q", to, status, err, network.addresses(), fails)
				}
				for _, sent := range network.arrivals() {
					if sent.header.Get("Authorization") != basic(sandbox.ClientID, sandbox.APIKey) {
						t.Errorf("%s %d: sent %v to %s", to, status, sent.header, sent.address)
					}
				}
			}
		}
	}
}

// TestRedirectsOfOneObject checks that the read of one object may be redirected. A write is sent only once, and only to
// its own address.
func TestRedirectsOfOneObject(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, op := range operations {
			network := newStub(answers(status, "", "Location", "/v2/positions/pos-backend-london/assessments/pas-there"),
				answers(200, wireFile(t, "position-assessment-without-id.json")))
			err := op.run(t.Context(), newClient(t, network))
			if op.method == http.MethodGet {
				if err != nil || len(network.arrivals()) != 2 {
					t.Errorf("%d: the read did not follow the redirect: %v", status, err)
				}
				continue
			}
			if refused := as[*Error](t, err); refused.Status != status || isLost(err) || len(network.arrivals()) != 1 {
				t.Errorf("%d %s: %v after %d requests", status, op.method, err, len(network.arrivals()))
			}
		}
	}
}
