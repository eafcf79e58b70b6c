// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// What a colleague or the vendor does to a real service is a form of the page "Practice". What a candidate does is on the
// page of the invitation, to which it links.
func TestPractice(t *testing.T) {
	t.Parallel()
	const here = "choice=%2Fpos-backend-london"
	for _, row := range []struct{ practice, form, says, state string }{
		{
			"rename-position", here + "&title=+Senior+Engineer,+%E6%9D%B1%E4%BA%AC+", "A colleague renamed the position.",
			"Senior Engineer, 東京; asm-quartet asm-terrain; cnd-x [INVITED]; active true",
		},
		{"delete-position", here, "A colleague deleted the position.", "active true"},
		{
			"attach-assessment", here + "&what=asm-workbench", "A colleague attached the assessment.",
			"Backend Engineer, London; asm-quartet asm-terrain asm-workbench; cnd-x [INVITED]; active true",
		},
		{
			"remove-assessment", here + "%2Fpas-quartet", "A colleague removed the assessment.",
			"Backend Engineer, London; asm-terrain; cnd-x [INVITED]; active true",
		},
		{
			"invite", here + "%2Fpas-quartet&name=Ada+Example", "A recruiter invited the candidate.",
			"Backend Engineer, London; asm-quartet asm-terrain; cnd-x [INVITED] Ada Example [INVITED]; active true",
		},
		{
			"disable-test", "choice=%2Fasm-workbench%2Ftst-a%252Fb", "The vendor disabled the test.",
			"Backend Engineer, London; asm-quartet asm-terrain; cnd-x [INVITED]; active false",
		},
	} {
		t.Run(row.practice, func(t *testing.T) {
			t.Parallel()
			server := serve(t)
			server.Change(t, func(st *sandbox.State) {
				p, workbench := st.Position("pos-backend-london"), st.Assessment("asm-workbench")
				p.Assessments = []sandbox.PositionAssessment{
					{ID: "pas-quartet", Assessment: "asm-quartet"},
					{ID: "pas-terrain", Assessment: "asm-terrain", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete}},
				}
				p.Candidates = []sandbox.Candidate{{ID: "cnd-x", Name: "cnd-x", Results: []sandbox.Result{{
					Assessment: "asm-facet", Invitations: []sandbox.Invitation{{ID: "inv-open", Status: sandbox.Invited}},
				}}}}
				workbench.SkillsTests = append(workbench.SkillsTests, sandboxtest.SkillsTest(t, `{"id":"tst-a/b","active":true}`))
			})
			choice, err := url.ParseQuery(row.form)
			if err != nil {
				t.Fatal(err)
			}
			visit(t, server.Origin+"/practice").Want(t, http.StatusOK, `action="/practice/`+row.practice+`"`,
				`<a href="/sit/inv-open">`, `value="`+choice.Get("choice")+`"`)
			done := visitPage(t, http.MethodPost, server.Origin+"/practice/"+row.practice, row.form, nil)
			done.Want(t, http.StatusSeeOther)
			if got := practiced(server.State(t)); got != row.state {
				t.Errorf("the state is %s, want %s", got, row.state)
			}
			visit(t, server.Origin+done.Header.Get("Location")).Want(t, http.StatusOK, row.says)
			server.AssertCount(t, "", "", 0) // nothing that counts as a request to the service
		})
	}
}

// practiced describes what the forms change.
func practiced(st *sandbox.State) string {
	test := fmt.Sprint("active ", st.Assessment("asm-workbench").SkillsTest("tst-a/b").Active())
	p := st.Position("pos-backend-london")
	if p == nil {
		return test
	}
	var assessments, candidates []string
	for _, a := range p.Assessments {
		assessments = append(assessments, a.Assessment)
	}
	for _, c := range p.Candidates {
		candidates = append(candidates, fmt.Sprintf("%s [%s]", c.Name, c.Results[0].Invitations[0].Status))
	}
	return strings.Join([]string{p.Title, strings.Join(assessments, " "), strings.Join(candidates, " "), test}, "; ")
}

func TestPracticeRejections(t *testing.T) {
	t.Parallel()
	server := serve(t)
	before := server.State(t)
	for _, row := range []struct {
		practice, form string
		status         int
	}{
		{"rename-position", "choice=%2Fnone&title=x", http.StatusNotFound},
		{"rename-position", "choice=%2Fpos-backend-london&title=+", http.StatusBadRequest},
		{"delete-position", "", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fnone&what=asm-quartet", http.StatusNotFound},
		{"attach-assessment", "choice=%2Fpos-backend-london&what=none", http.StatusNotFound},
		{"attach-assessment", "choice=%2F" + sandbox.DemoResultsPosition + "&what=asm-lumen", http.StatusConflict}, // has it already
		{"remove-assessment", "choice=%2Fpos-backend-london%2Fnone", http.StatusNotFound},
		{"remove-assessment", "choice=%2F" + sandbox.DemoResultsPosition + "%2Fpas-graduates-lumen", http.StatusConflict},
		{"invite", "choice=%2Fpos-backend-london%2Fnone&name=x", http.StatusNotFound},
		{"disable-test", "choice=%2Fnone%2Fnone", http.StatusNotFound},
		{"other", "", http.StatusNotFound},
	} {
		visitPage(t, http.MethodPost, server.Origin+"/practice/"+row.practice, row.form, nil).Want(t, row.status)
	}
	if after := server.State(t); !reflect.DeepEqual(after, before) {
		t.Errorf("a rejected form changed the state to %+v", after)
	}
}
