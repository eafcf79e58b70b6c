// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// operations returns the operationIds of the contract by method and pattern of the path.
func operations(t *testing.T, contract node) map[string]*regexp.Regexp {
	t.Helper()
	found := map[string]*regexp.Regexp{}
	for path, item := range at(t, contract, "paths") {
		for method, operation := range item.(node) {
			if method == "parameters" {
				continue
			}
			id, _ := operation.(node)["operationId"].(string)
			if id == "" || found[id] != nil {
				t.Errorf("%s %s has no operationId of its own", method, path)
			}
			pattern := regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(path, "[^/]+")
			found[id] = regexp.MustCompile("^" + strings.ToUpper(method) + " /v1" + pattern + "$")
		}
	}
	return found
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

// call calls each exported method of the client. It returns the requests of each.
func call(t *testing.T, service *sandboxtest.Service, client *assessapi.Client) map[string][]string {
	t.Helper()
	tests, err := client.SkillsTests(t.Context(), "asm-workbench", false)
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string][]string{}
	value := reflect.ValueOf(client)
	for i := range value.NumMethod() {
		name, method := value.Type().Method(i).Name, value.Method(i)
		service.ResetJournal()
		var arguments []reflect.Value
		for j := range method.Type().NumIn() {
			arguments = append(arguments, argument(t, method.Type().In(j), tests[0]))
		}
		results := method.Call(arguments)
		if next := results[0].MethodByName("Next"); next.IsValid() {
			next.Call([]reflect.Value{reflect.ValueOf(t.Context())})
		}
		for _, entry := range service.Journal() {
			requests[name] = append(requests[name], entry.Method+" /v1"+entry.Path)
		}
		if len(requests[name]) == 0 {
			t.Errorf("the method %s of the client sent nothing", name)
		}
	}
	return requests
}

// argument returns a value of a type for a method of the client.
func argument(t *testing.T, kind reflect.Type, test assessapi.SkillsTest) reflect.Value {
	t.Helper()
	title := "Backend Engineer, London"
	for _, value := range []any{t.Context(), "pos-backend-london", true, &title, []string{"a", "b"}, assessapi.Metadata{}, test} {
		if reflect.TypeOf(value).AssignableTo(kind) {
			return reflect.ValueOf(value)
		}
	}
	t.Fatalf("a method of the client has a parameter of the type %s: add a value here", kind)
	return reflect.Value{}
}

// Each request of the client is an operation of the contract, and the other way around.
func TestEveryOperationIsInTheContract(t *testing.T) {
	t.Parallel()
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
	known, sent := operations(t, read(t)), map[string]bool{}
	for method, requests := range call(t, service, newClient(t, sandbox.BaseURL, service)) {
		for _, request := range requests {
			matches := 0
			for id, pattern := range known {
				if pattern.MatchString(request) {
					sent[id] = true
					matches++
				}
			}
			if matches != 1 {
				t.Errorf("%s sent %s: %d operations of the contract match, want 1", method, request, matches)
			}
		}
	}
	for id := range known {
		if !sent[id] {
			t.Errorf("the client does not send %s", id)
		}
	}
}

// The contract names each assumption, and no others.
func TestEveryAssumptionIsInTheContract(t *testing.T) {
	t.Parallel()
	places := map[string]int{}
	walk(read(t), func(n node) {
		list, _ := n["x-assumptions"].([]any)
		for _, id := range list {
			places[fmt.Sprint(id)]++
		}
	})
	for i := range 30 {
		id := fmt.Sprintf("A%d", i+1)
		if places[id] == 0 {
			t.Errorf("the contract does not name %s", id)
		}
		delete(places, id)
		_ = api.Find(id) // panics if it does not exist
	}
	if len(places) > 0 || len(api.Assumptions) != 30 {
		t.Errorf("unknown assumptions %v, and %d in the table", places, len(api.Assumptions))
	}
}
