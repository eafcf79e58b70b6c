// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Each function renders the candidates of the data source and objects of the configuration. A value that is
// not known yet makes the result unknown.
func TestResultsFunctions(t *testing.T) {
	t.Parallel()
	c := clitest.New(t, unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 }))
	c.UseFrom("TestResultsFunctions", "1")
	c.Plan("-out=plan").OK()
	var plan struct {
		Changes map[string]struct {
			Unknown any `json:"after_unknown"`
		} `json:"output_changes"`
	}
	shows(t, c, &plan, "show", "-json", "plan")
	if plan.Changes["unknown"].Unknown != true || plan.Changes["html"].Unknown != false {
		t.Errorf("the plan has %+v, want one unknown output", plan.Changes)
	}
	c.Human("apply", "plan").OK()
	var outputs map[string]struct{ Value string }
	shows(t, c, &outputs, "output", "-json")
	for output, texts := range map[string][]string{
		"html":       {`<h1 dir="auto">Graduates 2026</h1>`, "66 candidates"},
		"csv":        {"candidate_id,candidate_name,", "cnd-001"},
		"markdown":   {"# Assessment results\n", "66 candidates"},
		"projection": {"candidate_id,candidate_name,", "\r\n"},
		"none":       {"# Assessment results\n", "\nNo candidates.\n"},
		"untitled":   {`<h1 dir="auto">Assessment results</h1>`},
		"options":    {"# Beste\n", "Datum: 5. März 2026", "Nur die Top 2 der Rangliste", "| Lumen |"},
		"anonymous":  {"\ufeffcandidate_id,candidate_name", "Candidate "},
		"unknown":    {"| Ada Lovelace | 82.4 |"},
	} {
		clitest.Contains(t, "output "+output, outputs[output].Value, texts...)
	}
	c.UseFrom("TestResultsFunctions", "2")
	c.Plan().Fails(`must be a list of objects, such as the attribute candidates`)
}

// shows decodes the JSON that a command prints.
func shows(t *testing.T, c *clitest.CLI, into any, command ...string) {
	t.Helper()
	out, err := c.Command(command...).Output()
	if err == nil {
		err = json.Unmarshal(out, into)
	}
	if err != nil {
		t.Fatalf("%v: %v: %s", command, err, out)
	}
}

// An error names the argument, and links to the guide. What each argument accepts is tested
// in package results.
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
			{[]tftypes.Value{text("x")}, 0, "candidates must be a list of objects, such as the attribute candidates of the data source."},
			{[]tftypes.Value{none, none}, 1, "options must be a title or an object."},
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
				"messages#invalid-function-argument"
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
