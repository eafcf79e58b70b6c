// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// scenario is one operation of a CLI, with what comes before it.
type scenario struct {
	operation, name string

	options func(*sandboxtest.Options)
	usual   sandboxtest.Fault    // what this service always does
	kind    string               // the type of the resource or data source
	before  map[string]any       // the configuration that is applied first; nil: none
	outside func(*sandbox.State) // what happens then
	config  map[string]any       // the configuration of the operation
	since   func(*sandbox.State) // what happens between the plan and the operation
	names   string               // what every message names
}

var (
	engineers = map[string]any{"position_id": backend, "assessment_id": "asm-lumen", "benchmark": map[string]any{"id": "bmk-lumen-engineers-en-gb"}}
	managers  = map[string]any{"position_id": backend, "assessment_id": "asm-lumen", "benchmark": map[string]any{"id": "bmk-lumen-managers-en-gb"}}
	games     = map[string]any{"position_id": backend, "assessment_id": "asm-quartet", "packages": map[string]any{"select": "all"}}
	customers = map[string]any{"position_id": backend, "assessment_id": "asm-northlight", "profile": map[string]any{"id": "prf-customer-first"}}
	builders  = map[string]any{"position_id": backend, "assessment_id": "asm-northlight", "profile": map[string]any{"id": "prf-curious-builders"}}
	inventory = map[string]any{"position_id": backend, "assessment_id": "asm-northlight"}
	skills    = map[string]any{"position_id": backend, "assessment_id": "asm-workbench", "tests": map[string]any{"ids": []string{"skt-sql", "skt-linux"}}}
	goTest    = map[string]any{"assessment_id": "asm-workbench", "test_id": "skt-go"}
)

// scenarios are every operation, each in the ways that lead to other requests.
func scenarios() []scenario {
	removed := func(st *sandbox.State) { st.Position(backend).Assessments = nil }
	disabled := func(st *sandbox.State) { st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", false) }
	withdrawn := func(st *sandbox.State) {
		a := st.Assessment("asm-workbench")
		a.SkillsTests = slices.DeleteFunc(a.SkillsTests, func(t sandbox.SkillsTest) bool { return t.ID() == "skt-go" })
	}
	noList := func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 }
	terse := func(method string) sandboxtest.Fault { // answers that hold no resource
		return sandboxtest.Fault{Method: method, When: sandboxtest.AfterEffect, Body: []byte("{}"), Times: -1}
	}
	const attachment, activation = "assess_position_assessment", "assess_skills_test_activation"
	const lumen, northlight, test = `"asm-lumen"|"pos-backend-london"`, `"asm-northlight"|"pos-backend-london"`, `"asm-workbench"|"skt-go"`
	all := []scenario{
		{operation: "plan", name: "benchmark", kind: attachment, config: engineers, names: lumen},
		{operation: "plan", name: "packages", kind: attachment, config: games, names: `"asm-quartet"|"pos-backend-london"`},
		{operation: "plan", name: "profile", kind: attachment, config: customers, names: northlight},
		{operation: "plan", name: "no block", kind: attachment, config: inventory, names: northlight},
		{operation: "plan", name: "tests", kind: attachment, config: skills, names: `"asm-workbench"|"pos-backend-london"`},
		{operation: "plan", name: "activation", kind: activation, config: goTest, names: test},
		{operation: "plan", name: "other benchmark", kind: attachment, before: engineers, config: managers, names: lumen},

		{operation: "apply", name: "benchmark", kind: attachment, config: engineers, names: lumen},
		{operation: "apply", name: "no block", kind: attachment, config: inventory, names: northlight},
		{operation: "apply", name: "no block, terse answer", kind: attachment, usual: terse(http.MethodPost), config: inventory, names: northlight},
		{operation: "apply", name: "activation", kind: activation, config: goTest, names: test},

		{operation: "update", name: "other benchmark", kind: attachment, before: engineers, config: managers, names: lumen},
		{operation: "update", name: "other profile", kind: attachment, before: customers, config: builders, names: northlight},
		{operation: "update", name: "no profile, terse answer", kind: attachment, usual: terse(http.MethodPut), before: customers, config: inventory, names: northlight},
		{operation: "update", name: "activation", kind: activation, before: goTest, outside: disabled, config: goTest, names: test},

		{operation: "refresh", name: "listed", kind: attachment, before: engineers, names: lumen},
		{operation: "refresh", name: "no list", kind: attachment, options: noList, before: engineers, names: lumen},
		{operation: "refresh", name: "gone", kind: attachment, before: engineers, since: removed, names: lumen},
		{operation: "refresh", name: "activation", kind: activation, before: goTest, names: test},
		{operation: "refresh", name: "activation gone", kind: activation, before: goTest, since: withdrawn, names: test},

		{operation: "import", name: "listed", kind: attachment, before: engineers, names: lumen},
		{operation: "import", name: "no list", kind: attachment, options: noList, before: engineers, names: lumen},
		{operation: "import", name: "activation", kind: activation, before: goTest, names: test},

		{operation: "destroy", name: "attached", kind: attachment, before: engineers, names: lumen},
		{operation: "destroy", name: "gone", kind: attachment, before: engineers, since: removed, names: lumen},
	}
	workbench := map[string]any{"assessment_id": "asm-workbench"}
	quartet := map[string]any{"assessment_id": "asm-quartet"}
	for kind, config := range map[string]map[string]any{
		"assess_assessment": {"id": "asm-lumen"}, "assess_assessments": {}, "assess_position": {"id": backend}, "assess_positions": {},
		"assess_packages": quartet, "assess_benchmarks": quartet, "assess_profiles": {"assessment_id": "asm-terrain"}, "assess_skills_tests": workbench,
		"assess_position_assessment": {"position_id": backend, "id": "pas-0001"}, "assess_position_assessments": {"position_id": backend},
		"assess_position_results": {"position_id": sandbox.DemoResultsPosition},
	} {
		s := scenario{operation: "read", name: kind, kind: kind, config: config}
		if config["position_id"] == backend { // then there is something to read
			s.outside = func(st *sandbox.State) {
				p := st.Position(backend)
				p.Assessments = append(p.Assessments, sandbox.PositionAssessment{ID: "pas-0001", Assessment: "asm-facet"})
			}
		}
		all = append(all, s)
	}
	return all
}

// specimen is a scenario that has come to its operation.
type specimen struct {
	scenario
	*managed
	planned *tfprotov6.PlanResourceChangeResponse
}

func (s scenario) prepare(t *testing.T) *specimen {
	t.Helper()
	var options []func(*sandboxtest.Options)
	if s.options != nil {
		options = append(options, s.options)
	}
	x := &specimen{scenario: s, managed: &managed{world: newWorld(t, options...), name: s.kind}}
	if s.before != nil {
		x.settle(s.before)
	}
	if s.outside != nil {
		x.service.Change(t, s.outside)
	}
	switch s.operation {
	case "apply", "update", "destroy":
		x.begin(nil)
		x.refresh()
		x.planned = x.plan(s.config)
		x.succeeds()
	case "import":
		x.keep(nil, nil, nil)
	}
	if s.since != nil {
		x.service.Change(t, s.since)
	}
	x.service.ResetJournal()
	return x
}

// operate is the operation, a walk of its own. It returns what is held then:
// the state, or what was read.
func (x *specimen) operate() tftypes.Value {
	x.t.Helper()
	x.begin(nil)
	switch x.operation {
	case "plan":
		x.plan(x.config)
	case "apply", "update", "destroy":
		x.apply(x.config, x.planned)
	case "refresh":
		x.refresh()
	case "import":
		x.bring(x.importID())
	case "read":
		return x.read(x.kind, x.config)
	}
	return x.value()
}

func (x *specimen) importID() string {
	if test, ok := x.before["test_id"].(string); ok {
		return "asm-workbench/" + test
	}
	return backend + "/pas-0001"
}

// recover is what a user does after the trouble is over: the same again. What
// the configuration says is applied whatever the first attempt has left behind.
func (x *specimen) recover() tftypes.Value {
	x.t.Helper()
	switch x.operation {
	case "plan", "apply", "update", "destroy":
		x.settle(x.config)
		return x.value()
	}
	held := x.operate()
	x.succeeds()
	return held
}

// yardstick is what a scenario comes to without any trouble.
type yardstick struct {
	before, held     tftypes.Value // by the state, before the operation and after it; or what was read
	untouched, holds string        // by the service
	warnings         []string
	requests         []sandboxtest.Entry
	recovered        tftypes.Value
	target           string // what the service holds in the end
}

func (s scenario) measure(t *testing.T) yardstick {
	t.Helper()
	var y yardstick
	synctest.Test(t, func(t *testing.T) {
		x := s.prepare(t)
		if s.operation != "read" {
			y.before = x.value()
		}
		y.untouched = x.holds()
		if s.usual.Method != "" {
			x.service.Inject(s.usual)
		}
		y.held = x.operate()
		x.succeeds()
		y.holds, y.warnings, y.requests = x.holds(), x.warnings(), x.service.Journal()
		x.service.ClearFaults()
		y.recovered, y.target = x.recover(), x.holds()
	})
	return y
}

// cell is a trouble with one request of a scenario.
type cell struct {
	scenario scenario
	usual    yardstick
	trouble  trouble
	index    int // of the request that it meets
	lasting  bool
}

// cells are a scenario's routes and methods times the troubles. What it meets
// is the last request of its kind: the others before it went well.
func (s scenario) cells(usual yardstick) []cell {
	var cells []cell
	for i, request := range usual.requests {
		if slices.ContainsFunc(usual.requests[i+1:], func(e sandboxtest.Entry) bool { return sameRoute(e, request) }) {
			continue
		}
		for _, x := range troubles() {
			for _, lasting := range []bool{false, true} {
				if x.meets(s.operation, request, lasting) {
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
	name := c.request().Method + " " + c.request().Route + ", " + c.trouble.name
	if c.lasting {
		name += ", lasting"
	}
	return name
}

// earlier are the requests of the same route, and the writes that were
// answered, before the one that the trouble meets.
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

// says is what an error must say of the trouble.
func (c cell) says() []string {
	if c.request().Route == sandbox.RouteAssessments && c.scenario.since != nil { // it would have confirmed a 404
		return []string{c.trouble.says[0], baseURL, "ASSESS_CLIENT_ID, ASSESS_API_KEY", "The state was left as it is"}
	}
	return c.trouble.says
}

var inBraces = regexp.MustCompile(`\\\{[^}]*\}`)

// run goes through the scenario with the trouble and compares with the laws.
func (c cell) run(t *testing.T) {
	method := c.request().Method
	skip, writesBefore, succeeded := c.earlier()
	want := c.trouble.of(c.request(), c.lasting, succeeded > 0)

	x := c.scenario.prepare(t)
	x.service.Inject(c.trouble.at(c.request(), skip, c.lasting))
	if c.scenario.usual.Method != "" {
		x.service.Inject(c.scenario.usual)
	}
	start := time.Now()
	held := x.operate()
	took := time.Since(start)
	x.service.ClearFaults()

	// What was said.
	switch {
	case want.succeeds == x.failed():
		t.Errorf("it succeeds: %t, want %t:\n%s", !x.failed(), want.succeeds, x.words())
	case want.succeeds && want.warning == "":
		if got := x.warnings(); !slices.Equal(got, c.usual.warnings) {
			t.Errorf("warnings %q, want %q:\n%s", got, c.usual.warnings, x.words())
		}
	case want.succeeds:
		x.warns(want.warning, c.scenario.names)
	default:
		says := append([]string{c.scenario.names, method + " " + inBraces.ReplaceAllString(regexp.QuoteMeta(c.request().Route), `\{[^}]*\}`)}, c.says()...)
		if want.tries {
			says = append(says, `last of \d+ attempts within`)
		}
		x.fails(says...)
	}

	// What the service has, and what the state has.
	if got := x.holds(); want.done && got != c.usual.holds || !want.done && got != c.usual.untouched {
		t.Errorf("the service has what was asked: want %t, and it holds\n%s", want.done, got)
	}
	expected := c.usual.held
	switch {
	case !want.succeeds && c.scenario.operation == "read":
		expected = tftypes.NewValue(expected.Type(), nil)
	case !want.succeeds:
		expected = c.usual.before
	}
	// What no answer has said is null until the next refresh.
	var open []string
	if method == http.MethodPost && want.warning == "" || want.warning != "" && method == http.MethodGet {
		open = []string{"profile_status", "profile_url", "self_link"}
	}
	if diff := differences(t, held, expected, open); diff != "" {
		t.Errorf("the state differs: %s", diff)
	}
	if x.tainted {
		t.Error("the resource is tainted")
	}

	// What was sent.
	writes := map[string]int{}
	for i, e := range c.usual.requests {
		if e.Method != http.MethodGet && (want.succeeds || i < c.index || writesBefore == 0) {
			writes[e.Method]++
		}
	}
	if method == http.MethodGet && !want.succeeds && writesBefore == 0 {
		clear(writes)
	}
	got := x.writes()
	if method != http.MethodGet {
		writes[method] = want.requests
		if want.requests < 0 && got[method] > 1 {
			writes[method] = got[method]
		}
	}
	for _, m := range everyMethod[1:] {
		if got[m] != writes[m] {
			t.Errorf("%d %s, want %d", got[m], m, writes[m])
		}
	}
	if want.tries != (took >= retryTimeout) || took > retryTimeout+3*requestTimeout {
		t.Errorf("it took %s; tried to the end of retry_timeout: want %t", took, want.tries)
	}

	// And after the trouble.
	if diff := differences(t, x.recover(), c.usual.recovered, nil); diff != "" {
		t.Errorf("in the end the state differs: %s", diff)
	}
	if got := x.holds(); got != c.usual.target {
		t.Errorf("in the end the service holds\n%s\nwant\n%s", got, c.usual.target)
	}
}

// differences compares two states, or two things read. What is open may be null.
func differences(t *testing.T, got, want tftypes.Value, open []string) string {
	t.Helper()
	if got.IsNull() || want.IsNull() {
		if got.IsNull() != want.IsNull() {
			return fmt.Sprintf("it is there: %t, want %t", !got.IsNull(), !want.IsNull())
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

// everyRoute is all that the provider may ask of the service.
var everyRoute = map[string][]string{
	http.MethodGet: {
		sandbox.RouteAssessments, sandbox.RoutePackages, sandbox.RouteBenchmarks, sandbox.RouteProfiles, sandbox.RouteSkillsTests,
		sandbox.RoutePositions, sandbox.RoutePositionAssessments, sandbox.RoutePositionAssessment, sandbox.RouteResults,
	},
	http.MethodPost:   {sandbox.RoutePositionAssessments},
	http.MethodPut:    {sandbox.RoutePositionAssessment, sandbox.RouteSkillsTest},
	http.MethodDelete: {sandbox.RoutePositionAssessment},
}

// The fault matrix: every operation, with every trouble at every request that
// it sends, once and for ever. Nothing is lost, nothing is sent twice, and what
// is said names what was asked, what came and what to do.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	var cells, held atomic.Int64
	var met sync.Map
	t.Cleanup(func() {
		t.Logf("%d cells, %d held", cells.Load(), held.Load())
		if held.Load() != cells.Load() {
			t.Error("not all cells hold")
		}
		for method, routes := range everyRoute {
			for _, route := range routes {
				if _, ok := met.Load(method + " " + route); !ok {
					t.Errorf("no cell meets %s %s", method, route)
				}
			}
		}
	})
	for _, s := range scenarios() {
		t.Run(s.operation+" "+s.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range s.cells(s.measure(t)) {
				met.Store(c.request().Method+" "+c.request().Route, true)
				cells.Add(1)
				if t.Run(c.name(), func(t *testing.T) { synctest.Test(t, c.run) }) {
					held.Add(1)
				}
			}
		})
	}
}
