// SPDX-License-Identifier: MPL-2.0

package pages

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

//go:embed html
var files embed.FS

const (
	maxForm  = 4 << 10 // the longest form in bytes
	formType = "application/x-www-form-urlencoded"
)

// site shows a service to people, in plain HTML without JavaScript.
type site struct{ service *sandbox.Service }

// Handler returns a handler that serves the pages of a service to browsers. The handler passes requests below /v1 to
// rest, which serves the service itself. If a program requests an address without a page, the handler passes the
// request to rest, too. The handler rejects forms that a page of another origin sends.
func Handler(service *sandbox.Service, rest http.Handler) http.Handler {
	pages := rejectForeignForms(site{service}.pages(rest))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sandbox.IsBelowBase(r.URL.EscapedPath()) {
			rest.ServeHTTP(w, r)
			return
		}
		sandbox.Protect(w.Header())
		pages.ServeHTTP(w, r)
	})
}

// rejectForeignForms returns a handler that calls next, but rejects forms that a page of another origin sends.
func rejectForeignForms(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		write(w, page{}, problem{http.StatusForbidden, "Rejected", "This form was sent from a page of another origin."})
	}))
	return protection.Handler(next)
}

// pages returns the handler of all addresses outside of /v1: pages, forms that change the state, the style sheet and
// the contract. For other requests, it shows the page "Not found" to a browser, and passes the request of a program to
// rest.
func (s site) pages(rest http.Handler) *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, show := range map[string]func(*http.Request) (page, error){
		"GET /{$}": s.overview, "GET /practice": s.practice,
		"GET /profile/{position}/{id}": s.profile, "GET /sit/{invitation}": s.sitting,
		"GET /report/{position}": s.report, "GET /report/{position}/{candidate}": s.report,
		"GET /report/{position}/{candidate}/{assessment}": s.report,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			p, err := show(r)
			write(w, p, err)
		})
	}
	for pattern, change := range map[string]func(*http.Request, *sandbox.State) (next string, err error){
		"POST /practice/{practice}": doPractice, "POST /profile/{position}/{id}": completeProfile,
		"POST /sit/{invitation}": sit,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.submit(w, r, change) //nolint:contextcheck // a change of the state does not stop halfway
		})
	}
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "html/style.css")
	})
	mux.HandleFunc("GET /openapi.yaml", serveContract)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			write(w, page{}, notFound("page at this address"))
			return
		}
		rest.ServeHTTP(w, r)
	})
	return mux
}

func serveContract(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(api.OpenAPI) // the only possible error is that the browser has disconnected
}

// page is the name of a template, and what it shows.
type page struct {
	name string
	data any
}

// problem is an error that the page "problem" shows to a person.
type problem struct {
	Status      int
	Title, Text string
}

func (p problem) Error() string { return p.Text }

func notFound(what string) error {
	return problem{http.StatusNotFound, "Not found", "There is no " + what + "."}
}

func rejected(text string) error { return problem{http.StatusConflict, "Rejected", text} }

// write writes a page with status 200. If err is not nil, it writes the page "problem" instead: a [problem] with its
// status, and any other error with status 500. If a template fails, it writes only the error, with status 500.
func write(w http.ResponseWriter, p page, err error) {
	status := http.StatusOK
	if err != nil {
		shown, isProblem := errors.AsType[problem](err)
		if !isProblem {
			shown = problem{http.StatusInternalServerError, "Something went wrong", err.Error()}
		}
		status, p = shown.Status, page{"problem", shown}
	}
	var text bytes.Buffer
	err = templates()[p.name].ExecuteTemplate(&text, "layout", p.data)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = text.WriteTo(w) // the only possible error is that the browser has disconnected
}

// look returns the page that the function show returns for a copy of the state.
func (s site) look(show func(*sandbox.State) (page, error)) (p page, err error) {
	failed := s.service.View(func(st *sandbox.State) { p, err = show(st) })
	return p, cmp.Or(failed, err)
}

// submit parses the form of a request, and calls change with the request and the state. It then redirects the browser
// to the address that change returns, so that reloading the page does not send the form again. If the form is invalid,
// if change returns an error, or if the result cannot be stored, the state stays as it is, and the response is a page
// about the error.
func (s site) submit(
	w http.ResponseWriter, r *http.Request, change func(*http.Request, *sandbox.State) (next string, err error),
) {
	if err := parseForm(w, r); err != nil {
		write(w, page{}, err)
		return
	}
	var next string
	err := s.service.Update(func(st *sandbox.State) (err error) {
		next, err = change(r, st)
		return err
	})
	if err != nil {
		write(w, page{}, err)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// parseForm parses a form that a browser sends. It rejects a form of more than maxForm bytes, and a form whose
// Content-Type is not formType.
func parseForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	if err != nil || r.Header.Get("Content-Type") != formType {
		return problem{http.StatusBadRequest, "Rejected", "This page does not accept this form."}
	}
	return nil
}

// templates returns the templates of the pages by name, each inside the layout.
var templates = sync.OnceValue(func() map[string]*template.Template {
	parsed := map[string]*template.Template{}
	for _, name := range []string{"overview", "practice", "profile", "sit", "report", "problem"} {
		parsed[name] = template.Must(template.New(name).Funcs(functions).
			ParseFS(files, "html/layout.html", "html/"+name+".html"))
	}
	return parsed
})

// functions are the functions that templates can call.
var functions = template.FuncMap{
	"say": say, "path": sandbox.JoinPath, "lower": strings.ToLower,
	"day":      func(t time.Time) string { return t.Format("January 2, 2006") },
	"statusOf": func(i sandbox.Invitation) string { return i.StatusAt(time.Now()) },
	"isOpen":   isOpen,
}

// said contains the words that pages show for some values of the service.
var said = map[string]string{
	sandbox.Invited: "Open", sandbox.TestedWithResults: "Completed",
	"VALID": "passed", "INVALID": "not passed", "INTERPRET_WITH_CAUTION": "interpret with caution",
	sandbox.SupervisorToComplete: "Not completed yet", sandbox.SupervisorCompleted: "Completed",
	sandbox.ProfileAttached: "Attached",
}

// say returns a value of the service in words, such as "Far above average" for FAR_ABOVE_AVERAGE.
func say(value string) string {
	if words, ok := said[value]; ok {
		return words
	}
	_, first := utf8.DecodeRuneInString(value)
	return value[:first] + strings.ToLower(strings.ReplaceAll(value[first:], "_", " "))
}
