// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// manyCandidates returns the attribute candidates of a position. n candidates have
// three results each, with all attributes of the data source.
func manyCandidates(n int) tftypes.Value {
	type o = map[string]tftypes.Value
	text, null := stringValue, tftypes.NewValue(tftypes.String, nil)
	number := func(n float64) tftypes.Value { return tftypes.NewValue(tftypes.Number, n) }
	list := func(elements ...tftypes.Value) tftypes.Value {
		return tftypes.NewValue(tftypes.List{ElementType: elements[0].Type()}, elements)
	}
	const address = "https://assess.example.com/report/pos-graduates-2026/"
	candidates := make([]tftypes.Value, n)
	for i := range candidates {
		id := fmt.Sprintf("cnd-%04d", i)
		var results []tftypes.Value
		for _, assessment := range []string{"asm-lumen", "asm-tideline", "asm-keystone"} {
			results = append(results, objectValue(o{
				"assessment_id": text(
					assessment,
				),
				"type":           text("SCORED"),
				"report_url":     text(address + id + "/" + assessment),
				"percentile":     number(float64(i%199) / 2),
				"classification": text("ABOVE_AVERAGE"),
				"validity":       null,
				"invitations": list(objectValue(o{
					"id": text(
						"inv-" + id + assessment,
					),
					"type":      text("REMOTE"),
					"status":    text("TESTED_WITH_RESULTS"),
					"expiry":    text("2026-03-15"),
					"created":   text("2026-03-01T09:00:00Z"),
					"completed": text("2026-03-03T17:45:00Z"),
				})),
			}))
		}
		candidates[i] = objectValue(o{
			"id": text(id), "name": text(fmt.Sprintf("Candidate Number %d", i)), "report_url": text(address + id),
			"suitability": number(float64(n-i) / 31), "results": list(results...),
		})
	}
	return list(candidates...)
}

// BenchmarkResultsHTML renders 2,500 candidates with three results each, over the
// protocol as a CLI does.
func BenchmarkResultsHTML(b *testing.B) {
	candidates, err := tfprotov6.NewDynamicValue(tftypes.DynamicPseudoType, manyCandidates(2500))
	if err != nil {
		b.Fatal(err)
	}
	server := providerserver.NewProtocol6(&provider.Provider{})()
	size := 0
	b.ReportAllocs()
	for b.Loop() {
		resp, err := server.CallFunction(
			b.Context(),
			&tfprotov6.CallFunctionRequest{Name: "results_html", Arguments: []*tfprotov6.DynamicValue{&candidates}},
		)
		if err != nil || resp.Error != nil {
			b.Fatal(err, resp.Error)
		}
		size = len(resp.Result.MsgPack)
	}
	b.ReportMetric(float64(size)/1e6, "MB-HTML")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/op")
}
