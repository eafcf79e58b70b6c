// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/companion/pages"
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
	before := jsonText(t, server.State(t).Positions)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}},
		{"Origin": {"https://elsewhere.example"}},
		{"Origin": {"http://127.0.0.1:1"}},
		{"Origin": {"null"}},
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {server.Origin}},
	} {
		visitPage(t, http.MethodPost, profile, "", header).Want(t, http.StatusForbidden, "another origin")
		rejected := attach(header)
		rejected.Want(t, http.StatusForbidden, `"code":"CROSS_ORIGIN"`)
		if rejected.Header.Get("Conversation-Id") == "" || jsonText(t, server.State(t).Positions) != before {
			t.Errorf("%v: no Conversation-Id, or the state changed", header)
		}
	}
	own := http.Header{"Origin": {server.Origin}}
	attach(own).Want(t, http.StatusCreated)
	visitPage(t, http.MethodPost, profile, "", own).Want(t, http.StatusSeeOther)
}

// multipartForm returns a form with one file.
func multipartForm(t *testing.T, size int) (form *bytes.Buffer, contentType string) {
	t.Helper()
	form = &bytes.Buffer{}
	writer := multipart.NewWriter(form)
	part, err := writer.CreateFormFile("upload", "upload.bin")
	if err == nil {
		_, err = part.Write(make([]byte, size))
	}
	if err != nil || writer.Close() != nil {
		t.Fatal(err)
	}
	return form, writer.FormDataContentType()
}

// Pages accept only one short form. Other forms are neither parsed nor stored.
func TestPagesRejectOtherForms(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary) // net/http writes large uploads to this directory
	t.Setenv("TMP", temporary)    // on Windows
	server := serve(t)
	address := invited(t, server)
	upload, contentType := multipartForm(t, 48<<20)
	for name, form := range map[string]struct {
		contentType string
		body        io.Reader
		status      int
	}{
		"multipart": {contentType, upload, http.StatusBadRequest},
		"text":      {"text/plain", strings.NewReader("from=INVITED"), http.StatusBadRequest},
		"long":      {"application/x-www-form-urlencoded", strings.NewReader("from=" + strings.Repeat("x", 1<<20)), http.StatusBadRequest},
		"damaged":   {"application/x-www-form-urlencoded", strings.NewReader("from=%zz"), http.StatusBadRequest},
	} {
		read := &countingReader{Reader: form.body}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, read)
		request.Header.Set("Content-Type", form.contentType)
		recorder := httptest.NewRecorder()
		pages.Handler(server.Service.Service, server).ServeHTTP(recorder, request)
		if recorder.Code != form.status || read.n > 64<<10 {
			t.Errorf("%s: %d, want %d; %d bytes were read", name, recorder.Code, form.status, read.n)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	visit(t, address).Want(t, http.StatusOK, "INVITED")
	visitPage(t, http.MethodPost, address, "from=INVITED", nil).Want(t, http.StatusSeeOther)
}

// countingReader counts the bytes that are read.
type countingReader struct {
	io.Reader
	n int
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
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
	addresses := []string{
		"/sit/" + secret, "/sit/" + secret + "x", "/report/" + secret, "/" + secret, "/sit/" + secret + "/",
		"//sit/" + secret, "/sit?" + secret,
	}
	for _, page := range addresses {
		for _, accept := range []string{"text/html", "*/*"} {
			visitPage(t, http.MethodGet, origin+page, "", http.Header{"Accept": {accept}})
		}
	}
	if !strings.Contains(log.String(), "(no such page)") || strings.Contains(log.String(), secret) {
		t.Errorf("the log is\n%s", log.String())
	}
}
