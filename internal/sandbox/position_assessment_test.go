// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const london = "/positions/pos-backend-london/assessments"

func body(assessment, metadata string) string {
	return fmt.Sprintf(`{"organizationAssessment":%q,"metadata":%s}`, assessment, metadata)
}

func TestAttachAcceptsEveryForm(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for i, test := range []struct{ assessment, metadata string }{
		{"asm-quartet", `{"packages":["pkg-numerical-reasoning","pkg-problem-solving"]}`}, // only those that are mandatory
		{"asm-quartet", `{"packages":["pkg-problem-solving","pkg-numerical-reasoning"],"benchmark":"bmk-quartet-engineers-en-gb"}`},
		{"asm-lumen", `{"benchmark":"bmk-lumen-managers-en-gb"}`},
		{"asm-lumen", `{}`},
		{"asm-workbench", `{"tests":["skt-python","skt-sql"]}`},
		{"asm-facet", `{}`},
	} {
		path := fmt.Sprintf("%s/pas-%04d", london, i+1)
		created := post(t, server, london, body(test.assessment, test.metadata))
		created.Want(t, http.StatusCreated, `"organizationAssessment":"`+test.assessment+`"`, `"metadata":`+test.metadata,
			created.Header.Get("Location"))
		if location := created.Header.Get("Location"); location != server.URL+path {
			t.Errorf("Location %q, want that of %s", location, path)
		}
		get(t, server, path).Want(t, http.StatusOK, created.Body)
	}
}

func TestAttachRejects(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for name, test := range map[string]struct{ body, part string }{
		"nothing":                     {"", "the body cannot be read as a JSON object: unexpected end"},
		"an array":                    {"[]", "an array instead of an object"},
		"null":                        {"null", "null instead of an object"},
		"more":                        {`{"organizationAssessment":"asm-facet"} {}`, "the body cannot be read as a JSON object: invalid character"},
		"a name twice":                {`{"organizationAssessment":"asm-facet","organizationAssessment":"asm-facet"}`, `the body cannot be read as a JSON object: the object has the name \"organizationAssessment\" twice`},
		"no assessment":               {`{"metadata":{}}`, "organizationAssessment is missing"},
		"assessment is a number":      {`{"organizationAssessment":5}`, "must be a non-empty string"},
		"unknown member":              {`{"organizationAssessment":"asm-facet","colour":1}`, "colour"},
		"unknown assessment":          {body("asm-none", "{}"), "asm-none"},
		"metadata null":               {body("asm-quartet", "null"), "must contain the mandatory packages"},
		"metadata is a string":        {body("asm-facet", `"null"`), "metadata: "},
		"unknown key":                 {body("asm-facet", `{"color":"red"}`), `metadata.color (\"red\") does not apply`},
		"key not applicable":          {body("asm-facet", `{"benchmark":"bmk-x"}`), `metadata.benchmark (\"bmk-x\") does not apply`},
		"profile on lumen":            {body("asm-lumen", `{"profile":"p"}`), "metadata.profile"},
		"profileStatus sent":          {body("asm-terrain", `{"profileStatus":"PROFILE_ATTACHED"}`), "metadata.profileStatus (\\\"PROFILE_ATTACHED\\\") does not apply"},
		"packages empty":              {body("asm-quartet", `{"packages":[]}`), "pkg-numerical-reasoning"},
		"a mandatory package missing": {body("asm-quartet", `{"packages":["pkg-problem-solving","pkg-verbal-knowledge"]}`), "the assessment \\\"asm-quartet\\\". Missing: \\\"pkg-numerical-reasoning\\\""},
		"unknown package":             {body("asm-quartet", `{"packages":["pkg-problem-solving","pkg-numerical-reasoning","pkg-x"]}`), "pkg-x"},
		"a package twice":             {body("asm-quartet", `{"packages":["pkg-problem-solving","pkg-numerical-reasoning","pkg-problem-solving"]}`), "twice"},
		"a package is null":           {body("asm-quartet", `{"packages":[null]}`), "must be a non-empty string"},
		"unknown benchmark":           {body("asm-lumen", `{"benchmark":"bmk-x"}`), "bmk-x"},
		"benchmark of another":        {body("asm-lumen", `{"benchmark":"bmk-tally-finance-en-gb"}`), "bmk-tally-finance-en-gb"},
		"benchmark is null":           {body("asm-lumen", `{"benchmark":null}`), "must be a non-empty string"},
		"benchmark of another locale": {body("asm-lumen", `{"benchmark":"bmk-lumen-managers-de-de"}`), "bmk-lumen-managers-de-de"},
		"unknown profile":             {body("asm-terrain", `{"profile":"prf-x"}`), "prf-x"},
		"profile of the other kind":   {body("asm-terrain", `{"profile":"prf-customer-first"}`), "prf-customer-first"},
		"tests empty":                 {body("asm-workbench", `{"tests":[]}`), "one or more"},
		"unknown test":                {body("asm-workbench", `{"tests":["skt-sql","skt-x"]}`), "skt-x"},
		"a test that is not enabled":  {body("asm-workbench", `{"tests":["skt-sql","skt-go"]}`), "skt-go"},
	} {
		if got := post(t, server, london, test.body); got.Status != 400 || !strings.Contains(got.Body, test.part) {
			t.Errorf("%s: %d %s, want 400 and %s", name, got.Status, got.Body, test.part)
		}
	}
	get(t, server, london).Want(t, http.StatusOK, "[]")
	post(t, server, "/positions/pos-none/assessments", body("asm-facet", "{}")).Want(t, http.StatusNotFound, "pos-none")
	post(t, server, london+"?x=1", body("asm-facet", "{}")).Want(t, http.StatusBadRequest, "x")
}

// The organization may disable a test that position assessments use. An update may keep the test, but cannot add it.
func TestUpdateKeepsTestsThatWereDisabledSince(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{NoLimits: true})
	const first, rejection = london + "/pas-0001", `the skills test \"skt-sql\" is not active`
	both, linux := body("asm-workbench", `{"tests":["skt-sql","skt-linux"]}`), body("asm-workbench", `{"tests":["skt-linux"]}`)
	post(t, service, london, both).Want(t, http.StatusCreated)
	if err := service.Update(func(st *sandbox.State) error {
		st.Assessment("asm-workbench").SkillsTest("skt-sql").Set("active", false)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	post(t, service, london, both).Want(t, http.StatusBadRequest, rejection)
	put(t, service, first, both).Want(t, http.StatusOK)
	put(t, service, first, linux).Want(t, http.StatusOK)
	put(t, service, first, both).Want(t, http.StatusBadRequest, rejection)
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	lumen := london + "/pas-0001"
	post(t, server, london, body("asm-lumen", `{"benchmark":"bmk-lumen-managers-en-gb"}`)).Want(t, http.StatusCreated)
	updated := put(t, server, lumen, body("asm-lumen", `{"benchmark":"bmk-lumen-engineers-en-gb"}`))
	updated.Want(t, http.StatusOK, `"metadata":{"benchmark":"bmk-lumen-engineers-en-gb"}`)
	// A key that the request omits is removed.
	put(t, server, lumen, body("asm-lumen", `{}`)).Want(t, http.StatusOK, `"metadata":{}`)
	get(t, server, lumen).Want(t, http.StatusOK, `"metadata":{}`)

	put(t, server, lumen, body("asm-tally", `{}`)).Want(t, http.StatusBadRequest, "cannot be changed from")
	put(t, server, lumen, `{"metadata":{}}`).Want(t, http.StatusBadRequest, "organizationAssessment is missing")
	put(t, server, lumen, body("asm-lumen", `{"benchmark":"bmk-lumen-engineers-fr-fr"}`)).Want(t, http.StatusBadRequest, "fr-FR")
	put(t, server, london+"/pas-9", body("asm-lumen", `{}`)).Want(t, http.StatusNotFound, "pas-9")
	put(t, server, strings.Replace(lumen, "backend-london", "support-leeds", 1), body("asm-lumen", `{}`)).Want(t, http.StatusNotFound)
}

func TestRemove(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for range 2 { // duplicates are accepted
		post(t, server, london, body("asm-facet", "{}")).Want(t, http.StatusCreated)
	}
	removed := ask(t, server, http.MethodDelete, london+"/pas-0001", "")
	removed.Want(t, http.StatusNoContent)
	if removed.Body != "" || removed.Header.Get("Content-Type") != "" {
		t.Errorf("a 204 with %q, %v", removed.Body, removed.Header)
	}
	ask(t, server, http.MethodDelete, london+"/pas-0001", "").Want(t, http.StatusNotFound)
	get(t, server, london+"/pas-0001").Want(t, http.StatusNotFound)
	get(t, server, london+"/pas-0002").Want(t, http.StatusOK)

	// The results contain an assessment, not a position assessment, so both position assessments stay. They are rejected
	// even if the result has no invitation.
	post(t, server, london, body("asm-facet", "{}")).Want(t, http.StatusCreated, "pas-0003")
	post(t, server, london, body("asm-tally", "{}")).Want(t, http.StatusCreated, "pas-0004")
	server.Change(t, func(st *sandbox.State) {
		st.Position("pos-backend-london").Candidates = []sandbox.Candidate{{ID: "x", Results: []sandbox.Result{{Assessment: "asm-facet"}}}}
	})
	rejected := func(id, says string) {
		ask(t, server, http.MethodDelete, london+id, "").Want(t, http.StatusConflict, "CANDIDATES_INVITED", "asm-facet", says)
		get(t, server, london+id).Want(t, http.StatusOK)
	}
	rejected("/pas-0002", "1 candidate has")
	server.Complete(t, server.Invite(t, "pos-backend-london", "asm-facet"))
	rejected("/pas-0003", "2 candidates have")
	ask(t, server, http.MethodDelete, london+"/pas-0004", "").Want(t, http.StatusNoContent)
	// An id is never used again.
	post(t, server, london, body("asm-facet", "{}")).Want(t, http.StatusCreated, "pas-0007")
}

func TestProfileStatus(t *testing.T) {
	t.Parallel()
	const with, without, complete = `{"profile":"prf-field-service"}`, `{}`, "by the supervisor"
	for name, test := range map[string]struct {
		steps   []string // metadata that a client sends, or what the supervisor does
		status  string
		profile bool
	}{
		"created without":                    {[]string{without}, "SUPERVISOR_TO_COMPLETE", false},
		"created with":                       {[]string{with}, "PROFILE_ATTACHED", true},
		"completed":                          {[]string{without, complete}, "SUPERVISOR_COMPLETED", false},
		"replaced by the supervisor":         {[]string{with, complete}, "SUPERVISOR_COMPLETED", false},
		"attached later":                     {[]string{without, with}, "PROFILE_ATTACHED", true},
		"attached again after completion":    {[]string{with, complete, with}, "PROFILE_ATTACHED", true},
		"removed":                            {[]string{with, without}, "SUPERVISOR_TO_COMPLETE", false},
		"updated without, still to complete": {[]string{without, without}, "SUPERVISOR_TO_COMPLETE", false},
		"updated without, completed":         {[]string{without, complete, without}, "SUPERVISOR_COMPLETED", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := sandboxtest.New(t)
			post(t, server, london, body("asm-terrain", test.steps[0])).Want(t, http.StatusCreated)
			for _, step := range test.steps[1:] {
				if step != complete {
					put(t, server, london+"/pas-0001", body("asm-terrain", step)).Want(t, http.StatusOK)
				} else if err := completeProfile(server, "pos-backend-london", "pas-0001"); err != nil {
					t.Error(err)
				}
			}
			got := get(t, server, london+"/pas-0001")
			got.Want(t, http.StatusOK, `"profileStatus":"`+test.status+`"`,
				`"profileUrl":"`+server.Origin+`/profile/pos-backend-london/pas-0001"`)
			if has := strings.Contains(got.Body, `"profile":"prf-field-service"`); has != test.profile {
				t.Errorf("profile in the answer: %t, want %t: %s", has, test.profile, got.Body)
			}
		})
	}
	server := sandboxtest.New(t)
	post(t, server, london, body("asm-facet", "{}")).Want(t, http.StatusCreated)
	for _, ids := range [][2]string{{"pos-none", "x"}, {"pos-backend-london", "x"}, {"pos-backend-london", "pas-0001"}} {
		if err := completeProfile(server, ids[0], ids[1]); err == nil {
			t.Errorf("%q: no error", ids)
		}
	}
}

func completeProfile(server *sandboxtest.Server, position, id string) error {
	return server.Update(func(st *sandbox.State) error { return st.CompleteProfile(position, id) })
}
