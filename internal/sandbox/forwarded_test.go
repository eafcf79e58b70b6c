// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Behind a gateway, links lead through the gateway. Without one, the headers mean nothing.
func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		forwarded bool
		header    map[string]string
		want      string
	}{
		"nginx":             {true, map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "assess.example.com"}, "https://assess.example.com/v1/"},
		"a port":            {true, map[string]string{"X-Forwarded-Host": "assess.example.com:8443"}, "http://assess.example.com:8443/v1/"},
		"two gateways":      {true, map[string]string{"X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "outer.example, inner"}, "https://outer.example/v1/"},
		"only the scheme":   {true, map[string]string{"X-Forwarded-Proto": "HTTPS"}, "https://inner:8377/v1/"},
		"another scheme":    {true, map[string]string{"X-Forwarded-Proto": "javascript"}, "http://inner:8377/v1/"},
		"no host":           {true, map[string]string{"X-Forwarded-Host": "evil.example/x?"}, "http://inner:8377/v1/"},
		"credentials":       {true, map[string]string{"X-Forwarded-Host": "user@evil.example"}, "http://inner:8377/v1/"},
		"on a loopback":     {false, map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}, "http://inner:8377/v1/"},
		"without a gateway": {true, nil, "http://inner:8377/v1/"},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://inner:8377/v1/positions", nil)
		request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		for header, value := range row.header {
			request.Header.Set(header, value)
		}
		recorded := httptest.NewRecorder()
		memory(t, sandbox.Options{Remote: row.forwarded, MaxPage: 1}).ServeHTTP(recorded, request)
		if link := recorded.Header().Get("Link"); !strings.HasPrefix(link, "<"+row.want) {
			t.Errorf("%s: the link is %s, want %s", name, link, row.want)
		}
	}
}
