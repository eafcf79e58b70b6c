// SPDX-License-Identifier: MPL-2.0

package results

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// value returns the dynamic value that a CLI makes of a literal, which is written as JSON.
func value(t *testing.T, text string) attr.Value {
	t.Helper()
	var literal any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&literal); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return types.DynamicValue(valueOf(t, literal))
}

func valueOf(t *testing.T, literal any) attr.Value {
	t.Helper()
	switch literal := literal.(type) {
	case string:
		return types.StringValue(literal)
	case bool:
		return types.BoolValue(literal)
	case json.Number:
		number, _, err := big.ParseFloat(literal.String(), 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return types.NumberValue(number)
	case []any:
		elements, kinds := make([]attr.Value, len(literal)), make([]attr.Type, len(literal))
		for i, element := range literal {
			elements[i] = valueOf(t, element)
			kinds[i] = elements[i].Type(t.Context())
		}
		return types.TupleValueMust(kinds, elements)
	case map[string]any:
		members, kinds := map[string]attr.Value{}, map[string]attr.Type{}
		for name, member := range literal {
			members[name] = valueOf(t, member)
			kinds[name] = members[name].Type(t.Context())
		}
		return types.ObjectValueMust(kinds, members)
	default:
		return types.DynamicNull()
	}
}

func number(n float64) *float64 { return &n }

func TestReadCandidates(t *testing.T) {
	t.Parallel()
	ada := types.ObjectValueMust(map[string]attr.Type{"name": types.StringType}, map[string]attr.Value{"name": types.StringValue("Ada")})
	null := types.ObjectNull(ada.AttributeTypes(t.Context()))
	for name, row := range map[string]struct {
		argument attr.Value
		want     []assessapi.Candidate
	}{
		"a list with a null":  {types.ListValueMust(ada.Type(t.Context()), []attr.Value{ada, null}), []assessapi.Candidate{{Name: "Ada"}}},
		"a set":               {types.SetValueMust(ada.Type(t.Context()), []attr.Value{ada}), []assessapi.Candidate{{Name: "Ada"}}},
		"a tuple with a null": {value(t, `[null, {"name": "Ada"}]`), []assessapi.Candidate{{Name: "Ada"}}},
		"nothing":             {value(t, `[]`), nil},
		"nulls":               {value(t, `[{"id": "c-1", "name": null, "suitability": null, "results": null}]`), []assessapi.Candidate{{ID: "c-1"}}},
		"everything": {
			value(t, `[{"id": "c", "name": "Ada", "report_url": "https://x", "suitability": 82.35, "results": [null, {
				"assessment_id": "a", "type": "SCORED", "report_url": "https://y", "percentile": 9, "classification": "AVERAGE",
				"validity": "VALID", "invitations": [{"id": "i", "type": "REMOTE", "status": "INVITED", "expiry": "2026-03-30",
				"created": "2026-03-01", "completed": "2026-03-02"}]}]}]`),
			[]assessapi.Candidate{{
				ID: "c", Name: "Ada", ReportURL: "https://x", Suitability: number(82.35), Results: []assessapi.Result{{
					AssessmentID: "a", Type: "SCORED", ReportURL: "https://y", Percentile: number(9), Classification: "AVERAGE",
					Validity: "VALID", Invitations: []assessapi.Invitation{{
						ID: "i", Type: "REMOTE", Status: "INVITED", Expiry: "2026-03-30", Created: "2026-03-01", Completed: "2026-03-02",
					}},
				}},
			}},
		},
	} {
		got, err := readCandidates(row.argument)
		if err != nil || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, row.want)
		}
	}

	const noList = "candidates must be a list of objects, such as the attribute candidates of the data source"
	for argument, want := range map[string]string{
		`"x"`:                                                noList,
		`[{"name": "Ada"}, "x"]`:                             "candidates[1] must be an object",
		`[{"suitability": "9"}]`:                             "candidates[0].suitability must be a number",
		`[{"suitability": 1e999}]`:                           "candidates[0].suitability is out of range",
		`[{"id": "a"}, {"results": "x"}]`:                    "candidates[1].results must be a list of objects",
		`[{"results": [{}, "x"]}]`:                           "each element of candidates[0].results must be an object",
		`[{"results": [null, {"percentile": "9"}]}]`:         "candidates[0].results.percentile must be a number",
		`[{"results": [{"invitations": [{"status": []}]}]}]`: "candidates[0].results.invitations.status must be a string",
		`[{"name": "Grace", "suitabilty": null}]`: "candidates[0].suitabilty is not supported. " +
			"Supported attributes: id, name, report_url, results, suitability",
		`[{"results": [{"invitations": [{}, {"ID": "i"}]}]}]`: "candidates[0].results.invitations.ID is not supported. " +
			"Supported attributes: completed, created, expiry, id, status, type",
	} {
		_, err := readCandidates(value(t, argument))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", argument, err, want)
		}
	}
}

func TestReadOptions(t *testing.T) {
	t.Parallel()
	read := func(argument attr.Value) (report.Report, error) {
		r := report.Report{Sections: make([]report.Section, 1)}
		err := readOptions(&r, argument)
		return r, err
	}
	texts := types.MapValueMust(types.StringType, map[string]attr.Value{"title": types.StringValue("x"), "language": types.StringValue("de")})
	for name, row := range map[string]struct {
		argument   attr.Value
		title      string
		want       report.Options
		benchmarks map[string]string
	}{
		"a title":          {argument: value(t, `"Spring"`), title: "Spring"},
		"null":             {argument: value(t, `null`)},
		"a large limit":    {argument: value(t, `{"top": 3e9}`), want: report.Options{Top: math.MaxInt32}},
		"a map of strings": {argument: texts, title: "x", want: report.Options{Language: "de"}},
		"everything": {
			value(t, `{"title": "x", "language": "fr", "source": "a service", "date": "2026-03-05", "top": 1, "finished_only": true,
				"anonymous": true, "confidential": false, "excel": true, "wide": true, "assessment_names": {"x": "Numbers"},
				"benchmark_names": {"x": "Graduates"}}`),
			"x",
			report.Options{
				Language: "fr", Source: "a service", Date: "2026-03-05", Top: 1, FinishedOnly: true, Anonymous: true, Public: true,
				Excel: true, Wide: true, AssessmentNames: map[string]string{"x": "Numbers"},
			},
			map[string]string{"x": "Graduates"},
		},
	} {
		got, err := read(row.argument)
		want := report.Report{Title: row.title, Options: row.want, Sections: []report.Section{{Benchmarks: row.benchmarks}}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	for argument, want := range map[string]string{
		`{"titel": "x"}`: "options.titel is not supported. Supported attributes: anonymous, assessment_names, benchmark_names, " +
			"confidential, date, excel, finished_only, language, source, title, top, wide",
		`{"language": "xx"}`:             "options.language must be one of " + strings.Join(report.Languages(), ", ") + `, not "xx"`,
		`{"anonymous": "yes"}`:           "options.anonymous must be a boolean",
		`["x"]`:                          "options must be a title or an object",
		`{"top": 1e999}`:                 "options.top is out of range",
		`{"top": 0.5}`:                   "options.top must be a whole number of at least 1, not 0.5",
		`{"assessment_names": {"x": 1}}`: "each value of options.assessment_names must be a string",
	} {
		if _, err := read(value(t, argument)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", argument, err, want)
		}
	}
}
