// SPDX-License-Identifier: MPL-2.0

// Package contract compares api/openapi.yaml with the requests of the provider and the responses of the
// sandbox, with a library that others wrote: kin-openapi. It is a module of its own,
// so that this library is not a dependency of the provider.
package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
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

// closed returns the contract for the sandbox. Each schema with members allows only these members, so that tests notice
// a member that the contract lacks. The contract itself allows others, because a service may add some.
func closed(t *testing.T) *openapi3.T {
	t.Helper()
	contract := read(t)
	contract["servers"] = []any{node{"url": sandbox.BaseURL}}
	parts := map[string]bool{} // schemas that add something to another one, by address
	walk(contract, func(n node) {
		all, _ := n["allOf"].([]any)
		for _, part := range all {
			parts[fmt.Sprintf("%p", part)] = true
		}
	})
	walk(contract, func(n node) {
		_, open := n["additionalProperties"]
		if _, members := n["properties"].(node); members && !open && !parts[fmt.Sprintf("%p", n)] {
			n["additionalProperties"] = false
		}
	})
	text, err := json.Marshal(contract)
	if err != nil {
		t.Fatal(err)
	}
	return load(t, text)
}

// load reads a document of OpenAPI.
func load(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// The contract is a document of OpenAPI with valid examples. It names the statuses with which the provider accepts a
// write (A4, A5, A6).
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	document := load(t, api.OpenAPI)
	if err := document.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	const attached = "/positions/{position}/assessments"
	one := document.Paths.Find(attached + "/{positionAssessment}")
	for _, row := range []struct {
		responses *openapi3.Responses
		statuses  []string
	}{
		{document.Paths.Find(attached).Post.Responses, []string{"200", "201", "4XX"}},
		{one.Put.Responses, []string{"200", "204", "4XX"}},
		{one.Delete.Responses, []string{"200", "202", "204", "4XX"}},
	} {
		for _, status := range row.statuses {
			if row.responses.Value(status) == nil {
				t.Errorf("no response %s in %v", status, row.responses.Keys())
			}
		}
	}
}

// The contract names each assumption, and no others.
func TestEveryAssumptionIsInTheContract(t *testing.T) {
	t.Parallel()
	named, want := map[string]bool{}, map[string]bool{}
	walk(read(t), func(n node) {
		list, _ := n["x-assumptions"].([]any)
		for _, id := range list {
			named[fmt.Sprint(id)] = true
		}
	})
	for _, assumption := range api.Assumptions {
		want[assumption.ID] = true
	}
	if !maps.Equal(named, want) {
		t.Errorf("the contract names %v, want %v", named, want)
	}
}
