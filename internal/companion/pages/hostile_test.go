// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A browser may know the credentials, because its user typed them or another page put
// them into an address. It then sends them with the requests of any page, and pages need none.
func TestFormsOfOtherOriginsAreRejected(t *testing.T) {
	t.Parallel()
	server := serve(t)
	profile := attachTerrain(t, server)
	attach := func(header http.Header) sandboxtest.Response {
		request := sandboxtest.NewRequest(t, http.MethodPost, server.URL+london, body("asm-facet", "{}"))
		for name := range header {
			request.Header.Set(name, header.Get(name))
		}
		return send(t, http.DefaultTransport, request)
	}
	before := server.State(t)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Origin": {"https://elsewhere.example"}},
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {server.Origin}},
	} {
		visitPage(t, http.MethodPost, profile, "", header).Want(t, http.StatusForbidden, "another origin")
		rejected := attach(header)
		rejected.Want(t, http.StatusForbidden, `"code":"CROSS_ORIGIN"`)
		if rejected.Header.Get("Conversation-Id") == "" || !reflect.DeepEqual(server.State(t), before) {
			t.Errorf("%v: no Conversation-Id, or the state changed", header)
		}
	}
	own := http.Header{"Origin": {server.Origin}}
	attach(own).Want(t, http.StatusCreated)
	visitPage(t, http.MethodPost, profile, "", own).Want(t, http.StatusSeeOther)
}

// Pages accept only one short form. Other forms change nothing.
func TestPagesRejectOtherForms(t *testing.T) {
	t.Parallel()
	server := serve(t)
	address := invited(t, server)
	for name, form := range map[string]struct{ contentType, body string }{
		"multipart": {"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=from\r\n\r\nINVITED\r\n--x--\r\n"},
		"long":      {"application/x-www-form-urlencoded", "from=" + strings.Repeat("x", 1<<20)},
		"damaged":   {"application/x-www-form-urlencoded", "from=%zz"},
	} {
		got := visitPage(t, http.MethodPost, address, form.body, http.Header{"Content-Type": {form.contentType}})
		if got.Status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
	visit(t, address).Want(t, http.StatusOK, "INVITED")
}

// invited returns the sign-in address of an invited candidate.
func invited(t *testing.T, server *sandboxtest.Server) string {
	t.Helper()
	var invitation string
	server.Change(t, func(st *sandbox.State) {
		candidate := &st.Position(sandbox.DemoResultsPosition).Candidates[5]
		candidate.Results = nil
		var err error
		if invitation, err = st.Invite(sandbox.DemoResultsPosition, candidate.ID, "asm-lumen", sandbox.Remote); err != nil {
			t.Error(err)
		}
	})
	return server.Origin + "/" + "sit/" + invitation
}

// Other people may read a log, so it does not contain the addresses that sign a person in.
func TestLogHasNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := serve(t, func(o *sandboxtest.Options) { o.Log = &log })
	address := invited(t, server)
	origin, secret, _ := strings.Cut(address, "/sit/")
	for _, page := range []string{"/sit/" + secret, "/sit/" + secret + "x", "/report/" + secret, "/" + secret, "//sit/" + secret} {
		for _, accept := range []string{"text/html", "*/*"} {
			visitPage(t, http.MethodGet, origin+page, "", http.Header{"Accept": {accept}})
		}
	}
	if !strings.Contains(log.String(), "(no such page)") || strings.Contains(log.String(), secret) {
		t.Errorf("the log is\n%s", log.String())
	}
}
