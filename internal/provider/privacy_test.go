// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// people returns the names, addresses, links and scores of the people in a state of the
// service. Strict mode keeps them out of plans and states.
func people(t *testing.T, st *sandbox.State) []string {
	t.Helper()
	text, err := json.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	var needles []string
	var walk func(v any, within bool)
	walk = func(v any, within bool) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				walk(member, within || strings.EqualFold(key, "candidates") || strings.Contains(strings.ToLower(key), "token"))
			}
		case []any:
			for _, element := range v {
				walk(element, within)
			}
		case string:
			if within && len(v) > 8 && !slices.Contains(statuses, v) {
				needles = append(needles, v)
			}
		}
	}
	walk(value, false)
	return needles
}

// statuses are statuses and IDs that also occur outside of personal data.
var statuses = []string{
	"TESTED_WITH_RESULTS", "IN_PROGRESS", "SUPERVISED", "asm-keystone", "asm-northlight", "asm-tideline", "asm-lumen",
}

// In strict mode, plans and states contain no personal data, whatever the service
// answers.
func TestStrictPrivacy(t *testing.T) {
	t.Parallel()
	shapes := append([]sandboxtest.Alternative{{Name: "plain"}}, sandboxtest.Combinations()...)
	for _, shape := range shapes {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.Assumptions = true, shape.Assumptions })
			c := newCLI(t, service)
			c.env = append(c.env, "ASSESS_PRIVACY=strict", "ASSESS_UNTHROTTLED=1")
			c.useFrom("TestStrictPrivacy", "resources")
			if shape.Assumptions.PositionAssessmentList == 0 {
				c.add("list.tf", "data \"assess_position_assessments\" \"graduates\" {\n  position_id = "+
					"\"pos-graduates-2026\"\n}\n")
			}
			c.do("plan", "-input=false", "-out=saved").ok()
			plan, err := c.command("show", "-json", "saved").Output()
			if err != nil {
				t.Fatal(err)
			}
			c.env = append(c.env, "TF_LOG=trace")
			trace := c.human("apply", "-input=false", "-no-color", "saved")
			state, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
			if err != nil {
				t.Fatal(err)
			}
			needles := people(t, service.State(t))
			if len(needles) < 100 {
				t.Fatalf("only %d texts to search for", len(needles))
			}
			for _, where := range []struct {
				name string
				text []byte
			}{{"plan", plan}, {"state", state}, {"trace", []byte(trace.output)}} {
				for _, needle := range needles {
					if strings.Contains(string(where.text), needle) {
						t.Errorf("the %s contains %q", where.name, needle)
					}
				}
				if strings.Contains(string(where.text), "/profile/") {
					t.Errorf("the %s contains a profile link", where.name)
				}
			}
		})
	}
}

// In strict mode, the data source of results is refused, and the message names the
// alternatives.
func TestStrictPrivacyRefusesResults(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestStrictPrivacy", "results")
	c.plan().fails("Results refused by the privacy setting", "ephemeral resource", "action assess_results_report")
}
