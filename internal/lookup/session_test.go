// SPDX-License-Identifier: MPL-2.0

package lookup_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

type fields = driver.Values

// session is one run of the provider on a service.
type session struct {
	*driver.Session
	t         *testing.T
	service   *driver.Service
	workspace *driver.Workspace
	said      int // how many diagnostics the test has seen
}

// begin runs a test in virtual time, on the demo organization.
func begin(t *testing.T, test func(w *session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := driver.NewService(t, sandbox.Options{NoLimits: true})
		w := &session{t: t, service: service, workspace: driver.NewWorkspace(t, service)}
		test(w.again())
	})
}

// again begins another run.
func (w *session) again() *session {
	return &session{w.workspace.Configure(), w.t, w.service, w.workspace, 0}
}

// read reads a data source, and returns the new diagnostics.
func (w *session) read(name string, arguments fields) (fields, driver.Diagnostics) {
	got := w.Data(name, arguments)
	said := w.Diagnostics()[w.said:]
	w.said += len(said)
	return got, said
}

// reads returns the attributes of a data source, which must not report anything.
func (w *session) reads(name string, arguments fields) fields {
	w.t.Helper()
	got, said := w.read(name, arguments)
	if len(said) > 0 {
		w.t.Fatalf("%s %v: %v", name, arguments, said)
	}
	return got
}

// warns returns the attributes of a data source, which must report one warning that contains all texts.
func (w *session) warns(name string, arguments fields, texts ...string) fields {
	w.t.Helper()
	got, said := w.read(name, arguments)
	if len(said) != 1 || said[0].Error {
		w.t.Fatalf("%s %v: got %v, want one warning", name, arguments, said)
	}
	for _, text := range texts {
		if len(said.Saying(text)) == 0 {
			w.t.Errorf("%s %v: %v does not contain %q", name, arguments, said, text)
		}
	}
	return got
}

// shows fails if an attribute of a data source is not the value of some JSON.
func (w *session) shows(name string, arguments fields, attributes map[string]string) {
	w.t.Helper()
	got := w.reads(name, arguments)
	for attribute, want := range attributes {
		sameJSON(w.t, name+"."+attribute, got[attribute], want)
	}
}

// rejects fails unless reading a data source reports one error, which matches all patterns.
func (w *session) rejects(name string, arguments fields, patterns ...string) {
	w.t.Helper()
	_, said := w.read(name, arguments)
	if len(said) != 1 || !said[0].Error {
		w.t.Errorf("%s %v: got %v, want one error", name, arguments, said)
		return
	}
	text := strings.Join(strings.Fields(said[0].Summary+" "+said[0].Detail), " ")
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(text) {
			w.t.Errorf("%s %v: %q does not match %q", name, arguments, text, pattern)
		}
	}
}

// answering answers requests for a route, or all, with a status of the service.
func answering(route string, status int) driver.Hook {
	return func(r *driver.Request, next func() driver.Response) driver.Response {
		resp := next()
		if r.Is("", route) {
			resp.Status, resp.Body = status, []byte("not this one")
			resp.Header.Set("Content-Type", "text/plain")
		}
		return resp
	}
}

// sameJSON fails if a value differs from some JSON.
func sameJSON(t *testing.T, what string, got any, want string) {
	t.Helper()
	if got, want := jsonOf(t, got), jsonOf(t, fromJSON(t, want)); got != want {
		t.Errorf("%s is\n%s, want\n%s", what, got, want)
	}
}

// fromJSON keeps the digits of numbers.
func fromJSON(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
