// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

func TestResultsFunctionOptions(t *testing.T) {
	t.Parallel()
	type o = map[string]tftypes.Value
	null := tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	yes, no := tftypes.NewValue(tftypes.Bool, true), tftypes.NewValue(tftypes.Bool, false)
	whole := func(n float64) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
	candidates := tupleValue(
		objectValue(o{"id": stringValue("c-1"), "name": stringValue("Ada"), "suitability": whole(90.5)}),
		objectValue(o{"id": stringValue("c-2"), "name": stringValue("Grace"), "suitability": whole(80)}),
		objectValue(
			o{
				"id":      stringValue("c-3"),
				"name":    stringValue("Alan"),
				"results": tupleValue(objectValue(o{"assessment_id": stringValue("x")})),
			},
		),
	)
	names := tftypes.NewValue(
		tftypes.Map{ElementType: tftypes.String},
		o{"x": stringValue("Numbers"), "y": tftypes.NewValue(tftypes.String, nil)},
	)

	for name, test := range map[string]struct {
		options tftypes.Value
		has     []string // texts in the Markdown output
		lacks   []string
		refused string
	}{
		"a title":       {stringValue("Spring"), []string{"# Spring\n"}, nil, ""},
		"a null":        {null, []string{"# Assessment results\n", "Confidential"}, nil, ""},
		"a null string": {tftypes.NewValue(tftypes.String, nil), []string{"# Assessment results\n"}, nil, ""},
		"nothing":       {objectValue(nil), []string{"# Assessment results\n"}, nil, ""},
		"nulls": {
			objectValue(o{"title": null, "assessment_names": null, "language": null, "top": null, "anonymous": null, "confidential": null}),
			[]string{"# Assessment results\n", "Confidential", "Ada", "Alan"},
			nil, "",
		},
		"a map of strings": {
			tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, o{"title": stringValue("Frühling"), "language": stringValue("de")}),
			[]string{"# Frühling\n", "Vertraulich", "90,5", "| Rang |"},
			[]string{"Confidential"},
			"",
		},
		"everything": {
			objectValue(o{
				"title": stringValue("Printemps"), "language": stringValue("fr"), "source": stringValue("a service"), "date": stringValue("2026-03-05"),
				"top": whole(1), "finished_only": yes, "anonymous": yes, "confidential": no, "excel": yes,
				"assessment_names": names, "benchmark_names": objectValue(o{"x": stringValue("Graduates")}),
			}),
			[]string{"# Printemps\n", "5 mars 2026", "a service", "90,5", "Personne "},
			[]string{"Ada", "Grace", "Alan", "80,0", "Confidentiel"},
			"",
		},
		"names": {objectValue(o{"assessment_names": names}), []string{"| Alan | Numbers |"}, nil, ""},
		"an unknown member": {
			objectValue(o{"titel": stringValue("x")}), nil, nil,
			"options.titel is not supported. Supported attributes: title, assessment_names, language, source, date, top, " +
				"finished_only, anonymous, confidential, excel, benchmark_names.",
		},
		"another language": {objectValue(o{"language": stringValue("it")}), nil, nil, `options.language must be one of de, en, fr, not "it".`},
		"a wrong type": {objectValue(o{"anonymous": stringValue("yes")}), nil, nil, "options.anonymous must be " +
			"a boolean, not a string."},
		"boolean title": {objectValue(o{"title": yes}), nil, nil, "options.title must be a string, not a boolean."},
		"fractional top": {objectValue(o{"top": whole(0.5)}), nil, nil, "options.top must be a whole number of " +
			"at least 1, not 0.5."},
		"top is zero": {objectValue(o{"top": whole(0)}), nil, nil, "options.top must be a whole number of at " +
			"least 1, not 0."},
		"names in a list": {objectValue(o{"assessment_names": tupleValue()}), nil, nil, "options.assessment_names " +
			"must be a map of strings, not a list."},
		"names of numbers": {objectValue(o{"assessment_names": objectValue(o{"x": whole(1)})}), nil, nil, "options.assessment_names.x must be a string, not a number."},
		"a list":           {tupleValue(stringValue("x")), nil, nil, "options must be a title or an object, not a list."},
		"a number":         {whole(3), nil, nil, "options must be a title or an object, not a number."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, refused := callFunction(t, "results_markdown", candidates, test.options)
			if test.refused != "" {
				want := test.refused + " See https://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/" +
					"troubleshooting#invalid-function-argument"
				if refused == nil || refused.Text != want || refused.FunctionArgument == nil ||
					*refused.FunctionArgument != 1 {
					t.Errorf("error %v, want %q for the second argument", refused, want)
				}
				return
			}
			if refused != nil {
				t.Fatalf("unexpected error: %s", refused.Text)
			}
			if err := lacks(text, test.has); err != nil {
				t.Error(err)
			}
			for _, needle := range test.lacks {
				if strings.Contains(text, needle) {
					t.Errorf("unexpected %q in\n%s", needle, text)
				}
			}
		})
	}
}

// All three functions accept the same object of options.
func TestResultsFunctionsShareOptions(t *testing.T) {
	t.Parallel()
	ada := tupleValue(objectValue(map[string]tftypes.Value{
		"id": stringValue("c-1"), "name": stringValue("Ada"), "suitability": tftypes.NewValue(tftypes.Number, 90.5),
	}))
	options := objectValue(
		map[string]tftypes.Value{
			"language": stringValue("de"),
			"excel":    tftypes.NewValue(tftypes.Bool, true),
			"title":    stringValue("x"),
		},
	)
	for name, want := range map[string]string{
		"results_html": `<html lang="de">`, "results_csv": "\ufeffcandidate_id;candidate_name;suitability", "results_markdown": "Vertraulich",
	} {
		text, refused := callFunction(t, name, ada, options)
		if refused != nil || !strings.Contains(text, want) ||
			!strings.Contains(text, "90,5") {
			t.Errorf("%s: %v\n%s", name, refused, text)
		}
		_, refused = callFunction(t, name, ada, stringValue("a"), stringValue("b"), stringValue("c"))
		if refused == nil || !strings.Contains(refused.Text, name+" accepts one argument after the candidates") ||
			refused.FunctionArgument == nil || *refused.FunctionArgument != 2 {
			t.Errorf("%s with three options: %v", name, refused)
		}
	}
}

// OpenTofu sends null as a value without data.
func TestResultsFunctionsAcceptNullOfOpenTofu(t *testing.T) {
	t.Parallel()
	candidates, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, tupleValue())
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
	// The wrapper supports all interfaces of the server.
	if _, ok := server.(tfprotov6.ActionServer); !ok {
		t.Error("the wrapper has no actions")
	}
	if _, ok := server.(tfprotov6.ListResourceServer); !ok {
		t.Error("the wrapper has no lists")
	}
}
