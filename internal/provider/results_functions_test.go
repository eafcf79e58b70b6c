// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// containing checks that an output contains all texts.
func containing(output string, texts ...string) statecheck.StateCheck {
	return statecheck.ExpectKnownOutputValue(output, knownvalue.StringFunc(func(got string) error {
		return lacks(got, texts)
	}))
}

func lacks(got string, texts []string) error {
	for _, text := range texts {
		if !strings.Contains(got, text) {
			return fmt.Errorf("no %q in\n%s", text, got)
		}
	}
	return nil
}

// Each function renders the candidates of the data source and objects of the configuration.
func TestResultsFunctions(t *testing.T) {
	t.Parallel()
	report, wrong := step(), step()
	report.ConfigPlanChecks = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectUnknownOutputValue("unknown"),
	}}
	report.ConfigStateChecks = []statecheck.StateCheck{
		containing("html", `<h1 dir="auto">Graduates 2026</h1>`, "66 candidates"),
		containing("csv", "candidate_id,candidate_name,", "cnd-001"),
		containing("markdown", "# Assessment results\n", "66 candidates"),
		containing("projection", "candidate_id,candidate_name,", "\r\n"),
		containing("none", "# Assessment results\n", "\nNo candidates.\n"),
		containing("untitled", `<h1 dir="auto">Assessment results</h1>`),
		containing("options", "# Beste\n", "Datum: 5. März 2026", "Nur die ersten 2 der Rangliste", "| Lumen |"),
		containing("anonymous", "\ufeffcandidate_id,candidate_name", "Candidate "),
		containing("unknown", "| Ada Lovelace | 82.4 |"),
	}
	wrong.ExpectError = regexp.MustCompile(`must\s+be\s+a\s+list\s+of\s+objects,\s+not\s+an\s+object\.\s+Use\s+its\s+attribute\s+candidates`)
	test(t, unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 }), report, wrong)
}

// An error names the argument, and links to the guide. What each argument accepts is tested
// in package reportargs.
func TestResultsFunctionErrors(t *testing.T) {
	t.Parallel()
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	none := tftypes.NewValue(tftypes.Tuple{}, []tftypes.Value{})
	for _, name := range []string{"results_html", "results_csv", "results_markdown"} {
		for _, row := range []struct {
			arguments []tftypes.Value
			argument  int64
			says      string
		}{
			{[]tftypes.Value{text("x")}, 0, "candidates must be a list of objects, not a string."},
			{[]tftypes.Value{none, none}, 1, "options must be a title or an object, not a list."},
			{
				[]tftypes.Value{none, text("a"), text("b")},
				2,
				name + " accepts one argument after the candidates: a title, or an object of options. It got 2.",
			},
		} {
			request := &tfprotov6.CallFunctionRequest{Name: name}
			for _, argument := range row.arguments {
				value, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, argument)
				if err != nil {
					t.Fatal(err)
				}
				request.Arguments = append(request.Arguments, &value)
			}
			resp, err := provider.NewServer(&provider.Provider{}).CallFunction(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			want := row.says + " See https://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/" +
				"troubleshooting#invalid-function-argument"
			got := resp.Error
			if got == nil || got.Text != want || got.FunctionArgument == nil || *got.FunctionArgument != row.argument {
				t.Errorf("%s: got %+v, want argument %d: %s", name, got, row.argument, want)
			}
		}
	}
}

// OpenTofu sends null as a value without data.
func TestResultsFunctionsAcceptNullOfOpenTofu(t *testing.T) {
	t.Parallel()
	none := tftypes.NewValue(tftypes.Tuple{}, []tftypes.Value{})
	candidates, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, none)
	if err != nil {
		t.Fatal(err)
	}
	server := provider.NewServer(&provider.Provider{})
	for _, null := range []*tfprotov6.DynamicValue{{}, nil} {
		resp, err := server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "results_markdown", Arguments: []*tfprotov6.DynamicValue{&candidates, null},
		})
		if err != nil || resp.Error != nil || !strings.Contains(string(resp.Result.MsgPack), "# Assessment results") {
			t.Errorf("%v, %v", err, resp)
		}
	}
}
