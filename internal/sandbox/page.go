// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/api"
)

//go:embed pages
var pageFiles embed.FS

// Pages for people are outside the base path. They are plain HTML without JavaScript,
// and exist only over HTTP.
var pageRoutes = []struct {
	method   string
	template string
	handle   func(*visit) error
}{
	{http.MethodGet, "/", showOverview},
	{http.MethodGet, "/style.css", showStyle},
	{http.MethodGet, "/openapi.yaml", showContract},
	{http.MethodGet, "/practice", showPractice},
	{http.MethodPost, "/practice/{practice}", practice},
	{http.MethodGet, "/profile/{position}/{id}", showProfile},
	{http.MethodPost, "/profile/{position}/{id}", completeProfile},
	{http.MethodGet, "/sit/{invitation}", showSitting},
	{http.MethodPost, "/sit/{invitation}", sit},
	{http.MethodGet, "/report/{position}", showReport},
	{http.MethodGet, "/report/{position}/{candidate}", showReport},
	{http.MethodGet, "/report/{position}/{candidate}/{assessment}", showReport},
}

// visit is one request for a page.
type visit struct {
	service *Service
	request *http.Request
	writer  http.ResponseWriter
	ids     map[string]string

	// The answer.
	status int
	header http.Header
	body   bytes.Buffer
}

// pageError is an answer to a person instead of a page.
type pageError struct {
	status int
	text   string
}

func (e pageError) Error() string { return e.text }

// notFoundPage is the answer if a page, or an object that a form names, does not exist.
func notFoundPage(what string) pageError {
	return pageError{http.StatusNotFound, "There is no " + what + "."}
}

// servePage answers with a page. It returns false for a request to the service.
func (s *Service) servePage(w http.ResponseWriter, r *http.Request) bool {
	v := &visit{
		service: s, request: r, writer: w, status: http.StatusOK, header: w.Header(),
	}
	allowed := []string{}
	var handle func(*visit) error
	shown := noSuchPage // for the log, which must not contain links that sign people in
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for _, route := range pageRoutes {
		ids, ok := matchSegments(strings.Split(route.template, "/"), segments)
		if !ok {
			continue
		}
		allowed, shown = append(allowed, route.method), route.template
		if route.method == r.Method || route.method == http.MethodGet && r.Method == http.MethodHead {
			v.ids, handle = ids, route.handle
		}
	}
	if len(allowed) == 0 {
		if !wantsPage(r) {
			return false
		}
		handle = func(*visit) error { return notFoundPage("page at this address") }
	}
	v.header.Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case handle == nil:
		v.header.Set("Allow", strings.Join(allowed, ", "))
		v.problem(http.StatusMethodNotAllowed, "Method not allowed", "This page does not support the method "+r.Method+".")
	case crossOrigin.Check(r) != nil:
		v.problem(http.StatusForbidden, "Request refused", "This form was sent from a page of another origin.")
	default:
		v.answer(handle)
	}
	w.WriteHeader(v.status)
	_, _ = v.body.WriteTo(w) // the only possible error is that the client has disconnected
	s.log.print(r.Method, shown, v.status)
	return true
}

// wantsPage reports whether a browser requests an unknown address outside the base
// path. Clients of the service request JSON below the base path.
func wantsPage(r *http.Request) bool {
	return !isBelowBase(r.URL.EscapedPath()) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// answer runs a page's handler and turns its error into a page.
func (v *visit) answer(handle func(*visit) error) {
	var refused pageError
	switch err := handle(v); {
	case errors.As(err, &refused) && refused.status == http.StatusNotFound:
		v.problem(refused.status, "Not found", refused.text)
	case errors.As(err, &refused):
		v.problem(refused.status, "Refused", refused.text)
	case err != nil:
		v.problem(http.StatusInternalServerError, "Something went wrong", err.Error())
	}
}

// form reads the form of the page, which has only a few short values. It neither reads
// nor stores anything else, such as an upload.
func (v *visit) form() (url.Values, error) {
	if sent := v.request.Header.Get("Content-Type"); sent != "" {
		media, _, err := mime.ParseMediaType(sent)
		if err != nil || media != "application/x-www-form-urlencoded" {
			return nil, pageError{http.StatusUnsupportedMediaType, "This page does not accept this kind of form."}
		}
	}
	v.request.Body = http.MaxBytesReader(v.writer, v.request.Body, maxForm)
	var tooLarge *http.MaxBytesError
	switch err := v.request.ParseForm(); {
	case errors.As(err, &tooLarge):
		return nil, pageError{http.StatusRequestEntityTooLarge, "The form is too long."}
	case err != nil:
		return nil, pageError{http.StatusBadRequest, "Could not read the form."}
	}
	return v.request.PostForm, nil
}

// templates are the pages, each inside the layout.
var templates = sync.OnceValue(func() map[string]*template.Template {
	parsed := map[string]*template.Template{}
	for _, name := range []string{"overview", "practice", "profile", "sit", "report", "problem"} {
		parsed[name] = template.Must(template.New(name).Funcs(functions).
			ParseFS(pageFiles, "pages/layout.html", "pages/"+name+".html"))
	}
	return parsed
})

// functions are what the pages call besides the methods of the state.
var functions = template.FuncMap{
	"say": wordsOf, "day": day, "path": joinPath, "lower": strings.ToLower, "timestamp": timestamp,
	"statusOf": func(i Invitation) string { return i.statusAt(time.Now()) },
}

// said are the words of reports for the values of the service.
var said = map[string]string{
	Invited: "Open", TestedWithResults: "Completed",
	"VALID": "passed", "INVALID": "not passed", "INTERPRET_WITH_CAUTION": "interpret with caution",
	SupervisorToComplete: "Not completed yet", SupervisorCompleted: "Completed", ProfileAttached: "Attached",
}

// wordsOf writes a value of the service in words. FAR_ABOVE_AVERAGE becomes "Far above average".
func wordsOf(value string) string {
	if words, ok := said[value]; ok {
		return words
	}
	_, first := utf8.DecodeRuneInString(value)
	return value[:first] + strings.ToLower(strings.ReplaceAll(value[first:], "_", " "))
}

// day writes the date of a timestamp.
func day(text string) string {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format("January 2, 2006")
		}
	}
	return text
}

// render executes the template of a page, which escapes all values.
func (v *visit) render(name string, data any) error {
	v.body.Reset()
	return templates()[name].ExecuteTemplate(&v.body, "layout", data)
}

// problem answers with an error page.
func (v *visit) problem(status int, title, text string) {
	v.status = status
	if err := v.render("problem", struct{ Title, Text string }{title, text}); err != nil {
		v.body.Reset()
		v.body.WriteString(template.HTMLEscapeString(title))
	}
}

// look calls show with a copy of the state.
func (v *visit) look(show func(*State) error) error {
	var err error
	if viewing := v.service.view(v.request.Context(), func(st *State) { err = show(st) }); viewing != nil {
		return viewing
	}
	return err
}

// submit makes the change that a form of the page asks for, and then shows another page.
func (v *visit) submit(next string, change func(st *State, form url.Values) error) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	err = v.service.update(v.request.Context(), func(st *State) error { return change(st, form) })
	if err == nil { // a redirect, so that reloading the page does not send the form again
		v.status = http.StatusSeeOther
		v.header.Set("Location", next)
	}
	return err
}

func showStyle(v *visit) error {
	style, err := pageFiles.ReadFile("pages/style.css")
	v.header.Set("Content-Type", "text/css; charset=utf-8")
	v.body.Write(style)
	return err
}

func showContract(v *visit) error {
	v.header.Set("Content-Type", "application/yaml")
	v.body.Write(api.OpenAPI)
	return nil
}
