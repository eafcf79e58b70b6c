// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// resourceOn returns the resource on a scripted service that has the position and the assessment of [key].
func resourceOn(t *testing.T, responses map[string][]response) *Resource {
	t.Helper()
	s := &script{responses: map[string][]response{
		"GET /positions": {list(`{"id":"pos"}`)}, "GET /assessments": {list(`{"id":"asm"}`)},
		"GET /assessments/asm/benchmarks": {list(`{"id":"b1"}`)},
	}}
	for route, all := range responses {
		s.responses[route] = all
	}
	shared := runOn(t, s, func(cfg *run.Config) { cfg.PlanChecks, cfg.AdoptExisting = true, true })
	return &Resource{tf.Resource{Run: &tf.Run{Run: shared, Privacy: tf.Standard}}}
}

// desiring returns the state or the plan of a position assessment with a benchmark.
func desiring(benchmark types.String) model {
	m := imported("pos", "pas")
	m.AssessmentID = types.StringValue("asm")
	m.Benchmark = types.ObjectValueMust(benchmarkType, map[string]attr.Value{"id": benchmark})
	return m
}

// A plan that adopts says what would change, as far as it is known and as the fetch shows it. It adopts one only.
func TestPlannedAdoption(t *testing.T) {
	t.Parallel()
	const withBenchmark = `{"id":"pas","organizationAssessment":"asm","metadata":{"benchmark":"b1"}}`
	const withoutMetadata = `{"id":"pas","organizationAssessment":"asm"}`
	b1, b2 := types.StringValue("b1"), types.StringValue("b2")
	for name, row := range map[string]struct {
		listed, fetched string
		benchmark       types.String
		says            string
	}{
		"equal, and not fetched": {withBenchmark, withoutMetadata, b1, "It sends nothing"},
		"different":              {withBenchmark, withBenchmark, b2, `benchmark (existing: "b1", here: "b2")`},
		"not known yet":          {withBenchmark, withBenchmark, types.StringUnknown(), "What differs: perhaps the values that are not known yet."},
		"only the fetch shows":   {withoutMetadata, withBenchmark, b2, `benchmark (existing: "b1", here: "b2")`},
		// Core plans again during an apply, which may have removed it since the list was read.
		"the fetch says 404":     {withoutMetadata, "", b1, "does not show how the existing one is configured"},
		"not even a fetch shows": {withoutMetadata, withoutMetadata, b1, "does not show how the existing one is configured"},
		"only the fetch has the profile": {
			`{"id":"pas","organizationAssessment":"asm","metadata":{"profileStatus":"PROFILE_ATTACHED"}}`,
			`{"id":"pas","organizationAssessment":"asm","metadata":{"profileStatus":"PROFILE_ATTACHED","profile":"prf"}}`,
			b1, `profile (existing: "prf", here: none)`,
		},
		"other spelling": {strings.Replace(withBenchmark, `"asm"`, `"ASM"`, 1), withBenchmark, b1, "Could not find out whether position"},
		"two":            {withBenchmark + "," + strings.Replace(withBenchmark, "pas", "pas-2", 1), withBenchmark, b1, "add a block moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetch := ok(row.fetched)
			if row.fetched == "" {
				fetch = status(http.StatusNotFound)
			}
			r := resourceOn(t, map[string][]response{listRoute: {list(row.listed)}, fetchRoute: {fetch}})
			found := r.checkCreation(t.Context(), desiring(row.benchmark))
			if last := len(found) - 1; last < 0 || !strings.Contains(found[last].Detail, row.says) {
				t.Errorf("got %v, want %s", found, row.says)
			}
		})
	}
}

// A plan says whose candidates it does not know, unless the position certainly does not exist.
func TestUnseenCandidates(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		results, positions response
		says               string
	}{
		"no position":           {status(http.StatusNotFound), list(), ""},
		"an old list":           {status(http.StatusNotFound), response{status: 200, body: "[]", cached: true}, "Could not read the results"},
		"a position":            {status(http.StatusNotFound), list(`{"id":"pos"}`), "Could not read the results"},
		"candidates, no result": {ok(`{"candidates":[{"id":"c"}]}`), list(`{"id":"pos"}`), "The same may be true for other positions."},
		"an old page":           {response{status: 200, body: `{"candidates":[]}`, cached: true}, list(`{"id":"pos"}`), "a cache has answered, or the service does not show all results."},
		"nobody":                {ok(`{"candidates":[]}`), list(`{"id":"pos"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resourceOn(t, map[string][]response{
				"GET /positions/pos/results": {row.results}, "GET /positions": {row.positions},
			})
			r.countInvited(t.Context(), key)
			said := fmt.Sprint(r.Run.Notices())
			if !strings.Contains(said, row.says) || row.says == "" && said != "[]" {
				t.Errorf("warned %s, want %q", said, row.says)
			}
		})
	}
}

// If the first request of a plan without a refresh ends the run, the plan says why.
func TestPlannedRemovalEndsRun(t *testing.T) {
	t.Parallel()
	r := resourceOn(t, map[string][]response{listRoute: {status(http.StatusUnauthorized)}})
	state := desiring(types.StringNull())
	state.ProfileStatus = types.StringValue(assessapi.ProfileAttached)
	completed := r.completedSince(t.Context(), state)
	r.countInvited(t.Context(), key)
	said := fmt.Sprint(r.Run.Notices())
	if completed || !strings.Contains(said, "the service says so (code CODE, Conversation-Id conv-1)") {
		t.Errorf("got %t, warned %s", completed, said)
	}
}

// A plan that changes too many positions names one that it does not check. Its candidates may also have finished only
// the assessment that the plan changes.
func TestTooManyPositions(t *testing.T) {
	t.Parallel()
	r := resourceOn(t, nil)
	for i := range 40 {
		r.Run.Counted.MayCheckRemoval(fmt.Sprint(i))
		r.Run.Counted.MayCheckRanking(fmt.Sprint(i))
	}
	r.countInvited(t.Context(), key)
	r.checkScores(t.Context(), key)
	said := fmt.Sprint(r.Run.Notices())
	for _, want := range []string{`Position "pos" is not checked. So it is`, "may have finished some.", `On position "pos"`} {
		if !strings.Contains(said, want) {
			t.Errorf("warned %s, want %q", said, want)
		}
	}
}

// After a write, a response from a cache does not count, and a warning is only about a profile that is missing.
func TestReadBack(t *testing.T) {
	t.Parallel()
	const withStatus = `{"id":"pas","organizationAssessment":"asm","metadata":{"profileStatus":"PROFILE_ATTACHED"}}`
	withBenchmark := desiring(types.StringValue("b1"))
	withProfile := imported("pos", "pas")
	withProfile.AssessmentID, withProfile.ProfileStatus = types.StringValue("asm"), types.StringUnknown()
	withProfile.Profile = profileBlock(types.StringValue("prf"), types.StringValue(onChangeKeep))
	for name, row := range map[string]struct {
		plan    model
		fetched response
		status  string
		warns   bool
	}{
		"a profile":                {withProfile, ok(withStatus), "PROFILE_ATTACHED", false},
		"a profile from a cache":   {withProfile, response{status: 200, body: withStatus, cached: true}, "", true},
		"a profile, and no fetch":  {withProfile, status(http.StatusForbidden), "", true},
		"a benchmark, and a fetch": {withBenchmark, ok(pasJSON), "", false},
		"a benchmark, and none":    {withBenchmark, status(http.StatusForbidden), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resourceOn(t, map[string][]response{fetchRoute: {row.fetched}})
			var diags diag.Diagnostics
			got := r.readBack(t.Context(), ref{"pos", "pas"}, row.plan, assessapi.PositionAssessment{ID: "pas"}, "Done.", &diags)
			if s := got.Metadata.ProfileStatus.OrZero(); s != row.status || (len(diags) > 0) != row.warns {
				t.Errorf("got the status %q, and %v", s, diags)
			}
		})
	}
}

// An import by the ID of an assessment that the position has twice names an import ID that works.
func TestImportOfDuplicates(t *testing.T) {
	t.Parallel()
	twin := strings.Replace(pasJSON, `"pas"`, `"pas-2"`, 1)
	r := resourceOn(t, map[string][]response{"GET /positions/a b/assessments": {list(pasJSON, twin)}})
	_, problem := r.findImport(t.Context(), "a b", "asm")
	if problem == nil || !strings.Contains(problem.Detail(), "such as a%20b/pas.") {
		t.Errorf("got %v", problem)
	}
}

// An import names an ID that another spelling has, and reads no list if the service is known to have none.
func TestImportByAssessment(t *testing.T) {
	t.Parallel()
	s := &script{responses: map[string][]response{listRoute: {list(strings.Replace(pasJSON, `"asm"`, `"ASM"`, 1))}}}
	r := &Resource{tf.Resource{Run: &tf.Run{Run: runOn(t, s, nil)}}}
	_, problem := r.findImport(t.Context(), "pos", "asm")
	if problem == nil || !strings.Contains(problem.Detail(), `the import ID spells it "asm"`) {
		t.Errorf("got %v", problem)
	}
	ended := resourceOn(t, map[string][]response{listRoute: {status(http.StatusUnauthorized)}})
	if _, problem = ended.findImport(t.Context(), "pos", "asm"); problem == nil || !strings.Contains(problem.Detail(), "was 401") {
		t.Errorf("got %v", problem)
	}
	r.Run.Reads.RecordNoLists()
	id, problem := r.findImport(t.Context(), "pos-2", "asm")
	if id != "asm" || problem != nil || len(s.sent) != 1 {
		t.Errorf("got %q, %v, after %q", id, problem, s.sent)
	}
}

// An update of what was imported without its settings says so, in a sentence.
func TestHiddenImport(t *testing.T) {
	t.Parallel()
	r := resourceOn(t, nil)
	state, plan := desiring(types.StringNull()), desiring(types.StringValue("b1"))
	found := r.checkUpdate(t.Context(), state, plan, privateState{ImportedHidden: true})
	if len(found) == 0 || !strings.HasPrefix(found[0].Detail, `Position assessment "pas" of assessment "asm"`) ||
		!strings.Contains(found[0].Detail, "If it has any, the update replaces or removes them") {
		t.Errorf("got %v", found)
	}
}
