// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// scenario is one operation of a CLI and its preparation.
type scenario struct {
	operation, name string

	options func(*sandboxtest.Options)
	usual   sandboxtest.Fault    // a permanent property of this service
	kind    string               // the type of the resource or data source
	before  map[string]any       // the configuration that is applied first, or nil
	outside func(*sandbox.State) // a change of the service after that
	config  map[string]any       // the configuration of the operation
	since   func(*sandbox.State) // a change of the service between the plan and the operation
	names   string               // a pattern that each message must match

	needsProfile bool // whether a write must be followed by a read
}

// attachingTo returns the configuration of a position assessment with at most one
// block.
func attachingTo(position, assessment string, block ...any) map[string]any {
	config := map[string]any{"position_id": position, "assessment_id": assessment}
	if len(block) == 3 {
		name, key := fmt.Sprint(block[0]), fmt.Sprint(block[1])
		config[name] = map[string]any{key: block[2]}
	}
	return config
}

var (
	engineers = attachingTo(backend, "asm-lumen", "benchmark", "id", "bmk-lumen-engineers-en-gb")
	managers  = attachingTo(backend, "asm-lumen", "benchmark", "id", "bmk-lumen-managers-en-gb")
	games     = attachingTo(backend, "asm-quartet", "packages", "select", "all")
	customers = attachingTo(backend, "asm-northlight", "profile", "id", "prf-customer-first")
	builders  = attachingTo(backend, "asm-northlight", "profile", "id", "prf-curious-builders")
	inventory = attachingTo(backend, "asm-northlight")
	skills    = attachingTo(backend, "asm-workbench", "tests", "ids", []string{"skt-sql", "skt-linux"})
	goTest    = map[string]any{"assessment_id": "asm-workbench", "test_id": "skt-go"}
)

// Each message about a scenario names one of these.
const (
	lumen      = `"asm-lumen"|"pos-backend-london"`
	northlight = `"asm-northlight"|"pos-backend-london"`
	quartet    = `"asm-quartet"|"pos-backend-london"`
	workbench  = `"asm-workbench"|"pos-backend-london"`
	goSkill    = `"asm-workbench"|"skt-go"`
)

// scenarios returns all operations, in all variants that send different requests.
func scenarios() []scenario {
	return slices.Concat(planScenarios(), applyScenarios(), refreshScenarios(), readScenarios())
}

func planScenarios() []scenario {
	const pa = attachmentType
	return []scenario{
		{operation: "plan", name: "benchmark", kind: pa, config: engineers, names: lumen},
		{operation: "plan", name: "packages", kind: pa, config: games, names: quartet},
		{operation: "plan", name: "profile", kind: pa, config: customers, names: northlight},
		{operation: "plan", name: "no block", kind: pa, config: inventory, names: northlight},
		{operation: "plan", name: "tests", kind: pa, config: skills, names: workbench},
		{operation: "plan", name: "activation", kind: activationType, config: goTest, names: goSkill},
		{operation: "plan", name: "other benchmark", kind: pa, before: engineers, config: managers, names: lumen},
	}
}

func applyScenarios() []scenario {
	const pa = attachmentType
	disabled := func(st *sandbox.State) { st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", false) }
	short := func(method string) sandboxtest.Fault { // responses without the resource
		return sandboxtest.Fault{Method: method, When: sandboxtest.AfterEffect, Body: []byte("{}"), Times: -1}
	}
	return []scenario{
		{operation: "apply", name: "benchmark", kind: pa, config: engineers, names: lumen},
		{operation: "apply", name: "no block", kind: pa, config: inventory, names: northlight},
		{
			operation: "apply", name: "no block, short response", kind: pa, usual: short(http.MethodPost),
			config: inventory, names: northlight, needsProfile: true,
		},
		{operation: "apply", name: "activation", kind: activationType, config: goTest, names: goSkill},

		{operation: "update", name: "other benchmark", kind: pa, before: engineers, config: managers, names: lumen},
		{operation: "update", name: "other profile", kind: pa, before: customers, config: builders, names: northlight},
		{
			operation: "update", name: "no profile, short response", kind: pa, usual: short(http.MethodPut),
			before: customers, config: inventory, names: northlight, needsProfile: true,
		},
		{
			operation: "update", name: "activation", kind: activationType,
			before: goTest, outside: disabled, config: goTest, names: goSkill,
		},

		{operation: "destroy", name: "attached", kind: pa, before: engineers, names: lumen},
		{operation: "destroy", name: "gone", kind: pa, before: engineers, since: nothingAttached, names: lumen},
	}
}

func nothingAttached(st *sandbox.State) { st.Position(backend).Assessments = nil }

func refreshScenarios() []scenario {
	const pa = attachmentType
	withdrawn := func(st *sandbox.State) {
		a := st.Assessment("asm-workbench")
		a.SkillsTests = slices.DeleteFunc(a.SkillsTests, func(t sandbox.SkillsTest) bool { return t.ID() == "skt-go" })
	}
	noList := func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 }
	return []scenario{
		{operation: "refresh", name: "listed", kind: pa, before: engineers, names: lumen},
		{operation: "refresh", name: "no list", kind: pa, options: noList, before: engineers, names: lumen},
		{operation: "refresh", name: "gone", kind: pa, before: engineers, since: nothingAttached, names: lumen},
		{operation: "refresh", name: "activation", kind: activationType, before: goTest, names: goSkill},
		{
			operation: "refresh", name: "activation gone", kind: activationType,
			before: goTest, since: withdrawn, names: goSkill,
		},

		{operation: "import", name: "listed", kind: pa, before: engineers, names: lumen},
		{operation: "import", name: "no list", kind: pa, options: noList, before: engineers, names: lumen},
		{operation: "import", name: "activation", kind: activationType, before: goTest, names: goSkill},
	}
}

// readScenarios reads each data source.
func readScenarios() []scenario {
	of := func(assessment string) map[string]any { return map[string]any{"assessment_id": assessment} }
	configs := map[string]map[string]any{
		"assess_assessment": {"id": "asm-lumen"}, "assess_assessments": {},
		"assess_position": {"id": backend}, "assess_positions": {},
		"assess_packages": of("asm-quartet"), "assess_benchmarks": of("asm-quartet"),
		"assess_profiles": of("asm-terrain"), "assess_skills_tests": of("asm-workbench"),
		"assess_position_assessment":  {"position_id": backend, "id": "pas-0001"},
		"assess_position_assessments": {"position_id": backend},
		"assess_position_results":     {"position_id": sandbox.DemoResultsPosition},
	}
	var all []scenario
	for _, kind := range slices.Sorted(maps.Keys(configs)) {
		s := scenario{operation: "read", name: kind, kind: kind, config: configs[kind]}
		if s.config["position_id"] == backend { // the position must have something to read
			s.outside = func(st *sandbox.State) {
				p := st.Position(backend)
				p.Assessments = append(p.Assessments, sandbox.PositionAssessment{ID: "pas-0001", Assessment: "asm-facet"})
			}
		}
		all = append(all, s)
	}
	return all
}

// preparedScenario is a scenario right before its operation.
type preparedScenario struct {
	scenario
	*managed
	planned *tfprotov6.PlanResourceChangeResponse
}

func (s scenario) prepare(t *testing.T) *preparedScenario {
	t.Helper()
	var options []func(*sandboxtest.Options)
	if s.options != nil {
		options = append(options, s.options)
	}
	x := &preparedScenario{scenario: s, managed: &managed{harness: newHarness(t, options...), name: s.kind}}
	if s.before != nil {
		x.planAndApply(s.before)
	}
	if s.outside != nil {
		x.service.Change(t, s.outside)
	}
	switch s.operation {
	case "apply", "update", "destroy":
		x.startRun(nil)
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

// operate runs the operation in a run of its own. It returns the state, or what was
// read.
func (x *preparedScenario) operate() tftypes.Value {
	x.t.Helper()
	x.startRun(nil)
	switch x.operation {
	case "plan":
		x.plan(x.config)
	case "apply", "update", "destroy":
		x.apply(x.config, x.planned)
	case "refresh":
		x.refresh()
	case "import":
		x.importState(x.importID())
	case "read":
		return x.read(x.kind, x.config)
	}
	return x.value()
}

func (x *preparedScenario) importID() string {
	if test, ok := x.before["test_id"].(string); ok {
		return "asm-workbench/" + test
	}
	return backend + "/pas-0001"
}

// again repeats the operation as a user does after the fault. The configuration can be
// applied regardless of what the first attempt did.
func (x *preparedScenario) again() tftypes.Value {
	x.t.Helper()
	switch x.operation {
	case "plan", "apply", "update", "destroy":
		x.planAndApply(x.config)
		return x.value()
	}
	result := x.operate()
	x.succeeds()
	return result
}

// baseline is the result of a scenario without faults.
type baseline struct {
	before, result   tftypes.Value // the state before and after the operation, or what was read
	untouched, holds string        // the service before and after the operation
	warnings         []string
	requests         []sandboxtest.Entry
	repeated         tftypes.Value // the state after the repetition
	target           string        // the service after the repetition
}

func (s scenario) measure(t *testing.T) baseline {
	t.Helper()
	var y baseline
	synctest.Test(t, func(t *testing.T) {
		x := s.prepare(t)
		if s.operation != "read" {
			y.before = x.value()
		}
		y.untouched = x.content()
		if s.usual.Method != "" {
			x.service.Inject(s.usual)
		}
		y.result = x.operate()
		x.succeeds()
		y.holds, y.warnings, y.requests = x.content(), x.warnings(), x.service.Journal()
		x.service.ClearFaults()
		y.repeated, y.target = x.again(), x.content()
	})
	return y
}

// String describes the baseline for a person to review. The cells of the matrix are
// compared with it, so it must be correct.
func (y baseline) String() string {
	var b strings.Builder
	for _, e := range y.requests {
		fmt.Fprintf(&b, "  %s %s: %d\n", e.Method, e.Route, e.Status)
	}
	for _, warning := range y.warnings {
		fmt.Fprintf(&b, "  warning: %s\n", warning)
	}
	list := func(what, before, after string) {
		for line := range strings.Lines(after) {
			if !strings.Contains(before, line) {
				fmt.Fprintf(&b, "  %s %s", what, line)
			}
		}
	}
	list("then the service has", y.untouched, y.holds)
	list("then the service no longer has", y.holds, y.untouched)
	list("after the repetition it has", y.holds, y.target)
	return b.String()
}
