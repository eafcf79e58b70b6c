// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A browser may know the credentials, because its user typed them or another page put
// them into an address. It then sends them with the requests of any page.
func TestWritesOfOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t)
	for name, header := range map[string]http.Header{
		"cross-site":     {"Sec-Fetch-Site": {"cross-site"}},
		"another origin": {"Origin": {"https://elsewhere.example"}},
		"null origin":    {"Origin": {"null"}},
	} {
		request := sandboxtest.NewRequest(t, http.MethodPost, server.URL+london, body("asm-facet", "{}"))
		for key, values := range header {
			request.Header[key] = values
		}
		got := send(t, http.DefaultTransport, request)
		got.Want(t, http.StatusForbidden, `"code":"CROSS_ORIGIN"`)
		if got.Header.Get("Conversation-Id") == "" {
			t.Errorf("%s: no Conversation-Id", name)
		}
	}
	if n := attachedTo(t, server.Service.Service); n != 0 {
		t.Errorf("%d assessments were attached", n)
	}
	same := sandboxtest.NewRequest(t, http.MethodPost, server.URL+london, body("asm-facet", "{}"))
	same.Header.Set("Origin", strings.TrimSuffix(server.URL, "/v1"))
	send(t, http.DefaultTransport, same).Want(t, http.StatusCreated)
}

// With AllowRemote, a page can also make its own name resolve to the server.
func TestRemoteServerAnswersToItsOwnNamesOnly(t *testing.T) {
	t.Parallel()
	settings, stop := serve(t, sandbox.ServerOptions{Address: "0.0.0.0:0", AllowRemote: true})
	defer stop()
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"localhost": 200, "127.0.0.1:80": 200, "192.0.2.7:8377": 200, "[2001:db8::1]:80": 200, "[2001:db8::1]": 200,
		own: 200, strings.ToUpper(own) + ":80": 200,
		"rebound.example": 421, "rebound.example:80": 421, "192.0.2.7.example": 421, own + ".example": 421,
	} {
		for _, address := range []string{settings["ASSESS_BASE_URL"] + "/positions?limit=0", settings["Pages for people"]} {
			request := sandboxtest.NewRequest(t, http.MethodGet, address, "")
			request.Host = host
			if got := send(t, http.DefaultTransport, request); got.Status != want {
				t.Errorf("Host %s, %s: %d, want %d", host, address, got.Status, want)
			}
		}
	}
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
func TestPagesRefuseOtherForms(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary) // net/http writes large uploads to this directory
	t.Setenv("TMP", temporary)    // on Windows
	server := sandboxtest.New(t)
	address := invited(t, server)
	upload, contentType := multipartForm(t, 48<<20)
	for name, form := range map[string]struct {
		contentType string
		body        io.Reader
		status      int
	}{
		"multipart": {contentType, upload, http.StatusUnsupportedMediaType},
		"text":      {"text/plain", strings.NewReader("from=INVITED"), http.StatusUnsupportedMediaType},
		"long":      {"application/x-www-form-urlencoded", strings.NewReader("from=" + strings.Repeat("x", 1<<20)), http.StatusRequestEntityTooLarge},
		"damaged":   {"application/x-www-form-urlencoded", strings.NewReader("from=%zz"), http.StatusBadRequest},
	} {
		read := &countingReader{Reader: form.body}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, read)
		request.Header.Set("Content-Type", form.contentType)
		recorder := httptest.NewRecorder()
		server.Service.Service.ServeHTTP(recorder, request)
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
	return strings.TrimSuffix(server.URL, "v1") + "sit/" + invitation
}

// A log is read in a terminal, and other people may read it.
func TestLogHasNoControlCharactersAndNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	service := memory(t, sandbox.Options{Log: &log})
	server := httptest.NewServer(service)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	var secret string
	if err := service.View(func(st *sandbox.State) {
		secret = st.Position(sandbox.DemoResultsPosition).Candidates[0].Results[0].Invitations[0].ID
	}); err != nil {
		t.Fatal(err)
	}
	targets := []string{
		"/v1/positions?title=\x9b31m\u009b2J\u202e", "/v1/positions/\u009b?" + strings.Repeat("x", 10_000),
		"/sit/" + secret, "/sit/" + secret + "x", "/report/" + secret, "/" + secret,
		"/sit/" + secret + "/", "//sit/" + secret, "/sit?" + secret,
	}
	for i, target := range targets {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		accept := []string{"text/html", "*/*"}[i%2]
		_, err = fmt.Fprintf(
			connection,
			"GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nConnection: close\r\n\r\n",
			target, accept,
		)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, connection); err != nil {
			t.Fatal(err)
		}
		_ = connection.Close()
	}
	for _, line := range strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n") {
		for _, character := range line {
			if character < ' ' || character > '~' {
				t.Errorf("the log has %U: %q", character, line)
			}
		}
		if len(line) > 500 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if n := strings.Count(log.String(), "\n"); n != len(targets) || strings.Contains(log.String(), secret) {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
	if !strings.Contains(log.String(), "200 GET /sit/{invitation}\n") {
		t.Errorf("the log does not name the page:\n%s", log.String())
	}
}

// pageHeaders are on every page.
var pageHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
	"Cache-Control": "no-store", "Referrer-Policy": "same-origin",
}

// missingHeaders returns the headers of a page that an answer does not have.
func missingHeaders(header http.Header) (missing []string) {
	for name, part := range pageHeaders {
		if !strings.Contains(header.Get(name), part) {
			missing = append(missing, name)
		}
	}
	return missing
}
