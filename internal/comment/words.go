// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// broken is true if the run failed.
func (c comment) broken() bool {
	return c.failed != "" || c.plan == nil || c.plan.Errored
}

func (c comment) headline() string {
	switch {
	case c.broken() && c.Kind == "apply" && c.plan == nil:
		return "The apply failed"
	case c.broken() && c.Kind == "apply":
		return fmt.Sprintf("The apply failed: %s done", of(c.countDone()))
	case c.broken() && c.Kind == "drift":
		return "The check for drift failed"
	case c.broken():
		return "The plan failed"
	case c.Kind == "apply" && !c.applied:
		return "Applied: no changes"
	case c.Kind == "apply":
		return "Applied: " + c.count(true)
	case c.Kind == "drift" && (len(c.drift) > 0 || len(c.byHand) > 0):
		return "Drift: the service differs from the repository"
	case c.Kind == "drift" && len(c.rows) > 0:
		return "Not applied: the repository has changes that the service lacks"
	case c.Kind == "drift":
		return "No drift"
	}
	return "Plan: " + c.count(false)
}

// drifted is true if an apply would change the service, or if an assessment was attached
// outside the repository. Changed outputs are not drift: a supervisor who completes a profile
// changes them.
func (c comment) drifted() bool {
	return len(c.byHand) > 0 || len(c.rows) > 0 || len(c.drift) > 0
}

func of(n, all int) string {
	return fmt.Sprintf("%d of %s", n, things(all, "change"))
}

func things(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// count lists how many changes of each kind there are. After an apply, it uses the past tense.
func (c comment) count(after bool) string {
	var counts [len(words)]int
	for _, r := range c.rows {
		if r.kind != problem {
			counts[r.kind]++
		}
	}
	var parts []string
	for k, n := range counts {
		if n == 0 {
			continue
		}
		word := words[k].before
		if after {
			word = words[k].after
		}
		parts = append(parts, things(n, words[k].thing)+" "+word)
	}
	if n := len(c.drift); n > 0 {
		word := " to revert in the service"
		if after {
			word = " reverted in the service"
		}
		parts = append(parts, things(n, "change")+word)
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case c.outputsChange():
		return "only outputs change"
	}
	return "no changes"
}

func (c comment) outputsChange() bool {
	for _, output := range c.plan.OutputChanges {
		if !slices.Equal(output.Actions, []string{"no-op"}) {
			return true
		}
	}
	return false
}

// lead returns the text above the table: notes, the reason of a failure, and what to check.
func (c comment) lead() string {
	var b strings.Builder
	if c.snapshot {
		b.WriteString("> [!NOTE]\n> **This plan was made on a snapshot of the service, without an API key and without the " +
			"state.** It checks names and settings. It does not show what the service contains now, and it cannot be " +
			"applied. Before the merge, a person with write access must plan again.\n\n")
	}
	if c.broken() {
		b.WriteString("**" + c.failure() + "**\n\n")
	}
	if c.Kind == "plan" {
		b.WriteString(c.advice())
	}
	return b.String()
}

// advice says how many changes need attention, and what the apply costs.
func (c comment) advice() string {
	look, final := 0, 0
	for _, r := range slices.Concat(c.rows, c.drift) {
		if len(r.attention) > 0 {
			look++
		}
		if r.final {
			final++
		}
	}
	text := ""
	if all := len(c.rows) + len(c.drift); look == all && look > 0 {
		text = "**Look at " + things(look, "change") + ": see the last column.**"
	} else if look > 0 {
		text = "**Look at " + of(look, all) + ": see the last column.**"
	}
	switch {
	case final == 1:
		text += " **1 cannot be undone.**"
	case final > 1:
		text += fmt.Sprintf(" **%d cannot be undone.**", final)
	}
	if !c.broken() && !c.snapshot && len(c.rows)+len(c.drift) > 0 {
		if text != "" {
			text += "\n\n"
		}
		text += "The apply sends " + forecastOf(*c.plan).String() + "."
	}
	if text != "" {
		text += "\n\n"
	}
	return text
}

// failure explains the failure of a step, by its name in the scripts.
func (c comment) failure() string {
	switch c.failed {
	case "lock":
		return "The repository has no lock file. Run \"make lock\" and commit .terraform.lock.hcl."
	case "init":
		return "The configuration is not valid, or the provider or the state could not be opened (tofu init). " +
			"Nothing was changed."
	case "fmt":
		return "A file is not formatted. Run \"tofu fmt -recursive\" and commit. Nothing was changed."
	case "test":
		return "A test of this repository failed (tofu test). Nothing was changed."
	case "plan":
		return "Nothing was changed. The messages below say why."
	case "reviewed":
		return "What was merged does not do what was reviewed. Nothing was changed. " + planAgain +
			": the new plan shows what is missing now."
	case "apply":
		if !c.events.explain() { // what was sent last has no result
			return "The apply was interrupted. Changes that are not marked as done may be done, too. " + planAgain +
				". Let it import what the apply has attached (\"adopt\" on GitHub, otherwise ASSESS_ADOPT_EXISTING=true)."
		}
		return "The apply stopped. Changes that are marked as done stay done. " + planAgain +
			": the new plan contains the rest."
	}
	if c.plan != nil {
		return "Nothing was changed. The messages below say why."
	}
	return "The run stopped before there was a plan. Nothing was changed. The log of the run says why."
}

// planAgain says how each host plans without a new commit.
const planAgain = "To continue, start a plan by hand (on GitHub \"Run workflow\", on GitLab \"New pipeline\", with " +
	"Atlantis a comment \"atlantis plan\")"

// deferred returns the changes that the CLI leaves to a later plan, in at most room bytes.
func (c comment) deferred(room int) string {
	if c.plan == nil || len(c.plan.DeferredChanges) == 0 {
		return ""
	}
	rows := make([]row, len(c.plan.DeferredChanges))
	for i, d := range c.plan.DeferredChanges {
		rows[i], _ = rowOf(d.ResourceChange, c.names)
		rows[i].attention = []string{cmp.Or(deferrals[d.Reason], code(d.Reason))}
	}
	const title = "**Deferred to a later plan:**\n\n"
	return title + c.grid([]string{"Position", "Assessment", "What happens", "Why not now"}, rows, room-len(title),
		func(r row) []string { return []string{r.position, r.assessment, r.what, r.attention[0]} })
}

// deferrals are the reasons of the CLI for a deferral.
var deferrals = map[string]string{
	"provider_config_unknown": "A setting of the provider is not known yet",
	"resource_config_unknown": "A value is not known yet",
	"instance_count_unknown":  "It is not known yet how many there are",
	"absent_prereq":           "What it depends on does not exist yet",
	"deferred_prereq":         "What it depends on is deferred, too",
}

// table returns the changes, in at most room bytes.
func (c comment) table(rows []row, room int) string {
	title := ""
	switch {
	case len(rows) == 0:
		return ""
	case c.Kind == "drift":
		title = "**In the repository, but not applied:**\n\n"
	case c.Kind == "plan" && c.broken():
		title = "**What failed, and what was planned before:**\n\n"
	}
	lastColumn := "Why it needs attention"
	if c.Kind == "apply" {
		lastColumn = "Result"
	}
	return title + c.grid([]string{"Position", "Assessment", "What happens", lastColumn}, rows, room-len(title),
		func(r row) []string { return []string{r.position, r.assessment, r.what, c.lastCell(r)} })
}

// drifts returns what happened in the service since the last apply, in at most room bytes.
func (c comment) drifts(room int) string {
	if len(c.drift) == 0 {
		return ""
	}
	title := "**Changed in the service since the last apply, not by this pull request:**\n\n"
	if c.Kind == "drift" {
		title = "**Changed in the service since the last apply:**\n\n"
	}
	columns := []string{"Position", "Assessment", "What happened in the service", "What the apply does"}
	return title + c.grid(columns, c.drift, room-len(title), func(r row) []string {
		does := r.what
		if c.Kind == "apply" {
			does += ": " + c.lastCell(r)
		} else if cell := c.lastCell(r); cell != "" {
			does += ". " + cell
		}
		return []string{r.position, r.assessment, r.drift, does}
	})
}

// difference returns how the plan differs from the reviewed one, in at most room bytes.
func (c comment) difference(room int) string {
	if len(c.differs) == 0 {
		return ""
	}
	rows := make([]row, len(c.differs))
	for i, d := range c.differs {
		rows[i] = row{address: d.address, what: d.explain(code)}
	}
	const title = "**What differs from the reviewed plan:**\n\n"
	return title + c.grid([]string{"Position", "Assessment", "Difference"}, rows, room-len(title), func(r row) []string {
		about := problemRow(r.address, c.names)
		return []string{about.position, cmp.Or(about.assessment, code(r.address)), r.what}
	})
}

// grid returns rows as a table, in at most room bytes.
func (c comment) grid(columns []string, rows []row, room int, cells func(row) []string) string {
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	header := line(columns) + strings.Repeat("|---", len(columns)) + "|\n"
	const reserve = 200 // for the sentence about rows that do not fit
	room -= len(header) + reserve
	var b strings.Builder
	b.WriteString(header)
	for i, r := range rows {
		text := line(cells(r))
		if room -= len(text); room < 0 {
			b.WriteString("\n" + c.unshown(rows[i:]))
			break
		}
		b.WriteString(text)
	}
	b.WriteString("\n")
	return b.String()
}

// unshown says how many rows do not fit into the table.
func (c comment) unshown(rows []row) string {
	n := 0
	for _, r := range rows {
		if len(r.attention) > 0 {
			n++
		}
	}
	return fmt.Sprintf("**The table has no room for %s, and %d of them need attention.** "+
		"The log of the run has the rest.\n", things(len(rows), "more change"), n)
}

func (c comment) lastCell(r row) string {
	if c.Kind == "apply" {
		return c.result(r)
	}
	if len(r.attention) == 0 {
		return ""
	}
	text := "⚠️ " + strings.Join(r.attention, ". ") + "."
	if r.final {
		text += " **This cannot be undone.**"
	}
	return text
}

func (c comment) result(r row) string {
	switch done := c.events.completed[r.address]; {
	case r.kind == problem:
		return "❌ " + strings.Join(r.attention, ". ")
	case c.events.failed[r.address]:
		return "❌ failed"
	case r.steps > 0 && done >= r.steps, r.steps == 0 && c.applied && !c.broken():
		return "✅ done"
	case done > 0:
		return "❌ removed, and not attached again"
	}
	return "not done"
}

// countDone returns how many changes are done, and how many there are.
func (c comment) countDone() (done, all int) {
	for _, r := range slices.Concat(c.rows, c.drift) {
		if r.kind != problem {
			all++
		}
		if strings.HasPrefix(c.result(r), "✅") {
			done++
		}
	}
	return done, all
}
