// SPDX-License-Identifier: MPL-2.0

package check

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// sent keeps the query that was sent last.
type sent struct{ query string }

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.query = r.URL.RawQuery
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("[]"))}, nil
}

// A check sends the addresses that the provider sends, unless it changes a parameter itself.
func TestWatcherKeepsAddresses(t *testing.T) {
	t.Parallel()
	const query = "cursor=%7Ba%20b%7D&z=1&flag&limit=1000&fields=title"
	for pageSize, want := range map[string]string{"": query, "1": "cursor=%7Ba+b%7D&fields=title&flag=&limit=1&z=1"} {
		service := &sent{}
		w := &watcher{endCheck: func(error) {}, next: service}
		w.pageSize = pageSize
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com/v1/x?"+query, nil)
		response, err := w.RoundTrip(request)
		if err != nil || service.query != want {
			t.Fatalf("sent %s, want %s: %v", service.query, want, err)
		}
		_ = response.Body.Close()
	}
}
