// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Server is a service on a real port of this machine. It stops at the end of its test.
type Server struct {
	*Service
	URL    string // the base URL, path included
	Origin string // the same without the path
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
	var handler http.Handler = service
	if options.Wrap != nil {
		handler = options.Wrap(service)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections() // an endless answer would block Close
		server.Close()
	})
	return &Server{Service: service, URL: server.URL + basePath, Origin: server.URL}
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

// Getenv reads the environment variables with which a program uses a service in memory, some of them changed.
func Getenv(changed map[string]string) func(string) string {
	environment := map[string]string{
		"ASSESS_BASE_URL": sandbox.BaseURL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	}
	maps.Copy(environment, changed)
	return func(name string) string { return environment[name] }
}

// Virtual runs a parallel subtest in virtual time.
func Virtual(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// AssertPrivate fails a test unless a file exists and has mode 0600. Windows has no such
// modes: there, a file has the permissions of its directory, and Go shows 0666.
func AssertPrivate(t *testing.T, path string) {
	t.Helper()
	want := os.FileMode(0o600)
	if runtime.GOOS == "windows" {
		want = 0o666
	}
	if info, err := os.Stat(path); err != nil {
		t.Error(err)
	} else if info.Mode() != want {
		t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
	}
}
