// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What a colleague, a candidate, a supervisor or the vendor does to a real service is a form of the page "Practice".
func TestPractice(t *testing.T) {
	t.Parallel()
	const position = "/pos-backend-london"
	for name, row := range map[string]struct {
		form   url.Values
		holds  func(*sandbox.State) bool
		says   string
		before func(*sandbox.State)
	}{
		"rename-position": {
			form: url.Values{"choice": {position}, "title": {" Senior Backend Engineer, 東京 "}},
			holds: func(st *sandbox.State) bool {
				return st.Position("pos-backend-london").Title == "Senior Backend Engineer, 東京"
			},
			says: "A colleague renamed the position.",
		},
		"add-position": {
			form: url.Values{"title": {"Night Porter"}, "locale": {"de-DE"}},
			holds: func(st *sandbox.State) bool {
				added := st.Positions[len(st.Positions)-1]
				return added.Title == "Night Porter" && added.Locale == "de-DE" && added.ID != ""
			},
			says: "A colleague added the position.",
		},
		"delete-position": {
			form:  url.Values{"choice": {position}},
			holds: func(st *sandbox.State) bool { return st.Position("pos-backend-london") == nil },
			says:  "A colleague deleted the position.",
		},
		"attach-assessment": {
			form: url.Values{"choice": {position}, "what": {"/asm-quartet/benchmark/bmk-quartet-engineers-en-gb"}},
			holds: func(st *sandbox.State) bool {
				attached := st.Position("pos-backend-london").Assessments
				last := attached[len(attached)-1]
				return len(attached) == 3 && last.Assessment == "asm-quartet" &&
					last.Metadata.Benchmark == "bmk-quartet-engineers-en-gb" &&
					len(last.Metadata.Packages) == len(st.Assessment("asm-quartet").Packages)
			},
			says: "A colleague attached the assessment.",
		},
		"remove-assessment": {
			form: url.Values{"choice": {position + "/pas-quartet"}},
			holds: func(st *sandbox.State) bool {
				return st.Position("pos-backend-london").Assessment("pas-quartet") == nil &&
					st.Position("pos-backend-london").Assessment("pas-terrain") != nil
			},
			says: "A colleague removed the assessment.",
		},
		"invite": {
			form: url.Values{"choice": {position + "/pas-quartet"}, "name": {"Ada Example"}},
			holds: func(st *sandbox.State) bool {
				candidates := st.Position("pos-backend-london").Candidates
				return len(candidates) == 1 && candidates[0].Name == "Ada Example" &&
					candidates[0].Results[0].Assessment == "asm-quartet" &&
					candidates[0].Results[0].Invitations[0].Status == sandbox.Invited
			},
			says: "A recruiter invited the candidate.",
		},
		"complete": {
			form: url.Values{"choice": {"/inv-open"}},
			holds: func(st *sandbox.State) bool {
				result := st.Position("pos-backend-london").Candidates[0].Results[0]
				return result.Invitations[0].Status == sandbox.TestedWithResults && result.Percentile != nil
			},
			says: "The candidate completed the assessment.",
			before: func(st *sandbox.State) {
				st.Position("pos-backend-london").Candidates = []sandbox.Candidate{{ID: "cnd-x", Results: []sandbox.Result{{
					Assessment: "asm-quartet", Invitations: []sandbox.Invitation{{ID: "inv-open", Status: sandbox.Invited}},
				}}}}
			},
		},
		"complete-profile": {
			form: url.Values{"choice": {position + "/pas-terrain"}},
			holds: func(st *sandbox.State) bool {
				return st.Position("pos-backend-london").Assessment("pas-terrain").Metadata.ProfileStatus == sandbox.SupervisorCompleted
			},
			says: "The supervisor completed the profile.",
		},
		"disable-test": {
			form:  url.Values{"choice": {"/asm-workbench/tst-a%2Fb"}},
			holds: func(st *sandbox.State) bool { return !st.Assessment("asm-workbench").SkillsTest("tst-a/b").Active() },
			says:  "The vendor disabled the test.",
		},
		"mandate-package": {
			form:  url.Values{"choice": {"/asm-quartet/pkg-x"}},
			holds: func(st *sandbox.State) bool { return st.Assessment("asm-quartet").Package("pkg-x").Mandatory },
			says:  "The vendor made the package mandatory.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sandboxtest.New(t)
			origin := strings.TrimSuffix(server.URL, "/v1")
			server.Change(t, func(st *sandbox.State) {
				st.Position("pos-backend-london").Assessments = []sandbox.PositionAssessment{
					{ID: "pas-quartet", Assessment: "asm-quartet"},
					{ID: "pas-terrain", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete}},
				}
				quartet := st.Assessment("asm-quartet")
				quartet.Packages = append(quartet.Packages, sandbox.Package{ID: "pkg-x", Name: "Speed <x>"})
				workbench := st.Assessment("asm-workbench")
				test := sandbox.Object{}
				test.Set("id", "tst-a/b")
				test.Set("active", true)
				workbench.SkillsTests = append(workbench.SkillsTests, sandbox.SkillsTest{Object: test})
				if row.before != nil {
					row.before(st)
				}
			})
			page := visit(t, origin+"/practice")
			page.Want(t, http.StatusOK, `action="/practice/`+name+`"`)
			for _, field := range []string{"choice", "what"} {
				if choice := row.form.Get(field); choice != "" && !strings.Contains(page.Body, `value="`+choice+`"`) {
					t.Errorf("the page does not offer %q:\n%s", choice, page.Body)
				}
			}
			done := visitPage(t, http.MethodPost, origin+"/practice/"+name, row.form.Encode(), nil)
			done.Want(t, http.StatusSeeOther)
			if !row.holds(server.State(t)) {
				t.Errorf("the form had no effect: %s", jsonText(t, server.State(t)))
			}
			visit(t, origin+done.Header.Get("Location")).Want(t, http.StatusOK, row.says)
			server.AssertCount(t, "", "", 0) // nothing that counts as a request to the service
		})
	}
}

func TestPracticeRefusals(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t)
	origin := strings.TrimSuffix(server.URL, "/v1")
	before := jsonText(t, server.State(t))
	for _, row := range []struct {
		practice, form string
		status         int
	}{
		{"rename-position", "choice=%2Fnone&title=x", http.StatusNotFound},
		{"rename-position", "choice=%2Fpos-backend-london&title=+", http.StatusBadRequest},
		{"add-position", "title=", http.StatusBadRequest},
		{"delete-position", "", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fnone&what=%2Fasm-quartet", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fpos-backend-london&what=%2Fnone", http.StatusNotFound},
		{"remove-assessment", "choice=%2Fpos-backend-london%2Fnone", http.StatusNotFound},
		{"remove-assessment", "choice=%2F" + sandbox.DemoResultsPosition + "%2Fpas-graduates-lumen", http.StatusConflict},
		{"invite", "choice=%2Fpos-backend-london%2Fnone&name=x", http.StatusNotFound},
		{"complete", "choice=%2Fnone", http.StatusNotFound},
		{"complete-profile", "choice=%2Fpos-backend-london%2Fnone", http.StatusNotFound},
		{"disable-test", "choice=%2Fnone%2Fnone", http.StatusNotFound},
		{"mandate-package", "choice=%2Fasm-quartet%2Fnone", http.StatusNotFound},
		{"other", "", http.StatusNotFound},
	} {
		visitPage(t, http.MethodPost, origin+"/practice/"+row.practice, row.form, nil).Want(t, row.status)
	}
	for what, says := range map[string]string{ // why the service refuses it
		"%2Fasm-workbench": "metadata.tests must name one or more skills tests",
		"%2Fasm-tally%2Fbenchmark%2Fbmk-tally-finance-de-de": "has the locale",
	} {
		visitPage(t, http.MethodPost, origin+"/practice/attach-assessment", "choice=%2Fpos-backend-london&what="+what, nil).
			Want(t, http.StatusConflict, says)
	}
	visitPage(t, http.MethodPost, origin+"/practice/add-position", "title=x",
		http.Header{"Sec-Fetch-Site": {"cross-site"}}).Want(t, http.StatusForbidden)
	if after := jsonText(t, server.State(t)); after != before {
		t.Errorf("a refused form changed the state:\n%s\nwant\n%s", after, before)
	}
}
