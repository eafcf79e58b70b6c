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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/servicecheck"
)

const resource = "assess_position_assessment."

// lifecycle attaches each kind of assessment, changes one, imports it, reads everything,
// and destroys it, with a simulated core. A nil transport is the network.
func lifecycle(ctx context.Context, t *testing.T, address string, transport http.RoundTripper) error {
	t.Helper()
	core, config := workspace(t, address, transport), configuration()
	games := &config.Resources[len(config.Resources)-1]
	apply := func() error { return core.Apply(ctx, config, coretest.Options{}).Err() }
	if err := apply(); err != nil {
		return fmt.Errorf("creation: %w", err)
	}
	delete(games.Body, "benchmark")
	if err := apply(); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	id := coretest.Text(core.State.Instances[games.Addr].Current.Value, "id")
	core.Forget(games.Addr)
	config.Imports = []coretest.Import{{To: games.Addr, ID: "pos-backend-london/" + id}}
	if err := apply(); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	config.Imports = nil
	planned := core.Plan(ctx, config, coretest.Options{})
	if planned.Err() != nil || len(planned.Plan.Actions()) > 0 {
		return fmt.Errorf("the last plan has changes %v: %w", planned.Plan.Actions(), planned.Err())
	}
	return core.Destroy(ctx, config, coretest.Options{}).Err()
}

// environment returns the variables for a service.
func environment(address string) func(string) string {
	env := map[string]string{
		"ASSESS_BASE_URL": address, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
	return func(name string) string { return env[name] }
}

// workspace returns a working directory whose provider uses a service.
func workspace(t *testing.T, address string, transport http.RoundTripper) *coretest.Core {
	t.Helper()
	dir := t.TempDir()
	return coretest.New(coretest.Terraform117, func(machine string) (tfprotov6.ProviderServer, error) {
		return provider.NewServer(&provider.Provider{
			Version: "test", Getenv: environment(address),
			CacheDir: filepath.Join(dir, machine), Transport: transport,
		}), nil
	})
}

// lookups are data sources that together read everything except the results.
func lookups(position, packages, benchmarks, profiles, skills string) []coretest.Resource {
	return []coretest.Resource{
		{Addr: "data.assess_assessments.all"},
		{Addr: "data.assess_positions.all"},
		{Addr: "data.assess_position.one", Body: coretest.Body{"title": "Backend Engineer, London"}},
		{Addr: "data.assess_packages.all", Body: coretest.Body{"assessment_id": packages}},
		{Addr: "data.assess_benchmarks.all", Body: coretest.Body{"assessment_id": benchmarks}},
		{Addr: "data.assess_profiles.all", Body: coretest.Body{"assessment_id": profiles}},
		{Addr: "data.assess_skills_tests.all", Body: coretest.Body{"assessment_id": skills}},
		{Addr: "data.assess_position_assessments.all", Body: coretest.Body{"position_id": position}},
	}
}

func configuration() coretest.Config {
	attach := func(name, assessment string, blocks coretest.Body) coretest.Resource {
		blocks["position_id"], blocks["assessment_id"] = "pos-backend-london", assessment
		return coretest.Resource{Addr: resource + name, Body: blocks}
	}
	config := coretest.Config{Providers: map[string]coretest.Body{"": {}}}
	config.Resources = append(
		lookups("pos-graduates-2026", "asm-quartet", "asm-lumen", "asm-northlight", "asm-workbench"),
		coretest.Resource{
			Addr: "data.assess_position_results.some",
			Body: coretest.Body{"position_id": "pos-graduates-2026", "candidate_ids": []string{"cnd-001", "cnd-002"}},
		},
		coretest.Resource{
			Addr: "assess_skills_test_activation.go",
			Body: coretest.Body{"assessment_id": "asm-workbench", "test_id": "skt-go"},
		},
		attach("skills", "asm-workbench", coretest.Body{"tests": coretest.Body{"ids": []string{"skt-sql"}}}),
		attach("values", "asm-northlight", coretest.Body{"profile": coretest.Body{"id": "prf-customer-first"}}),
		attach("preferences", "asm-terrain", coretest.Body{}),
		attach("games", "asm-quartet", coretest.Body{
			"packages":  coretest.Body{"select": "all"},
			"benchmark": coretest.Body{"id": "bmk-quartet-engineers-en-gb"},
		}),
	)
	return config
}

// checked is a transport that compares all requests and responses with a contract.
type checked struct {
	next      http.RoundTripper
	validator validator.Validator

	mu         sync.Mutex
	routes     []string // methods and paths
	violations map[string]bool
}

func newValidator(t *testing.T, contract []byte) validator.Validator {
	t.Helper()
	document, err := libopenapi.NewDocument(contract)
	if err != nil {
		t.Fatal(err)
	}
	v, problems := validator.NewValidator(document)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return v
}

// check returns a transport for a contract in the form of closed.
func check(t *testing.T, contract []byte, next http.RoundTripper) *checked {
	t.Helper()
	v := newValidator(t, contract)
	return &checked{next: next, validator: v, violations: map[string]bool{}}
}

func (c *checked) RoundTrip(request *http.Request) (*http.Response, error) {
	var sent []byte
	if request.Body != nil {
		var err error
		if sent, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
	}
	again := func() *http.Request {
		same := request.Clone(request.Context())
		same.Body = io.NopCloser(bytes.NewReader(sent))
		return same
	}
	response, err := c.next.RoundTrip(again())
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.routes = append(c.routes, request.Method+" "+request.URL.Path)
	_, problems := c.validator.ValidateHttpRequestSync(again())
	if len(got) > 0 || response.Header.Get("Content-Type") != "" { // bodies are optional
		response.Body = io.NopCloser(bytes.NewReader(got))
		_, more := c.validator.ValidateHttpResponse(again(), response)
		problems = append(problems, more...)
	}
	for _, problem := range problems {
		text := fmt.Sprintf("%s %s %d: %s: %s", request.Method, request.URL, response.StatusCode, problem.Message, problem.Reason)
		for _, detail := range problem.SchemaValidationErrors {
			text += "; " + detail.Reason
		}
		c.violations[text] = true
	}
	response.Body = io.NopCloser(bytes.NewReader(got))
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

// newClient returns a client for a service, on top of a transport.
func newClient(t *testing.T, address string, transport http.RoundTripper) *assessapi.Client {
	t.Helper()
	base, err := assessapi.ParseBaseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	return assessapi.New(assessapi.Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, UserAgent: "terraform-provider-assess/test",
		Transport:      &assessapi.Attempt{Next: transport, Timeout: time.Minute},
		RequestTimeout: time.Minute, RetryTimeout: time.Second,
	})
}

// The requests of the provider and the responses of the embedded service are in the
// contract, in each form that the provider accepts.
func TestContractDescribesEveryExchange(t *testing.T) {
	t.Parallel()
	contract := closed(t, read(t), sandbox.BaseURL)
	t.Run("lifecycle", func(t *testing.T) {
		t.Parallel()
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true, MaxPage: 5}})
		transport := check(t, contract, service)
		if err := lifecycle(t.Context(), t, sandbox.BaseURL, transport); err != nil {
			t.Error(err)
		}
		transport.report(t)
	})
	t.Run("check", func(t *testing.T) {
		t.Parallel()
		transport := check(t, contract, sandboxtest.NewService(t, sandboxtest.Options{}))
		code, err := servicecheck.Run(t.Context(), servicecheck.Options{
			Getenv: environment(sandbox.BaseURL), Out: io.Discard, CacheDir: t.TempDir(), Transport: transport,
		})
		if err != nil || code != servicecheck.Works {
			t.Errorf("exit code %d, %v", code, err)
		}
		transport.report(t)
	})
	for _, alternative := range append(sandboxtest.Alternatives(), sandboxtest.Alternative{Name: "the default"}) {
		t.Run(alternative.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				transport := check(t, contract, sandboxtest.NewService(t, sandboxtest.Options{
					Options: sandbox.Options{NoLimits: true, MaxPage: 5}, Assumptions: alternative.Assumptions,
				}))
				everything(t, newClient(t, sandbox.BaseURL, transport))
				transport.next = sandboxtest.NewService(t, sandboxtest.Options{Assumptions: alternative.Assumptions})
				exceedLimit(t, newClient(t, sandbox.BaseURL, transport))
				transport.report(t)
				for pattern := range operations(t) {
					if alternative.Name == "the default" && !slices.ContainsFunc(transport.routes, pattern.MatchString) {
						t.Errorf("the client does not send %s", pattern)
					}
				}
			})
		})
	}
}

// The comparison notices each of these members if the contract lacks it.
func TestContractWithoutAMember(t *testing.T) {
	t.Parallel()
	for _, member := range members {
		t.Run(member.schema+"."+member.name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
			transport := check(t, closed(t, without(t, member.schema, member.name), sandbox.BaseURL), service)
			if err := lifecycle(t.Context(), t, sandbox.BaseURL, transport); err != nil {
				t.Error(err)
			}
			if len(transport.violations) == 0 {
				t.Error("no violation")
			}
		})
	}
}

// The contract is a document of OpenAPI.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	_, problems := newValidator(t, api.OpenAPI).ValidateDocument()
	for _, problem := range problems {
		t.Error(problem)
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

// The examples of the contract are valid, and the provider reads all of them.
func TestExamples(t *testing.T) {
	t.Parallel()
	service := examples(operations(t))
	transport := check(t, closed(t, read(t), sandbox.BaseURL), service)
	core := workspace(t, sandbox.BaseURL, transport)
	config := coretest.Config{Providers: map[string]coretest.Body{"": {}}}
	config.Resources = append(
		lookups("pos-backend-london", "asm-quartet", "asm-quartet", "asm-northlight", "asm-workbench"),
		coretest.Resource{Addr: "data.assess_position_results.all", Body: coretest.Body{"position_id": "pos-backend-london"}},
	)
	err := core.Apply(t.Context(), config, coretest.Options{}).Err()
	_, single := newClient(t, sandbox.BaseURL, transport).PositionAssessment(t.Context(), "pos-backend-london", "pas-games")
	if err = errors.Join(err, single); err != nil {
		t.Error(err)
	}
	transport.report(t)
	for pattern := range service {
		if strings.Contains(pattern.String(), "get") && !slices.ContainsFunc(transport.routes, pattern.MatchString) {
			t.Errorf("%s was not sent", pattern)
		}
	}
}

// everything calls each method of the client, also with requests that the service refuses, which
// are exchanges, too.
func everything(t *testing.T, client *assessapi.Client) {
	t.Helper()
	ctx, title := t.Context(), "Backend Engineer, London"
	_, _ = client.Assessments(ctx)
	_, _ = client.Positions(&title).Next(ctx)
	for _, assessment := range []string{"asm-quartet", "asm-lumen", "asm-northlight", "asm-workbench"} {
		_, _ = client.Packages(ctx, assessment)
		_, _ = client.Benchmarks(ctx, assessment)
		_, _ = client.Profiles(ctx, assessment)
		tests, _ := client.SkillsTests(ctx, assessment, false)
		for _, test := range tests {
			_, _ = client.EnableSkillsTest(ctx, assessment, test)
		}
	}
	quartet := assessapi.Metadata{Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}}
	for _, add := range []struct {
		assessment string
		metadata   assessapi.Metadata
	}{{"asm-quartet", quartet}, {"asm-terrain", assessapi.Metadata{}}, {"asm-quartet", assessapi.Metadata{}}} {
		pa, err := client.AddAssessment(ctx, "pos-backend-london", add.assessment, add.metadata)
		if err != nil {
			continue // refused, or without an ID
		}
		_, _ = client.PositionAssessment(ctx, "pos-backend-london", pa.ID)
		_, _ = client.UpdatePositionAssessment(ctx, "pos-backend-london", pa.ID, add.assessment, add.metadata)
		for range 2 {
			_ = client.RemovePositionAssessment(ctx, "pos-backend-london", pa.ID)
		}
	}
	_ = client.RemovePositionAssessment(ctx, sandbox.DemoResultsPosition, "pas-graduates-lumen")
	_, _ = client.PositionAssessments(ctx, sandbox.DemoResultsPosition)
	_, _ = client.Results(ctx, sandbox.DemoResultsPosition, []string{"cnd-001", "a"}, []string{"a", "b"})
	_, _, _ = client.FirstResults(ctx, "pos-backend-london")
}

// exceedLimit sends requests until one gets a 429.
func exceedLimit(t *testing.T, client *assessapi.Client) {
	t.Helper()
	for range 21 {
		if _, err := client.Positions(nil).Next(t.Context()); err != nil {
			return
		}
	}
	t.Error("no request got a 429")
}
