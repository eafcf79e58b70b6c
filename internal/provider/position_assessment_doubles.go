// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// creation is an assessment that this walk plans to add to a position.
type creation struct {
	position, assessment string
	metadata             assessapi.Metadata
}

// planCreation remembers a creation, and reports whether the same one is planned
// already, or one of the same assessment that is configured otherwise.
func (w *walk) planCreation(c creation) (same, other bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := creationKey{c.position, c.assessment}
	planned := w.creations[key]
	same = slices.Contains(planned, c.metadata.Key())
	if !same {
		w.creations[key] = append(planned, c.metadata.Key())
	}
	return same, len(planned) > 0 && !same
}

type creationKey struct{ position, assessment string }

// importing and destroying mark a position assessment, and report whether the
// other of the two is under way for it.
func (w *walk) importing(a attachment) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.imported[a] = true
	return w.destroyed[a]
}

func (w *walk) destroying(a attachment) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.destroyed[a] = true
	return w.imported[a]
}

// knewBefore reports whether the walk knows a position assessment, or the plan
// did that it applies: then that is about to be replaced, and nobody's double.
func (w *walk) knewBefore(a attachment) bool {
	if !w.knows(a) && !w.refreshed.Load() && w.notes.wasReplaced(a) {
		w.remember(a)
	}
	return w.knows(a)
}

// checkDoubles refuses to add what the position has already. The service would
// accept it, and a candidate would sit the same assessment twice.
func (r *positionAssessmentResource) checkDoubles(ctx context.Context, plan positionAssessmentModel, diags *diag.Diagnostics) {
	metadata, known := plan.metadata()
	c := creation{plan.PositionID.ValueString(), plan.AssessmentID.ValueString(), metadata}
	known = known && !plan.PositionID.IsUnknown() && !plan.AssessmentID.IsUnknown()
	if !known {
		r.letThrough(ctx, c.position, c.assessment, diags)
		return
	}
	const twice = "The same assessment twice"
	same, other := r.walk.planCreation(c)
	if same && !r.walk.repeats {
		diags.AddAttributeError(path.Root("assessment_id"), twice,
			fmt.Sprintf("Another resource of this configuration adds the assessment %q to the position %q with the same packages, benchmark, profile and tests. Remove one of the two.", c.assessment, c.position))
		return
	}
	if !r.walk.looksUp() {
		return
	}
	if other {
		diags.AddAttributeWarning(path.Root("assessment_id"), twice,
			fmt.Sprintf("Another resource of this configuration adds the assessment %q to the position %q as well, configured otherwise. The apply adds both, and candidates sit both.", c.assessment, c.position))
	}
	list, offered, err := r.walk.attached.list(ctx, c.position)
	switch {
	case assessapi.IsNotFound(err):
		r.checkPosition(ctx, c.position, diags)
		return
	case err != nil:
		diags.Append(diag.WithPath(path.Root("position_id"), failure("Cannot check the plan",
			fmt.Sprintf("The assessments of the position %q were to be listed, to see whether it has the assessment %q already.", c.position, c.assessment), err)))
		return
	case !offered:
		return
	}
	told := true
	for _, pa := range list.all {
		if pa.AssessmentID == c.assessment {
			told = r.judgeDouble(ctx, c, pa, diags) && told
		}
	}
	if told && !diags.HasError() {
		_ = r.walk.notes.compared(c) // where that fails, a lost answer is left to the user
	}
}

const cannotSayDouble = "Cannot say whether the assessment is there already"

// letThrough warns of what an addition may come to that is not known yet, and
// notes what the walk knows of that: it may be about to be replaced by it.
func (r *positionAssessmentResource) letThrough(ctx context.Context, position, assessment string, diags *diag.Diagnostics) {
	if !r.walk.looksUp() || position == "" {
		return
	}
	list, _, err := r.walk.attached.list(ctx, position)
	if err != nil {
		return // the apply will ask again
	}
	for _, pa := range list.all {
		what := attachment{position, pa.ID}
		if assessment != "" && pa.AssessmentID != assessment {
			continue
		}
		if r.walk.knows(what) {
			r.walk.replaces(what)
		}
		if assessment != "" {
			diags.AddAttributeWarning(path.Root("assessment_id"), cannotSayDouble,
				fmt.Sprintf("The position %q has the assessment %q already, as position assessment %q. How this one is to be configured is not known yet, so it cannot be told whether it is the same. "+
					"Compare the two: unless that one is about to be replaced, the apply adds a second one.", position, assessment, pa.ID))
		}
	}
}

// checkPosition refuses a position whose list answers 404. Where it is among
// the positions all the same, this service has no such lists (assumption A7).
func (r *positionAssessmentResource) checkPosition(ctx context.Context, id string, diags *diag.Diagnostics) {
	const unknown = "Unknown position"
	all, err := r.walk.positions.all(ctx)
	if err != nil {
		if r.walk.attached.listed.Load() { // else nothing proves anything: the service will judge
			diags.AddAttributeError(path.Root("position_id"), unknown, explain(fmt.Sprintf("The organisation has no position %q. Its positions could not be listed.", id), err))
		}
		return
	}
	ids := make([]string, len(all))
	for i, p := range all {
		ids[i] = p.ID
	}
	if slices.Contains(ids, id) {
		if !r.walk.attached.giveUp() {
			diags.AddAttributeError(path.Root("position_id"), "Cannot check the plan",
				fmt.Sprintf("The organisation has the position %q, and the service answered 404 to the list of its assessments, although it has such lists. "+
					"Whether the position has this assessment already cannot be told. Run it again.", id))
		}
		return
	}
	diags.AddAttributeError(path.Root("position_id"), unknown, fmt.Sprintf("The organisation has no position %q. Its positions: %s.", id, near(id, ids)))
}

// judgeDouble says what a planned creation means for one position assessment
// that is there. It reports whether the two could be compared.
func (r *positionAssessmentResource) judgeDouble(ctx context.Context, c creation, pa assessapi.PositionAssessment, diags *diag.Diagnostics) (told bool) {
	at, what := path.Root("assessment_id"), attachment{c.position, pa.ID}
	has := fmt.Sprintf("The position %q has the assessment %q already, as position assessment %q", c.position, c.assessment, pa.ID)
	moved := "If a state holds it under another address, move it:\n\n  moved {\n    from = <old address>\n    to   = <address>\n  }"
	tells := r.walk.tells(ctx, pa)
	same := tells && pa.Metadata.Equal(c.metadata)
	switch known := r.walk.knows(what); {
	case known && (same || !tells):
		r.walk.replaces(what)
		diags.AddAttributeWarning(at, "The position has this assessment already",
			has+". This configuration holds it under another address, or is about to replace it. If it is replaced, all is well; if not, a second one is added, which candidates sit as well. "+moved)
	case (same || !tells) && r.walk.knewBefore(what):
		diags.AddAttributeWarning(at, "The position has this assessment already",
			has+". A plan that was made here is about to replace it. If this is not the apply of that plan, a second one is added: remove the resource, or import that one.")
	case !tells:
		diags.AddAttributeWarning(at, cannotSayDouble,
			has+". The service has returned no packages, benchmark or tests in this run, so it cannot be told whether it is the same. Compare the two: the apply adds a second one.")
	case !same:
		detail := has + ", configured otherwise. Unless that one is about to be replaced, the apply adds a second one beside it."
		if !known {
			detail += "\n\nTo configure that one instead, import it:\n\n" + importBlock(what)
		}
		diags.AddAttributeWarning(at, "The position has this assessment already", detail)
	default:
		diags.AddAttributeError(at, "The position has this assessment already",
			has+", configured the same. Adding it once more would have candidates sit it twice.\n\n"+moved+
				"\n\nImporting it instead while the old address is destroyed would delete it.\n\nIf no state holds it, import it:\n\n"+importBlock(what)+
				"\n\nIf it is the very one that is about to be replaced: plan with refresh, and apply where the plan was made, or with plan_checks = false.")
	}
	return tells
}

// importBlock is what brings a position assessment into a state.
func importBlock(a attachment) string {
	return fmt.Sprintf("  import {\n    to = <address>\n    id = %q\n  }", joinImportID(a.position, a.id))
}

// tells reports whether a position assessment from a list can be compared with
// what is configured. On a service that never returns packages, benchmark and
// tests it can not (assumption A22), unless the assessment can have none of them.
func (w *walk) tells(ctx context.Context, pa assessapi.PositionAssessment) bool {
	return w.attached.shown.Load() || pa.Metadata.ProfileStatus != nil || w.carriesNothing(ctx, pa.AssessmentID)
}

// carriesNothing reports whether an assessment has neither packages nor
// benchmarks nor skills tests to choose from.
func (w *walk) carriesNothing(ctx context.Context, assessment string) bool {
	benchmarks, err := w.benchmarks(ctx, assessment)
	if err != nil || len(benchmarks) > 0 {
		return false
	}
	packages, err := w.packages(ctx, assessment)
	none := (err == nil || assessapi.IsNoList(err)) && len(packages) == 0
	for _, active := range []bool{true, false} {
		tests, err := w.skills(ctx, assessment, active)
		none = none && (err == nil || assessapi.IsNoList(err)) && len(tests) == 0
	}
	return none
}
