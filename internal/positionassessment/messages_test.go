// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Each failure of a write has a summary of its own, and says what to do.
func TestFailuresOfWrites(t *testing.T) {
	t.Parallel()
	r := runOn(t, &script{}, nil)
	at, lost := ref{"pos", "pas"}, errors.New("EOF")
	attaches := func(err error) diag.Diagnostic { return attachFailure(r, key, err) }
	adopts := func(err error) error { return fmt.Errorf("it was to be adopted: %w", err) }
	repeated := func(err error) error { return &assessapi.Error{Method: http.MethodPut, Err: err} }
	updates := func(err error) diag.Diagnostic {
		return changeFailure("Could not update", "What.", "It would discard", err)
	}
	removes := func(err error) diag.Diagnostic { return removalFailure(r, at, "asm", err) }
	rejected := &assessapi.Error{Own: true, Method: http.MethodDelete, Status: http.StatusConflict}
	notFound := &assessapi.Error{Own: true, Method: http.MethodGet, Route: "/x/{id}", Status: http.StatusNotFound}
	for _, row := range []struct {
		got           diag.Diagnostic
		summary, says string
	}{
		{attaches(&existsError{existing: []string{"pas"}, own: true}), "Duplicate position and assessment", "remove one of the two"},
		{attaches(&existsError{existing: []string{"a", "b"}}), "Already attached", "more than once, as a, b"},
		{attaches(&existsError{existing: []string{"a"}, why: "It differs."}), "Already attached", "already, as position assessment \"a\". It differs. Nothing was changed"},
		{attaches(&existsError{existing: []string{"a"}, stays: true}), "Already attached", "Nothing was changed.\n\nTo fix this: import the existing one:\n"},
		{attaches(&unknownError{"the list fails", lost}), "Could not confirm the attachment", "The request is not sent again, because the list fails"},
		{attaches(&unknownError{noList, lost}), "Could not confirm the attachment", `"pos/POSITION_ASSESSMENT_ID"`},
		{attaches(adopts(errProfileCompleted)), "Profile completed since the plan", "plan again"},
		{attaches(adopts(&unconfirmedError{lost})), "Could not confirm the update", "apply again"},
		{attaches(adopts(&notUpdatedError{differs: "tests"})), "Update without effect", "other values: tests"},
		{attaches(run.ErrCached), "Could not attach the assessment", "answers none from a cache"},
		{attaches(errPositionMissing), "Unknown position", "Nothing was sent"},
		{updates(errStatusNotShown), "Could not update", "It would discard that work, so nothing was written.\n\nTo fix this: run the command again."},
		{updates(repeated(errStatusNotShown)), "Could not update", "so the provider did not repeat the request, which may have had an effect.\n"},
		{removes(repeated(errProfileCompleted)), "Profile completed since the plan", "so the provider did not repeat the request"},
		{removes(errStatusNotShown), "Could not remove the position assessment", "ask the service operator"},
		{updates(lost), "Could not update", "EOF"},
		{updates(&assessapi.ProxyError{Status: 407}), "Could not update", "check the user and the password of the proxy"},
		{updates(x509.UnknownAuthorityError{}), "Could not update", "SSL_CERT_FILE"},
		{updates(&notUpdatedError{differs: "tests"}), "Update without effect", "other values: tests"},
		{removes(&notOfferedError{lost}), "Removal not supported", "state rm"},
		{removes(&notOfferedError{lost}), "Removal not supported", "  }\n\nOr run \"terraform state rm"}, // "forget" has no effect
		{removes(&notGoneError{listUnread, lost}), "Could not remove the position assessment", listUnread},
		{removes(&notGoneError{"It is listed", notFound}), "Could not remove the position assessment", "404 Not Found.\n\nTo fix this: run the command again later"},
		{removes(errStillThere), "Could not remove the position assessment", "run the command again later"},
		{removes(rejected), "Cannot remove: candidates were invited", "409"},
		{removes(rejected), "Cannot remove: candidates were invited", "Or first apply on_refused_removal = \"forget\". Or run"},
		{removes(rejected), "Cannot remove: candidates were invited", "The API key may also lack the right"},
		{recoveredWarning(r, at, "asm", lost), "Recovered after a lost response", "in the list of the position"},
		{otherValuesWarning(r, at, "asm", "tests"), "Attached with other values", "tests"},
		{goneWarning(r, at, "asm"), "Position assessment is gone", "no longer attached"},
	} {
		if row.got.Summary() != row.summary || !strings.Contains(row.got.Detail(), row.says) {
			t.Errorf("got %s: %s, want %s with %q", row.got.Summary(), row.got.Detail(), row.summary, row.says)
		}
	}
	warnKept(r, at, "asm")
	warnUnlisted(r, "pos")
	if said := r.Notices(); len(said) != 2 || said[0].Summary != "Adopted at another address" ||
		!strings.Contains(said[0].Detail, "or at the same address with create_before_destroy") {
		t.Errorf("warned %v", said)
	}
}

// A position assessment whose list element has only its ID is named without an assessment.
func TestDescribeBareElement(t *testing.T) {
	t.Parallel()
	d := dataSource{tf.DataSource{Run: &tf.Run{Run: runOn(t, &script{}, nil)}}}
	if got := d.searchFor(types.StringNull()).Describe(assessapi.PositionAssessment{ID: "pas"}); got != `"pas"` {
		t.Errorf("got %s", got)
	}
}
