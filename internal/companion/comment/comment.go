// SPDX-License-Identifier: MPL-2.0

// Package comment implements the commands "assess comment" and "assess compare". It explains a plan to people who do
// not read plans, and compares two plans.
//
// A comment has a table with the names of positions and assessments, then the messages, and then the whole plan in a
// collapsed section. [Write] reads the files of a run from a folder. The help of [NewCmdComment] lists these files.
// Without a valid plan.json, the comment says that the run failed.
package comment

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// Options configures [Write].
type Options struct {
	Kind   string // what ran: plan, apply or drift
	Dir    string // folder with the results of the run
	Limit  int    // maximum size of the comment, in bytes
	Run    string // URL of the run, to link its log, of at most 2000 bytes
	Commit string // hash of the commit that was planned
}

// DefaultLimit is the maximum size of a comment on GitHub, in bytes.
const DefaultLimit = 65_536

// Write writes the comment. With the kind plan, it also writes the file reviewed.json, which describes the plan for
// [Compare]. If the plan failed or must be corrected, it removes the file instead. With the kind drift, it also writes
// the empty file drift, but removes it instead if the headline is "No drift". The other headlines are that the service
// differs from the repository, that the repository has changes that no apply has made, and that the plan failed.
//
// It returns whether the apply would certainly reject a part of the plan, or would put one position assessment at two
// addresses. For the kind apply, and if the plan failed, it returns false.
func Write(o Options, out io.Writer) (rejected bool, err error) {
	if err := o.check(); err != nil {
		return false, err
	}
	c, err := readInputs(o)
	if err != nil {
		return false, err
	}
	if _, err := io.WriteString(out, c.markdown()); err != nil {
		return false, err
	}
	return len(c.rejected) > 0, c.updateFiles()
}

// updateFiles writes or removes the files reviewed.json and drift, as [Write] says.
func (c comment) updateFiles() error {
	reviewed, drift := filepath.Join(c.Dir, reviewedFile), filepath.Join(c.Dir, "drift")
	switch {
	case c.Kind == "plan" && !c.broken() && len(c.rejected) == 0:
		return os.WriteFile(reviewed, reviewedOf(*c.plan), 0o600)
	case c.Kind == "plan":
		return removeIfExists(reviewed)
	case c.Kind == "drift" && (c.broken() || len(c.byHand)+len(c.rows) > 0):
		// Changed outputs are not drift: a supervisor who completes a profile changes them.
		return os.WriteFile(drift, nil, 0o600)
	case c.Kind == "drift":
		return removeIfExists(drift)
	}
	return nil
}

// check returns an error if the kind, the limit or the folder is not valid.
func (o Options) check() error {
	if !slices.Contains([]string{"plan", "apply", "drift"}, o.Kind) {
		return fmt.Errorf("%q: it must be plan, apply or drift", o.Kind)
	}
	if o.Limit < smallest {
		return fmt.Errorf("--limit %d: it must be at least %d", o.Limit, smallest)
	}
	// Each file may be missing, but a comment about a folder that does not exist would explain nothing.
	if _, err := os.ReadDir(o.Dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	return nil
}

func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// smallest is the smallest value of [Options.Limit], in bytes. The headline, lead and footer always fit into it.
const smallest = 4096

// comment contains everything that a comment shows.
type comment struct {
	Options

	failed   string // name of the step, "" if none failed
	applied  bool   // whether an apply left results, even if it failed
	log      string
	plan     *plan // nil if there is none
	text     string
	rows     []*row
	events   events
	moved    string            // the moved blocks that a plan lacks
	byHand   []string          // findings about assessments that were attached by hand
	checks   []string          // findings of other checks that concern the plan
	rejected map[string]string // why creations and imports must be corrected, by address
}

// own returns the rows that are not about drift. They are about changes that the repository makes, and about errors.
func (c comment) own() []*row {
	return slices.DeleteFunc(slices.Clone(c.rows), func(r *row) bool { return r.drift != "" })
}

// drift returns the rows about changes in the service, which the apply reverts or records.
func (c comment) drift() []*row {
	return slices.DeleteFunc(slices.Clone(c.rows), func(r *row) bool { return r.drift == "" })
}

// readInputs reads the files of a run, and returns the comment about it. Its messages are sorted by [diagnostic.rank].
// They come from apply.jsonl if the kind is apply and this file is not empty, and otherwise from plan.jsonl. Without a
// valid plan.json, the comment has no plan and no rows. readInputs returns an error only if a file exists and cannot be
// read.
func readInputs(o Options) (comment, error) {
	files, err := readFiles(o.Dir)
	if err != nil {
		return comment{}, err
	}
	planned := readEvents(files["plan.jsonl"])
	c := comment{
		Options: o, events: planned, log: string(files["log.txt"]), text: string(files["plan.txt"]),
		failed:  strings.TrimSpace(string(files["failed"])),
		applied: o.Kind == "apply" && len(files["apply.jsonl"]) > 0, // for other kinds, an earlier run left the file
	}
	if c.applied {
		c.events = readEvents(files["apply.jsonl"])
	}
	slices.SortStableFunc(c.events.diagnostics, func(a, b diagnostic) int { return a.rank() - b.rank() })
	p, err := decodePlan(files["plan.json"])
	if err != nil {
		return c, nil //nolint:nilerr // the comment says that the run failed
	}
	p.adopted, p.created = planned.adoptions(), c.events.created
	c.addPlan(p)
	return c, nil
}

// readFiles returns the contents of the files of a run, by name. The contents of a file that does not exist are nil. A
// file that exists and cannot be read is an error.
func readFiles(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"plan.json", "plan.txt", "plan.jsonl", "apply.jsonl", "failed", "log.txt"} {
		text, err := cmdutil.ReadText(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// addPlan adds a plan to the comment, with what the comment shows about the plan: rejections, rows, findings and moved
// blocks. The rows refer to messages by number, so the messages must have been sorted. If an apply left results that
// are not complete ([comment.allDone]), and the pipeline has named no failed step, addPlan sets c.failed to "apply".
func (c *comment) addPlan(p plan) {
	c.plan = &p
	if c.Kind != "apply" && !c.broken() { // an apply reports its own errors, and a failed plan cannot be applied
		c.rejected = p.rejections()
	}
	c.rows = rowsOf(p, c.events.diagnostics, c.rejected, namesOf(p))
	if c.applied && c.failed == "" && !c.allDone() { // the pipeline did not name the step
		c.failed = "apply"
	}
	c.byHand, c.checks = p.findings(c.rows)
	if c.Kind == "plan" {
		c.moved = p.moved()
	}
	if c.Kind == "apply" { // the comment of the plan has shown these assessments already
		c.byHand = nil
	}
	if c.applied { // the comment of the plan has shown the plan's findings that concern the plan
		c.checks = slices.DeleteFunc(c.events.checks, p.hasFinding)
	}
}

// markdown returns the comment, which has at most c.Limit bytes. It never cuts the headline, the lead and the footer.
// Each other section gets a part of the room that the sections before it have left.
func (c comment) markdown() string {
	// A later run of the pipeline recognizes this comment by its first line.
	text := "<!-- assess: " + c.Kind + " -->\n### " + c.headline() + "\n\n" + c.lead()
	foot := c.footer()
	add := func(part int, section func(room int) string) { // the section gets 1/part of the room
		text += section((c.Limit - len(text) - len(foot)) / part)
	}
	if c.Kind == "drift" {
		add(2, c.driftTable)
		add(2, c.table)
	} else {
		add(2, c.table)
		add(3, c.driftTable)
	}
	add(3, codeSection(movedTitle, c.moved, "\n"))
	add(3, codeSection("**Attached by hand:**\n\n", strings.Join(c.byHand, "\n\n"), "\n"))
	add(3, codeSection("**To do:**\n\n", strings.Join(c.checks, "\n\n"), "\n"))
	add(3, c.messageSections)
	add(2, c.outputOfFailedStep)
	add(1, codeSection("<details><summary>The whole plan</summary>\n\n", c.text, folded))
	return text + foot
}

const movedTitle = "**Renamed in the configuration. Ask the engineers to add these blocks. Otherwise, the apply " +
	"may remove each assessment and attach it again:**\n\n"

// codeSection returns a function that calls [cutSection].
func codeSection(title, text, ending string) func(room int) string {
	return func(room int) string { return cutSection(title, text, ending, room, beginning) }
}

func (c comment) outputOfFailedStep(room int) string {
	if !c.broken() || c.events.hasError() { // no step has failed, or the messages explain the failure
		return ""
	}
	return cutSection("<details><summary>Output of the step that failed</summary>\n\n", c.log, folded, room, end)
}

const (
	folded  = "\n</details>\n\n"
	cutHere = "\nThis text was cut: the log of the run has the rest.\n"
)

// cutSection returns a title, a text as an indented code block, and an ending, in at most room bytes. It returns "" if
// there is no text or no room. If the text is too long, cutSection cuts it and adds a sentence that says so. The
// parameter keep is the side of the text that is kept.
func cutSection(title, text, ending string, room int, keep side) string {
	indented, cut := indentedBlock(text, room-len(title)-len(ending)-len(cutHere), keep)
	if strings.TrimSpace(text) == "" || indented == "" {
		return ""
	}
	if cut {
		indented += cutHere
	}
	return title + indented + ending
}

func (c comment) footer() string {
	text := ""
	if c.Commit != "" {
		text = "Commit " + codeSpan(c.Commit[:min(7, len(c.Commit))]) + ".\n"
	}
	if c.Run != "" {
		text += "[Log of the run](" + c.Run + ").\n"
	}
	return text
}
