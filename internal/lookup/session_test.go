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
	return &session{w.workspace.Configure(), w.t, w.service, w.workspace}
}

// read reads a data source, and returns its attributes and what it reports.
func (w *session) read(name string, arguments fields) (fields, driver.Diagnostics) {
	before := len(w.Diagnostics())
	got := w.Data("assess_"+name, arguments)
	return got, w.Diagnostics()[before:]
}

// shows checks attributes of a data source, which are given as JSON without white space.
func (w *session) shows(name string, arguments fields, attributes map[string]string) {
	w.t.Helper()
	got, said := w.read(name, arguments)
	if len(said) > 0 {
		w.t.Fatalf("%s %v: %v", name, arguments, said)
	}
	for attribute, want := range attributes {
		if text, err := json.Marshal(got[attribute]); err != nil || string(text) != want {
			w.t.Errorf("%s.%s is\n%s, want\n%s", name, attribute, text, want)
		}
	}
}

// rejects fails unless reading a data source reports one error, which matches all patterns.
func (w *session) rejects(name string, arguments fields, patterns ...string) {
	w.t.Helper()
	_, said := w.read(name, arguments)
	if len(said) != 1 || !said[0].Error {
		w.t.Fatalf("%s %v: got %v, want one error", name, arguments, said)
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
