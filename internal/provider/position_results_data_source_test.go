// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	resultsType      = "assess_position_results"
	resultsEphemeral = ephemeralPrefix + resultsType
)

// twoCandidates are the candidates of TestPositionResults. One has completed the assessment.
const twoCandidates = `[
	{"id": "cnd-d", "name": "Candidate d", "report_url": "SERVICE/report/pos-open/cnd-d", "suitability": 50, "results": [{
		"assessment_id": "asm-keystone", "type": "VALIDATED", "report_url": "SERVICE/report/pos-open/cnd-d/asm-keystone",
		"percentile": 50, "classification": "AVERAGE", "validity": "CONSISTENT", "invitations": [{
			"id": "d", "type": "REMOTE", "status": "TESTED_WITH_RESULTS", "expiry": "2039-12-31",
			"created": "2026-03-02T10:00:00Z", "completed": "2026-03-03T10:00:00Z"}]}]},
	{"id": "cnd-c", "name": "Candidate c", "report_url": "SERVICE/report/pos-open/cnd-c", "suitability": null, "results": [{
		"assessment_id": "asm-keystone", "type": "VALIDATED", "report_url": "SERVICE/report/pos-open/cnd-c/asm-keystone",
		"percentile": null, "classification": null, "validity": null, "invitations": [{
			"id": "c", "type": "REMOTE", "status": "IN_PROGRESS", "expiry": "2039-12-31",
			"created": "2026-03-03T10:00:00Z", "completed": null}]}]}
]`

// The data source and the ephemeral resource return everything. A run reads it once, and the
// next run sees changes.
func TestPositionResults(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1, waitingState })
	service.Change(t, func(st *sandbox.State) {
		open := st.Position("pos-open")
		open.Assessments[0].Assessment = "asm-keystone"
		open.Candidates = open.Candidates[2:4]
		open.Candidates[0].Results[0].Assessment = "asm-keystone"
		completed := &open.Candidates[1]
		completed.Extra = object(t, `{"shoeSize": 43.50}`)
		completed.Results[0].Assessment, completed.Results[0].Validity = "asm-keystone", "CONSISTENT"
		completed.Results[0].Invitations[0].Created = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	})
	arguments := fields{"position_id": "pos-open"}
	linked := strings.NewReplacer("SERVICE", strings.TrimSuffix(service.URL, "/v1"))
	w := runOn(t, service)
	w.shows(resultsType, arguments, map[string]string{
		"candidates":           linked.Replace(twoCandidates),
		"candidate_login_urls": linked.Replace(`{"c": "SERVICE/sit/c", "d": "SERVICE/sit/d"}`),
	})
	got := w.reads(resultsType, arguments)
	if raw, _ := got["raw_json"].(string); !clitest.MatchesAll(raw, []string{`^\[\{"id":"cnd-d"`, `"shoeSize":43\.50`, "candidateLoginUrl"}) {
		t.Errorf("raw_json is %s", raw)
	}
	sameJSON(t, "the ephemeral resource", w.reads(resultsEphemeral, arguments), jsonOf(t, got))
	service.AssertCount(t, "", sandbox.RouteResults, 2) // pages
	service.AssertCount(t, "", "", 2)

	service.Change(t, sits(t, "c"))
	w.mustConfigure(fields{})
	if next := jsonOf(t, w.reads(resultsType, arguments)); strings.Contains(next, sandbox.InProgress) {
		t.Errorf("the next run reads %s", next)
	}
}

// In strict mode, the ephemeral resource returns what has attributes, and nothing that the provider does not know.
func TestStrictPrivacyOfTheEphemeralResource(t *testing.T) {
	t.Parallel()
	w := newProtocolClient(t, unlimited(t, func(o *sandboxtest.Options) { o.Seed = waitingState }))
	w.mustConfigure(fields{"privacy": "strict"})
	got := w.reads(resultsEphemeral, fields{"position_id": "pos-open"})
	if candidates, _ := got["candidates"].([]any); got["raw_json"] != nil || len(candidates) == 0 {
		t.Errorf("raw_json is %v, beside %d candidates", got["raw_json"], len(candidates))
	}
}

// The ephemeral resource and the data source have the same attributes with the same
// descriptions.
func TestPositionResultsHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	schema := newProtocolClient(t, unlimited(t)).schema
	data := schema.DataSourceSchemas[resultsType].Block
	ephemeral := schema.EphemeralResourceSchemas[resultsType].Block
	if len(ephemeral.Attributes) == 0 || !reflect.DeepEqual(data.Attributes, ephemeral.Attributes) {
		t.Errorf("the ephemeral resource and the data source have different attributes")
	}
}
