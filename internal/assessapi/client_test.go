// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
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
	for in, want := range map[string]string{
		"https://assess.example.com":          "https://assess.example.com",
		"https://assess.example.com/v1":       "https://assess.example.com/v1",
		"https://assess.example.com/v1//":     "https://assess.example.com/v1",
		"assess.example.com/v1":               "https://assess.example.com/v1",
		"assess.example.com:8443":             "https://assess.example.com:8443",
		"HTTPS://Assess.Example.com/A%2Fb/":   "https://Assess.Example.com/A%2Fb",
		"http://localhost:8377/v1":            "http://localhost:8377/v1",
		"http://127.0.0.1":                    "http://127.0.0.1",
		"http://127.8.9.1:80/":                "http://127.8.9.1:80",
		"http://[::1]:8377/v1":                "http://[::1]:8377/v1",
		"http://assess.example.com":           `plain http would send the API key unencrypted to "assess.example.com", so use https`,
		"http://localhost.example.com":        `plain http would send the API key unencrypted to "localhost.example.com", so use https`,
		"http://10.0.0.1":                     `plain http would send the API key unencrypted to "10.0.0.1", so use https`,
		"ftp://assess.example.com":            `its scheme is "ftp", so use https`,
		"":                                    "it has no host",
		"https://":                            "it has no host",
		"https:///v1":                         "it has no host",
		"https://id:key@assess.example.com":   "it contains credentials, so set client_id and api_key instead",
		"https://assess.example.com/v1?x=1":   "it contains a query or a fragment, which you must remove",
		"https://assess.example.com/v1#top":   "it contains a query or a fragment, which you must remove",
		"https://assess.example.com:port/v1":  "it is not an address",
		"https://assess.example.com/\nv1":     "it is not an address",
		"https://assess.example.com/v1/%zz/x": "it is not an address",
	} {
		u, err := ParseBaseURL(in)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = u.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://Assess.example.com/v1":  "https://assess.example.com:443",
		"https://assess.example.com:443": "https://assess.example.com:443",
		"http://localhost":               "http://localhost:80",
		"http://[::1]:8377":              "http://[::1]:8377",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if got, want := IsLoopback(u), strings.HasPrefix(in, "http:"); got != want {
			t.Errorf("%s is a loopback address: %t, want %t", in, got, want)
		}
	}
}

// TestRequestHeaders checks that requests have exactly the headers of the contract.
func TestRequestHeaders(t *testing.T) {
	t.Parallel()
	network := newStub(answers(http.StatusOK, wireFile(t, "added.json")))
	c := newClient(t, network)
	if _, err := c.PositionAssessment(t.Context(), "p", "pas-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.AddAssessment(t.Context(), "p", "asm-1", Metadata{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.UpdatePositionAssessment(t.Context(), "p", "pas-1", "asm-1", Metadata{}); err != nil {
		t.Fatal(err)
	}
	if err := c.RemovePositionAssessment(t.Context(), "p", "pas-1"); err != nil {
		t.Fatal(err)
	}
	basic := &http.Request{Header: http.Header{}}
	basic.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	for _, sent := range network.arrivals() {
		want := map[string]string{
			"Authorization": basic.Header.Get("Authorization"), "Accept": "application/json",
			"User-Agent": "terraform-provider-assess/test", "Cache-Control": "no-cache",
		}
		if sent.method == http.MethodPost || sent.method == http.MethodPut {
			want["Content-Type"] = "application/json"
		}
		if len(sent.header) != len(want) {
			t.Errorf("%s sent the headers %v", sent.method, sent.header)
		}
		for name, value := range want {
			if got := sent.header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s sent %s %q, want %q", sent.method, name, got, value)
			}
		}
	}
}

// TestNetworkDefaults checks that TLS 1.2 is the minimum, that verification cannot be
// skipped, and that the proxy settings of the environment are used.
func TestNetworkDefaults(t *testing.T) {
	t.Parallel()
	network := Network(requestTimeout)
	if c := network.TLSClientConfig; c.MinVersion != tls.VersionTLS12 || c.InsecureSkipVerify || c.RootCAs != nil {
		t.Errorf("minimum TLS version %x, verification skipped: %t, own root certificates: %t", c.MinVersion,
			c.InsecureSkipVerify, c.RootCAs != nil)
	}
	if network.Proxy == nil {
		t.Error("the proxy settings of the environment are not used")
	}
}

// A proxy would see the credentials of a request without TLS, so none is used, however the
// name of this machine is written.
func TestNoProxyWithoutTLS(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://localhost/v1", "http://LOCALHOST/v1", "http://127.0.0.1/v1"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if proxy, err := Network(requestTimeout).Proxy(&http.Request{URL: u}); proxy != nil || err != nil {
			t.Errorf("%s is reached through %v: %v", address, proxy, err)
		}
	}
}
