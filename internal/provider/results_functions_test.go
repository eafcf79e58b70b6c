// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"math/big"
	"regexp"
	"slices"
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

// saying checks the same for an output in Markdown, without its escapes.
func saying(output string, texts ...string) statecheck.StateCheck {
	return statecheck.ExpectKnownOutputValue(output, knownvalue.StringFunc(func(got string) error {
		return lacks(strings.ReplaceAll(got, `\`, ""), texts)
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

// holding checks the cells of a column in a CSV output.
func holding(output, column string, cells ...string) statecheck.StateCheck {
	return statecheck.ExpectKnownOutputValue(output, knownvalue.StringFunc(func(text string) error {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			return err
		}
		at := slices.Index(rows[0], column)
		if at < 0 {
			return fmt.Errorf("no column %q in %q", column, rows[0])
		}
		got := []string{}
		for _, row := range rows[1:] {
			got = append(got, row[at])
		}
		if !slices.Equal(got, cells) {
			return fmt.Errorf("%s is %q, want %q", column, got, cells)
		}
		return nil
	}))
}

func TestResultsFunctions(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	var names, escaped, namesByResult []string
	for _, c := range outcomeOf(t, service, "").candidates {
		names, escaped = append(names, c.Name), append(escaped, "<bdi>"+html.EscapeString(c.Name)+"</bdi>")
		for range max(1, len(c.Results)) {
			namesByResult = append(namesByResult, c.Name)
		}
	}
	report := step()
	report.ConfigStateChecks = []statecheck.StateCheck{
		containing("html", append([]string{"<h1 dir=\"auto\">Graduates 2026</h1>"}, escaped...)...),
		saying("markdown", append([]string{"# Assessment results\n"}, names...)...),
		holding("csv", "candidate_name", namesByResult...),
		holding("projection", "candidate_name", names...),
		containing("none", "# Assessment results\n", "\nNo candidates.\n"),
		containing("untitled", "<h1 dir=\"auto\">Assessment results</h1>", escaped[0]),
		saying("options", "# Beste\n", "Datum: 5. März 2026", "Nur die ersten 2 der Rangliste", names[0], "| Lumen |"),
		containing("anonymous", "\ufeffcandidate_id,candidate_name", "Candidate "),
	}
	test(t, service, report)
}

func TestResultsFunctionsOfHostileNames(t *testing.T) {
	t.Parallel()
	report := step()
	report.ConfigStateChecks = []statecheck.StateCheck{
		containing(
			"html",
			"<title>A &amp; B</title>",
			"<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>",
			"<b>82.4</b>",
			"<b>−1.5</b>",
			strings.Repeat("w", 200),
		),
		containing(
			"markdown",
			"# A \\& B\n",
			"| \\<script\\>alert(1)\\</script\\> | 82.4 |",
			"| a\\|b \\`c\\` | No score |",
		),
		holding(
			"csv",
			"candidate_name",
			"<script>alert(1)</script>",
			`'=HYPERLINK("http://evil.example")`,
			"محمد بن موسى الخوارزمي",
			"a|b\n`c`",
			strings.Repeat("w", 200),
		),
		holding("csv", "suitability", "82.4", "80", "-1.5", "", ""),
		holding("csv", "percentile", "", "", "12.25", "", ""),
	}
	test(t, sandboxtest.New(t), report)
}

func TestResultsFunctionsOfUnknowns(t *testing.T) {
	t.Parallel()
	report := step()
	report.ConfigPlanChecks = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectUnknownOutputValue("csv"),
		plancheck.ExpectUnknownOutputValue("title"),
	}}
	report.ConfigStateChecks = []statecheck.StateCheck{
		holding("csv", "candidate_name", "Ada Lovelace"),
		containing("title", "# Ada Lovelace\n"),
	}
	test(t, sandboxtest.New(t), report)
}

func TestResultsFunctionsRefuse(t *testing.T) {
	t.Parallel()
	var steps []resource.TestStep
	for _, pattern := range []string{
		`candidates\[1\]\.suitability\s+must\s+be\s+a\s+number,\s+not\s+a\s+string`,
		`candidates\s+must\s+be\s+a\s+list\s+of\s+objects,\s+not\s+an\s+object\.\s+Use\s+its\s+attribute\s+candidates`,
		`results_markdown\s+accepts\s+one\s+argument\s+after\s+the\s+candidates`,
	} {
		s := step()
		s.ExpectError = regexp.MustCompile(pattern)
		steps = append(steps, s)
	}
	test(t, sandboxtest.New(t), steps...)
}

// callFunction calls a function over the protocol, with dynamic arguments.
func callFunction(t *testing.T, name string, arguments ...tftypes.Value) (string, *tfprotov6.FunctionError) {
	t.Helper()
	request := &tfprotov6.CallFunctionRequest{Name: name}
	for _, argument := range arguments {
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
	if resp.Error != nil {
		return "", resp.Error
	}
	value, err := resp.Result.Unmarshal(tftypes.String)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := value.As(&text); err != nil {
		t.Fatal(err)
	}
	return text, nil
}

func stringValue(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }

func tupleValue(elements ...tftypes.Value) tftypes.Value {
	kinds := tftypes.Tuple{}
	for _, element := range elements {
		kinds.ElementTypes = append(kinds.ElementTypes, element.Type())
	}
	return tftypes.NewValue(kinds, elements)
}

func objectValue(values map[string]tftypes.Value) tftypes.Value {
	kinds := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	for name, value := range values {
		kinds.AttributeTypes[name] = value.Type()
	}
	return tftypes.NewValue(kinds, values)
}

func TestResultsFunctionArguments(t *testing.T) {
	t.Parallel()
	type o = map[string]tftypes.Value
	null := tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	ada := objectValue(o{"name": stringValue("Ada")})
	listed := tftypes.NewValue(
		tftypes.List{ElementType: ada.Type()},
		[]tftypes.Value{ada, tftypes.NewValue(ada.Type(), nil)},
	)
	set := tftypes.NewValue(tftypes.Set{ElementType: ada.Type()}, []tftypes.Value{ada})
	mapped := tftypes.NewValue(tftypes.Map{ElementType: ada.Type()}, o{"a": ada})
	exact, _, err := big.ParseFloat("82.35", 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	huge, _, err := big.ParseFloat("1e999", 10, 512, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}

	for name, test := range map[string]struct {
		argument tftypes.Value
		want     string // text in the report
		refused  string
	}{
		"a list with a null":  {listed, "| Ada |", ""},
		"a set":               {set, "| Ada |", ""},
		"a tuple with a null": {tupleValue(null, ada), "| Ada |", ""},
		"an empty tuple":      {tupleValue(), "No candidates.", ""},
		"nulls":               {tupleValue(objectValue(o{"name": null, "id": stringValue("c-1"), "suitability": null, "results": null})), "| – | c-\u20601 | No score |  |", ""},
		"nulls below":         {tupleValue(objectValue(o{"name": stringValue("Ada"), "results": tupleValue(objectValue(o{"type": null, "invitations": null}), null)})), "| – | Ada | No score | 0 of 1 |", ""},
		"a decimal":           {tupleValue(objectValue(o{"name": stringValue("Ada"), "suitability": tftypes.NewValue(tftypes.Number, exact)})), "| 1 | Ada | 82.4 |", ""},
		"a string":            {stringValue("x"), "", "candidates must be a list of objects, not a string."},
		"a number": {tftypes.NewValue(tftypes.Number, 1), "", "candidates must be a list of objects, not " +
			"a number."},
		"a boolean": {tftypes.NewValue(tftypes.Bool, true), "", "candidates must be a list of objects, " +
			"not a boolean."},
		"a map":         {mapped, "", "candidates must be a list of objects, not a map."},
		"one candidate": {ada, "", "candidates must be a list of objects, not an object."},
		"a data source": {objectValue(o{"candidates": listed}), "", "candidates must be a list of objects, " +
			"not an object. Use its attribute candidates."},
		"a list of strings":       {tupleValue(ada, stringValue("x")), "", "candidates[1] must be an object, not a string."},
		"a list of lists":         {tupleValue(listed), "", "candidates[0] must be an object, not a list."},
		"a name that is a number": {tupleValue(objectValue(o{"name": tftypes.NewValue(tftypes.Number, 1)})), "", "candidates[0].name must be a string, not a number."},
		"a score out of range":    {tupleValue(objectValue(o{"suitability": tftypes.NewValue(tftypes.Number, huge)})), "", "candidates[0].suitability is out of range."},
		"results of another kind": {tupleValue(ada, objectValue(o{"results": stringValue("x")})), "", "candidates[1].results must be a list of objects, not a string."},
		"a wrong result":          {tupleValue(objectValue(o{"results": tupleValue(null, objectValue(o{"percentile": stringValue("9")}))})), "", "candidates[0].results[1].percentile must be a number, not a string."},
		"a wrong invitation": {
			tupleValue(objectValue(o{"results": tupleValue(objectValue(o{"invitations": tupleValue(objectValue(o{"status": listed}))}))})), "",
			"candidates[0].results[0].invitations[0].status must be a string, not a list.",
		},
		"a misspelt attribute": {
			tupleValue(ada, objectValue(o{"name": stringValue("Grace"), "suitabilty": null})), "",
			"candidates[1].suitabilty is not supported. Supported attributes: id, name, report_url, suitability, results.",
		},
		"another list of the provider": {
			tupleValue(objectValue(o{"id": stringValue("pos-1"), "title": stringValue("x"), "locale": stringValue("en")})), "",
			"candidates[0].locale is not supported",
		},
		"an empty object": {tupleValue(objectValue(nil)), "", "candidates[0] has no attributes."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, refused := callFunction(t, "results_markdown", test.argument)
			switch {
			case test.refused == "" && refused != nil:
				t.Fatalf("unexpected error: %s", refused.Text)
			case test.refused == "" && !strings.Contains(text, test.want):
				t.Errorf("no %q in\n%s", test.want, text)
			case test.refused != "" && refused == nil:
				t.Errorf("no error, want %q:\n%s", test.refused, text)
			case test.refused != "" && (!strings.Contains(refused.Text, test.refused) ||
				refused.FunctionArgument == nil || *refused.FunctionArgument != 0):
				t.Errorf(
					"error %q for argument %v, want %q for the first",
					refused.Text,
					refused.FunctionArgument,
					test.refused,
				)
			}
		})
	}
}
