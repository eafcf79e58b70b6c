// SPDX-License-Identifier: MPL-2.0

package clitest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// trapProxy starts a proxy that rejects each request, and fails the test that has sent it. Programs do not use a proxy
// for addresses of this machine, so the proxy sees only what would go to another host. It returns its address.
func trapProxy(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a program of this test sent a request to another host: %s %s", r.Method, r.Host)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
