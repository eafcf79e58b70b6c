// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// latency is the time of one round trip to the service of a harness.
const latency = 40 * time.Millisecond

// harness runs the embedded service and the provider in one process, without a network
// port. With testing/synctest, hours pass in milliseconds, with the default timeouts
// and limits.
type harness struct {
	*protocolClient
	service     *sandboxtest.Server
	diagnostics []*tfprotov6.Diagnostic // since the start of the last run
}

func newHarness(t *testing.T, change ...func(*sandboxtest.Options)) *harness {
	t.Helper()
	options := sandboxtest.Options{Options: sandbox.Options{MaxPage: 3, Seed: smallState}, Latency: latency}
	for _, option := range change {
		option(&options)
	}
	service := sandboxtest.NewService(t, options)
	return harnessOver(t, service, service)
}

// setNoList makes a service that does not list the assessments of a position, if
// missing is set.
func setNoList(o *sandboxtest.Options, missing bool) {
	if missing {
		o.Assumptions.PositionAssessmentList = http.StatusMethodNotAllowed
	}
}

// smallState is the part of the demo organization that tests with hundreds of harnesses
// use.
func smallState() *sandbox.State {
	st := sandbox.Demo()
	kept := []string{"asm-lumen", "asm-quartet", "asm-northlight", "asm-terrain", "asm-workbench", "asm-facet"}
	st.Assessments = slices.DeleteFunc(st.Assessments, func(a sandbox.Assessment) bool {
		return !slices.Contains(kept, a.ID)
	})
	tests := &st.Assessment("asm-workbench").SkillsTests
	*tests = slices.DeleteFunc(*tests, func(t sandbox.SkillsTest) bool {
		return !slices.Contains([]string{"skt-go", "skt-rust", "skt-sql", "skt-linux", "skt-python", "skt-networks"}, t.ID())
	})
	candidates := &st.Position(sandbox.DemoResultsPosition).Candidates
	*candidates = (*candidates)[:4]
	return st
}

// harnessOver returns a harness whose provider reaches the service through a network.
func harnessOver(t *testing.T, service *sandboxtest.Service, network http.RoundTripper) *harness {
	t.Helper()
	env := map[string]string{
		"ASSESS_BASE_URL": sandbox.BaseURL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	}
	return &harness{
		protocolClient: clientOf(t, &provider.Provider{
			Version: "test", Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir(), Transport: network,
		}),
		service: &sandboxtest.Server{Service: service, URL: sandbox.BaseURL},
	}
}

// startRun starts a run.
func (w *harness) startRun(settings map[string]any) {
	w.t.Helper()
	given := map[string]any{"rate_limit": map[string]any{"coordination": "none"}}
	maps.Copy(given, settings)
	w.mustConfigure(given)
	w.diagnostics = nil
}

// failed reports whether a step returned an error.
func (w *harness) failed() bool { return len(errorsOf(w.diagnostics)) > 0 }

func (w *harness) warnings() []string {
	summaries := []string{}
	for _, d := range w.diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			summaries = append(summaries, d.Summary)
		}
	}
	slices.Sort(summaries)
	return summaries
}

// messages returns all diagnostics as text, for failure messages.
func (w *harness) messages() string {
	var b strings.Builder
	for _, d := range w.diagnostics {
		fmt.Fprintf(&b, "%s: %s\n%s\n", d.Severity, d.Summary, d.Detail)
	}
	return b.String()
}

// says reports whether a diagnostic matches all patterns.
func (w *harness) says(severity tfprotov6.DiagnosticSeverity, patterns ...string) bool {
	return slices.ContainsFunc(w.diagnostics, func(d *tfprotov6.Diagnostic) bool {
		return d.Severity == severity && matchesAll(d.Summary+"\n"+d.Detail, patterns)
	})
}

// fails and warns fail the test if no diagnostic matches all patterns.
func (w *harness) fails(patterns ...string) {
	w.t.Helper()
	assertSelective(w.t, patterns)
	if !w.says(tfprotov6.DiagnosticSeverityError, patterns...) {
		w.t.Errorf("no error matches all of %q:\n%s", patterns, w.messages())
	}
}

func (w *harness) warns(patterns ...string) {
	w.t.Helper()
	assertSelective(w.t, patterns)
	if !w.says(tfprotov6.DiagnosticSeverityWarning, patterns...) {
		w.t.Errorf("no warning matches all of %q:\n%s", patterns, w.messages())
	}
}

func (w *harness) succeeds() {
	w.t.Helper()
	if w.failed() {
		w.t.Fatalf("the run failed:\n%s", w.messages())
	}
}

// managed is a resource in the state of a CLI. After a failed step, it keeps what a CLI
// keeps.
type managed struct {
	*harness
	name     string
	state    *tfprotov6.DynamicValue // nil if the state does not have it
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

const (
	attachmentType = "assess_position_assessment"
	activationType = "assess_skills_test_activation"
)

func (m *managed) dynamic(v map[string]any) *tfprotov6.DynamicValue {
	m.t.Helper()
	return dynamic(m.t, m.typ(m.name), v)
}

func (m *managed) prior() *tfprotov6.DynamicValue {
	m.t.Helper()
	if m.state == nil {
		return m.dynamic(nil)
	}
	return m.state
}

// plan plans a configuration. Nil plans to destroy.
func (m *managed) plan(config map[string]any) *tfprotov6.PlanResourceChangeResponse {
	m.t.Helper()
	resp, err := m.server.PlanResourceChange(m.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: m.name, PriorState: m.prior(), PriorPrivate: m.private, PriorIdentity: m.identity,
		Config: m.dynamic(config), ProposedNewState: m.dynamic(m.proposed(config)),
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.diagnostics = append(m.diagnostics, resp.Diagnostics...)
	return resp
}

// apply applies a plan.
func (m *managed) apply(config map[string]any, planned *tfprotov6.PlanResourceChangeResponse) {
	m.t.Helper()
	creates := m.state == nil
	resp, err := m.server.ApplyResourceChange(m.t.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: m.name, PriorState: m.prior(), Config: m.dynamic(config),
		PlannedState: planned.PlannedState, PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.diagnostics = append(m.diagnostics, resp.Diagnostics...)
	m.keep(resp.NewState, resp.Private, resp.NewIdentity)
	m.tainted = creates && m.state != nil && len(errorsOf(resp.Diagnostics)) > 0
}

// refresh reads the resource again, if the state has it.
func (m *managed) refresh() {
	m.t.Helper()
	if m.state == nil {
		return
	}
	resp, err := m.server.ReadResource(m.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: m.name, CurrentState: m.prior(), Private: m.private, CurrentIdentity: m.identity,
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.diagnostics = append(m.diagnostics, resp.Diagnostics...)
	if len(errorsOf(resp.Diagnostics)) == 0 {
		m.keep(resp.NewState, resp.Private, resp.NewIdentity)
	}
}

// importState imports the resource with an import ID.
func (m *managed) importState(id string) {
	m.t.Helper()
	req := &tfprotov6.ImportResourceStateRequest{TypeName: m.name, ID: id}
	resp, err := m.server.ImportResourceState(m.t.Context(), req)
	if err != nil {
		m.t.Fatal(err)
	}
	m.diagnostics = append(m.diagnostics, resp.Diagnostics...)
	if m.failed() {
		return
	}
	imported := resp.ImportedResources[0]
	m.keep(imported.State, imported.Private, imported.Identity)
	m.refresh()
	if m.failed() {
		m.keep(nil, nil, nil) // a failed import keeps nothing
	}
}

func (m *managed) keep(state *tfprotov6.DynamicValue, private []byte, identity *tfprotov6.ResourceIdentityData) {
	m.state, m.private, m.identity = nil, nil, nil
	if state == nil {
		return
	}
	value, err := state.Unmarshal(m.typ(m.name))
	if err != nil {
		m.t.Fatal(err)
	}
	if !value.IsNull() {
		m.state, m.private, m.identity = state, private, identity
	}
}

// planAndApply plans and applies a configuration in two runs, as a CLI does. Nil
// destroys.
func (m *managed) planAndApply(config map[string]any) {
	m.t.Helper()
	m.startRun(nil)
	m.refresh()
	if m.state == nil && config == nil {
		return
	}
	planned := m.plan(config)
	m.succeeds()
	m.startRun(nil)
	m.apply(config, planned)
	m.succeeds()
}

// value returns the state, or null.
func (m *managed) value() tftypes.Value {
	m.t.Helper()
	value, err := m.prior().Unmarshal(m.typ(m.name))
	if err != nil {
		m.t.Fatal(err)
	}
	return value
}

func (m *managed) attributes() map[string]tftypes.Value {
	m.t.Helper()
	return members(m.t, m.value())
}

// text returns an attribute of the state.
func (m *managed) text(name string) string {
	m.t.Helper()
	var s *string
	if err := m.attributes()[name].As(&s); err != nil || s == nil {
		return ""
	}
	return *s
}

// proposed merges a configuration with the computed values of the state.
func (m *managed) proposed(config map[string]any) map[string]any {
	m.t.Helper()
	if m.state == nil || config == nil {
		return config
	}
	return propose(m.t, m.schema.ResourceSchemas[m.name].Block, config, m.attributes())
}

func propose(
	t *testing.T, block *tfprotov6.SchemaBlock, config map[string]any, prior map[string]tftypes.Value,
) map[string]any {
	t.Helper()
	proposed := maps.Clone(config)
	for _, a := range block.Attributes {
		if a.Computed && proposed[a.Name] == nil {
			proposed[a.Name] = prior[a.Name]
		}
	}
	for _, b := range block.BlockTypes {
		given, ok := config[b.TypeName].(map[string]any)
		if before := prior[b.TypeName]; ok && !before.IsNull() {
			proposed[b.TypeName] = propose(t, b.Block, given, members(t, before))
		}
	}
	return proposed
}

func members(t *testing.T, object tftypes.Value) map[string]tftypes.Value {
	t.Helper()
	values := map[string]tftypes.Value{}
	if err := object.As(&values); err != nil {
		t.Fatal(err)
	}
	return values
}

// read reads a data source. It returns null if that fails.
func (w *harness) read(name string, config map[string]any) tftypes.Value {
	w.t.Helper()
	typ := w.schema.DataSourceSchemas[name].ValueType()
	resp, err := w.server.ReadDataSource(w.t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: dynamic(w.t, typ, config),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.diagnostics = append(w.diagnostics, resp.Diagnostics...)
	if w.failed() {
		return tftypes.NewValue(typ, nil)
	}
	value, err := resp.State.Unmarshal(typ)
	if err != nil {
		w.t.Fatal(err)
	}
	return value
}

// content describes the state of the service, without IDs.
func (w *harness) content() string {
	w.t.Helper()
	var b strings.Builder
	st := w.service.State(w.t)
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			m := a.Metadata
			fmt.Fprintf(&b, "%s: %s %q %q %q %q %s\n",
				p.ID, a.Assessment, m.Packages, m.Benchmark, m.Profile, m.Tests, m.ProfileStatus)
		}
	}
	for _, a := range st.Assessments {
		for _, test := range a.SkillsTests {
			if test.Active() {
				fmt.Fprintf(&b, "%s: %s enabled\n", a.ID, test.ID())
			}
		}
	}
	return b.String()
}

// writes counts the requests other than GET, by method.
func (w *harness) writes() map[string]int {
	n := map[string]int{}
	for _, entry := range w.service.Writes() {
		n[entry.Method]++
	}
	return n
}
