// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What a colleague, a candidate, a supervisor or the vendor does to a real service is a form of the page "Practice".
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
		"add-position": {
			url.Values{"title": {"Night Porter"}, "locale": {"de-DE"}},
			"A colleague added the position.",
			func(st *sandbox.State, _ position) bool {
				added := st.Positions[len(st.Positions)-1]
				return added.Title == "Night Porter" && added.Locale == "de-DE" && added.ID != ""
			},
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
		"complete": {
			url.Values{"choice": {"/inv-open"}},
			"The candidate completed the assessment.",
			func(_ *sandbox.State, p position) bool {
				result := p.Candidates[0].Results[0]
				return result.Invitations[0].Status == sandbox.TestedWithResults && result.Percentile != nil
			},
		},
		"complete-profile": {
			url.Values{"choice": {here + "/pas-terrain"}},
			"The supervisor completed the profile. The option -refresh-only of a plan shows the new status.",
			func(_ *sandbox.State, p position) bool {
				return p.Assessment("pas-terrain").Metadata.ProfileStatus == sandbox.SupervisorCompleted
			},
		},
		"disable-test": {
			url.Values{"choice": {"/asm-workbench/tst-a%2Fb"}},
			"The vendor disabled the test.",
			func(st *sandbox.State, _ position) bool {
				return !st.Assessment("asm-workbench").SkillsTest("tst-a/b").Active()
			},
		},
		"mandate-package": {
			url.Values{"choice": {"/asm-quartet/pkg-x"}},
			"The vendor made the package mandatory.",
			func(st *sandbox.State, _ position) bool {
				return st.Assessment("asm-quartet").Package("pkg-x").Mandatory
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t)
			server.Change(t, func(st *sandbox.State) {
				p, quartet, workbench := st.Position("pos-backend-london"), st.Assessment("asm-quartet"), st.Assessment("asm-workbench")
				p.Assessments = []sandbox.PositionAssessment{
					{ID: "pas-quartet", Assessment: "asm-quartet"},
					{ID: "pas-terrain", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete}},
				}
				p.Candidates = []sandbox.Candidate{{ID: "cnd-x", Results: []sandbox.Result{{
					Assessment: "asm-facet", Invitations: []sandbox.Invitation{{ID: "inv-open", Status: sandbox.Invited}},
				}}}}
				quartet.Packages = append(quartet.Packages, sandbox.Package{ID: "pkg-x", Name: "Speed <x>"})
				workbench.SkillsTests = append(workbench.SkillsTests, sandboxtest.SkillsTest(t, `{"id":"tst-a/b","active":true}`))
			})
			page := visit(t, server.Origin+"/practice")
			page.Want(t, http.StatusOK, `action="/practice/`+name+`"`)
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

func TestPracticeRefusals(t *testing.T) {
	t.Parallel()
	server := serve(t)
	before := jsonText(t, server.State(t))
	for _, row := range []struct {
		practice, form string
		status         int
	}{
		{"rename-position", "choice=%2Fnone&title=x", http.StatusNotFound},
		{"rename-position", "choice=%2Fpos-backend-london&title=+", http.StatusBadRequest},
		{"add-position", "title=", http.StatusBadRequest},
		{"delete-position", "", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fnone&what=asm-quartet", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fpos-backend-london&what=none", http.StatusNotFound},
		{"remove-assessment", "choice=%2Fpos-backend-london%2Fnone", http.StatusNotFound},
		{"remove-assessment", "choice=%2F" + sandbox.DemoResultsPosition + "%2Fpas-graduates-lumen", http.StatusConflict},
		{"invite", "choice=%2Fpos-backend-london%2Fnone&name=x", http.StatusNotFound},
		{"complete", "choice=%2Fnone", http.StatusNotFound},
		{"complete-profile", "choice=%2Fpos-backend-london%2Fnone", http.StatusNotFound},
		{"disable-test", "choice=%2Fnone%2Fnone", http.StatusNotFound},
		{"mandate-package", "choice=%2Fasm-quartet%2Fnone", http.StatusNotFound},
		{"other", "", http.StatusNotFound},
	} {
		visitPage(t, http.MethodPost, server.Origin+"/practice/"+row.practice, row.form, nil).Want(t, row.status)
	}
	visitPage(t, http.MethodPost, server.Origin+"/practice/attach-assessment",
		"choice=%2F"+sandbox.DemoResultsPosition+"&what=asm-lumen", nil).
		Want(t, http.StatusConflict, "The position has this assessment already.")
	visitPage(t, http.MethodPost, server.Origin+"/practice/add-position", "title=x",
		http.Header{"Sec-Fetch-Site": {"cross-site"}}).Want(t, http.StatusForbidden)
	if after := jsonText(t, server.State(t)); after != before {
		t.Errorf("a refused form changed the state:\n%s\nwant\n%s", after, before)
	}
}
