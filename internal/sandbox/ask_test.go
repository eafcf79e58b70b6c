// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

var ask, send = sandboxtest.Ask, sandboxtest.Send

func get(t *testing.T, to http.RoundTripper, path string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodGet, path, "")
}

func post(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodPost, path, body)
}

func put(t *testing.T, to http.RoundTripper, path, body string) sandboxtest.Response {
	t.Helper()
	return ask(t, to, http.MethodPut, path, body)
}

// fetch gets an address with the demo credentials.
func fetch(t *testing.T, address string) sandboxtest.Response {
	t.Helper()
	return send(t, http.DefaultTransport, sandboxtest.NewRequest(t, http.MethodGet, address, ""))
}

// ids returns the ids of the elements.
func ids(elements []map[string]any) []string {
	all := []string{}
	for _, element := range elements {
		id, _ := element["id"].(string)
		all = append(all, id)
	}
	return all
}

// memory returns a service without a port.
func memory(t *testing.T, options sandbox.Options) *sandbox.Service {
	t.Helper()
	service, err := sandbox.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// noLimits disables the rate limits in tests of other behavior.
func noLimits(options *sandboxtest.Options) { options.NoLimits = true }

// resultsPage is a page of results with its own JSON names, so that it does not depend on the service's types.
type resultsPage struct {
	Candidates []struct {
		ID          string
		Suitability *float64
		Results     []struct {
			Assessment     string
			Percentile     *float64
			Classification *string
			Invitations    []struct {
				Status    string
				Completed *string
			}
		}
	}
}

// resultsOf decodes a page of results.
func resultsOf(t *testing.T, a sandboxtest.Response) (page resultsPage) {
	t.Helper()
	a.Want(t, http.StatusOK)
	if err := json.Unmarshal([]byte(a.Body), &page); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	return page
}
