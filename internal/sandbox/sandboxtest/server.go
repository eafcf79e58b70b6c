// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"net/http/httptest"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Server is a service on a real port of this machine. It stops at the end of its test.
type Server struct {
	*Service
	URL string // the base URL, path included
}

// New starts a service with the demo state, in memory. Its pages have five items, so
// that every test exercises paging. The options can change both.
func New(t testing.TB, change ...func(*Options)) *Server {
	t.Helper()
	options := Options{Options: sandbox.Options{MaxPage: 5}}
	for _, option := range change {
		option(&options)
	}
	service := NewService(t, options)
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		server.CloseClientConnections() // an endless answer would block Close
		server.Close()
	})
	return &Server{Service: service, URL: server.URL + basePath}
}

// SkillsTest returns a skills test from JSON text, and keeps the spelling of the text.
func SkillsTest(t testing.TB, text string) sandbox.SkillsTest {
	t.Helper()
	object, err := sandbox.ParseObject([]byte(text))
	if err != nil {
		t.Fatalf("the skills test %s: %v", text, err)
	}
	return sandbox.SkillsTest{Object: object}
}
