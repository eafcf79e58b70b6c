// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const aberdeen = "pos-safety-aberdeen"

// firstReleaseState is the service that the states in testdata/states/v0.1 describe.
func firstReleaseState() *sandbox.State {
	st := sandbox.Demo()
	st.Position(aberdeen).Assessments = []sandbox.PositionAssessment{
		{
			ID:         "pas-0001",
			Assessment: "asm-northlight",
			Metadata:   sandbox.Metadata{ProfileStatus: sandbox.SupervisorCompleted},
		},
	}
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

// writeFirstRelease writes a state file that contains each state of the first release, with the
// address of this service.
func (c *cli) writeFirstRelease(service *sandboxtest.Server, forgetsIdentity bool) {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "states", "v0.1", "*.json"))
	if err != nil || len(files) == 0 {
		c.t.Fatalf("no states: %v", err)
	}
	host := os.Getenv("TF_ACC_PROVIDER_HOST")
	resources := []any{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			c.t.Fatal(err)
		}
		moved := strings.ReplaceAll(
			string(text),
			strings.TrimSuffix(sandbox.BaseURL, "/v1"),
			strings.TrimSuffix(service.URL, "/v1"),
		)
		var instance map[string]any
		if err := json.Unmarshal([]byte(moved), &instance); err != nil {
			c.t.Fatal(err)
		}
		typ := instance["type"]
		delete(instance, "type")
		if forgetsIdentity {
			delete(instance, "identity")
			delete(instance, "identity_schema_version")
		}
		if typ == attachmentType { // CLIs also store which attributes are sensitive, and plan an update if that differs
			instance["sensitive_attributes"] = []any{[]any{map[string]any{"type": "get_attr", "value": "profile_url"}}}
		}
		resources = append(resources, map[string]any{
			"mode": "managed", "type": typ, "name": strings.TrimSuffix(filepath.Base(file), ".json"),
			"provider": `provider["` + host + `/hashicorp/assess"]`, "instances": []any{instance},
		})
	}
	state, err := json.Marshal(map[string]any{
		"version": 4, "terraform_version": "1.12.0", "serial": 1, "lineage": "first-release", "resources": resources,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	c.add("terraform.tfstate", string(state))
}

// The provider reads a state that the first release wrote, and plans no changes: with
// and without a refresh, with and without an identity (OpenTofu before 1.12 stores
// none), and on a service that does not return packages, benchmark and tests. Without a
// refresh, only the private state shows that another profile replaces a supervisor's work.
func TestFirstRelease(t *testing.T) {
	t.Parallel()
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		service := sandboxtest.New(t, like, func(o *sandboxtest.Options) { o.Seed = firstReleaseState })
		for _, forgetsIdentity := range []bool{false, true} {
			c := newCLI(t, service)
			c.writeFirstRelease(service, forgetsIdentity)
			c.useFrom("TestFirstRelease", "all")
			c.plan().empty().quiet()
			c.plan("-refresh=false").empty().quiet()
			c.useFrom("TestFirstRelease", "other_profile")
			c.plan("-refresh=false", "-target=assess_position_assessment.supervised").
				warns("Supervisor's profile will be replaced", `"prf-curious-builders"`, "permanently", `"prf-customer-first"`)
		}
		noWrites(t, service)
	})
}
