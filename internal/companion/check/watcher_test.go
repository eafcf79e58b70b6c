// SPDX-License-Identifier: MPL-2.0

package check

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A check sends the addresses that the provider sends, unless it changes a parameter itself.
func TestWatcherKeepsAddresses(t *testing.T) {
	t.Parallel()
	const query = "cursor=%7Ba%20b%7D&z=1&flag&limit=1000&fields=title"
	for name, row := range map[string]struct {
		change func(*watcher)
		want   string
	}{
		"unchanged": {func(*watcher) {}, query},
		"limit":     {func(w *watcher) { w.limits.pageSize = "1" }, "cursor=%7Ba+b%7D&fields=title&flag=&limit=1&z=1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := ""
			w := &watcher{endCheck: func(error) {}, next: transport(func(r *http.Request) (*http.Response, error) {
				sent = r.URL.RawQuery
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("[]"))}, nil
			})}
			row.change(w)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://example.com/v1/x?"+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := w.RoundTrip(request)
			if err != nil || sent != row.want {
				t.Fatalf("sent %s, want %s: %v", sent, row.want, err)
			}
			_ = response.Body.Close()
		})
	}
}
