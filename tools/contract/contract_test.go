// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"go.yaml.in/yaml/v3"

	"github.com/assessascode/terraform-provider-assess/api"
)

// node is a mapping of the contract.
type node = map[string]any

// read returns the contract as maps and lists.
func read(t *testing.T) node {
	t.Helper()
	var contract node
	if err := yaml.Unmarshal(api.OpenAPI, &contract); err != nil {
		t.Fatal(err)
	}
	return contract
}

// at returns a mapping below another one.
func at(t *testing.T, from node, path ...string) node {
	t.Helper()
	for _, name := range path {
		next, ok := from[name].(node)
		if !ok {
			t.Fatalf("the contract has no %s", strings.Join(path, "/"))
		}
		from = next
	}
	return from
}

// walk calls visit for each mapping, from the outside to the inside.
func walk(value any, visit func(node)) {
	switch value := value.(type) {
	case node:
		visit(value)
		for _, inner := range value {
			walk(inner, visit)
		}
	case []any:
		for _, inner := range value {
			walk(inner, visit)
		}
	}
}

// closed returns the contract for a server, as JSON. Each schema with members allows only
// these members, so that tests notice a member that the contract lacks. The contract
// itself allows others, because a service may add some.
func closed(t *testing.T, contract node, server string) []byte {
	t.Helper()
	contract["servers"] = []any{node{"url": server}}
	parts := map[string]bool{} // schemas that add something to another one, by address
	walk(contract, func(n node) {
		all, _ := n["allOf"].([]any)
		for _, part := range all {
			parts[fmt.Sprintf("%p", part)] = true
		}
	})
	schemas := 0
	walk(contract, func(n node) {
		_, open := n["additionalProperties"]
		if _, members := n["properties"].(node); members && !open && !parts[fmt.Sprintf("%p", n)] {
			n["additionalProperties"] = false
			schemas++
		}
	})
	if schemas < 15 {
		t.Fatalf("only %d schemas have members", schemas)
	}
	text, err := json.Marshal(contract)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// member is a member of a schema.
type member struct{ schema, name string }

// members are members that the provider sends or reads. A contract without one of them
// must make tests fail.
var members = []member{
	{"Position", "locale"},
	{"Result", "percentile"},
	{"SkillsTest", "numberOfQuestions"},
	{"PositionAssessment", "organizationAssessment"},
	{"Configuration", "metadata"},
}

// without returns the contract without a member.
func without(t *testing.T, m member) node {
	t.Helper()
	contract := read(t)
	schema := at(t, contract, "components", "schemas", m.schema)
	delete(schema, "required")
	properties := at(t, schema, "properties")
	if properties[m.name] == nil {
		t.Fatalf("the contract has no %s.%s", m.schema, m.name)
	}
	delete(properties, m.name)
	return contract
}

// checked is a transport that compares all requests and responses with a contract.
type checked struct {
	next      http.RoundTripper
	validator validator.Validator

	mu         sync.Mutex
	exchanges  int
	violations []string // each one once
}

// newValidator returns a validator for a contract in the form of closed.
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

// RoundTrip implements [http.RoundTripper].
func (c *checked) RoundTrip(request *http.Request) (*http.Response, error) {
	var sent []byte
	if request.Body != nil {
		var err error
		if sent, err = io.ReadAll(request.Body); err != nil {
			return nil, err
		}
	}
	request.Body = io.NopCloser(bytes.NewReader(sent))
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	got, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	copied := *response
	copied.Body = io.NopCloser(bytes.NewReader(got))
	response.Body = io.NopCloser(bytes.NewReader(got))
	again := request.Clone(request.Context())
	again.Body = io.NopCloser(bytes.NewReader(sent))

	c.mu.Lock()
	defer c.mu.Unlock()
	c.exchanges++
	_, problems := c.validator.ValidateHttpRequestSync(again)
	for _, problem := range problems {
		c.add("request", request, 0, problem.Message+": "+problem.Reason)
	}
	if len(got) == 0 && response.Header.Get("Content-Type") == "" {
		return response, nil // bodies are optional
	}
	again.Body = io.NopCloser(bytes.NewReader(sent))
	_, problems = c.validator.ValidateHttpResponse(again, &copied)
	for _, problem := range problems {
		text := problem.Message + ": " + problem.Reason
		for _, detail := range problem.SchemaValidationErrors {
			text += "; " + detail.Reason
		}
		c.add("response", request, response.StatusCode, text)
	}
	return response, nil
}

func (c *checked) add(what string, request *http.Request, status int, problem string) {
	text := fmt.Sprintf("%s %s %s %d: %s", what, request.Method, request.URL, status, problem)
	if !slices.Contains(c.violations, text) {
		c.violations = append(c.violations, text)
	}
}

// report fails the test for each violation.
func (c *checked) report(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.exchanges == 0 {
		t.Error("nothing was sent, so nothing was compared")
	}
	for _, violation := range c.violations {
		t.Error(violation)
	}
}
