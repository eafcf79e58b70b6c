// SPDX-License-Identifier: MPL-2.0

package sandboxtest_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestRemovalIsRefusedOnceACandidateIsInvited covers assumption A28.
func TestRemovalIsRefusedOnceACandidateIsInvited(t *testing.T) {
	t.Parallel()
	service := assuming(t, sandboxtest.Assumptions{})
	const other = "/positions/pos-support-leeds/assessments"
	post(t, service, london, body("asm-facet", "{}")).Want(t, 201, "pas-0002")
	post(t, service, london, body("asm-facet", "{}")).Want(t, 201, "pas-0003")
	post(t, service, other, body("asm-facet", "{}")).Want(t, 201, "pas-0004")
	invitation := service.Invite(t, "pos-backend-london", "asm-facet")

	// The results contain an assessment, not a position assessment, so both position assessments stay.
	for _, id := range []string{"/pas-0002", "/pas-0003"} {
		sandboxtest.Ask(t, service, http.MethodDelete, london+id, "").Want(t, 409, "CANDIDATES_INVITED", "1 candidate ")
		get(t, service, london+id).Want(t, 200)
	}
	sandboxtest.Ask(t, service, http.MethodDelete, single, "").Want(t, 204)
	sandboxtest.Ask(t, service, http.MethodDelete, other+"/pas-0004", "").Want(t, 204)

	service.Complete(t, invitation)
	service.Invite(t, "pos-backend-london", "asm-facet")
	sandboxtest.Ask(t, service, http.MethodDelete, london+"/pas-0002", "").Want(t, 409, "CANDIDATES_INVITED", "2 candidates ")
	get(t, service, "/positions/pos-backend-london/results").
		Want(t, 200, sandbox.TestedWithResults, sandbox.Invited)
}

func TestInvitationsAreDeterministic(t *testing.T) {
	t.Parallel()
	results := func() (body string) {
		synctest.Test(t, func(t *testing.T) {
			service := assuming(t, sandboxtest.Assumptions{})
			for range 3 {
				service.Complete(t, service.Invite(t, "pos-backend-london", "asm-quartet"))
			}
			body = get(t, service, "/positions/pos-backend-london/results").Body
		})
		return body
	}
	if first, second := results(), results(); first != second {
		t.Errorf("first %s\nsecond %s", first, second)
	}
}

func TestInviteAndCompleteFail(t *testing.T) {
	t.Parallel()
	st := sandbox.Demo()
	for _, ids := range [][2]string{{"none", "asm-lumen"}, {"pos-backend-london", "asm-lumen"}} {
		if _, err := sandboxtest.Invite(st, ids[0], ids[1]); err == nil {
			t.Errorf("%s was invited to", ids)
		}
	}
	position := st.Position(sandbox.DemoResultsPosition)
	completed := slices.IndexFunc(position.Candidates[0].Results, func(r sandbox.Result) bool {
		return r.Invitations[0].Status == sandbox.TestedWithResults
	})
	for _, id := range []string{"none", position.Candidates[0].Results[completed].Invitations[0].ID} {
		if err := sandboxtest.Complete(st, id); err == nil {
			t.Errorf("%s was completed", id)
		}
	}
}
