// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// checked is a transport that compares all requests and responses with a contract.
type checked struct {
	next   http.RoundTripper
	router routers.Router

	mu         sync.Mutex
	routes     []string // methods and paths
	violations map[string]bool
}

var options = &openapi3filter.Options{
	MultiError: true, IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: true,
	AuthenticationFunc: func(_ context.Context, in *openapi3filter.AuthenticationInput) error {
		if _, _, ok := in.RequestValidationInput.Request.BasicAuth(); !ok {
			return in.NewError(nil)
		}
		return nil
	},
}

func init() { openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder) }

// check returns a transport for a contract in the form of closed.
func check(t *testing.T, contract []byte, next http.RoundTripper) *checked {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(contract)
	if err != nil {
		t.Fatal(err)
	}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		t.Fatal(err)
	}
	return &checked{next: next, router: router, violations: map[string]bool{}}
}

func (c *checked) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context()) // ValidateRequest replaces the body
	route, params, violation := c.router.FindRoute(request)
	sent := &openapi3filter.RequestValidationInput{Request: request, Route: route, PathParams: params, Options: options}
	if violation == nil {
		violation = openapi3filter.ValidateRequest(request.Context(), sent)
	}
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if route != nil && (len(body) > 0 || response.Header.Get("Content-Type") != "") { // bodies are optional
		received := (&openapi3filter.ResponseValidationInput{
			RequestValidationInput: sent, Status: response.StatusCode, Header: response.Header, Options: options,
		}).SetBodyBytes(body)
		violation = errors.Join(violation, openapi3filter.ValidateResponse(request.Context(), received))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.routes = append(c.routes, request.Method+" "+request.URL.Path)
	if violation != nil {
		c.violations[fmt.Sprintf("%s %s %d: %v", request.Method, request.URL, response.StatusCode, violation)] = true
	}
	return response, nil
}

// report fails the test for each violation.
func (c *checked) report(t *testing.T) {
	t.Helper()
	if len(c.routes) == 0 {
		t.Error("nothing was sent, so nothing was compared")
	}
	for violation := range c.violations {
		t.Error(violation)
	}
}

// newClient returns a client on top of a transport.
func newClient(t *testing.T, transport http.RoundTripper) *assessapi.Client {
	t.Helper()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return assessapi.New(assessapi.Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, UserAgent: "terraform-provider-assess/test",
		Transport: transport, RequestTimeout: time.Minute,
	})
}

// The requests of the provider and the responses of the sandbox are in the
// contract, in each form that the provider accepts.
func TestContractDescribesEveryExchange(t *testing.T) {
	t.Parallel()
	contract := closed(t, read(t))
	for _, alternative := range append(sandboxtest.Alternatives(), sandboxtest.Alternative{Name: "as documented"}) {
		sandboxtest.Virtual(t, alternative.Gap+" "+alternative.Name, func(t *testing.T) {
			assumptions := sandboxtest.Assumptions{alternative}
			transport := check(t, contract, sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{NoLimits: true, MaxPage: 5}, Assumptions: assumptions,
			}))
			everything(t, newClient(t, transport))
			transport.next = sandboxtest.NewService(t, sandboxtest.Options{Assumptions: assumptions})
			if err := lists(t, newClient(t, transport)); !strings.Contains(fmt.Sprint(err), "429") {
				t.Errorf("no request got a 429: %v", err)
			}
			transport.report(t)
			for pattern := range operations(t) {
				if alternative.Gap == "" && !slices.ContainsFunc(transport.routes, pattern.MatchString) {
					t.Errorf("the client does not send %s", pattern)
				}
			}
		})
	}
}

// The contract names the statuses with which the provider accepts a write (A4, A5, A6).
func TestStatusesOfWrites(t *testing.T) {
	t.Parallel()
	for method, row := range map[string]struct {
		path string
		want []string
	}{
		"post":   {"/positions/{position}/assessments", []string{"200", "201", "4XX"}},
		"put":    {"/positions/{position}/assessments/{positionAssessment}", []string{"200", "204", "4XX"}},
		"delete": {"/positions/{position}/assessments/{positionAssessment}", []string{"200", "202", "204", "4XX"}},
	} {
		responses := at(t, read(t), "paths", row.path, method, "responses")
		for _, status := range row.want {
			if responses[status] == nil {
				t.Errorf("%s %s has no response %s", method, row.path, status)
			}
		}
	}
}

// The contract is a document of OpenAPI.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	loader := openapi3.NewLoader()
	document, err := loader.LoadFromData(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(loader.Context); err != nil {
		t.Error(err)
	}
}

// examples is a service that returns the examples of the contract.
type examples map[*regexp.Regexp]node

func (e examples) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	for pattern, operation := range e {
		if !pattern.MatchString(request.Method + " " + request.URL.Path) {
			continue
		}
		example := operation
		for _, name := range []string{"responses", "200", "content", "application/json"} {
			example = example[name].(node)
		}
		recorder.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(recorder).Encode(example["example"]); err != nil {
			return nil, err
		}
	}
	response := recorder.Result()
	response.Request = request
	return response, nil
}

// The examples of the contract are valid, and the client reads all of them.
func TestExamples(t *testing.T) {
	t.Parallel()
	service := examples(operations(t))
	transport := check(t, closed(t, read(t)), service)
	if err := lists(t, newClient(t, transport)); err != nil {
		t.Error(err)
	}
	transport.report(t)
	for pattern := range service {
		if strings.Contains(pattern.String(), "get") && !slices.ContainsFunc(transport.routes, pattern.MatchString) {
			t.Errorf("%s was not sent", pattern)
		}
	}
}

// lists calls each method of the client that reads.
func lists(t *testing.T, client *assessapi.Client) error {
	t.Helper()
	const position = sandbox.DemoResultsPosition
	ctx, title := t.Context(), "Backend Engineer, London"
	_, _, first := client.FirstResults(ctx, position)
	errs := []error{
		first,
		failed(client.Assessments(ctx)),
		failed(client.Positions(ctx, &title)),
		failed(client.Results(ctx, position, []string{"cnd-001", "cnd-1"}, []string{"asm-lumen", "asm-quartet"})),
	}
	for _, assessment := range []string{"asm-quartet", "asm-lumen", "asm-northlight", "asm-workbench"} {
		errs = append(errs,
			failed(client.Items(ctx, assessapi.Packages, assessment)),
			failed(client.Items(ctx, assessapi.Benchmarks, assessment)),
			failed(client.Items(ctx, assessapi.Profiles, assessment)),
			failed(client.SkillsTests(ctx, assessment, false)))
	}
	attached, err := client.PositionAssessments(ctx, position)
	errs = append(errs, err)
	if len(attached.Elements) > 0 {
		errs = append(errs, failed(client.PositionAssessment(ctx, position, attached.Elements[0].ID)))
	}
	return errors.Join(errs...)
}

func failed[T any](_ T, err error) error { return err }

// everything calls each method of the client, also with requests that the service rejects, which are exchanges, too.
func everything(t *testing.T, client *assessapi.Client) {
	t.Helper()
	const position = "pos-backend-london"
	ctx := t.Context()
	_ = lists(t, client)
	tests, _ := client.SkillsTests(ctx, "asm-workbench", false)
	for _, test := range tests.Elements {
		_ = client.EnableSkillsTest(ctx, "asm-workbench", test)
	}
	games := assessapi.Configuration{
		Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}, Benchmark: new("bmk-quartet-engineers-en-gb"),
	}
	for _, add := range []struct {
		assessment    string
		configuration assessapi.Configuration
	}{
		{"asm-quartet", games},
		{"asm-quartet", assessapi.Configuration{}},
		{"asm-terrain", assessapi.Configuration{}},
		{"asm-northlight", assessapi.Configuration{Profile: new("prf-customer-first")}},
		{"asm-workbench", assessapi.Configuration{Tests: []string{"skt-sql"}}},
	} {
		pa, err := client.Attach(ctx, position, add.assessment, add.configuration)
		if err != nil || pa.ID == "" {
			continue // rejected, or without an ID
		}
		_, _ = client.PositionAssessment(ctx, position, pa.ID)
		_, _ = client.Update(ctx, position, pa.ID, add.assessment, add.configuration, nil)
		for range 2 {
			_, _ = client.Remove(ctx, position, pa.ID, nil)
		}
	}
	all, _ := client.PositionAssessments(ctx, sandbox.DemoResultsPosition)
	if len(all.Elements) > 0 {
		_, _ = client.Remove(ctx, sandbox.DemoResultsPosition, all.Elements[0].ID, nil)
	}
}
