// SPDX-License-Identifier: MPL-2.0

package check_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/check"
	runpkg "github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// after is the answer of another service to requests of a route.
func after(route, body string) sandboxtest.Fault {
	return sandboxtest.Fault{Route: route, When: sandboxtest.AfterEffect, Body: []byte(body), Times: -1}
}

// once is the answer to one request of a route, after some others.
func once(route string, skip int, body string) sandboxtest.Fault {
	return sandboxtest.Fault{Route: route, Skip: skip, When: sandboxtest.AfterEffect, Status: 200, Body: []byte(body)}
}

func rejects(route string, status int) sandboxtest.Fault {
	return sandboxtest.Fault{Route: route, Status: status, Times: -1}
}

// Each difference gets its line and the exit code 1, also those that the sandbox does not have.
func TestForeignServices(t *testing.T) {
	t.Parallel()
	noLinks := after(sandbox.RoutePositions, "")
	noLinks.Body, noLinks.Header = nil, http.Header{"Link": nil}
	noTitle := after(sandbox.RoutePositions, `[{"id":"pos-graduates-2026","locale":"en-GB"}]`)
	noTitle.Header = noLinks.Header
	for difference, faults := range map[string][]sandboxtest.Fault{
		"A1 charset":    nil, // without a fault, the sandbox has this difference
		"A1 compressed": nil,
		"A1 host":       nil,
		"A1 links":      nil,
		"A1 paging":     {noLinks},
		"A1 format":     {after(sandbox.RouteProfiles, `{"a":[],"b":[]}`)},
		"A2 none":       {rejects(sandbox.RouteResults, 404)},
		"A7 none":       {rejects(sandbox.RoutePositionAssessments, 404)},
		"A7 bare":       {after(sandbox.RoutePositionAssessments, `[{"id":"a","organizationAssessment":null,"metadata":{}}]`)},
		"A3 unknown":    {{Route: sandbox.RoutePositionAssessment, Skip: 1, Status: 422}},
		"A7 single":     {rejects(sandbox.RoutePositionAssessment, 501)},
		"A10 none":      {after(sandbox.RoutePackages, `[{"id":"pkg-a","mandatory":null}]`)},
		"A11 list":      {rejects(sandbox.RoutePositions, 405)},
		"A11 title":     {noTitle},
		"A12 missing":   {after(sandbox.RouteResults, `{"candidates":[{"id":"a","who":"b","suitability":1}]}`)},
		"A12 text":      nil,
		"A16 accepted":  {once(sandbox.RoutePositions, 6, `[]`)},
		"A17 missing":   {once(sandbox.RoutePositions, 5, `[]`)},
		"A19 mixed":     {after(sandbox.RouteSkillsTests, `[{"id":"skt-sql","active":true}]`)},
		"A19 disabled":  {once(sandbox.RouteSkillsTests, 0, `[{"id":"skt-sql"}]`), rejects(sandbox.RouteSkillsTests, 405)},
		"A20 forbidden": {rejects(sandbox.RouteResults, 403)},
		"A23 none":      {rejects(sandbox.RoutePackages, 501)},
		"A24 page":      nil,
		"A25 missing":   {once(sandbox.RoutePositions, 3, `[]`)},
		"A29 others":    {after(sandbox.RouteBenchmarks, `[{"id":"bmk-other"}]`)},
	} {
		sandboxtest.Virtual(t, difference, func(t *testing.T) {
			service, code := newService(t, sandboxtest.Assumptions{}), 1
			if faults == nil {
				service = newService(t, sandboxtest.Differing(difference))
			}
			for _, fault := range faults {
				service.Inject(fault)
			}
			if difference == "A1 compressed" {
				code = 2 // the provider cannot read it
			}
			id, name, _ := strings.Cut(difference, " ")
			if c := run(t, service); c.ExitCode != code || !c.has(id, name) {
				t.Errorf("exit code %d:\n%s", c.ExitCode, c.text)
			}
		})
	}
}

// hidingMetadata is a service whose lists of a position's assessments have this text instead of metadata.
type hidingMetadata struct {
	*sandboxtest.Service
	instead string
}

func (s hidingMetadata) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := s.Service.RoundTrip(r)
	if err != nil || !attachedPath.MatchString(r.URL.Path) {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(shownMetadata.ReplaceAll(body, []byte(s.instead))))
	return response, err
}

var (
	attachedPath  = regexp.MustCompile(`/positions/[^/]+/assessments$`)
	shownMetadata = regexp.MustCompile(`,"metadata":\{[^}]*\}`)
)

// A difference is about what differs, and about nothing else.
func TestNoOtherDifferences(t *testing.T) {
	t.Parallel()
	repeats := after(sandbox.RoutePositions, `[{"id":"pos-graduates-2026","title":"needle","locale":"en-GB"}]`)
	repeats.Status = http.StatusOK // also for the second page, which the sandbox does not have
	repeats.Match = func(r *http.Request) bool { return r.URL.Query().Get("limit") == "1" }
	repeats.Header = http.Header{"Link": {`<` + sandbox.BaseURL + `/positions?limit=1&fields=title,locale&page=2>; rel="next"`}}
	noTests := after(sandbox.RouteSkillsTests, `{"a":[],"b":[]}`)
	noTests.Match = func(r *http.Request) bool { return r.URL.Query().Get("active") == "false" }
	inShiftJIS := after(sandbox.RouteProfiles, "[{\"id\":\"prf-\x83\x65\"}]")
	inShiftJIS.Header = http.Header{"Content-Type": {"application/json; charset=Shift_JIS"}}
	readable := sandboxtest.Fault{When: sandboxtest.AfterEffect, Times: -1, Header: http.Header{
		"Content-Encoding": {"identity"}, "Content-Type": {"application/json; charset=utf8"},
	}}
	for name, row := range map[string]struct {
		fault sandboxtest.Fault
		want  []string
	}{
		"another spelling of what the client reads": {readable, nil},
		"the second small page repeats the first":   {repeats, []string{"A1"}},
		"no right to read positions":                {rejects(sandbox.RoutePositions, 403), []string{"A20"}},
		"no right to read their assessments":        {rejects(sandbox.RoutePositionAssessments, 403), []string{"A20"}},
		"no right to read results":                  {rejects(sandbox.RouteResults, 403), []string{"A20"}},
		"no right to read benchmarks":               {rejects(sandbox.RouteBenchmarks, 403), []string{"A20"}},
		"disabled tests have an unknown format":     {noTests, []string{"A1", "A19"}},
		"profiles are in an unknown charset":        {inShiftJIS, []string{"A1"}},
		"positions have an unknown format":          {after(sandbox.RoutePositions, `{"a":[],"b":[]}`), []string{"A1"}},
		"their assessments have an unknown format":  {after(sandbox.RoutePositionAssessments, `{"a":[],"b":[]}`), []string{"A1"}},
		"profiles have an unknown format":           {after(sandbox.RouteProfiles, `{"a":[],"b":[]}`), []string{"A1"}},
		"no right to read anything by ID":           {rejects(sandbox.RoutePositionAssessment, 403), []string{"A7", "A20"}},
		"a text that only begins with a number":     {after(sandbox.RouteAssessments, `[{"id":"asm-quartet","score":"12-15"}]`), nil},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := newService(t, nil)
			service.Inject(row.fault)
			c := run(t, service)
			isUnreadable := name == "profiles are in an unknown charset"
			if !slices.Equal(c.different(), row.want) || c.has("A1", "charset") || c.has("A1", "compressed") != isUnreadable {
				t.Errorf("differences %v, want %v:\n%s", c.different(), row.want, c.text)
			}
			if strings.Contains(c.text, "The service lists no") {
				t.Errorf("the service has positions and assessments:\n%s", c.text)
			}
		})
	}
	sandboxtest.Virtual(t, "metadata are only in responses to requests by ID", func(t *testing.T) {
		service := newService(t, nil)
		for _, instead := range []string{"", `,"metadata":{}`} {
			c := run(t, hidingMetadata{service, instead})
			if !slices.Equal(c.different(), []string{"A7"}) || !c.has("A7", "bare") {
				t.Errorf("instead of metadata, %q: differences %v:\n%s", instead, c.different(), c.text)
			}
		}
		service.Change(t, func(st *sandbox.State) { // the check reads only its newest position assessment by ID
			st.Positions = append(st.Positions, sandbox.Position{ID: "pos-both", Title: "Cook", Locale: "en-GB"})
			packages := []string{"pkg-problem-solving", "pkg-numerical-reasoning"}
			benchmark := st.Assessment("asm-quartet").Benchmarks[0].ID
			metadata := sandbox.Metadata{Packages: packages, Benchmark: benchmark}
			if _, err := st.Attach("pos-both", "asm-quartet", metadata); err != nil {
				t.Error(err)
			}
		})
		c := run(t, hidingMetadata{service, `,"metadata":{"packages":["pkg-problem-solving"]}`})
		if !slices.Equal(c.different(), []string{"A7"}) || !c.has("A7", "bare") {
			t.Errorf("without the benchmark, differences %v:\n%s", c.different(), c.text)
		}
		service.Change(t, func(st *sandbox.State) { newest(t, st) })
		c = run(t, hidingMetadata{service, ""})
		if !slices.Equal(c.different(), []string{"A7"}) || !slices.Contains(c.statuses("cannot tell"), "A22") {
			t.Errorf("differences %v:\n%s", c.different(), c.text)
		}
		c = run(t, hidingMetadata{service, `,"metadata":{}`})
		if !slices.Equal(c.different(), []string{"A7"}) || !slices.Contains(c.statuses("ok"), "A22") {
			t.Errorf("the newest has no options: differences %v:\n%s", c.different(), c.text)
		}
		muted := newService(t, sandboxtest.Differing("A22 mute"))
		muted.Change(t, func(st *sandbox.State) { newest(t, st) })
		if c := run(t, muted); !slices.Equal(c.different(), []string{"A22"}) {
			t.Errorf("no response has options, and the newest needs none: differences %v:\n%s", c.different(), c.text)
		}
		muted.Inject(rejects(sandbox.RoutePositionAssessment, http.StatusMethodNotAllowed))
		c = run(t, muted)
		isA22 := func(a assumption) bool { return a.ID == "A22" && a.Seen == "The check could not read enough to tell." }
		if !slices.Equal(c.different(), []string{"A7"}) || !slices.ContainsFunc(c.Assumptions, isA22) {
			t.Errorf("no reads by ID: differences %v:\n%s", c.different(), c.text)
		}
	})
}

// A part of a title shows whether the service compares whole titles, also if this part is the title of a position.
func TestPartOfTitleIsATitle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, sandboxtest.Differing("A25 ignored"))
		service.Change(t, func(st *sandbox.State) {
			st.Positions = append(st.Positions, sandbox.Position{ID: "pos-1", Title: "Cook"}, sandbox.Position{ID: "pos-2", Title: "Cooks"})
		})
		if c := run(t, service); !c.has("A25", "others") {
			t.Errorf("%s", c.text)
		}
	})
}

// A position that the service does not find, because it was closed, says nothing about other positions.
func TestClosedPosition(t *testing.T) {
	t.Parallel()
	for _, route := range []string{sandbox.RoutePositionAssessments, sandbox.RouteResults} {
		sandboxtest.Virtual(t, route, func(t *testing.T) {
			service := newService(t, nil)
			service.Inject(sandboxtest.Fault{Route: route, Status: http.StatusNotFound})
			if c := run(t, service); c.different() != nil {
				t.Errorf("differences %v:\n%s", c.different(), c.text)
			}
		})
	}
}

// After results were read, a rejection of other results is about their position.
func TestRejectedPosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, nil)
		service.Change(t, func(st *sandbox.State) {
			for i := range st.Positions {
				st.Positions[i].Candidates = nil
			}
		})
		service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Skip: 1, Status: http.StatusConflict, Times: -1})
		if c := run(t, service); c.has("A2", "none") {
			t.Errorf("%s", c.text)
		}
	})
}

// Without its last character, a title can be blank, which may select all positions.
func TestPartOfTitleIsBlank(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, nil)
		service.Change(t, func(st *sandbox.State) {
			st.Positions = append(st.Positions, sandbox.Position{ID: "pos-1", Title: " X", Locale: "en-GB"})
		})
		service.Inject(sandboxtest.Fault{
			Route: sandbox.RoutePositions, When: sandboxtest.AfterEffect, Times: -1, Status: 200,
			Body:  []byte(`[{"id":"pos-1","title":" X","locale":"en-GB"},{"id":"pos-2","title":"Cook","locale":"en-GB"}]`),
			Match: func(r *http.Request) bool { q := r.URL.Query(); return q.Has("title") && q.Get("title") == "" },
		})
		if c := run(t, service); c.has("A25", "others") {
			t.Errorf("%s", c.text)
		}
	})
}

// A service that fails on a request that it may not expect works nevertheless.
func TestFailsOnProbes(t *testing.T) {
	t.Parallel()
	hasTitle := func(from, to rune) func(*http.Request) bool { // whether the title has a character from this range
		return func(r *http.Request) bool {
			return strings.ContainsFunc(r.URL.Query().Get("title"), func(c rune) bool { return from <= c && c <= to })
		}
	}
	begun := false
	everything := func(r *http.Request) bool { // from the first title in ASCII on
		begun = begun || hasTitle('a', 'z')(r)
		return begun
	}
	hasUnknownID := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/terraform-provider-assess-check") }
	for name, row := range map[string]struct {
		match func(*http.Request) bool
		times int
		want  []string
	}{
		"a title outside Latin1":   {hasTitle('\u0416', '\u0416'), -1, nil},
		"an accent":                {hasTitle('\u0080', '\u00FF'), -1, []string{"A17"}},
		"an unknown ID":            {hasUnknownID, -1, []string{"A3"}},
		"a title in ASCII, once":   {hasTitle('a', 'z'), 1, nil},
		"a short outage":           {everything, 3, nil},
		"a title in ASCII, always": {hasTitle('a', 'z'), -1, []string{"A17", "A25"}},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := newService(t, nil)
			service.Inject(sandboxtest.Fault{Status: http.StatusInternalServerError, Match: row.match, Times: row.times})
			if c := run(t, service); c.ExitCode != min(len(row.want), 1) || !slices.Equal(c.different(), row.want) {
				t.Errorf("exit code %d, differences %v, want %v:\n%s", c.ExitCode, c.different(), row.want, c.text)
			}
		})
	}
}

// An unknown format of the first list is a finding, although it ends the check.
func TestAssessmentsInAnotherFormat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, nil)
		service.Inject(after(sandbox.RouteAssessments, `{"a":[],"b":[]}`))
		if c := run(t, service); c.ExitCode != check.DoesNotWork || !c.has("A1", "format") {
			t.Errorf("exit code %d:\n%s", c.ExitCode, c.text)
		}
	})
}

// The check notices rejected parameters, even if the first request for each list fails for another reason.
func TestRejectedParametersAfterAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, seen := newService(t, sandboxtest.Differing("A24 fields")), map[string]bool{}
		service.Inject(sandboxtest.Fault{Status: 503, Times: -1, Match: func(r *http.Request) bool {
			isFirst := r.URL.Query().Has("limit") && !seen[r.URL.Path]
			seen[r.URL.Path] = true
			return isFirst
		}})
		if c := run(t, service); !c.has("A24", "rejected") {
			t.Errorf("%s", c.text)
		}
	})
}

// If the service answers nothing, the provider does not work, even if the check may send no more requests.
func TestNothingButHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, nil)
		service.Inject(sandboxtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"0.5"}}, Times: -1})
		c := run(t, service)
		if c.ExitCode != check.DoesNotWork || c.Requests != check.MaxRequests || !slices.Contains(c.statuses("ok"), "A14") {
			t.Errorf("exit code %d after %d requests:\n%s", c.ExitCode, c.Requests, c.text)
		}
	})
}

// If no requests are left, the check does not say that the organization has none of what it could not read.
func TestOutOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, nil)
		service.Inject(sandboxtest.Fault{Status: 429, Header: http.Header{"Retry-After": {"0.5"}}, Times: -1, Skip: 1})
		c := run(t, service)
		if c.ExitCode != check.Works || strings.Contains(c.text, "The service lists no") || !slices.Contains(c.statuses("cannot tell"), "A11") {
			t.Errorf("exit code %d:\n%s", c.ExitCode, c.text)
		}
	})
}

// If no requests are left, the check still reports the differences that it has found.
func TestOutOfRequestsAfterADifference(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, nil)
		service.Inject(rejects(sandbox.RouteBenchmarks, 404))
		busy := rejects(sandbox.RouteProfiles, 429) // until no requests are left
		busy.Header = http.Header{"Retry-After": {"0.5"}}
		service.Inject(busy)
		c := run(t, service)
		isA8 := slices.Equal(c.different(), []string{"A8"}) && c.has("A8", "none")
		if c.ExitCode != check.WorksWithLimits || !isA8 || !slices.Contains(c.statuses("ok"), "A22") {
			t.Errorf("exit code %d after %d requests:\n%s", c.ExitCode, c.Requests, c.text)
		}
	})
}

// If a list has more pages than the check reads, the service offers the list, and an option can be on another page.
func TestLongLists(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{
			Options: sandbox.Options{Seed: organization(t), MaxPage: 50}, Assumptions: sandboxtest.Differing("A23 400"),
		})
		service.Change(t, func(st *sandbox.State) {
			workbench, lumen := st.Assessment("asm-workbench"), st.Assessment("asm-lumen")
			for i := range 200 {
				test := sandboxtest.SkillsTest(t, fmt.Sprintf(`{"id":"tst-%d","active":true}`, i))
				workbench.SkillsTests = append(workbench.SkillsTests, test)
				lumen.Benchmarks = append(lumen.Benchmarks, sandbox.Benchmark{ID: fmt.Sprint("bmk-", i), Locale: "en-GB"})
			}
			_, err := st.Attach(sandbox.DemoResultsPosition, workbench.ID, sandbox.Metadata{Tests: []string{"tst-199"}})
			_, err2 := st.Attach(sandbox.DemoResultsPosition, lumen.ID, sandbox.Metadata{Benchmark: "bmk-199"})
			if err != nil || err2 != nil {
				t.Error(err, err2)
			}
		})
		c := run(t, service)
		if !slices.Equal(c.different(), []string{"A23", "A24"}) || !c.has("A23", "kind") || !slices.Contains(c.statuses("ok"), "A19") {
			t.Errorf("differences %v:\n%s", c.different(), c.text)
		}
	})
}

// The check ends with exit code 2, one sentence, and few requests if the provider cannot
// work.
func TestDoesNotWork(t *testing.T) {
	t.Parallel()
	const (
		host    = "https://sandbox.assess.invalid/v1"
		again   = ": check ASSESS_BASE_URL, including its path, or run the check again later."
		network = ": check ASSESS_BASE_URL, the network and the proxy settings."
	)
	noList, noSingle := rejects(sandbox.RoutePositionAssessments, 405), rejects(sandbox.RoutePositionAssessment, 405)
	unsigned := after(sandbox.RoutePositions, `[{"id":"pos-1"}]`)
	unsigned.Header = http.Header{"Conversation-Id": nil}
	ofGateway := after(sandbox.RouteAssessments, "Unauthorized")
	ofGateway.Status, ofGateway.Header = 401, http.Header{"Conversation-Id": nil}
	redirect := sandboxtest.Fault{Status: 302, Times: -1, Header: http.Header{"Location": {"/v1/assessments"}}}
	for _, row := range []struct {
		environment map[string]string
		faults      []sandboxtest.Fault
		says        string
		requests    int
	}{
		{
			map[string]string{"ASSESS_API_KEY": "wrong"},
			nil,
			"The service rejects the credentials (401): check ASSESS_CLIENT_ID and ASSESS_API_KEY.", 1,
		},
		{
			nil,
			[]sandboxtest.Fault{ofGateway},
			host + " answered GET /assessments with 401 Unauthorized, probably from a gateway or a firewall: check " +
				"ASSESS_CLIENT_ID and ASSESS_API_KEY, and what the gateway requires, such as a header in " +
				"ASSESS_HEADERS.",
			1,
		},
		{
			nil,
			[]sandboxtest.Fault{rejects(sandbox.RouteAssessments, 403)},
			"The service does not let the API key list assessments (403): ask the service operator for the permission.", 1,
		},
		{
			map[string]string{"ASSESS_API_KEY": ""},
			nil,
			"Missing API key. The provider requires the setting \"api_key\". To fix this: set the environment variable " +
				"ASSESS_API_KEY or, for Terraform and OpenTofu, the attribute in the provider configuration. An empty " +
				"attribute hides the variable, so remove it.", 0,
		},
		{
			map[string]string{"ASSESS_BASE_URL": host + "/other"},
			nil,
			host + "/other answered GET /assessments with 404 Not Found" + again, 1,
		},
		{
			nil,
			[]sandboxtest.Fault{{Reject: true, Times: -1}},
			host + " could not be reached (dial tcp: connect: connection refused)" + network, 7,
		},
		{
			nil,
			[]sandboxtest.Fault{{Delay: time.Hour, Times: -1}},
			host + " could not be reached (no response within 30s)" + network, 2,
		},
		{
			nil,
			[]sandboxtest.Fault{after(sandbox.RouteAssessments, "<html><body>Sign in, needle</body></html>")},
			host + " answered GET /assessments with something that the provider cannot read, such as a web page, " +
				"or a compressed body: check ASSESS_BASE_URL, its path and any gateway.", 2,
		},
		{
			nil,
			[]sandboxtest.Fault{redirect},
			host + " redirects GET /assessments (302 Found), and the provider follows no redirect: set ASSESS_BASE_URL to the " +
				"address of the service itself.", 1,
		},
		{
			nil,
			[]sandboxtest.Fault{rejects(sandbox.RoutePositions, 503)},
			host + " answered GET /positions with 503 Service Unavailable" + again, 10,
		},
		{
			nil,
			[]sandboxtest.Fault{unsigned},
			host + " answered GET /positions with 200 OK, probably from a gateway or a firewall: check ASSESS_BASE_URL, its " +
				"path and any gateway, which must keep the header Conversation-Id.", 10,
		},
		{
			nil, []sandboxtest.Fault{noList, noSingle}, "The service offers neither the list of a position's assessments nor single position assessments, so the " +
				"provider cannot read them.", 40,
		},
	} {
		sandboxtest.Virtual(t, row.says, func(t *testing.T) {
			for _, change := range []func(*check.Options){asJSON, func(*check.Options) {}} {
				service := newService(t, sandboxtest.Assumptions{})
				for _, fault := range row.faults {
					service.Inject(fault)
				}
				text, code := output(t, service, change, func(o *check.Options) { o.Getenv = sandboxtest.Getenv(row.environment) })
				isJSON := strings.HasPrefix(text, "{")
				if n := service.Count("", ""); code != 2 || n > row.requests || isJSON && !strings.Contains(text, `"verdict": "does not work"`) {
					t.Errorf("exit code %d, %d requests:\n%s", code, n, text)
				}
				// Only the verdict matters, and what the service does not offer.
				about, isFirst := strings.CutPrefix(text, "Does not work. "+row.says+"\n")
				if !isJSON && (!isFirst || strings.HasPrefix(about, "\nA7   not offered") != (row.requests == 40)) {
					t.Errorf("printed\n%s", text)
				}
			}
		})
	}
}

// A 429 during the check says how the service asks clients to wait.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for form, difference := range map[string]string{"date": "date", "none": "none", "hour": "long", "": ""} {
		sandboxtest.Virtual(t, form, func(t *testing.T) {
			var assumptions sandboxtest.Assumptions
			if form != "" {
				assumptions = sandboxtest.Differing("A14 " + form)
			}
			service := newService(t, assumptions)
			for range 20 { // another program uses the limit
				sandboxtest.Send(t, service.Service, sandboxtest.NewRequest(t, http.MethodGet, sandbox.BaseURL+"/positions", ""))
			}
			c := run(t, service)
			meets := slices.Contains(c.statuses("ok"), "A14")
			if meets != (difference == "") || !meets && !c.has("A14", difference) {
				t.Errorf("%s", c.text)
			}
			// The check waits as a plan does, except for an hour.
			want := map[string]int{"": 0, "hour": 2, "date": 1, "none": 1}[form]
			if c.ExitCode != want {
				t.Errorf("exit code %d after %d requests", c.ExitCode, c.Requests)
			}
		})
	}
}

// An interrupt ends the check.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, err := check.Run(ctx, check.Options{
		Options: runpkg.Options{
			Getenv: sandboxtest.Getenv(nil), CacheDir: t.TempDir(),
			Transport: newService(t, sandboxtest.Assumptions{}),
		},
		Out: &out,
	})
	if err != nil || code != 2 || !strings.Contains(out.String(), "The check was interrupted.") {
		t.Errorf("%d, %v: %s", code, err, out.String())
	}
}

// A check never sends more than 40 requests, however much the service has.
func TestAtMostFortyRequests(t *testing.T) {
	t.Parallel()
	many := &sandbox.State{}
	for i := range 200 {
		assessment := sandbox.Assessment{ID: fmt.Sprint("a", i), Kind: sandbox.BehaviouralProfile}
		many.Assessments = append(many.Assessments, assessment)
		many.Positions = append(many.Positions, sandbox.Position{ID: fmt.Sprint("p", i), Title: fmt.Sprintf("Bücher %d", i)})
	}
	for name, row := range map[string]struct {
		state    *sandbox.State
		exitCode int
	}{"assessments without options": {many, 1}, "empty": {&sandbox.State{}, 0}} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{Seed: func() *sandbox.State { return row.state }, MaxPage: 50},
			})
			c := run(t, service)
			if n := service.Count("", ""); n > 40 || n != c.Requests || c.ExitCode != row.exitCode {
				t.Errorf("%d requests, %d in the result, exit code %d", n, c.Requests, c.ExitCode)
			}
		})
	}
}

// A check uses the candidates that it has read, even if its last request fails.
func TestLastRequestFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := newService(t, sandboxtest.Assumptions{})
		service.Change(t, func(st *sandbox.State) {
			st.Positions = nil
			for i := range 50 {
				candidates := []sandbox.Candidate{{ID: fmt.Sprint("cnd-", i), Name: "needle"}}
				position := sandbox.Position{ID: fmt.Sprint("pos-", i), Title: "Cook", Locale: "en-GB", Candidates: candidates}
				st.Positions = append(st.Positions, position)
			}
		})
		requests := 0
		service.Inject(sandboxtest.Fault{Status: http.StatusServiceUnavailable, Match: func(*http.Request) bool {
			requests++
			return requests == check.MaxRequests
		}})
		c := run(t, service)
		if c.ExitCode > 1 || c.Requests != check.MaxRequests || !slices.Contains(c.statuses("ok"), "A12") {
			t.Errorf("exit code %d:\n%s", c.ExitCode, c.text)
		}
	})
}
