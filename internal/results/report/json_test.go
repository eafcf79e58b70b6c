// SPDX-License-Identifier: MPL-2.0

package report_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
)

// Every attribute is in the file, and what is not known is null. Without options, candidates keep their
// order.
func TestJSON(t *testing.T) {
	t.Parallel()
	full := scored("a", 82.4, "x")
	full.Name, full.ReportURL = "Ada", "https://assess.example.com/a"
	full.Results[0].Percentile, full.Results[0].Classification, full.Results[0].Validity = number(0), "AVERAGE", "VALID"
	r := report.Report{Sections: []report.Section{{
		PositionID: "pos-1", Title: "Engineer",
		Candidates: []assessapi.Candidate{{Results: []assessapi.Result{{Invitations: []assessapi.Invitation{{}}}}}, full},
	}}}
	var got, want any
	if err := json.Unmarshal([]byte(render(t, r, report.Report.JSON)), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"positions": [{"position_id": "pos-1", "title": "Engineer", "candidates": [
		{"id": null, "name": null, "report_url": null, "suitability": null, "results": [{
			"assessment_id": null, "type": null, "report_url": null, "percentile": null, "classification": null,
			"validity": null, "invitations": [{
				"id": null, "type": null, "status": null, "expiry": null, "created": null, "completed": null}]}]},
		{"id": "a", "name": "Ada", "report_url": "https://assess.example.com/a", "suitability": 82.4, "results": [{
			"assessment_id": "x", "type": "REPORT_ONLY", "report_url": "https://assess.example.com/report/x", "percentile": 0,
			"classification": "AVERAGE", "validity": "VALID", "invitations": [{
				"id": "inv-x", "type": "REMOTE", "status": "TESTED_WITH_RESULTS", "expiry": "2026-03-15",
				"created": "2026-03-01T09:00:00Z", "completed": "2026-03-03T17:45:00.5Z"}]}]}
	]}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the file is\n%s", render(t, r, report.Report.JSON))
	}
}
