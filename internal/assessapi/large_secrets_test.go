// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Data is never cut, whatever its length. Only messages are.
func TestLongDataIsMaskedAsAWhole(t *testing.T) {
	t.Parallel()
	m := newMask(Config{ClientID: "client", APIKey: "the-api-key"})
	for name, row := range map[string]struct{ text, want string }{
		"without a secret": {strings.Repeat("a", 100<<10), strings.Repeat("a", 100<<10)},
		"a secret in it": {
			strings.Repeat("a", 50_000) + "the-api-key" + strings.Repeat("b", 50_000),
			strings.Repeat("a", 50_000) + "(secret)" + strings.Repeat("b", 50_000),
		},
	} {
		if got := m.JSON(`{"note":"` + row.text + `"}`); got != `{"note":"`+row.want+`"}` {
			t.Errorf("%s: %d bytes became %d, or the secret is in them", name, len(row.text), len(got))
		}
	}
}

// A long text is searched in parts. A secret is found wherever they begin and end.
func TestSecretsAreMaskedAtEachPlace(t *testing.T) {
	t.Parallel()
	const secret = "the-api-key"
	m := newMask(Config{ClientID: "client", APIKey: secret})
	escaped := escapeAll(secret, "&#x%06x;")
	for before := longestText - m.longest - len(escaped); before <= longestText; before += 97 {
		text := strings.Repeat("%", before) + escaped + strings.Repeat("%", longestText)
		if got := m.Message(text); len(got) != len(text)-len(escaped)+len("(secret)") || !strings.Contains(got, "(secret)") {
			t.Fatalf("after %d bytes, %d bytes became %d", before, len(text), len(got))
		}
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
		if proxy, err := Network().Proxy(&http.Request{URL: u}); proxy != nil || err != nil {
			t.Errorf("%s is reached through %v: %v", address, proxy, err)
		}
	}
}
