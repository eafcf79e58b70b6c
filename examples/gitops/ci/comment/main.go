// Command comment writes the result of a run as a comment for people who do not read plans.
// The comment has a table with the names of positions and assessments, then the messages, and
// then the whole plan, which a click opens.
//
//	go run ci/comment/{main,plan,rows,text,words}.go -kind plan -dir out >comment.md
//
// It reads from the directory
//
//	plan.json    output of "tofu show -json plan.bin"
//	plan.txt     output of "tofu show -no-color plan.bin"
//	plan.jsonl   output of "tofu plan -json"
//	apply.jsonl  output of "tofu apply -json"
//	failed       name of the step that failed
//	log.txt      output of that step
//	snapshot     if it exists, the plan was made on a snapshot
//
// Each of them may be missing. Without a valid plan.json, the comment says that the plan failed.
// With -kind drift, it also writes or removes the empty file "drift" in the directory. The file
// means that the service differs from the repository, or that the plan failed.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "comment:", err)
		os.Exit(1)
	}
}

// run writes the comment. With -kind drift, it also writes or removes the file "drift".
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("comment", flag.ContinueOnError)
	kind := flags.String("kind", "plan", "what ran: plan, apply or drift")
	dir := flags.String("dir", "out", "folder with the results of the run")
	limit := flags.Int("limit", 65_536, "maximum size of the comment, in bytes")
	link := flags.String("run", "", "URL of the run, to link its log")
	commit := flags.String("commit", "", "commit that was planned")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, ok := markers[*kind]
	if !ok {
		return fmt.Errorf("-kind %q: it must be plan, apply or drift", *kind)
	}
	if *limit < smallest {
		return fmt.Errorf("-limit %d: it must be at least %d", *limit, smallest)
	}
	c, err := read(*dir)
	if err != nil {
		return err
	}
	c.kind, c.marker, c.limit, c.link, c.commit = *kind, text, *limit, *link, *commit
	if _, err := io.WriteString(out, c.markdown()); err != nil || c.kind != "drift" {
		return err
	}
	drift := filepath.Join(*dir, "drift")
	if c.broken() || c.drifted() {
		return os.WriteFile(drift, nil, 0o600)
	}
	return os.RemoveAll(drift)
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
		"plan.json", "plan.txt", "plan.jsonl", "apply.jsonl", "failed", "log.txt", "snapshot",
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
	var p plan
	if json.Unmarshal([]byte(files["plan.json"]), &p) == nil && p.FormatVersion != "" {
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
