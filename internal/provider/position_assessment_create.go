// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

func (r *positionAssessmentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.walk.flush(&resp.Diagnostics)
	var plan positionAssessmentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !r.walk.begin(&resp.Diagnostics) {
		return
	}
	metadata, _ := plan.metadata() // all of it is known by now
	c := creation{plan.PositionID.ValueString(), plan.AssessmentID.ValueString(), metadata}
	asked := fmt.Sprintf("The assessment %q was to be added to the position %q.", c.assessment, c.position)
	pa, err := r.add(ctx, c, asked, &resp.Diagnostics)
	if err != nil {
		resp.Diagnostics.Append(additionFailure(asked, c, err))
		return
	}
	// From here on the assessment is attached: whatever fails is a warning, and
	// the state holds what is known.
	r.walk.remember(attachment{c.position, pa.ID})
	needsProfile := plan.ProfileStatus.IsUnknown()
	if needsProfile && !pa.HasMetadata {
		if whole, err := r.walk.attached.fresh(ctx, c.position, pa.ID); err == nil {
			pa = whole
		} else {
			resp.Diagnostics.AddWarning("Cannot read the added assessment",
				explain(fmt.Sprintf("%s It was, as position assessment %q, but the status and address of its profile could not be read; the next refresh will.", asked, pa.ID), err))
		}
	}
	r.walk.attached.noteWritten(pa)
	plan.settle(pa)
	writeKnowledge(ctx, resp.Private, serviceKnowledge{Carried: pa.Metadata.Configured()}, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, positionAssessmentIdentity{plan.PositionID, plan.ID})...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// add sends the request, and finds out what became of it where its answer was
// lost. It never sends it again while the first may have had its effect.
func (r *positionAssessmentResource) add(ctx context.Context, c creation, asked string, diags *diag.Diagnostics) (assessapi.PositionAssessment, error) {
	start := time.Now()
	limit, cancel := throttle.WithTimeout(ctx, r.walk.retryTimeout)
	defer cancel()
	// To find out is not cut short when the time is over, which stands still
	// whenever that waits for our own budget.
	finding, stop := context.WithCancel(context.WithoutCancel(limit))
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	for attempts := 1; ; attempts++ {
		pa, err := r.walk.client.AddAssessment(limit, c.position, c.assessment, c.metadata)
		r.walk.changed(c.position)
		var lost *assessapi.LostError
		if !errors.As(err, &lost) {
			return pa, err
		}
		found, err := r.recover(finding, c, lost, attempts)
		if err != nil {
			return pa, err
		}
		if found != nil {
			diags.AddWarning("An added assessment was recognised",
				fmt.Sprintf("%s Its answer was lost, and the position now holds exactly one such assessment that this run neither read nor added: %q. It is taken to be the one.\n\n%s",
					asked, found.ID, came(lost)))
			return *found, nil
		}
		if limit.Err() != nil {
			return pa, inAll(lost.Err, attempts, time.Since(start))
		}
	}
}

// inAll makes the last error say how often it was tried, and for how long.
func inAll(err error, attempts int, elapsed time.Duration) error {
	var (
		refused *assessapi.Error
		call    *assessapi.CallError
	)
	switch {
	case errors.As(err, &refused):
		refused.Attempts, refused.Elapsed = attempts, elapsed
	case errors.As(err, &call):
		call.Attempts, call.Elapsed = attempts, elapsed
	}
	return err
}

// recover looks for an assessment whose addition was not answered, twice, since
// the effect may come late: nil and no error mean that it is not there.
func (r *positionAssessmentResource) recover(ctx context.Context, c creation, lost *assessapi.LostError, attempts int) (*assessapi.PositionAssessment, error) {
	unresolved := func(why string) error { return &unresolvedError{lost: lost, why: why} }
	if !r.walk.planChecks {
		return nil, unresolved("plan_checks is off, so it is not known what the position held before")
	}
	found, err := r.search(ctx, c, lost)
	if err != nil || found != nil {
		return found, err
	}
	if lost.Settle(ctx, attempts) != nil {
		return nil, unresolved("the run was interrupted while it might still be under way")
	}
	found, err = r.search(ctx, c, lost)
	if err == nil && found == nil && lost.Accepted {
		err = unresolved("the service has answered that it was, and the position does not hold it")
	}
	return found, err
}

// search reads the position's list afresh and picks what matches.
func (r *positionAssessmentResource) search(ctx context.Context, c creation, lost *assessapi.LostError) (*assessapi.PositionAssessment, error) {
	unresolved := func(why string) error { return &unresolvedError{lost: lost, why: why} }
	r.walk.attached.lists.drop(c.position)
	list, offered, err := r.walk.attached.list(ctx, c.position)
	switch {
	case ctx.Err() != nil:
		return nil, unresolved("the run was interrupted before the assessments of the position were listed")
	case err != nil:
		return nil, unresolved("the assessments of the position could not be listed either: " + strings.TrimSuffix(came(err), "."))
	case !offered:
		return nil, unresolved("this service does not list the assessments of a position")
	}
	var matches []assessapi.PositionAssessment
	for _, pa := range list.all {
		if pa.AssessmentID != c.assessment || r.walk.knewBefore(attachment{c.position, pa.ID}) {
			continue
		}
		if !r.walk.tells(ctx, pa) {
			return nil, unresolved(fmt.Sprintf("the position holds the assessment as %q, and the service does not say how it is configured", pa.ID))
		}
		if pa.Metadata.Equal(c.metadata) {
			matches = append(matches, pa)
		}
	}
	switch len(matches) {
	case 0:
		return nil, nil
	case 1:
		if !r.walk.notes.wasCompared(c) {
			return nil, unresolved(fmt.Sprintf("the position holds it as %q, which may have been there before: no plan that was made here has compared the two", matches[0].ID))
		}
		if !r.walk.claim(attachment{c.position, matches[0].ID}) {
			return nil, unresolved(fmt.Sprintf("%q has been taken by another resource in the meantime", matches[0].ID))
		}
		return &matches[0], nil
	}
	ids := make([]string, len(matches))
	for i, pa := range matches {
		ids[i] = pa.ID
	}
	return nil, unresolved("the position holds it more than once, as " + strings.Join(ids, ", "))
}

// unresolvedError says that it cannot be told whether a lost addition happened.
type unresolvedError struct {
	lost *assessapi.LostError
	why  string
}

func (e *unresolvedError) Error() string { return e.why }

// Unwrap returns what came instead of an answer.
func (e *unresolvedError) Unwrap() error { return e.lost }

// additionFailure words what became of an addition that failed, or may have.
func additionFailure(asked string, c creation, err error) diag.Diagnostic {
	const summary = "Cannot add the assessment"
	var unresolved *unresolvedError
	if !errors.As(err, &unresolved) {
		return failure(summary, asked, err)
	}
	return diag.NewErrorDiagnostic("Cannot tell whether the assessment was added",
		fmt.Sprintf("%s The request was sent, and its answer was lost. %s\n\nWhether it was added cannot be told: %s. It was not sent again, because there might then be two.\n\n"+
			"Look at the position in the service. If the assessment is there, import it; if not, apply again:\n\n%s",
			asked, came(unresolved.lost), unresolved.why, importBlock(attachment{c.position, "POSITION_ASSESSMENT"})))
}
