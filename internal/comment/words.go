// SPDX-License-Identifier: MPL-2.0

package comment

import (
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
	case c.broken() && c.kind == "apply" && c.plan == nil:
		return "The apply failed"
	case c.broken() && c.kind == "apply":
		return fmt.Sprintf("The apply failed: %s done", of(c.countDone(), len(c.rows)))
	case c.broken() && c.kind == "drift":
		return "The check for drift failed"
	case c.broken():
		return "The plan failed"
	case c.kind == "apply" && !c.applied:
		return "Applied: no changes"
	case c.kind == "apply":
		return "Applied: " + c.count(true)
	case c.kind == "drift" && c.drifted():
		return "Drift: the service differs from the repository"
	case c.kind == "drift":
		return "No drift"
	}
	return "Plan: " + c.count(false)
}

// drifted is true if an apply would change the service, or if an assessment was attached
// outside the repository. Changed outputs are not drift: a supervisor who completes a profile
// changes them.
func (c comment) drifted() bool {
	return c.elsewhere || len(c.rows) > 0
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
		counts[r.kind]++
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
	n := 0
	for _, r := range c.rows {
		if len(r.attention) > 0 {
			n++
		}
	}
	if n > 0 && c.kind != "apply" {
		fmt.Fprintf(&b, "**Look at %s: %s.**\n\n", attentionOf(n, len(c.rows)), "see the last column")
	}
	return b.String()
}

func attentionOf(n, all int) string {
	if n == all {
		return things(n, "change")
	}
	return of(n, all)
}

// reasons explain the failure of a step, by the name of the step in the scripts.
var reasons = map[string]string{
	"lock": "The repository has no lock file. Run \"make lock\" and commit .terraform.lock.hcl.",
	"init": "The configuration is not valid, or the provider or the state could not be opened (tofu init). " +
		"Nothing was changed.",
	"fmt":  "A file is not formatted. Run \"tofu fmt -recursive\" and commit. Nothing was changed.",
	"test": "A test of this repository failed (tofu test). Nothing was changed.",
	"plan": "Nothing was changed. The messages below say why.",
	"reviewed": "There is no reviewed plan for what was merged. Nothing was changed. " +
		"The output below says how to fix this.",
	"merged": "What was merged is not what was planned, because another merge came first. Nothing was changed. " +
		"Open a new pull request, and merge only branches that are up to date.",
	"apply": "The apply stopped. Changes that are marked as done stay done. To continue, open a new pull request: " +
		"its plan contains the rest.",
}

func (c comment) failure() string {
	if reason, ok := reasons[c.failed]; ok {
		return reason
	}
	return "The run stopped before there was a plan. Nothing was changed. The log of the run says why."
}

// table returns the changes, in at most room bytes. Changes that need attention come first.
func (c comment) table(room int) string {
	if len(c.rows) == 0 {
		return ""
	}
	last := "Why it needs attention"
	if c.kind == "apply" {
		last = "Result"
	}
	header := "| Position | Assessment | What happens | " + last + " |\n|---|---|---|---|\n"
	const reserve = 200 // for the sentence about rows that do not fit
	room -= len(header) + reserve
	var b strings.Builder
	b.WriteString(header)
	for i, r := range c.rows {
		line := fmt.Sprintf("| %s | %s | %s | %s |\n", r.position, r.assessment, r.what, c.lastCell(r))
		if room -= len(line); room < 0 {
			b.WriteString("\n" + c.unshown(c.rows[i:]))
			break
		}
		b.WriteString(line)
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
	if c.kind == "apply" {
		return c.result(r)
	}
	if len(r.attention) == 0 {
		return ""
	}
	return "⚠️ " + strings.Join(r.attention, ". ") + "."
}

func (c comment) result(r row) string {
	switch done := c.events.completed[r.address]; {
	case c.events.failed[r.address]:
		return "❌ failed"
	case r.steps > 0 && done >= r.steps, r.steps == 0 && c.applied && !c.broken():
		return "✅ done"
	case done > 0:
		return "❌ removed, and not attached again"
	}
	return "not done"
}

func (c comment) countDone() int {
	n := 0
	for _, r := range c.rows {
		if strings.HasPrefix(c.result(r), "✅") {
			n++
		}
	}
	return n
}

// messages returns the errors and warnings of the CLI and the provider, including those of
// checks, in at most room bytes.
func (c comment) messages(room int) string {
	var b strings.Builder
	add := func(title, text string) bool {
		const reserve = 120 // for the last sentence
		indented, cut := block(text, room-b.Len()-len(title)-reserve, false)
		if indented == "" {
			b.WriteString("There are more messages: the log of the run has them.\n\n")
			return false
		}
		b.WriteString(title + "\n\n" + indented + "\n")
		if cut {
			b.WriteString("This message was cut: the log of the run has the rest.\n\n")
		}
		return !cut
	}
	for i, d := range c.events.diagnostics {
		word := "Warning"
		if d.Severity == "error" {
			word = "Error"
		}
		text := d.Summary + "\n\n" + d.Detail
		if d.Summary == "Check block assertion failed" {
			text = d.Detail
		}
		if d.Address != "" {
			text = d.Summary + "\n(" + d.Address + ")\n\n" + d.Detail
		}
		if !add(fmt.Sprintf("%s (message %d):", word, i+1), text) {
			return b.String()
		}
	}
	return b.String()
}
