// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// sat returns a result with one completed remote sitting.
func sat(assessment string, percentile float64) sandbox.Result {
	return sandbox.Result{
		Assessment: assessment, Percentile: &percentile, Classification: "AVERAGE", Validity: "VALID",
		Invitations: []sandbox.Invitation{{ID: "inv", Status: sandbox.TestedWithResults}},
	}
}

// open returns a result whose only sitting has the given status and no results.
func open(assessment, status string) sandbox.Result {
	return sandbox.Result{Assessment: assessment, Invitations: []sandbox.Invitation{{ID: "inv", Status: status}}}
}

// of returns a position p of the demo to which assessments are attached.
func of(candidates []sandbox.Candidate, assessments ...string) func(*sandboxtest.Options) {
	return func(o *sandboxtest.Options) {
		o.MaxPage, o.NoLimits = 0, true
		o.Seed = func() *sandbox.State {
			st, position := sandbox.Demo(), sandbox.Position{ID: "p", Candidates: candidates}
			for _, id := range assessments {
				position.Assessments = append(position.Assessments, sandbox.PositionAssessment{ID: "a-" + id, Assessment: id})
			}
			st.Positions = []sandbox.Position{position}
			return st
		}
	}
}

// ranking has the assessments lumen (weight 3), tideline (weight 1) and northlight (no score).
func ranking() func(*sandboxtest.Options) {
	const lumen, tideline, northlight = "asm-lumen", "asm-tideline", "asm-northlight"
	scored := func(id string, inLumen, inTideline float64, more ...sandbox.Result) sandbox.Candidate {
		results := []sandbox.Result{sat(lumen, inLumen), sat(tideline, inTideline)}
		return sandbox.Candidate{ID: id, Results: append(results, more...)}
	}
	profile := sat(northlight, 0)
	return of([]sandbox.Candidate{
		{ID: "unfinished", Results: []sandbox.Result{sat(lumen, 99), open(tideline, sandbox.InProgress), profile}},
		scored("first of two", 40, 80, profile),
		scored("best", 90.5, 10, profile),
		scored("second of two", 50, 50, profile),
		scored("not invited", 95, 95),
		{ID: "nobody"},
		scored("profile open", 97, 97, open(northlight, sandbox.Expired)),
	}, lumen, tideline, northlight)
}

func TestSuitabilityRanks(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, ranking())
	for query, want := range map[string][]string{
		"":                           {"best 70.4", "first of two 50", "second of two 50", "unfinished -", "not invited -", "nobody -", "profile open -"},
		"?assessment=asm-lumen":      {"unfinished 99", "profile open 97", "not invited 95", "best 90.5", "second of two 50", "first of two 40", "nobody -"},
		"?assessment=asm-tideline":   {"profile open 97", "not invited 95", "first of two 80", "second of two 50", "best 10", "unfinished -", "nobody -"},
		"?assessment=asm-northlight": {"unfinished -", "first of two -", "best -", "second of two -", "not invited -", "nobody -", "profile open -"},
		"?assessment=asm-tideline&assessment=asm-lumen": {"profile open 97", "not invited 95", "best 70.4", "first of two 50", "second of two 50", "unfinished -", "nobody -"},
		"?candidate=nobody&candidate=best":              {"best 70.4", "nobody -"},
		"?candidate=best&assessment=asm-tideline":       {"best 10"},
		"?candidate=unknown":                            {},
		"?assessment=asm-facet":                         {"unfinished -", "first of two -", "best -", "second of two -", "not invited -", "nobody -", "profile open -"},
		"?limit=2":                                      {"best 70.4", "first of two 50"},
	} {
		got := []string{}
		for _, candidate := range resultsOf(t, get(t, server, "/positions/p/results"+query)).Candidates {
			if candidate.Suitability == nil {
				got = append(got, candidate.ID+" -")
			} else {
				got = append(got, fmt.Sprint(candidate.ID, " ", *candidate.Suitability))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", query, got, want)
		}
	}
	page := resultsOf(t, get(t, server, "/positions/p/results?candidate=best&assessment=asm-tideline"))
	if results := page.Candidates[0].Results; len(results) != 1 || results[0].Assessment != "asm-tideline" {
		t.Errorf("results of another assessment: %+v", results)
	}
}

func TestResultsReject(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, ranking())
	get(t, server, "/positions/none/results").Want(t, http.StatusNotFound, "none")
	for _, query := range []string{"?fields=name", "?limit=1001", "?limit=1&limit=2", "?candidates=x", "?candidate=%E2%82%AC"} {
		get(t, server, "/positions/p/results"+query).Want(t, http.StatusBadRequest)
	}
	post(t, server, "/positions/p/results", "{}").Want(t, http.StatusMethodNotAllowed)
}

// A candidate sits in two steps. The result of a completed sitting applies until the next one is completed.
func TestASittingChangesTheResults(t *testing.T) {
	t.Parallel()
	var options sandboxtest.Options
	of([]sandbox.Candidate{{ID: "cnd-1", Name: "Zoë"}}, "asm-lumen")(&options)
	service := sandboxtest.NewService(t, options)
	invite := func(candidate string) (id string) {
		service.Change(t, func(st *sandbox.State) { id, _ = st.Invite("p", candidate, "asm-lumen", sandbox.Remote) })
		return id
	}
	sit := func(id string) error { return service.Update(func(st *sandbox.State) error { return st.Sit(id) }) }
	shows := func(status string, completed bool) {
		t.Helper()
		page := resultsOf(t, get(t, service, "/positions/p/results"))
		result := page.Candidates[0].Results[0]
		last := result.Invitations[len(result.Invitations)-1]
		if last.Status != status || (last.Completed != nil) != (status == sandbox.TestedWithResults) ||
			(result.Percentile != nil) != completed || (result.Classification != nil) != completed ||
			(page.Candidates[0].Suitability != nil) != completed {
			t.Errorf("want %s, completed: %t: %+v", status, completed, page)
		}
	}
	id := invite("cnd-1")
	shows(sandbox.Invited, false)
	if err := sit(id); err != nil {
		t.Error(err)
	}
	shows(sandbox.InProgress, false)
	if err := sit(id); err != nil {
		t.Error(err)
	}
	shows(sandbox.TestedWithResults, true)
	invite("cnd-1")
	shows(sandbox.Invited, true)
	for _, id := range []string{id, "inv-none", invite("cnd-none")} {
		if sit(id) == nil {
			t.Errorf("%q: an unknown or completed invitation was accepted", id)
		}
	}
}
