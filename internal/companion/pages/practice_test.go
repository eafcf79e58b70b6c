// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What a colleague or the vendor does to a real service is a form of the page "Practice". What a candidate does is on the
// page of the invitation, to which it links.
func TestPractice(t *testing.T) {
	t.Parallel()
	type position = *sandbox.Position
	const here = "/pos-backend-london"
	for name, row := range map[string]struct {
		form  url.Values
		says  string
		holds func(*sandbox.State, position) bool
	}{
		"rename-position": {
			url.Values{"choice": {here}, "title": {" Senior Backend Engineer, 東京 "}},
			"A colleague renamed the position.",
			func(_ *sandbox.State, p position) bool { return p.Title == "Senior Backend Engineer, 東京" },
		},
		"delete-position": {
			url.Values{"choice": {here}},
			"A colleague deleted the position.",
			func(_ *sandbox.State, p position) bool { return p == nil },
		},
		"attach-assessment": {
			url.Values{"choice": {here}, "what": {"asm-workbench"}},
			"A colleague attached the assessment.",
			func(_ *sandbox.State, p position) bool {
				last := p.Assessments[len(p.Assessments)-1]
				return len(p.Assessments) == 3 && last.Assessment == "asm-workbench" && len(last.Metadata.Tests) == 1
			},
		},
		"remove-assessment": {
			url.Values{"choice": {here + "/pas-quartet"}},
			"A colleague removed the assessment.",
			func(_ *sandbox.State, p position) bool {
				return p.Assessment("pas-quartet") == nil && p.Assessment("pas-terrain") != nil
			},
		},
		"invite": {
			url.Values{"choice": {here + "/pas-quartet"}, "name": {"Ada Example"}},
			"A recruiter invited the candidate.",
			func(_ *sandbox.State, p position) bool {
				last := p.Candidates[len(p.Candidates)-1]
				return len(p.Candidates) == 2 && last.Name == "Ada Example" && last.Results[0].Assessment == "asm-quartet" &&
					last.Results[0].Invitations[0].Status == sandbox.Invited
			},
		},
		"disable-test": {
			url.Values{"choice": {"/asm-workbench/tst-a%2Fb"}},
			"The vendor disabled the test.",
			func(st *sandbox.State, _ position) bool {
				return !st.Assessment("asm-workbench").SkillsTest("tst-a/b").Active()
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t)
			server.Change(t, func(st *sandbox.State) {
				p, workbench := st.Position("pos-backend-london"), st.Assessment("asm-workbench")
				p.Assessments = []sandbox.PositionAssessment{
					{ID: "pas-quartet", Assessment: "asm-quartet"},
					{ID: "pas-terrain", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete}},
				}
				p.Candidates = []sandbox.Candidate{{ID: "cnd-x", Results: []sandbox.Result{{
					Assessment: "asm-facet", Invitations: []sandbox.Invitation{{ID: "inv-open", Status: sandbox.Invited}},
				}}}}
				workbench.SkillsTests = append(workbench.SkillsTests, sandboxtest.SkillsTest(t, `{"id":"tst-a/b","active":true}`))
			})
			page := visit(t, server.Origin+"/practice")
			page.Want(t, http.StatusOK, `action="/practice/`+name+`"`, `<a href="/sit/inv-open">`)
			for _, field := range []string{"choice", "what"} {
				if choice := row.form.Get(field); choice != "" {
					page.Want(t, http.StatusOK, `value="`+choice+`"`)
				}
			}
			done := visitPage(t, http.MethodPost, server.Origin+"/practice/"+name, row.form.Encode(), nil)
			done.Want(t, http.StatusSeeOther)
			if st := server.State(t); !row.holds(st, st.Position("pos-backend-london")) {
				t.Errorf("the form had no effect: %s", jsonText(t, st))
			}
			visit(t, server.Origin+done.Header.Get("Location")).Want(t, http.StatusOK, row.says)
			server.AssertCount(t, "", "", 0) // nothing that counts as a request to the service
		})
	}
}

func TestPracticeRejections(t *testing.T) {
	t.Parallel()
	server := serve(t)
	before := jsonText(t, server.State(t))
	for _, row := range []struct {
		practice, form string
		status         int
	}{
		{"rename-position", "choice=%2Fnone&title=x", http.StatusNotFound},
		{"rename-position", "choice=%2Fpos-backend-london&title=+", http.StatusBadRequest},
		{"delete-position", "", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fnone&what=asm-quartet", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fpos-backend-london&what=none", http.StatusNotFound},
		{"remove-assessment", "choice=%2Fpos-backend-london%2Fnone", http.StatusNotFound},
		{"remove-assessment", "choice=%2F" + sandbox.DemoResultsPosition + "%2Fpas-graduates-lumen", http.StatusConflict},
		{"invite", "choice=%2Fpos-backend-london%2Fnone&name=x", http.StatusNotFound},
		{"disable-test", "choice=%2Fnone%2Fnone", http.StatusNotFound},
		{"other", "", http.StatusNotFound},
	} {
		visitPage(t, http.MethodPost, server.Origin+"/practice/"+row.practice, row.form, nil).Want(t, row.status)
	}
	visitPage(t, http.MethodPost, server.Origin+"/practice/attach-assessment",
		"choice=%2F"+sandbox.DemoResultsPosition+"&what=asm-lumen", nil).
		Want(t, http.StatusConflict, "The position has this assessment already.")
	visitPage(t, http.MethodPost, server.Origin+"/practice/delete-position", "choice=%2Fpos-backend-london",
		http.Header{"Sec-Fetch-Site": {"cross-site"}}).Want(t, http.StatusForbidden)
	if after := jsonText(t, server.State(t)); after != before {
		t.Errorf("a rejected form changed the state:\n%s\nwant\n%s", after, before)
	}
}
