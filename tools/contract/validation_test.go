// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// checked is a transport that compares all requests and responses with a contract.
type checked struct {
	next   http.RoundTripper
	router routers.Router

	mu         sync.Mutex
	sent       map[string]bool // methods and routes
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
	if route != nil {
		c.sent[route.Method+" "+route.Path] = true
	}
	if violation != nil {
		c.violations[fmt.Sprintf("%s %s %d: %v", request.Method, request.URL, response.StatusCode, violation)] = true
	}
	return response, nil
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
	contract := closed(t)
	router, err := gorillamux.NewRouter(contract)
	if err != nil {
		t.Fatal(err)
	}
	for _, alternative := range append(sandboxtest.Alternatives(), sandboxtest.Alternative{Name: "as documented"}) {
		sandboxtest.Virtual(t, alternative.Gap+" "+alternative.Name, func(t *testing.T) {
			assumptions := sandboxtest.Assumptions{alternative}
			transport := &checked{router: router, sent: map[string]bool{}, violations: map[string]bool{}}
			transport.next = sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{NoLimits: true, MaxPage: 5}, Assumptions: assumptions,
			})
			exchange(t.Context(), newClient(t, transport))
			transport.next = sandboxtest.NewService(t, sandboxtest.Options{Assumptions: assumptions})
			var err error
			for range 21 {
				_, err = newClient(t, transport).Assessments(t.Context())
			}
			if !strings.Contains(fmt.Sprint(err), "429") {
				t.Errorf("no request got a 429: %v", err)
			}
			for violation := range transport.violations {
				t.Error(violation)
			}
			for path, item := range contract.Paths.Map() {
				for method := range item.Operations() {
					if alternative.Gap == "" && !transport.sent[method+" "+path] {
						t.Errorf("the client does not send %s %s", method, path)
					}
				}
			}
		})
	}
}

// exchange calls each method of the client, also with requests that the service rejects, which are exchanges, too.
func exchange(ctx context.Context, client *assessapi.Client) {
	const position, graduates = "pos-backend-london", sandbox.DemoResultsPosition
	_, _, _ = client.FirstResults(ctx, graduates)
	_, _ = client.Assessments(ctx)
	_, _ = client.Positions(ctx, new("Backend Engineer, London"))
	_, _ = client.Results(ctx, graduates, []string{"cnd-001", "cnd-1"}, []string{"asm-lumen", "asm-quartet"})
	for _, assessment := range []string{"asm-quartet", "asm-lumen", "asm-northlight", "asm-workbench"} {
		_, _ = client.Items(ctx, assessapi.Packages, assessment)
		_, _ = client.Items(ctx, assessapi.Benchmarks, assessment)
		_, _ = client.Items(ctx, assessapi.Profiles, assessment)
		disabled, _ := client.SkillsTests(ctx, assessment, false)
		for _, test := range disabled.Elements {
			_ = client.EnableSkillsTest(ctx, assessment, test)
		}
	}
	attached, _ := client.PositionAssessments(ctx, graduates)
	for _, pa := range attached.Elements {
		_, _ = client.PositionAssessment(ctx, graduates, pa.ID)
		_, _ = client.Remove(ctx, graduates, pa.ID, nil)
	}
	for _, add := range []struct {
		assessment    string
		configuration assessapi.Configuration
	}{
		{"asm-quartet", assessapi.Configuration{
			Packages:  []string{"pkg-problem-solving", "pkg-numerical-reasoning"},
			Benchmark: new("bmk-quartet-engineers-en-gb"),
		}},
		{"asm-quartet", assessapi.Configuration{}},
		{"asm-terrain", assessapi.Configuration{}},
		{"asm-northlight", assessapi.Configuration{Profile: new("prf-customer-first")}},
		{"asm-workbench", assessapi.Configuration{Tests: []string{"skt-sql"}}},
	} {
		pa, err := client.Attach(ctx, position, add.assessment, add.configuration)
		if err != nil {
			continue // rejected
		}
		_, _ = client.PositionAssessment(ctx, position, pa.ID)
		_, _ = client.Update(ctx, position, pa.ID, add.assessment, add.configuration, nil)
		for range 2 {
			_, _ = client.Remove(ctx, position, pa.ID, nil)
		}
	}
}
