// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
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
		"HTTPS://Assess.Example.com/A%2Fb/":   {"https://Assess.Example.com/A%2Fb", "https://assess.example.com:443"},
		"http://localhost:8377/v1":            {"http://localhost:8377/v1", "http://localhost:8377"},
		"http://[::1]:8377/v1":                {"http://[::1]:8377/v1", "http://[::1]:8377"},
		"http://localhost.example.com":        {fmt.Sprintf(plain, "localhost.example.com")},
		"http://10.0.0.1":                     {fmt.Sprintf(plain, "10.0.0.1")},
		"https://[fe80::1%25eth0]:8443/v1":    {"https://[fe80::1%25eth0]:8443/v1", "https://[fe80::1%eth0]:8443"},
		"https://assess.example.com//":        {"https://assess.example.com", "https://assess.example.com:443"},
		"https://assess.example.com:443//":    {"https://assess.example.com:443", "https://assess.example.com:443"},
		"https://assess.example.com//v1":      {"https://assess.example.com//v1", "https://assess.example.com:443"},
		"https://assess.example.com:/v1":      {"https://assess.example.com:/v1", "https://assess.example.com:443"},
		"https://https://assess.example.com":  {"it is not an address"},
		"https://https//assess.example.com":   {"it is not an address"},
		"https://HTTP://assess.example.com":   {"it is not an address"},
		"https://htps://assess.example.com":   {"it is not an address"},
		"https:/assess.example.com/v1":        {"it is not an address"},
		"https//assess.example.com/v1":        {"it is not an address"},
		"htps:/assess.example.com/v1":         {"it is not an address"},
		"htps//assess.example.com/v1":         {"it is not an address"},
		"https://assess.example.com?":         {"it contains a query or a fragment, which you must remove"},
		"":                                    {"it has no host"},
		"https://id:key@assess.example.com":   {"it contains credentials, so set client_id and api_key instead"},
		"https://assess.example.com/v1?x=1":   {"it contains a query or a fragment, which you must remove"},
		"assess.example.com/?to=https://x":    {"it contains a query or a fragment, which you must remove"},
		"https://assess.example.com:84430/v1": {"its port is not a number from 1 to 65535"},
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
		if _, err := New(Config{BaseURL: u}).httpRequest(t.Context(), request{}); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TLS 1.2 is the minimum, and verification cannot be skipped. A proxy would see the credentials of a request without
// TLS, so none is used, however the name of this machine is written.
func TestNetworkDefaults(t *testing.T) {
	t.Parallel()
	network := Network(requestTimeout)
	if c := network.TLSClientConfig; c.MinVersion != tls.VersionTLS12 || c.InsecureSkipVerify || c.RootCAs != nil {
		t.Errorf("minimum TLS version %x, verification skipped: %t, own root certificates: %t", c.MinVersion,
			c.InsecureSkipVerify, c.RootCAs != nil)
	}
	if network.Protocols.HTTP2() || !network.Protocols.HTTP1() {
		t.Error("net/http would send a request again by itself over HTTP/2")
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
