// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// firstReleaseState is the service that the states in testdata/states/v0.1 describe.
func firstReleaseState() *sandbox.State {
	st := sandbox.Demo()
	st.Position(aberdeen).Assessments = []sandbox.PositionAssessment{{
		ID: "pas-0001", Assessment: "asm-northlight", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted},
	}}
	st.Position(backend).Assessments = []sandbox.PositionAssessment{
		{ID: "pas-0002", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
			Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}, Benchmark: "bmk-quartet-engineers-en-gb",
		}},
		{ID: "pas-0003", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete}},
		{ID: "pas-0004", Assessment: "asm-northlight", Metadata: sandbox.Metadata{
			Profile: "prf-customer-first", ProfileStatus: sandbox.ProfileAttached,
		}},
		{ID: "pas-0005", Assessment: "asm-lumen"},
		{ID: "pas-0006", Assessment: "asm-workbench", Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-go"}}},
	}
	st.Assessment("asm-workbench").SkillsTest("skt-go").Set("active", true)
	return st
}

// loadFirstRelease fills the state with each state of the first release, as a CLI does.
func (s *simulation) loadFirstRelease(forgetsIdentity bool) {
	s.t.Helper()
	files, _ := filepath.Glob(filepath.Join("testdata", "states", "v0.1", "*.json"))
	if len(files) == 0 {
		s.t.Fatal("no states")
	}
	server, err := s.core.Start("")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range files {
		var instance struct {
			Type       string
			Attributes json.RawMessage
			Identity   map[string]any
			Private    []byte
		}
		if err := json.Unmarshal([]byte(clitest.ReadFile(s.t, file)), &instance); err != nil {
			s.t.Fatal(err)
		}
		upgraded, err := server.UpgradeResourceState(s.t.Context(), &tfprotov6.UpgradeResourceStateRequest{
			TypeName: instance.Type, RawState: &tfprotov6.RawState{JSON: instance.Attributes},
		})
		if err != nil || len(upgraded.Diagnostics) > 0 {
			s.t.Fatal(err, saidIn(upgraded.Diagnostics))
		}
		value, err := upgraded.UpgradedState.Unmarshal(s.core.Schemas.ResourceSchemas[instance.Type].ValueType())
		if err != nil {
			s.t.Fatal(err)
		}
		o := &coretest.Object{Value: value, Private: instance.Private}
		if !forgetsIdentity {
			names := map[string]tftypes.Type{}
			for name := range instance.Identity {
				names[name] = tftypes.String
			}
			identity := coretest.Encode(tftypes.Object{AttributeTypes: names}, instance.Identity)
			o.Identity = &tfprotov6.ResourceIdentityData{IdentityData: identity}
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		s.core.State.Instances[instance.Type+"."+name] = coretest.Instance{Current: o}
	}
}

// The provider reads a state that the first release wrote, and plans no changes: with
// and without a refresh, with and without an identity (OpenTofu before 1.12 stores
// none), and on a service that does not return packages, benchmark and tests. Without a
// refresh, only the private state shows that another profile replaces a supervisor's work.
func TestFirstRelease(t *testing.T) {
	t.Parallel()
	games := selected("games", backend, "mandatory")
	games.Body["benchmark"] = coretest.Body{"id": "bmk-quartet-engineers-en-gb"}
	rest := resources{
		games, lumen("ability", backend), positionAssessment("open", backend, "asm-terrain"), activation("go", "skt-go"),
		tested("skills", backend, "skt-go", "skt-sql"), profiled("values", backend, "prf-customer-first"),
	}
	all := simulatedConfig(append(rest, profiled("supervised", aberdeen, "prf-customer-first"))...)
	other := simulatedConfig(append(rest, profiled("supervised", aberdeen, "prf-curious-builders"))...)
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		for _, forgetsIdentity := range []bool{false, true} {
			once(t, func(s *simulation) {
				s.loadFirstRelease(forgetsIdentity)
				s.stays(all)
				s.options.Refresh = coretest.NoRefresh
				s.stays(all)
				s.warns(s.succeeds(s.plan(other)), "Supervisor's profile will be replaced", `"prf-curious-builders"`,
					"permanently", `"prf-customer-first"`)
				s.writesNothing()
			}, like, func(o *sandboxtest.Options) { o.Seed = firstReleaseState })
		}
	})
}
