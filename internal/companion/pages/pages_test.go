// SPDX-License-Identifier: MPL-2.0

package pages_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// visitPage sends a request like a browser without credentials.
func visitPage(t *testing.T, method, address, form string, header http.Header) sandboxtest.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if method == http.MethodPost && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return send(t, http.DefaultTransport, request)
}

// visit opens an address like a browser without credentials.
func visit(t *testing.T, address string) sandboxtest.Response {
	t.Helper()
	return visitPage(t, http.MethodGet, address, "", nil)
}

// attachTerrain attaches a work preferences profile, and returns the address of the
// page for its supervisor.
func attachTerrain(t *testing.T, server *sandboxtest.Server) string {
	t.Helper()
	created := post(t, server, london, body("asm-terrain", `{"profile":"prf-field-service"}`))
	created.Want(t, http.StatusCreated)
	shown, _ := created.Object(t)["metadata"].(map[string]any)
	address, _ := shown["profileUrl"].(string)
	return address
}

func TestOverview(t *testing.T) {
	t.Parallel()
	server := serve(t)
	server.Change(t, func(st *sandbox.State) { st.Position("pos-support-leeds").Title = `<script>alert("x")</script>` })
	attachTerrain(t, server)
	overview := visit(t, server.Origin+"/")
	overview.Want(t, http.StatusOK, "Backend Engineer, London", "prf-field-service", "PROFILE_ATTACHED",
		"&lt;script&gt;")
	if strings.Index(overview.Body, "Graduate Programme") > strings.Index(overview.Body, "Backend Engineer") {
		t.Error("a position without candidates comes before one with candidates")
	}
	if strings.Contains(overview.Body, "<script") {
		t.Error("a title was not escaped")
	}
	for name, part := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'",
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
	} {
		if !strings.Contains(overview.Header.Get(name), part) {
			t.Errorf("%s: %q", name, overview.Header.Get(name))
		}
	}
	server.AssertCount(t, "", "", 1) // the journal does not contain pages
}

func TestSupervisorCompletesTheProfile(t *testing.T) {
	t.Parallel()
	server := serve(t)
	address := attachTerrain(t, server)
	visit(t, address).Want(t, http.StatusOK, "PROFILE_ATTACHED", "Field service (attached)", "your profile replaces the attached one",
		"a questionnaire about the work tasks of the role", "This simulation asks no questions", "Update the profile")
	visitPage(t, http.MethodPost, address, "", http.Header{"Sec-Fetch-Site": {"same-origin"}}).Want(t, http.StatusSeeOther)
	completed := visit(t, address)
	completed.Want(t, http.StatusOK, "SUPERVISOR_COMPLETED", "<dt>Profile</dt><dd>completed by you</dd>",
		"The profile is complete", "Update the profile")
	for _, untrue := range []string{"none yet", "Field service", "attached one"} {
		if strings.Contains(completed.Body, untrue) {
			t.Errorf("the page shows %q for the completed profile:\n%s", untrue, completed.Body)
		}
	}
}

func TestCandidateTakesAnAssessment(t *testing.T) {
	t.Parallel()
	server := serve(t)
	address := invited(t, server)
	visit(t, address).Want(t, http.StatusOK, ">Open</span>", "This simulation asks none", "Start the assessment", "Robert &lt;Bobby&gt; Tables")
	visitPage(t, http.MethodPost, address, "from=INVITED", nil).Want(t, http.StatusSeeOther)
	visit(t, address).Want(t, http.StatusOK, "IN_PROGRESS", "Submit the answers")
	// A second click on the first page submits nothing. Neither does a form without a status.
	visitPage(t, http.MethodPost, address, "from=INVITED", nil).Want(t, http.StatusSeeOther)
	visitPage(t, http.MethodPost, address, "", nil).Want(t, http.StatusSeeOther)
	visit(t, address).Want(t, http.StatusOK, "IN_PROGRESS")
	get(t, server, graduates+"?candidate=cnd-006").Want(t, http.StatusOK, `"percentile":null`)
	visitPage(t, http.MethodPost, address, "from=IN_PROGRESS", nil).Want(t, http.StatusSeeOther)
	finished := visit(t, address)
	finished.Want(t, http.StatusOK, ">Completed</span>", "Thank you", "A simulation with invented data")
	// Candidates neither see results nor other candidates.
	for _, wrong := range []string{"/report/", "You have been invited", "T00:", "Open until"} {
		if strings.Contains(finished.Body, wrong) {
			t.Errorf("the page of a finished candidate contains %q:\n%s", wrong, finished.Body)
		}
	}
	results := get(t, server, graduates+"?candidate=cnd-006&assessment=asm-lumen")
	results.Want(t, http.StatusOK, `"suitability":`, `"percentile":`)
	if strings.Contains(results.Body, `"suitability":null`) || strings.Contains(results.Body, `"percentile":null`) {
		t.Errorf("the results are %s", results.Body)
	}
	visitPage(t, http.MethodPost, address, "", nil).Want(t, http.StatusSeeOther) // the invitation is completed
}

func TestReports(t *testing.T) {
	t.Parallel()
	server := serve(t)
	whole := visit(t, server.Origin+"/report/"+sandbox.DemoResultsPosition)
	whole.Want(t, http.StatusOK, "Łukasz Żółciński", "Robert &lt;Bobby&gt; Tables", "陳大文", "Candidate’s page (remote)", "Candidate’s page (supervised)", "Far above average", "Answer check", "interpret with caution",
		`<td data-column="Answer check">–</td>`)
	// The addresses in the results are those of pages.
	results := get(t, server, graduates+"?limit=1")
	addresses := regexp.MustCompile(`"(http[^"]+/(report|sit)/[^"]+)"`).FindAllStringSubmatch(results.Body, -1)
	for _, address := range addresses {
		visit(t, address[1]).Want(t, http.StatusOK)
	}
	candidate := regexp.MustCompile(`http[^"]+/report/[^"/]+/[^"/]+`).FindString(results.Body)
	visit(t, candidate).Want(t, http.StatusOK)
	visit(t, candidate+"/none").Want(t, http.StatusNotFound, "There is no report")
	if len(addresses) < 5 {
		t.Errorf("%d addresses in %s", len(addresses), results.Body)
	}
	visit(t, server.Origin+"/report/pos-backend-london").Want(t, http.StatusOK, "No candidates yet")
}

func TestPagesThatDoNotExist(t *testing.T) {
	t.Parallel()
	server := serve(t)
	post(t, server, london, body("asm-facet", "{}")).Want(t, http.StatusCreated)
	server.Change(t, func(st *sandbox.State) {
		leeds := st.Position("pos-support-leeds")
		leeds.Assessments = []sandbox.PositionAssessment{
			{ID: "pas-retired", Assessment: "asm-retired", Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete}},
		}
	})
	for _, path := range []string{
		"/profile/none/pas-0001", "/profile/pos-backend-london/none", "/profile/pos-backend-london/pas-0001",
		"/profile/pos-support-leeds/pas-retired", // the organization no longer has its assessment
		"/sit/none", "/sit/%3Cb%3E", "/report/none", "/report/" + sandbox.DemoResultsPosition + "/none",
	} {
		visit(t, server.Origin+path).Want(t, http.StatusNotFound, "There is no")
		if !strings.HasPrefix(path, "/report") {
			visitPage(t, http.MethodPost, server.Origin+path, "", nil).Want(t, http.StatusNotFound, "There is no")
		}
	}
}

// Requests that do not accept HTML, and requests below the base path, get the answer for clients.
func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	server, people := serve(t), http.Header{"Accept": {"text/html,*/*;q=0.8"}}
	visitPage(t, http.MethodGet, server.Origin+"/<b>", "", people).Want(t, http.StatusNotFound, `<a href="/">Overview</a>`)
	visitPage(t, http.MethodGet, server.Origin+"/v1/x", "", people).Want(t, http.StatusUnauthorized, "conversationId")
	visit(t, server.Origin+"/positions").Want(t, http.StatusUnauthorized, "conversationId")
}

// The contract is at /openapi.yaml, and pages link it.
func TestContract(t *testing.T) {
	t.Parallel()
	server := serve(t)
	visit(t, server.Origin+"/").Want(t, http.StatusOK, `<a href="/openapi.yaml">API contract</a>`)
	if got := visit(t, server.Origin+"/openapi.yaml").Body; got != string(api.OpenAPI) {
		t.Errorf("the contract has %d bytes", len(got))
	}
}
