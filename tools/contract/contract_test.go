// SPDX-License-Identifier: MPL-2.0

// Package contract compares api/openapi.yaml with the requests of the provider and the responses of the
// sandbox, with a library that others wrote: kin-openapi. It is a module of its own,
// so that this library is not a dependency of the provider.
package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

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

// closed returns the contract for the sandbox, as JSON. Each schema with members allows only
// these members, so that tests notice a member that the contract lacks. The contract
// itself allows others, because a service may add some.
func closed(t *testing.T, contract node) []byte {
	t.Helper()
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
	return text
}

// operations returns the operations of the contract, by patterns of their methods and paths.
func operations(t *testing.T) map[*regexp.Regexp]node {
	t.Helper()
	found := map[*regexp.Regexp]node{}
	for path, item := range at(t, read(t), "paths") {
		pattern := regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "[^/]+")
		for method, operation := range item.(node) {
			if operation, ok := operation.(node); ok { // and not the parameters of all methods
				found[regexp.MustCompile("^(?i:"+method+") /v1"+pattern+"$")] = operation
			}
		}
	}
	return found
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
