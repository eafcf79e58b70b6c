// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestMain sets a proxy, as the environment of a user does. net/http reads it only once.
func TestMain(m *testing.M) {
	if err := os.Setenv("HTTP_PROXY", "http://127.0.0.1:1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	const plain = `plain http would send the API key unencrypted to %q, so use https`
	for in, want := range map[string][2]string{ // the address or the error, and the origin
		"https://assess.example.com/v1//":     {"https://assess.example.com/v1", "https://assess.example.com:443"},
		"assess.example.com/v1":               {"https://assess.example.com/v1", "https://assess.example.com:443"},
		"assess.example.com:8443":             {"https://assess.example.com:8443", "https://assess.example.com:8443"},
		"HTTPS://Assess.Example.com/A%2Fb/":   {"https://Assess.Example.com/A%2Fb", "https://assess.example.com:443"},
		"http://localhost:8377/v1":            {"http://localhost:8377/v1", "http://localhost:8377"},
		"http://127.8.9.1/":                   {"http://127.8.9.1", "http://127.8.9.1:80"},
		"http://[::1]:8377/v1":                {"http://[::1]:8377/v1", "http://[::1]:8377"},
		"http://localhost.example.com":        {fmt.Sprintf(plain, "localhost.example.com")},
		"http://10.0.0.1":                     {fmt.Sprintf(plain, "10.0.0.1")},
		"ftp://assess.example.com":            {`its scheme is "ftp", so use https`},
		"":                                    {"it has no host"},
		"https:///v1":                         {"it has no host"},
		"https://id:key@assess.example.com":   {"it contains credentials, so set client_id and api_key instead"},
		"https://assess.example.com/v1?x=1":   {"it contains a query or a fragment, which you must remove"},
		"https://assess.example.com/v1#top":   {"it contains a query or a fragment, which you must remove"},
		"https://assess.example.com:port/v1":  {"it is not an address"},
		"https:/assess.example.com/v1":        {"it is not an address"},
		"HTTP:/localhost:8377/v1":             {"it is not an address"},
		"https//assess.example.com/v1":        {"it is not an address"},
		"https;//assess.example.com/v1":       {"it is not an address"},
		"htps:/assess.example.com/v1":         {"it is not an address"},
		"https/v1":                            {"https://https/v1", "https://https:443"},
		"https://assess.example.com:84430/v1": {"its port is not a number from 1 to 65535"},
		"https://assess.example.com:0":        {"its port is not a number from 1 to 65535"},
		"https://assess.example.com/\nv1":     {"it contains white space"},
		"https://assess.example.com/v1 ":      {"it contains white space"},
		"https://assess.example.com/v1/%zz/x": {"it is not an address"},
	} {
		u, err := ParseBaseURL(in)
		if err != nil {
			if err.Error() != want[0] {
				t.Errorf("%q: %v, want %q", in, err, want[0])
			}
			continue
		}
		if u.String() != want[0] || Origin(u) != want[1] || IsLoopback(u) != strings.HasPrefix(in, "http:") {
			t.Errorf("%q: %s, origin %s, on this machine: %t, want %q", in, u, Origin(u), IsLoopback(u), want)
		}
	}
}

// TestRequestHeaders checks that each request has exactly the headers of the contract, and those of the configuration,
// which replace none of the client's own.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	for _, op := range operations {
		sandboxtest.Virtual(t, op.method, func(t *testing.T) {
			body := `{"id":"pas-there","organizationAssessment":"asm"}`
			network := newStub(answers(429, ""), answers(200, body, "Location", "/v1/positions/p/assessments/pas-9"))
			c := newClient(t, network, func(cfg *Config) {
				cfg.Headers = map[string]string{"x-gateway-token": "t0ken", "Cache-Control": "max-age=60"}
			})
			if err := op.run(t.Context(), c); err != nil || len(network.arrivals()) != 2 {
				t.Errorf("%v after %d attempts", err, len(network.arrivals()))
			}
			want := http.Header{
				"Authorization": {basic(sandbox.ClientID, sandbox.APIKey)}, "Accept": {"application/json"},
				"User-Agent": {"terraform-provider-assess/test"}, "Cache-Control": {"no-cache"}, "X-Gateway-Token": {"t0ken"},
			}
			if op.method == http.MethodPost || op.method == http.MethodPut {
				want["Content-Type"] = []string{"application/json"}
			}
			for _, sent := range network.arrivals() {
				if !maps.EqualFunc(sent.header, want, slices.Equal) {
					t.Errorf("sent %v, want %v", sent.header, want)
				}
			}
		})
	}
}

// awkwardIDs are IDs that each need escaping to be one path segment.
var awkwardIDs = []string{
	"a/b", "/", "//", "a b", " ", "50%", "%2F", "%2e%2e", "../x", "..x", "...", "a/../b", "?q=1", "#top",
	"a;b,c", "a:b@c", "a+b&c=d", `"quoted"`, "'", "<b>", "new\nline", "\r\n\tHost: evil", "\x00",
	"é", "€", "😀", "\xff", "\\", "..\\..", "assessments", "results", strings.Repeat("x", 3000),
}

// TestInvalidIDs checks that an ID that cannot be a path segment is refused before a
// request is sent.
func TestInvalidIDs(t *testing.T) {
	t.Parallel()
	network := newStub(answers(http.StatusOK, "{}"))
	c := newClient(t, network)
	for _, id := range []string{"", ".", ".."} {
		_, results := c.Results(t.Context(), id, nil, nil)
		_, add := c.PositionAssessments().Create(t.Context(), id, PositionAssessment{AssessmentID: "asm"})
		_, update := c.PositionAssessments().Update(t.Context(), "p", id, PositionAssessment{AssessmentID: "asm"})
		_, enable := c.EnableSkillsTest(t.Context(), "asm", SkillsTest{Item: Item{ID: id}, listed: []byte("{}")})
		_, list := c.List(t.Context(), Packages, id)
		remove := c.PositionAssessments().Remove(t.Context(), "p", id)
		for _, err := range []error{results, add, update, enable, list, remove} {
			if err == nil || !strings.Contains(err.Error(), "cannot be the id of the") {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	if seen := network.addresses(); len(seen) > 0 {
		t.Errorf("sent %v", seen)
	}
}

// TestNetworkDefaults checks that TLS 1.2 is the minimum, that verification cannot be skipped, and that connecting
// leaves time for another address. A proxy would see the credentials of a request without TLS, so none is used,
// however the name of this machine is written.
func TestNetworkDefaults(t *testing.T) {
	t.Parallel()
	network := Network(requestTimeout)
	if c := network.TLSClientConfig; c.MinVersion != tls.VersionTLS12 || c.InsecureSkipVerify || c.RootCAs != nil {
		t.Errorf("minimum TLS version %x, verification skipped: %t, own root certificates: %t", c.MinVersion,
			c.InsecureSkipVerify, c.RootCAs != nil)
	}
	if got := dialer(requestTimeout).Timeout; got > requestTimeout/3 || got <= 0 || network.DialContext == nil {
		t.Errorf("%s to connect, of %s", got, requestTimeout)
	}
	for _, address := range []string{"http://localhost/v1", "http://LOCALHOST/v1", "http://127.0.0.1/v1"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if proxy, err := network.Proxy(&http.Request{URL: u}); proxy != nil || err != nil {
			t.Errorf("%s is reached through %v: %v", address, proxy, err)
		}
	}
}

// A cache that answers instead of the service is noted once.
func TestCacheIsNoted(t *testing.T) {
	t.Parallel()
	for age, want := range map[string]int{"": 0, "0": 0, "59": 1, " 3 ": 1, "-1": 0, "soon": 0} {
		noted := 0
		note := func(cfg *Config) { cfg.Cached = func() { noted++ } }
		c := newClient(t, newStub(answers(http.StatusOK, "[]", "Age", age)), note)
		pages := c.PositionAssessments().Pages("p")
		_, first := pages.All(t.Context())
		_, second := c.List(t.Context(), Assessments, "")
		if err := errors.Join(first, second); err != nil || (pages.Doubt() != nil) != (want > 0) || noted != want {
			t.Errorf("%q: %v, %v, noted %d times", age, err, pages.Doubt(), noted)
		}
	}
}

// A cache that does not say how old its answer is, like nginx, repeats the Conversation-Id of an earlier answer to the
// same request. If different requests get the same one, it proves nothing. A gateway may sign its errors with one.
func TestRepeatedConversationIsNoted(t *testing.T) {
	t.Parallel()
	signed := func(id string) step { return gateway(http.StatusOK, "[]", "Conversation-Id", id) }
	for name, row := range map[string]struct {
		answers []step
		noted   bool
	}{
		"one for each answer": {[]step{signed("c-1"), signed("c-2"), signed("c-3")}, false},
		"a copy":              {[]step{signed("c-1"), signed("c-2"), signed("c-2")}, true},
		"one for all":         {[]step{signed("c-1"), signed("c-1"), signed("c-1")}, false},
		"none":                {[]step{gateway(http.StatusOK, "[]")}, false},
	} {
		noted := false
		failed := gateway(http.StatusNotFound, "", "Conversation-Id", "of-the-gateway")
		answers := append([]step{failed, failed}, row.answers...)
		c := newClient(t, newStub(answers...), func(cfg *Config) { cfg.Cached = func() { noted = true } })
		for _, k := range []Kind{Benchmarks, Profiles} {
			if _, err := c.List(t.Context(), k, "a"); !IsNotFound(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, other := c.List(t.Context(), Assessments, "")
		_, first := c.PositionAssessments().List(t.Context(), "p")
		pages := c.PositionAssessments().Pages("p")
		_, second := pages.All(t.Context())
		if err := errors.Join(other, first, second); err != nil || noted != row.noted || (pages.Doubt() != nil) != row.noted {
			t.Errorf("%s: %v, %v, noted: %t", name, err, pages.Doubt(), noted)
		}
	}
}
