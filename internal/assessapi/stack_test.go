// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// argument returns a value for a parameter of an exported method.
func argument(t *testing.T, kind reflect.Type) reflect.Value {
	t.Helper()
	title := "title"
	for _, known := range []any{"id", true, []string{"id"}, &title, Metadata{}, SkillsTest{ID: "id", listed: []byte("{}")}} {
		if reflect.TypeOf(known) == kind {
			return reflect.ValueOf(known)
		}
	}
	if kind == reflect.TypeFor[context.Context]() {
		return reflect.ValueOf(t.Context())
	}
	t.Fatalf("a method has a parameter of type %s: add it to this test", kind)
	return reflect.Value{}
}

// callMethod calls a method of a client, reads every page of the result, and returns
// the error.
func callMethod(t *testing.T, method reflect.Value) error {
	t.Helper()
	arguments := []reflect.Value{}
	for parameter := range method.Type().Ins() {
		arguments = append(arguments, argument(t, parameter))
	}
	results := method.Call(arguments)
	last := results[len(results)-1]
	if all := last.MethodByName("All"); all.IsValid() {
		results = all.Call([]reflect.Value{reflect.ValueOf(t.Context())})
		last = results[len(results)-1]
	}
	err, isError := reflect.TypeAssert[error](last)
	if !isError && !last.IsNil() {
		t.Fatalf("the last result is a %s, want an error", last.Type())
	}
	return err
}

// TestEveryMethodUsesTransportAndRetry checks that each request of every exported
// method passes the transport of Config, which contains the throttle. Retry must be
// above the transport: a refused connection passes it again.
func TestEveryMethodUsesTransportAndRetry(t *testing.T) {
	t.Parallel()
	methods := reflect.TypeFor[*Client]()
	if methods.NumMethod() < 13 {
		t.Fatalf("the client has %d methods, but the specification has more routes", methods.NumMethod())
	}
	for i := range methods.NumMethod() {
		t.Run(methods.Method(i).Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var passed atomic.Int32
				bottom := newStub(refuses(), func(req *http.Request) (*http.Response, error) {
					if req.Method == http.MethodPost {
						return answers(http.StatusCreated, `{"id":"new"}`)(req)
					}
					if strings.HasSuffix(req.URL.Path, "/id/assessments/id") {
						return answers(http.StatusOK, `{"id":"id","organizationAssessment":"id"}`)(req)
					}
					return answers(http.StatusOK, "[]")(req)
				})
				c := newClient(t, nil, func(cfg *Config) {
					attempt := &Attempt{Next: bottom, Timeout: requestTimeout}
					cfg.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
						passed.Add(1)
						return attempt.RoundTrip(req)
					})
				})
				if err := callMethod(t, reflect.ValueOf(c).Method(i)); err != nil {
					t.Error(err)
				}
				if sent := len(bottom.arrivals()); sent != 2 || int(passed.Load()) != sent {
					t.Errorf("%d requests reached the network, %d passed the transport; want 2 each", sent, passed.Load())
				}
			})
		})
	}
}

// TestOneHTTPClient checks that the package creates one http.Client, sends with it in
// one place, and does not bypass it.
func TestOneHTTPClient(t *testing.T) {
	t.Parallel()
	around := map[string]bool{
		"http.Get":                      true,
		"http.Head":                     true,
		"http.Post":                     true,
		"http.PostForm":                 true,
		"http.DefaultClient":            true,
		"http.DefaultTransport":         true,
		"retryablehttp.Get":             true,
		"retryablehttp.Head":            true,
		"retryablehttp.Post":            true,
		"retryablehttp.PostForm":        true,
		"retryablehttp.NewClient":       true,
		"cleanhttp.DefaultClient":       true,
		"cleanhttp.DefaultPooledClient": true,
		"net.Dial":                      true,
		"net.Dialer":                    true,
		"tls.Dial":                      true,
	}
	uses := map[string]int{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CompositeLit:
				uses[name(node.Type)+"{}"]++
			case *ast.SelectorExpr:
				if around[name(node)] {
					t.Errorf("%s uses %s", file.Name(), name(node))
				}
				uses["."+node.Sel.Name]++
			}
			return true
		})
	}
	for use, want := range map[string]int{
		"http.Client{}": 1, "retryablehttp.Client{}": 1, "http.Transport{}": 0,
		".Do": 1, ".RoundTrip": 1, // one in the client's retry, one in the attempt
	} {
		if uses[use] != want {
			t.Errorf("%s is used %d times, want %d", use, uses[use], want)
		}
	}
}

// name returns the source text of a qualified identifier.
func name(node ast.Expr) string {
	if selector, ok := node.(*ast.SelectorExpr); ok {
		if pkg, ok := selector.X.(*ast.Ident); ok {
			return pkg.Name + "." + selector.Sel.Name
		}
	}
	return ""
}
