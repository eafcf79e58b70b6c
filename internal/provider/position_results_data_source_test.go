// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// wireCandidate is a candidate in a response of the service.
type wireCandidate struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	ReportURL   string   `json:"reportUrl"`
	Suitability *float64 `json:"suitability"`
	Results     []struct {
		Assessment     string   `json:"assessment"`
		Type           string   `json:"type"`
		ReportURL      string   `json:"reportUrl"`
		Percentile     *float64 `json:"percentile"`
		Classification *string  `json:"classification"`
		Validity       *string  `json:"validity"`
		Invitations    []struct {
			ID        string  `json:"id"`
			Type      string  `json:"type"`
			Status    string  `json:"status"`
			Expiry    string  `json:"expiry"`
			Created   string  `json:"created"`
			Completed *string `json:"completed"`
			LoginURL  string  `json:"candidateLoginUrl"`
		} `json:"invitations"`
	} `json:"results"`
}

func (c wireCandidate) shown() knownvalue.Check {
	number := func(f *float64) knownvalue.Check {
		if f == nil {
			return knownvalue.Null()
		}
		return knownvalue.Float64Exact(*f)
	}
	word := func(s *string) knownvalue.Check {
		if s == nil {
			return knownvalue.Null()
		}
		return text(*s)
	}
	results := []knownvalue.Check{}
	for _, r := range c.Results {
		invitations := []knownvalue.Check{}
		for _, i := range r.Invitations {
			invitations = append(invitations, knownvalue.ObjectExact(attributes{
				"id": text(i.ID), "type": text(i.Type), "status": text(i.Status), "expiry": text(i.Expiry),
				"created": text(i.Created), "completed": word(i.Completed),
			}))
		}
		results = append(results, knownvalue.ObjectExact(attributes{
			"assessment_id": text(r.Assessment), "type": text(r.Type), "report_url": text(r.ReportURL),
			"percentile":     number(r.Percentile),
			"classification": word(r.Classification), "validity": word(r.Validity), "invitations": list(invitations...),
		}))
	}
	return knownvalue.ObjectExact(attributes{
		"id": text(c.ID), "name": text(c.Name), "report_url": text(c.ReportURL), "suitability": number(c.Suitability),
		"results": list(results...),
	})
}

// outcome is the complete answer of the service.
type outcome struct {
	candidates []wireCandidate
	raw        string
}

func outcomeOf(t *testing.T, service *sandboxtest.Server, query string) outcome {
	t.Helper()
	var (
		o    outcome
		raws []string
	)
	address := service.URL + "/positions/" + sandbox.DemoResultsPosition + "/results?limit=1000&" + query
	for address != "" {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Candidates []json.RawMessage `json:"candidates"`
			Links      []struct {
				Rel  string `json:"rel"`
				Href string `json:"href"`
			} `json:"_links"`
		}
		err = json.NewDecoder(resp.Body).Decode(&page)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", address, resp.Status, err)
		}
		for _, raw := range page.Candidates {
			var c wireCandidate
			if err := json.Unmarshal(raw, &c); err != nil {
				t.Fatal(err)
			}
			o.candidates, raws = append(o.candidates, c), append(raws, string(raw))
		}
		address = ""
		for _, l := range page.Links {
			if l.Rel == "next" {
				address = l.Href
			}
		}
	}
	o.raw = "[" + strings.Join(raws, ",") + "]"
	return o
}

// shown returns what the data source should show.
func (o outcome) shown() attributes {
	urls := attributes{}
	for _, c := range o.candidates {
		for _, r := range c.Results {
			for _, i := range r.Invitations {
				urls[i.ID] = text(i.LoginURL)
			}
		}
	}
	return attributes{
		"candidates":           listOf(o.candidates, wireCandidate.shown),
		"candidate_login_urls": knownvalue.MapExact(urls),
		"raw_json":             text(o.raw),
	}
}

func TestPositionResultsDataSource(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 25 })
	service.Change(t, func(st *sandbox.State) {
		st.Position(sandbox.DemoResultsPosition).Candidates[0].Extra = object(t, `{"shoeSize": 43.50}`)
	})
	want := outcomeOf(t, service, "")

	// Without these cases, the comparison below would prove little.
	var unscored, pending, foreign bool
	for _, c := range want.candidates {
		unscored = unscored || c.Suitability == nil
		foreign = foreign || strings.ContainsFunc(c.Name, func(r rune) bool { return r > 0xFF })
		for _, r := range c.Results {
			pending = pending || r.Percentile == nil && r.Invitations[0].Status == sandbox.Invited
		}
	}
	if !unscored || !pending || !foreign || want.candidates[0].Suitability == nil ||
		!strings.Contains(want.raw, `"shoeSize":43.50`) {
		t.Fatalf("the demo organization lacks a case: unscored %t, pending %t, foreign %t", unscored, pending, foreign)
	}

	reads(t, service,
		having("data.assess_position_results.all", want.shown()),
		having("data.assess_position_results.again", want.shown()),
		statecheck.ExpectSensitiveValue("data.assess_position_results.all", tfjsonpath.New("candidate_login_urls")),
		statecheck.ExpectSensitiveValue("data.assess_position_results.all", tfjsonpath.New("raw_json")),
		// The CLI would refuse an output that is not marked as sensitive if a value in it
		// were sensitive.
		statecheck.ExpectKnownOutputValue("candidates", listOf(want.candidates, wireCandidate.shown)),
	)
	assertRoutes(t, service, sandbox.RouteResults)
	requestsOfPlan(t, service, "1")
	service.AssertCount(t, "", "", 3) // both data sources share three pages of 66 candidates
}

func TestPositionResultsDataSourceFilters(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	people := "candidate=cnd-001&candidate=cnd-007"
	tests := "assessment=asm-keystone&assessment=asm-lumen"
	reads(t, service,
		having("data.assess_position_results.people", outcomeOf(t, service, people).shown()),
		having("data.assess_position_results.tests", outcomeOf(t, service, tests).shown()),
		having("data.assess_position_results.both", outcomeOf(t, service, people+"&"+tests).shown()),
		having("data.assess_position_results.none", outcome{raw: "[]"}.shown()),
		having("data.assess_position_results.nothing", outcome{raw: "[]"}.shown()),
	)
	var queries []string
	for _, sent := range requestsOfPlan(t, service, "1") {
		sent.Query.Del("limit")
		queries = append(queries, sent.Query.Encode())
	}
	slices.Sort(queries)
	// A parameter is repeated for each value. Empty sets add no parameter. Equal sets
	// share a request.
	if want := []string{tests, tests + "&" + people, people}; !slices.Equal(queries, want) {
		t.Errorf("the requests were %q, want %q", queries, want)
	}
}

// A run reads the same results once. The next run sees changes.
func TestPositionResultsDataSourceSeesChanges(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	before := outcomeOf(t, service, "")
	reads(t, service, having("data.assess_position_results.all", before.shown()))
	service.Change(t, func(st *sandbox.State) {
		for _, c := range before.candidates {
			for _, r := range c.Results {
				if i := r.Invitations[0]; i.Status == sandbox.InProgress {
					if err := st.Sit(i.ID); err != nil {
						t.Error(err)
					}
				}
			}
		}
	})
	after := outcomeOf(t, service, "")
	if before.raw == after.raw {
		t.Fatal("no candidate has finished")
	}
	reads(t, service, having("data.assess_position_results.all", after.shown()))
}

// stateWithCandidates returns an organization whose demo position has this many
// candidates. Each has three results, ordered by suitability.
func stateWithCandidates(n int) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		position := st.Position(sandbox.DemoResultsPosition)
		created := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
		completed := created.Add(26 * time.Hour)
		position.Assessments, position.Candidates = nil, nil
		assessments := []string{"asm-lumen", "asm-tideline", "asm-keystone"}
		for _, a := range assessments {
			position.Assessments = append(position.Assessments,
				sandbox.PositionAssessment{ID: "pas-" + a, Assessment: a})
		}
		for i := range n {
			percentile := 100 - 100*float64(i)/float64(n)
			c := sandbox.Candidate{ID: fmt.Sprintf("cnd-%05d", 7919*i%100003), Name: fmt.Sprintf("Candidate %d 陳大文", i)}
			for _, a := range assessments {
				c.Results = append(c.Results, sandbox.Result{
					Assessment: a, Percentile: &percentile, Classification: "AVERAGE", Validity: "VALID",
					Invitations: []sandbox.Invitation{{
						ID: fmt.Sprintf("inv-%05d-%s", i, a), Type: sandbox.Remote, Status: sandbox.TestedWithResults,
						Expiry: "2026-03-30", Created: created, Completed: &completed,
					}},
				})
			}
			position.Candidates = append(position.Candidates, c)
		}
		return st
	}
}

// Thousands of candidates are read completely and in order, with one request for each
// page. The processor time grows linearly.
func TestPositionResultsDataSourceReadsThousands(t *testing.T) {
	t.Parallel()
	const few, many = 250, 2500
	cost := func(n int) (spent time.Duration) {
		service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1000, stateWithCandidates(n) })
		c := unthrottled(t, service, "1")
		// Measure processor time instead of elapsed time, because other tests run in
		// parallel.
		run := func(args ...string) []byte {
			cmd := c.command(args...)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %v", args, err)
			}
			spent += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return out
		}
		run("apply", "-input=false", "-auto-approve")
		service.AssertCount(t, "", "", (n+999)/1000)
		assertWhole(t, run("show", "-json"), service.State(t).Position(sandbox.DemoResultsPosition).Candidates)
		return spent
	}
	quick, slow := cost(few), cost(many)
	t.Logf("%d candidates cost %s, %d cost %s", few, quick, many, slow)
	if slow > 15*quick {
		t.Errorf("%d candidates took %s of processor time, %d took %s: more than 15 times as much", few, quick, many, slow)
	}
}

// assertWhole compares the candidates in a state, in the CLI's JSON, with those of the
// service, in order.
func assertWhole(t *testing.T, shown []byte, want []sandbox.Candidate) {
	t.Helper()
	var state struct {
		Values struct {
			Module struct {
				Resources []struct {
					Values struct {
						Candidates []wireCandidate `json:"candidates"`
					} `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal(shown, &state); err != nil {
		t.Fatal(err)
	}
	got := state.Values.Module.Resources[0].Values.Candidates
	if len(got) != len(want) {
		t.Fatalf("got %d candidates, want %d", len(got), len(want))
	}
	for i, c := range want {
		if got[i].ID != c.ID || got[i].Name != c.Name || len(got[i].Results) != len(c.Results) {
			t.Fatalf("candidate %d is %s (%s) with %d results, want %s (%s) with %d", i, got[i].ID, got[i].Name,
				len(got[i].Results), c.ID, c.Name, len(c.Results))
		}
	}
}
