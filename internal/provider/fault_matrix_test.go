// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// cell is one test of the matrix: a fault at one request of a scenario.
type cell struct {
	scenario  scenario
	usual     baseline
	faultCase faultCase
	index     int // index of the request with the fault
	lasting   bool
}

// cells combines the requests of a scenario with the faults. If several requests have
// the same route, only the first and the last one get faults.
func (s scenario) cells(usual baseline) []cell {
	var cells []cell
	for i, request := range usual.requests {
		same := func(e sandboxtest.Entry) bool { return sameRoute(e, request) }
		if slices.ContainsFunc(usual.requests[:i], same) && slices.ContainsFunc(usual.requests[i+1:], same) {
			continue
		}
		for _, x := range faultCases() {
			for _, lasting := range []bool{false, true} {
				if x.appliesTo(s.operation, request, lasting) {
					cells = append(cells, cell{s, usual, x, i, lasting})
				}
			}
		}
	}
	return cells
}

func sameRoute(a, b sandboxtest.Entry) bool { return a.Method == b.Method && a.Route == b.Route }

func (c cell) request() sandboxtest.Entry { return c.usual.requests[c.index] }

func (c cell) name() string {
	name := c.request().Method + " " + c.request().Route
	if skip, _, _ := c.earlier(); skip > 0 {
		name += fmt.Sprintf(" number %d", skip+1)
	}
	name += ", " + c.faultCase.name
	if c.lasting {
		name += ", lasting"
	}
	return name
}

// earlier counts the requests to the same route, the writes, and the successful writes
// before the request with the fault.
func (c cell) earlier() (same, writes, succeeded int) {
	for _, e := range c.usual.requests[:c.index] {
		if sameRoute(e, c.request()) {
			same++
		}
		if e.Method != http.MethodGet {
			writes++
			if e.Status < http.StatusMultipleChoices {
				succeeded++
			}
		}
	}
	return same, writes, succeeded
}

var inBraces = regexp.MustCompile(`\\\{[^}]*\}`)

// says returns what the error must contain.
func (c cell) says(want expectation) []string {
	request := c.request().Method + " " + inBraces.ReplaceAllString(regexp.QuoteMeta(c.request().Route), `\{[^}]*\}`)
	says := append([]string{c.scenario.names, request}, c.faultCase.says...)
	if c.request().Route == sandbox.RouteAssessments && c.scenario.since != nil { // the read that confirms a 404
		if i := slices.IndexFunc(says, refusesKey); i >= 0 { // after a 404, the address may be wrong, too
			says[i] = baseURL + " and " + credentials
		}
		says = append(says, notChanged)
	}
	if want.tries {
		says = append(says, `That was the last of \d+ attempts within 5m`)
	}
	return says
}

// want returns the required result.
func (c cell) want() expectation {
	_, _, succeeded := c.earlier()
	want := c.faultCase.expect(c.request(), c.lasting, succeeded > 0)
	single := c.request().Method == http.MethodGet && c.request().Route == sandbox.RoutePositionAssessment
	if want.succeeds && c.request().Method == http.MethodGet && (!single || !c.scenario.needsProfile) {
		want.warning = "" // the state is complete without this read
	}
	if c.request().Route == sandbox.RouteResults && c.scenario.operation == "plan" && !want.succeeds {
		want.succeeds, want.warning = true, "Could not check all removals"
	}
	return want
}

// run runs the scenario with the fault and checks the result.
func (c cell) run(t *testing.T) {
	skip, _, _ := c.earlier()
	want := c.want()
	x := c.scenario.prepare(t)
	x.service.Inject(c.faultCase.faultFor(c.request(), skip, c.lasting))
	if c.scenario.usual.Method != "" {
		x.service.Inject(c.scenario.usual)
	}
	start := time.Now()
	result := x.operate()
	took := time.Since(start)
	x.service.ClearFaults()

	c.checkDiagnostics(x, want)
	c.checkResult(t, x, want, result)
	c.checkRequests(t, x, want)
	if want.tries != (took >= retryTimeout) || took > retryTimeout+3*requestTimeout {
		t.Errorf("the operation took %s, want it to last until retry_timeout: %t", took, want.tries)
	}

	// Without the fault, the same operation must then succeed.
	if diff := differences(t, x.again(), c.usual.repeated, nil); diff != "" {
		t.Errorf("after the repetition, the state differs: %s", diff)
	}
	if got := x.content(); got != c.usual.target {
		t.Errorf("after the repetition, the service has\n%s\nwant\n%s", got, c.usual.target)
	}
}

func (c cell) checkDiagnostics(x *preparedScenario, want expectation) {
	x.t.Helper()
	switch {
	case want.succeeds == x.failed():
		x.t.Errorf("success is %t, want %t:\n%s", !x.failed(), want.succeeds, x.messages())
	case want.succeeds && want.warning == "":
		expected := slices.Clone(c.usual.warnings)
		if wait := c.faultCase.pace.afterRefusal; want.tries && wait != nil && wait(10) > 30*time.Second {
			expected = append(expected, "Waiting for the service's rate limits")
		}
		if got := x.warnings(); !slices.Equal(got, expected) {
			x.t.Errorf("warnings %q, want %q:\n%s", got, expected, x.messages())
		}
	case want.succeeds:
		x.warns("^"+want.warning, c.scenario.names)
	default:
		x.fails(c.says(want)...)
	}
}

// checkResult checks the service and the state.
func (c cell) checkResult(t *testing.T, x *preparedScenario, want expectation, result tftypes.Value) {
	t.Helper()
	if got := x.content(); want.done && got != c.usual.holds || !want.done && got != c.usual.untouched {
		t.Errorf("the request must have its effect: %t, but the service has\n%s", want.done, got)
	}
	expected := c.usual.result
	switch {
	case !want.succeeds && c.scenario.operation == "read":
		expected = tftypes.NewValue(expected.Type(), nil)
	case !want.succeeds:
		expected = c.usual.before
	}
	// Values that no response contained are null until the next refresh.
	var open []string
	method := c.request().Method
	if method == http.MethodPost && want.warning == "" || want.warning != "" && method == http.MethodGet {
		open = []string{"profile_status", "profile_url", "self_link"}
	}
	if diff := differences(t, result, expected, open); diff != "" {
		t.Errorf("the state differs: %s", diff)
	}
	if x.tainted {
		t.Error("the resource is tainted")
	}
}

// checkRequests checks how often the request was sent, and the other writes.
func (c cell) checkRequests(t *testing.T, x *preparedScenario, want expectation) {
	t.Helper()
	request := c.request()
	skip, writesBefore, _ := c.earlier()
	later := 0 // later requests to the same route, if the operation continues
	writes := map[string]int{}
	for i, e := range c.usual.requests {
		if want.succeeds && i > c.index && sameRoute(e, request) {
			later++
		}
		reached := want.succeeds || i < c.index || writesBefore == 0 && request.Method != http.MethodGet
		if e.Method != http.MethodGet && e.Method != request.Method && reached {
			writes[e.Method]++
		}
	}
	got := x.writes()
	for _, m := range everyMethod[1:] {
		if m != request.Method && got[m] != writes[m] {
			t.Errorf("%d %s, want %d", got[m], m, writes[m])
		}
	}
	times := x.service.Count(request.Method, request.Route) - skip - later
	if times < want.least || times > want.most {
		t.Errorf("the request was sent %d times, want %d to %d", times, want.least, want.most)
	}
}

// differences compares two states or two results of a read. Attributes in open may be
// null.
func differences(t *testing.T, got, want tftypes.Value, open []string) string {
	t.Helper()
	if got.IsNull() || want.IsNull() {
		if got.IsNull() != want.IsNull() {
			return fmt.Sprintf("it exists: %t, want %t", !got.IsNull(), !want.IsNull())
		}
		return ""
	}
	var diff strings.Builder
	has := members(t, got)
	for name, value := range members(t, want) {
		mayBeOpen := has[name].IsNull() && slices.Contains(open, name)
		if !has[name].Equal(value) && !mayBeOpen {
			fmt.Fprintf(&diff, "%s is %s, want %s; ", name, has[name], value)
		}
	}
	return diff.String()
}

// everyRoute contains all requests that the provider may send.
var everyRoute = map[string][]string{
	http.MethodGet: {
		sandbox.RouteAssessments, sandbox.RoutePackages, sandbox.RouteBenchmarks, sandbox.RouteProfiles,
		sandbox.RouteSkillsTests, sandbox.RoutePositions, sandbox.RoutePositionAssessments,
		sandbox.RoutePositionAssessment, sandbox.RouteResults,
	},
	http.MethodPost:   {sandbox.RoutePositionAssessments},
	http.MethodPut:    {sandbox.RoutePositionAssessment, sandbox.RouteSkillsTest},
	http.MethodDelete: {sandbox.RoutePositionAssessment},
}

// The fault matrix combines every operation with every fault at each of its requests,
// once and lasting. No change may be lost or sent twice. Messages must name the
// request, the answer of the service, and the fix.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: thousands of runs")
	}
	var cells, passed atomic.Int64
	var met sync.Map
	t.Cleanup(func() {
		t.Logf("%d cells, %d passed", cells.Load(), passed.Load())
		for method, routes := range everyRoute {
			for _, route := range routes {
				if _, ok := met.Load(method + " " + route); !ok {
					t.Errorf("no cell has a fault at %s %s", method, route)
				}
			}
		}
	})
	for _, s := range scenarios() {
		t.Run(s.operation+" "+s.name, func(t *testing.T) {
			t.Parallel()
			usual := s.measure(t)
			s.compareWithGolden(t, usual)
			for _, c := range s.cells(usual) {
				met.Store(c.request().Method+" "+c.request().Route, true)
				cells.Add(1)
				if t.Run(c.name(), func(t *testing.T) { synctest.Test(t, c.run) }) {
					passed.Add(1)
				}
			}
		})
	}
}

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// compareWithGolden compares the result of a scenario without faults with a file that a
// person has reviewed.
func (s scenario) compareWithGolden(t *testing.T, usual baseline) {
	t.Helper()
	name := strings.NewReplacer(" ", "_", ",", "").Replace(s.operation + " " + s.name)
	file := filepath.Join("testdata", "TestFaultMatrix", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(usual.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := usual.String(); got != string(want) {
		t.Fatalf("without faults:\n%s\nwant\n%s", got, want)
	}
}
