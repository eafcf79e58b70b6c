// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// writtenState is a resource in a state file that a release wrote: its type and the
// members of its instance.
type writtenState struct {
	Type            string          `json:"type"`
	SchemaVersion   int64           `json:"schema_version"`
	Attributes      json.RawMessage `json:"attributes"`
	IdentityVersion int64           `json:"identity_schema_version"`
	Identity        json.RawMessage `json:"identity"`
	Private         []byte          `json:"private"` // base64
}

// firstRelease contains the configurations of the states in testdata/states/v0.1, which
// the first release wrote.
var firstRelease = map[string]map[string]any{
	"ability": {"position_id": backend, "assessment_id": "asm-lumen"},
	"games": {
		"position_id": backend, "assessment_id": "asm-quartet",
		"packages":  map[string]any{"select": "mandatory"},
		"benchmark": map[string]any{"id": "bmk-quartet-engineers-en-gb"},
	},
	"go":   {"assessment_id": "asm-workbench", "test_id": "skt-go"},
	"open": {"position_id": backend, "assessment_id": "asm-terrain"},
	"skills": {
		"position_id": backend, "assessment_id": "asm-workbench",
		"tests": map[string]any{"ids": []string{"skt-go", "skt-sql"}},
	},
	"supervised": {
		"position_id": aberdeen, "assessment_id": "asm-northlight",
		"profile": map[string]any{"id": "prf-customer-first", "on_supervisor_change": "keep"},
	},
	"values": {
		"position_id": backend, "assessment_id": "asm-northlight",
		"profile": map[string]any{"id": "prf-customer-first", "on_supervisor_change": "keep"},
	},
}

const aberdeen = "pos-safety-aberdeen"

// firstReleaseState is the service that the states describe.
func firstReleaseState() *sandbox.State {
	st := sandbox.Demo()
	attached := sandbox.ProfileAttached
	st.Position(aberdeen).Assessments = []sandbox.PositionAssessment{
		{
			ID: "pas-0001", Assessment: "asm-northlight",
			Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted},
		},
	}
	st.Position(backend).Assessments = []sandbox.PositionAssessment{
		{ID: "pas-0002", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
			Packages:  []string{"pkg-problem-solving", "pkg-numerical-reasoning"},
			Benchmark: "bmk-quartet-engineers-en-gb",
		}},
		{
			ID: "pas-0003", Assessment: "asm-terrain",
			Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete},
		},
		{
			ID: "pas-0004", Assessment: "asm-northlight",
			Metadata: sandbox.Metadata{Profile: "prf-customer-first", ProfileStatus: attached},
		},
		{ID: "pas-0005", Assessment: "asm-lumen"},
		{ID: "pas-0006", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-go"}}},
	}
	st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", true)
	return st
}

// upgrade passes a written state to the provider, as the core does before it plans.
func (m *managed) upgrade(written writtenState) {
	m.t.Helper()
	state, err := m.server.UpgradeResourceState(m.t.Context(), &tfprotov6.UpgradeResourceStateRequest{
		TypeName: m.name, Version: written.SchemaVersion, RawState: &tfprotov6.RawState{JSON: written.Attributes},
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.diagnostics = append(m.diagnostics, state.Diagnostics...)
	m.succeeds()
	m.keep(state.UpgradedState, written.Private, m.storedIdentity(written))
}

// storedIdentity returns the identity of a written state. The core upgrades it only if
// the version of its schema changed.
func (m *managed) storedIdentity(written writtenState) *tfprotov6.ResourceIdentityData {
	m.t.Helper()
	if written.Identity == nil {
		return nil
	}
	resp, err := m.server.GetResourceIdentitySchemas(m.t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		m.t.Fatal(err)
	}
	schema := resp.IdentitySchemas[m.name]
	if schema.Version != written.IdentityVersion {
		upgraded, err := m.server.UpgradeResourceIdentity(m.t.Context(), &tfprotov6.UpgradeResourceIdentityRequest{
			TypeName: m.name, Version: written.IdentityVersion,
			RawIdentity: &tfprotov6.RawState{JSON: written.Identity},
		})
		if err != nil || len(upgraded.Diagnostics) > 0 {
			m.t.Fatalf("upgrading the identity: %v, %v", err, upgraded)
		}
		return upgraded.UpgradedIdentity
	}
	raw := tfprotov6.RawState{JSON: written.Identity}
	value, err := raw.Unmarshal(schema.ValueType())
	if err != nil {
		m.t.Fatal(err)
	}
	data, err := tfprotov6.NewDynamicValue(schema.ValueType(), value)
	if err != nil {
		m.t.Fatal(err)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &data}
}

// assertEmptyPlan fails if the plan has changes or messages.
func (m *managed) assertEmptyPlan(config map[string]any) {
	m.t.Helper()
	planned := m.plan(config)
	if len(m.diagnostics) > 0 {
		m.t.Errorf("unexpected diagnostics:\n%s", m.messages())
	}
	value, err := planned.PlannedState.Unmarshal(m.typ(m.name))
	if err != nil {
		m.t.Fatal(err)
	}
	if !value.Equal(m.value()) || len(planned.RequiresReplace) > 0 {
		m.t.Errorf("the plan changes\n  %s\nto\n  %s\nand replaces for %v", m.value(), value, planned.RequiresReplace)
	}
}

func readWritten(t *testing.T, file string) writtenState {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var written writtenState
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	return written
}

// The provider reads a state that the first release wrote, and plans no changes: with
// and without a refresh, with and without an identity (OpenTofu before 1.12 stores
// none), and on a service that does not return packages, benchmark and tests.
func TestFirstRelease(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "states", "v0.1", "*.json"))
	if err != nil || len(files) != len(firstRelease) {
		t.Fatalf("%d states, want one for each of %d configurations, %v", len(files), len(firstRelease), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		for variant, row := range map[string]struct{ refreshes, mute, forgetsIdentity bool }{
			"refresh":                  {refreshes: true},
			"no refresh":               {},
			"mute service":             {refreshes: true, mute: true},
			"no identity":              {refreshes: true, forgetsIdentity: true},
			"no refresh, mute service": {mute: true},
		} {
			t.Run(name+"/"+variant, func(t *testing.T) {
				t.Parallel()
				written := readWritten(t, file)
				if row.forgetsIdentity {
					written.Identity = nil
				}
				synctest.Test(t, func(t *testing.T) {
					w := newHarness(t, func(o *sandboxtest.Options) {
						o.Seed = firstReleaseState
						if row.mute {
							o.Assumptions = sandboxtest.Mute
						}
					})
					m := &managed{harness: w, name: written.Type}
					m.startRun(nil)
					m.upgrade(written)
					before := m.value()
					if row.refreshes {
						m.refresh()
					}
					if !m.value().Equal(before) {
						t.Errorf("the refresh changes\n  %s\nto\n  %s", before, m.value())
					}
					m.assertEmptyPlan(firstRelease[name])
					noWrites(t, w.service)
				})
			})
		}
	}
}

// The private state of the first release is still used. Without a refresh, only the
// private state shows that another profile replaces a supervisor's work.
func TestFirstReleaseSupervisor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		written := readWritten(t, filepath.Join("testdata", "states", "v0.1", "supervised.json"))
		m := &managed{harness: newHarness(t, func(o *sandboxtest.Options) { o.Seed = firstReleaseState }), name: written.Type}
		m.startRun(nil)
		m.upgrade(written)
		m.plan(map[string]any{
			"position_id": aberdeen, "assessment_id": "asm-northlight",
			"profile": map[string]any{"id": "prf-curious-builders", "on_supervisor_change": "keep"},
		})
		m.succeeds()
		m.warns("Supervisor's profile will be replaced", `"prf-curious-builders"`, "permanently",
			`"prf-customer-first"`)
	})
}
