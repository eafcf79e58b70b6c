// SPDX-License-Identifier: MPL-2.0

// Package comment explains a plan to people who do not read plans, and compares two plans.
//
// A comment has a table with the names of positions and assessments, then the messages, and then
// the whole plan, which a click opens. [Write] reads these files from a folder, each of which may
// be missing:
//
//	plan.json      output of "tofu show -json plan.bin"
//	plan.txt       output of "tofu show -no-color plan.bin"
//	plan.jsonl     output of "tofu plan -json"
//	apply.jsonl    output of "tofu apply -json"
//	reviewed.json  what the reviewed plan does
//	failed         name of the step that failed
//	log.txt        output of that step
//	snapshot       if it exists, the plan was made on a snapshot
//
// Without a valid plan.json, the comment says that the plan failed.
package comment

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Options configures [Write].
type Options struct {
	Kind   string // what ran: plan, apply or drift
	Dir    string // folder with the results of the run
	Limit  int    // maximum size of the comment, in bytes
	Run    string // URL of the run, to link its log
	Commit string // that was planned
}

// DefaultLimit is the maximum size of a comment on GitHub.
const DefaultLimit = 65_536

// Write writes the comment. With the kind plan, it also writes what the plan does to the file
// reviewed.json, for [Compare]. With the kind drift, it also writes or removes the empty file
// drift, which means that the service differs from the repository, or that the plan failed.
func Write(o Options, out io.Writer) error {
	text, ok := markers[o.Kind]
	if !ok {
		return fmt.Errorf("-comment %q: it must be plan, apply or drift", o.Kind)
	}
	if o.Limit < smallest {
		return fmt.Errorf("-limit %d: it must be at least %d", o.Limit, smallest)
	}
	c, err := read(o.Dir)
	if err != nil {
		return err
	}
	c.kind, c.marker, c.limit, c.link, c.commit = o.Kind, text, o.Limit, o.Run, o.Commit
	if _, err := io.WriteString(out, c.markdown()); err != nil {
		return err
	}
	switch o.Kind {
	case "plan":
		return keep(filepath.Join(o.Dir, reviewedFile), !c.broken() && !c.snapshot, func() ([]byte, error) {
			return reviewedOf(*c.plan)
		})
	case "drift":
		return keep(filepath.Join(o.Dir, "drift"), c.broken() || c.drifted(), func() ([]byte, error) { return nil, nil })
	}
	return nil
}

// keep writes a file, or removes it if it must not exist.
func keep(path string, exists bool, contents func() ([]byte, error)) error {
	if !exists {
		return os.RemoveAll(path)
	}
	text, err := contents()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// markers are the first lines of comments, by kind. A later run finds its comment by the marker.
var markers = map[string]string{
	"plan":  "<!-- assess: plan -->",
	"apply": "<!-- assess: apply -->",
	"drift": "<!-- assess: drift -->",
}

// smallest is the smallest limit. Headline, reason and footer always fit into it.
const smallest = 4096

// comment contains everything that a comment shows.
type comment struct {
	kind, marker, link, commit string
	limit                      int

	failed   string // name of the step, "" if none failed
	applied  bool   // an apply ran, and maybe failed
	log      string
	snapshot bool
	plan     *plan // nil if there is none
	text     string
	rows     []row
	events   events
	// elsewhere is true if an assessment was attached outside the repository.
	elsewhere bool
}

func read(dir string) (comment, error) {
	files := map[string]string{}
	for _, name := range []string{
		"plan.json", "plan.txt", "plan.jsonl", "apply.jsonl", reviewedFile, "failed", "log.txt", "snapshot",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return comment{}, err
		}
		files[name] = string(text)
		if name == "snapshot" && err == nil {
			files[name] = "yes"
		}
	}
	c := comment{
		failed: strings.TrimSpace(files["failed"]), log: files["log.txt"], text: files["plan.txt"],
		snapshot: files["snapshot"] == "yes",
	}
	planned := readEvents([]byte(files["plan.jsonl"]))
	c.events = planned
	if files["apply.jsonl"] != "" {
		c.applied = true
		c.events = readEvents([]byte(files["apply.jsonl"]))
	}
	if p, err := decodePlan([]byte(files["plan.json"])); err == nil {
		c.plan = &p
		c.rows = rowsOf(p, c.events.diagnostics)
		for _, check := range p.Checks {
			if check.Address.Name == "attached_elsewhere" && check.Status == "fail" {
				c.elsewhere = true
			}
		}
	}
	return c, nil
}

// markdown returns the comment, at most limit bytes long. The headline and the footer are never
// cut. The table gets up to half of the rest, and the messages up to a third of what is then
// left. The log of a failed step gets up to half of the remainder, and the whole plan the rest.
func (c comment) markdown() string {
	head := c.marker + "\n### " + c.headline() + "\n\n" + c.lead()
	foot := c.footer()
	room := c.limit - len(head) - len(foot)

	table := c.table(room / 2)
	room -= len(table)
	messages := c.messages(room / 3)
	room -= len(messages)
	log := ""
	if !c.events.explain() { // otherwise the messages explain the failure
		log = c.folded("Output of the step that failed", c.log, room/2, true)
	}
	room -= len(log)
	return head + table + messages + log + c.folded("The whole plan", c.text, room, false) + foot
}

// folded returns a text that a click opens, or "" if there is no text.
func (c comment) folded(title, text string, room int, fromEnd bool) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	open := "<details><summary>" + title + "</summary>\n\n"
	const closed, cutHere = "\n</details>\n\n", "\nThis text was cut: the log of the run has the rest.\n"
	indented, cut := block(text, room-len(open)-len(closed)-len(cutHere), fromEnd)
	if indented == "" && room < len(open)+len(closed)+len(cutHere) {
		return ""
	}
	if cut {
		indented += cutHere
	}
	return open + indented + closed
}

var (
	address = regexp.MustCompile(`^https?://[A-Za-z0-9._:/-]+$`)
	hash    = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
)

func (c comment) footer() string {
	var parts []string
	if hash.MatchString(c.commit) {
		parts = append(parts, "Commit "+code(c.commit[:7])+".")
	}
	if address.MatchString(c.link) {
		parts = append(parts, "[Log of the run]("+c.link+").")
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + "\n"
}
