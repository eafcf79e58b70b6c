// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// broken reports whether the run failed.
func (c comment) broken() bool { return c.failed != "" || c.plan == nil || c.plan.errored }

// headline says what would be done, was done, or failed. For drift, it says what the check has found.
func (c comment) headline() string {
	switch {
	case c.broken() && c.plan != nil && c.events.succeeded: // for example, a later step of the pipeline failed
		return "Applied: " + c.changes(done) + ". Then the run failed"
	case c.broken() && c.Kind == "apply" && c.plan != nil && !c.mayHaveApplied():
		return "The apply failed: " + c.partDone() + " done"
	case c.broken() && c.Kind == "drift":
		return "The check for drift failed"
	case c.broken(): // in the cases below, c.plan is not nil
		return "The " + c.Kind + " failed"
	case c.Kind == "plan" && len(c.rejected) > 0:
		return "The plan must be corrected: " + c.changes(toDo)
	case c.Kind == "plan":
		return "Plan: " + c.changes(toDo)
	case c.Kind == "apply" && (c.applied || c.changes(done) == noChanges):
		return "Applied: " + c.changes(done)
	case c.Kind == "apply": // the apply did not run, or did not write its results
		return "The apply left no results. Planned: " + c.changes(toDo)
	// In the remaining cases, the kind is drift.
	case len(c.drift()) > 0 || len(c.byHand) > 0:
		return "Drift: the service differs from the repository"
	case len(c.rows) > 0:
		return "Not applied: the plan has changes that no apply has made"
	}
	return "No drift"
}

func partOf(n, all int) string { return fmt.Sprintf("%d of %s", n, countOfThings(all, "change")) }

func countOfThings(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// countRows returns how many rows have a property.
func countRows(rows []*row, has func(*row) bool) (n int) {
	for _, r := range rows {
		if has(r) {
			n++
		}
	}
	return n
}

func need(n int) string { return map[bool]string{true: "needs", false: "need"}[n == 1] }

func toDo(k changeKind) string { return k.before }
func done(k changeKind) string { return k.after }

const noChanges = "no changes"

// changes lists how many changes of each kind a plan has, such as "2 assessments to attach". Without such changes, it
// says whether outputs change or actions run. verb is toDo or done. All drift that the apply reverts counts as the kind
// reverted. There must be a plan.
func (c comment) changes(verb func(changeKind) string) string {
	counts := map[changeKind]int{}
	for _, r := range c.rows {
		if r.drift != "" && r.kind != recorded {
			counts[reverted]++
		} else {
			counts[r.kind]++
		}
	}
	var parts []string
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			parts = append(parts, countOfThings(n, kind.thing)+" "+verb(kind))
		}
	}
	outputs := slices.ContainsFunc(slices.Collect(maps.Values(c.plan.OutputChanges)), isChange)
	actions := len(c.plan.ActionInvocations) > 0 // with -invoke, also without changes
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case actions && outputs:
		return "no changes to resources, only outputs change and actions run"
	case actions:
		return "no changes to resources, only actions run"
	case outputs:
		return "no changes in the service, only outputs change"
	}
	return noChanges
}

// lead returns the text above the table: the reason for a failure, how many changes must be corrected, how many the
// plan defers and, for a plan, the text of [comment.attention]. It is empty if there is nothing to say.
func (c comment) lead() string {
	text := ""
	if c.broken() {
		text += "**" + c.failure() + "**\n\n"
	}
	if n := len(c.rejected); n > 0 {
		text += "**Correct " + partOf(n, len(c.planned())) + " (❌) before the apply.**\n\n"
	}
	if c.plan != nil && len(c.plan.DeferredChanges) > 0 {
		text += "**" + countOfThings(len(c.plan.DeferredChanges), "change") +
			" deferred to a later plan, because values are not known yet.**\n\n"
	}
	if c.Kind == "plan" {
		text += c.attention()
	}
	return text
}

// attention says how many changes of a plan need attention, and how many cannot be undone. It returns "" if no change
// needs attention.
func (c comment) attention() string {
	changes := c.planned()
	look := countRows(changes, (*row).needsAttention)
	if look == 0 {
		return ""
	}
	text := fmt.Sprintf("**%s %s attention: the last column says why.**", partOf(look, len(changes)), need(look))
	final := countRows(changes, func(r *row) bool { return r.final })
	if final > 0 && !c.broken() { // a plan that failed cannot be applied
		text += " **" + countOfThings(final, "change") + " cannot be undone.**"
	}
	return text + "\n\n"
}

// failure explains why a run failed, and says what to do or where the reason is. c.failed is the name of the step that
// failed, or "". The names init, reviewed and apply are from the scripts of the pipeline, and a user's own pipeline may
// have other steps. [comment.addPlan] also sets the name apply.
func (c comment) failure() string {
	switch {
	case c.failed == "init":
		return "The configuration is not valid, or the provider or the state could not be opened (init). The output " +
			"below or the log of the run says why. Nothing was changed."
	case c.failed == "reviewed":
		return "The apply did not begin. The output below or the log of the run says why, for example that its plan " +
			"does not do what was reviewed, or that there is a newer commit. Nothing was changed. " + planAgain +
			" The new plan shows all changes that are still to be made."
	case c.events.succeeded, c.applied && c.failed != "apply": // the run failed later, or there is no plan
		return "The apply has run. The log of the run says what it has changed, and why the run failed."
	case c.failed == "apply" && (!c.events.hasError() || slices.ContainsFunc(c.planned(), c.isRunning)):
		// An interrupted apply reports no error, or one besides changes that have begun and not ended.
		how := "was interrupted"
		if !c.applied {
			how = "failed or was interrupted, and left no results"
		}
		return "The apply " + how + ". Some changes that are not marked as done may be done. " + planAgain +
			" Set \"adopt\" on GitHub, or ASSESS_ADOPT_EXISTING=true elsewhere, so that the next apply adopts what " +
			"this apply has attached."
	case c.failed == "apply":
		return "The apply stopped because of an error. Changes that are marked as done stay done. " + planAgain +
			" The new plan contains the other changes."
	case c.mayHaveApplied():
		return "The run left no results of an apply. The log of the run says what was changed, and why the run failed."
	case c.events.hasError():
		return "Nothing was changed. The messages below say why the run failed."
	}
	return "Nothing was changed. The log of the run says why the run failed."
}

// mayHaveApplied reports whether an apply may have run without results. This is so if the apply failed, or a step that
// only a user's own pipeline has, because such a pipeline may run an apply without -json before the step. It is also so
// if there is neither the name of a step nor a plan.
func (c comment) mayHaveApplied() bool {
	isLater := !slices.Contains([]string{"init", "plan", "reviewed", "unlock"}, c.failed)
	if c.failed == "" {
		isLater = c.plan == nil
	}
	return c.Kind == "apply" && isLater && !c.applied && !c.events.hasError()
}

// planAgain explains how to start a new plan without a new commit on each host.
const planAgain = "To continue, start a new plan: press \"Run workflow\" on GitHub or \"New pipeline\" on GitLab, or " +
	"write the comment \"atlantis plan\" with Atlantis."

// table returns the changes that the repository makes, in about room bytes. [comment.driftTable] returns the changes in
// the service.
func (c comment) table(room int) string {
	title, lastColumn := "", "Why it needs attention"
	switch {
	case c.Kind == "apply":
		lastColumn = "Result"
	case c.broken():
		title = "**What failed, and what was planned before the failure:**\n\n"
	case c.Kind == "drift":
		title = "**The next apply makes these changes, because the repository and the service differ:**\n\n"
	}
	return c.grid(title, []string{"What happens", lastColumn}, c.own(), room, func(r *row) []string {
		return []string{r.what, c.lastCell(r)}
	})
}

// driftTable returns the changes in the service that the apply reverts or records, in about room bytes.
func (c comment) driftTable(room int) string {
	title := "**Changed in the service since the last apply, not by this pull request:**\n\n"
	if c.Kind == "drift" {
		title = "**Changed in the service since the last apply:**\n\n"
	}
	columns := []string{"What happened in the service", "What the apply does"}
	return c.grid(title, columns, c.drift(), room, func(r *row) []string {
		does, last := r.what, c.lastCell(r)
		switch {
		case c.Kind == "apply": // last is the result
			does += ": " + last
		case last != "": // last is why the change needs attention
			does += ". " + last
		}
		return []string{r.drift, does}
	})
}

// grid returns rows as a table with a title, in about room bytes, or "" if there are no rows. The first two columns are
// the position and the assessment. columns are the headings of the other columns, and cells returns their texts for a
// row. If there is no room for all rows, grid leaves out the last rows or all rows, and a sentence below the table says
// how many, and how many of them need attention. After an apply, these are the changes that are not done.
func (c comment) grid(title string, columns []string, rows []*row, room int, cells func(*row) []string) string {
	if len(rows) == 0 {
		return ""
	}
	line := func(position, assessment string, others []string) string {
		return "| " + strings.Join(append([]string{position, assessment}, others...), " | ") + " |\n"
	}
	var b strings.Builder
	b.WriteString(title + line("Position", "Assessment", columns) + strings.Repeat("|---", len(columns)+2) + "|\n")
	needsAttention := (*row).needsAttention
	if c.Kind == "apply" {
		needsAttention = func(r *row) bool { return !c.isDone(r) }
	}
	const reserve = 200 // for the sentence about rows that do not fit
	for i, r := range rows {
		text := line(r.position, r.assessment, cells(r))
		if b.Len()+len(text)+reserve > room {
			more, look := len(rows)-i, countRows(rows[i:], needsAttention)
			fmt.Fprintf(&b, "\n**The table has no room for %s. Of these, %d %s attention.** "+
				"The log of the run has the rest.\n", countOfThings(more, "more row"), look, need(look))
			break
		}
		b.WriteString(text)
	}
	return b.String() + "\n"
}

// lastCell returns the text of the last column. For an apply, this is the result of a change. Otherwise, it is why the
// change needs attention, or "" if it needs none.
func (c comment) lastCell(r *row) string {
	if c.Kind == "apply" {
		return c.result(r)
	}
	if !r.needsAttention() {
		return ""
	}
	mark := "⚠️ "
	if r.kind == rejected {
		mark = "❌ Correct this. "
	}
	text := mark + strings.Join(r.attention, ". ") + "."
	if r.final && !c.broken() { // a plan that failed cannot be applied
		text += " **This cannot be undone.**"
	}
	return text
}

// result says whether an apply has made a change or a part of it, or that this is not known. For an object with an
// error but no planned change, it returns what the messages say.
func (c comment) result(r *row) string {
	_, isCreated := c.events.created[r.address] // also without an ID
	switch {
	case r.kind == problem:
		return "❌ " + strings.Join(r.attention, ". ")
	case c.isDone(r):
		return "✅ done"
	case c.stepsAt(r.address) > r.steps && (c.events.completed[r.address] > 0 || c.events.failed[r.address]):
		return "not known" // an event does not say whether it is about the current or the deposed object
	case r.steps == 2 && isCreated: // with create_before_destroy
		return "❌ half done: there is a new one, and the old one may still be there"
	case r.steps == 2 && c.events.completed[r.address] > 0 && r.oldStays:
		return "❌ no longer managed, and the apply reports no new one"
	case r.steps == 2 && c.events.completed[r.address] > 0:
		return "❌ removed, and the apply reports no new one"
	case c.isRunning(r): // the run was killed
		return "not known"
	case c.events.failed[r.address]:
		return "❌ failed"
	case !c.applied && !c.broken(), c.mayHaveApplied(): // the apply left no results
		return "not known"
	case c.applied && r.steps == 0: // the CLI reports no steps, see isDone
		return "not known"
	}
	return "not done"
}

// isDone reports whether an apply has made a change. The CLI reports no steps for a change that affects only the state,
// and for an update whose new values prove to be the old ones. Such a change is done if the whole apply has succeeded.
func (c comment) isDone(r *row) bool {
	switch {
	case c.events.succeeded:
		return true
	case r.steps == 0:
		return c.applied && !c.broken()
	}
	return c.events.completed[r.address] >= c.stepsAt(r.address) && !c.events.failed[r.address]
}

// isRunning reports whether a step of a change, or of another change at its address, has begun and not ended.
func (c comment) isRunning(r *row) bool { return c.events.running[r.address] > 0 }

// stepsAt returns the number of steps of all changes at an address, where a plan can also remove deposed objects.
func (c comment) stepsAt(address string) (n int) {
	for _, r := range c.rows {
		if r.address == address {
			n += r.steps
		}
	}
	return n
}

// allDone reports whether an apply has succeeded, or has completed all steps of all changes, without an error.
func (c comment) allDone() bool {
	isOpen := func(r *row) bool { return c.events.completed[r.address] < c.stepsAt(r.address) }
	isComplete := c.events.succeeded || !slices.ContainsFunc(c.rows, isOpen)
	return isComplete && !c.events.hasError() && len(c.events.failed) == 0
}

// planned returns the rows of planned changes. It leaves out rows that only report an error.
func (c comment) planned() []*row {
	return slices.DeleteFunc(slices.Clone(c.rows), func(r *row) bool { return r.kind == problem })
}

// partDone says how many of all changes are done, such as "3 of 8 changes".
func (c comment) partDone() string { return partOf(countRows(c.planned(), c.isDone), len(c.planned())) }
