// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The tests of data sources use three helpers: reads checks the state, requestsOfPlan
// returns the requests of one plan, and refuses checks errors.

// unlimited starts a service without rate limits.
func unlimited(t *testing.T, change ...func(*sandboxtest.Options)) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, append(change, func(o *sandboxtest.Options) { o.NoLimits = true })...)
}

func environment(service *sandboxtest.Server) map[string]string {
	return map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
}

// reads applies the first configuration of a test and checks the state. It also checks
// that no write was sent and that the next plan is empty.
func reads(t *testing.T, service *sandboxtest.Server, checks ...statecheck.StateCheck) {
	t.Helper()
	config, err := os.ReadFile(filepath.Join("testdata", testName(t), "1", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providerWith(t, environment(service)),
		Steps:                    []resource.TestStep{{Config: string(config), ConfigStateChecks: checks}},
	})
	noWrites(t, service)
}

// requestsOfPlan plans a configuration of a test and returns the requests.
func requestsOfPlan(t *testing.T, service *sandboxtest.Server, step string) []sandboxtest.Entry {
	t.Helper()
	c := unthrottled(t, service, step)
	service.ResetJournal()
	c.plan().ok()
	return service.Journal()
}

// refuses plans a configuration of a test and checks that it fails: for each address,
// one error must match all patterns.
func refuses(t *testing.T, service *sandboxtest.Server, step string, errors map[string][]string) {
	t.Helper()
	r := unthrottled(t, service, step).plan()
	for address, patterns := range errors {
		matches := slices.ContainsFunc(r.errors,
			func(d diagnostic) bool { return d.Address == address && matchesAll(d.String(), patterns) })
		if !matches {
			t.Errorf("no error of %s matches all of %q:\n%s", address, patterns, r.text())
		}
	}
	noWrites(t, service)
}

// unthrottled returns a working directory with a configuration of a test. Its provider
// does not wait for rate limits.
func unthrottled(t *testing.T, service *sandboxtest.Server, step string) *cli {
	t.Helper()
	var env []string
	for name, value := range environment(service) {
		env = append(env, name+"="+value)
	}
	c := newBareCLI(t, env...)
	c.useFrom(testName(t), step)
	return c
}

// testName returns the name of the test without its subtests, which share its
// configurations.
func testName(t *testing.T) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return name
}

// assertRoutes fails if a route was not read, or if another route was requested.
func assertRoutes(t *testing.T, service *sandboxtest.Server, routes ...string) {
	t.Helper()
	for _, route := range routes {
		if service.Count(http.MethodGet, route) == 0 {
			t.Errorf("%s was never read", route)
		}
	}
	for _, entry := range service.Journal() {
		if !slices.Contains(routes, entry.Route) {
			t.Errorf("unexpected request %s %s", entry.Method, entry.Path)
		}
	}
}

// having checks attributes of a data source, each by its path.
func having(address string, attributes map[string]knownvalue.Check) statecheck.StateCheck {
	return attributeChecks{address, attributes}
}

type attributeChecks struct {
	address    string
	attributes map[string]knownvalue.Check
}

func (c attributeChecks) CheckState(
	ctx context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse,
) {
	for name, check := range c.attributes {
		var one statecheck.CheckStateResponse
		statecheck.ExpectKnownValue(c.address, tfjsonpath.New(name), check).CheckState(ctx, req, &one)
		resp.Error = errors.Join(resp.Error, one.Error)
	}
}

// whole checks all attributes of a data source at once.
func whole(address string, check knownvalue.Check) statecheck.StateCheck {
	return wholeCheck{address, check}
}

type wholeCheck struct {
	address string
	check   knownvalue.Check
}

func (c wholeCheck) CheckState(
	_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse,
) {
	for _, r := range req.State.Values.RootModule.Resources {
		if r.Address == c.address {
			resp.Error = c.check.CheckValue(r.AttributeValues)
			return
		}
	}
	resp.Error = fmt.Errorf("%s is not in the state", c.address)
}

type attributes = map[string]knownvalue.Check

// text checks for a string.
func text(s string) knownvalue.Check { return knownvalue.StringExact(s) }

// list checks for these elements in this order.
func list(elements ...knownvalue.Check) knownvalue.Check { return knownvalue.ListExact(elements) }

// listOf checks for one element for each item of the service, in its order.
func listOf[T any](items []T, check func(T) knownvalue.Check) knownvalue.Check {
	checks := make([]knownvalue.Check, len(items))
	for i, item := range items {
		checks[i] = check(item)
	}
	return list(checks...)
}

// extra has members beyond the specification that tests add to responses. extra_json
// shows them sorted, with the original spelling of numbers.
const (
	extra      = `{"zone": "北", "rank": 1.50, "tags": ["b", "a"]}`
	extraShown = `{"rank":1.50,"tags":["b","a"],"zone":"北"}`
)

// extraJSON checks extra_json of a resource with or without extra members.
func extraJSON(has bool) knownvalue.Check {
	if has {
		return text(extraShown)
	}
	return knownvalue.Null()
}

func object(t *testing.T, text string) sandbox.Object {
	t.Helper()
	o, err := sandbox.ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestDataSourcesWithAnUnknownSetting(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	unknown := func(what string) []string {
		return []string{
			"Provider setting not known yet", "Could not read the " + what,
			`setting "base_url" is not known`, "-target",
		}
	}
	says := unknown("data source")
	refuses(t, service, "1", map[string][]string{
		"data.assess_assessment.any":           says,
		"data.assess_assessment_options.any":   says,
		"data.assess_assessments.any":          says,
		"data.assess_benchmark.any":            says,
		"data.assess_benchmarks.any":           says,
		"data.assess_packages.any":             says,
		"data.assess_position.any":             says,
		"data.assess_position_assessment.any":  says,
		"data.assess_position_assessments.any": says,
		"data.assess_position_results.any":     unknown("results"),
		"data.assess_positions.any":            says,
		"data.assess_profiles.any":             says,
		"data.assess_skills_tests.any":         says,
	})
	service.AssertCount(t, "", "", 0)
}

func TestDataSourceArguments(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	two := []string{"Invalid value", "Only one of these arguments", "keep one of them"}
	none := []string{"Invalid value", "requires one of these arguments", "It sets none of them"}
	latin1 := []string{"Character outside Latin1", "'ł'"}
	refuses(t, service, "1", map[string][]string{
		"data.assess_assessment.two":               two,
		"data.assess_assessment.none":              none,
		"data.assess_position.two":                 two,
		"data.assess_position.none":                none,
		"data.assess_assessment.latin1":            latin1,
		"data.assess_positions.latin1":             latin1,
		"data.assess_position_results.latin1":      latin1,
		"data.assess_benchmark.none":               none,
		"data.assess_package.two":                  two,
		"data.assess_profile.latin1":               latin1,
		"data.assess_skills_test.empty":            {"Empty ID"},
		"data.assess_assessment_options.empty":     {"Empty ID"},
		"data.assess_packages.empty":               {"Empty ID"},
		"data.assess_benchmarks.empty":             {"Empty ID"},
		"data.assess_profiles.empty":               {"Empty ID"},
		"data.assess_skills_tests.empty":           {"Empty ID"},
		"data.assess_position_assessment.dots":     {"Not an ID", `cannot be "\." or "\.\."`},
		"data.assess_position_assessments.empty":   {"Empty ID"},
		"data.assess_position_results.null_filter": {"Invalid value", "assessment_ids contains null"},
	})
	service.AssertCount(t, "", "", 0)
}
