// SPDX-License-Identifier: MPL-2.0

package report

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// message is an error text of whole sentences, which is printed unchanged.
type message string

func (m message) Error() string { return string(m) }

const (
	nothingWritten         = "Nothing was written."
	errInterrupted message = "The run was interrupted. " + nothingWritten
)

// failed returns the error for a failed request without which no report can be written. The parameter what is the first
// sentence of the error, such as "Could not list the positions.", and the reason follows. If ctx has ended, failed
// returns errInterrupted.
func (r *reportCommand) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return message(run.Explain(what+" "+nothingWritten, err))
}

// folderProblem returns an error that says why the reports could not be written to a folder, and how to fix it.
func folderProblem(folder string, err error) error {
	fix := "choose a folder whose parent exists, and that you can write to"
	if errors.Is(err, files.ErrNotEmpty) {
		fix = "choose a new folder, or add --overwrite to replace an earlier report in it"
	}
	written := nothingWritten
	var partial *files.PartialError
	if errors.As(err, &partial) {
		fix = "close the files of the folder in other programs, and run the command again with --overwrite"
		written = fmt.Sprintf("Files that were written before: %d. The first one is %s.",
			len(partial.Published), partial.Published[0])
	}
	what := messages.Sentence(fmt.Sprintf("Could not write the reports to %s: %v", folder, err))
	return message(fmt.Sprintf("%s %s\n\nTo fix this: %s.", what, written, fix))
}

// advice says what to do about positions that could not be read, once for each reason. If an error has ended the run,
// unreadable positions and positions that were not tried share a text about this error.
func (r *reportCommand) advice(missing []*reportedPosition) (texts []string) {
	reasons := map[report.Reason]bool{}
	for _, p := range missing {
		reasons[p.reason()] = true
	}
	fixIf := func(reason report.Reason, text string) {
		if reasons[reason] {
			texts = append(texts, "To fix this: "+text+".")
		}
	}
	fixIf(report.Unknown, "correct the titles, which must match exactly, or use IDs. If a position no longer exists, "+
		"remove its flag")
	fixIf(report.Gone, r.leaveOut(missing))
	fixIf(report.Forbidden, "ask the service operator for the right to read these results, which the API key does not "+
		"have")
	ended := r.source.Client.Ended() // probably also why positions are unreadable
	if ended != nil && (reasons[report.NotTried] || reasons[report.Unreadable]) {
		return append(texts, run.Fix(ended))
	}
	fixIf(report.Unreadable, "run the command again later. If the same positions fail again, contact the service "+
		"operator")
	return texts
}

// leaveOut says how to leave out the positions that the service does not find, if they no longer exist. With
// --position, it also says what else to check if one of them has no title, because the list of positions may not
// contain its ID.
func (r *reportCommand) leaveOut(missing []*reportedPosition) string {
	const ifDeleted = "if these positions are closed or deleted, "
	isUntitled := func(p *reportedPosition) bool { return p.reason() == report.Gone && p.Name == "" }
	switch {
	case len(r.Positions) > 0 && slices.ContainsFunc(missing, isUntitled): // see [reportCommand.labels]
		return ifDeleted + "remove their --position. Otherwise, check the IDs and ASSESS_BASE_URL, including its path"
	case len(r.Positions) > 0:
		return ifDeleted + "remove their --position"
	}
	flags := ""
	for _, p := range missing {
		if p.reason() == report.Gone {
			flags += "--except " + argument(p.ID) + " "
		}
	}
	return ifDeleted + "add " + flags + "to leave them out"
}

// argument returns an ID as an argument for a shell, in quotes if necessary.
func argument(id string) string {
	if plain.MatchString(id) {
		return id
	}
	return "'" + strings.ReplaceAll(id, "'", `'\''`) + "'"
}

// plain matches an argument that needs no quotes in any shell.
var plain = regexp.MustCompile(`^[\w.][\w.-]*$`)

// printNotices prints the warnings of the run that were not printed yet. They do not mean that a request failed.
func (r *reportCommand) printNotices() {
	for _, n := range r.source.Notices() {
		r.progress.Print("Note: " + run.Note(n))
	}
}

// printProblems prints the remaining warnings of the run, and then what the report may lack and why: benchmarks,
// rankings, empty positions ([reportCommand.isEmpty]), and positions that could not be read. It says what to do about
// the latter.
func (r *reportCommand) printProblems() {
	r.printNotices()
	if undescribed := r.those(isUndescribed); len(undescribed) > 0 {
		r.progress.Print(fmt.Sprintf("Note: pages on which benchmarks may be missing: %d. %s",
			len(undescribed), run.Response(undescribed[0].undescribed)))
	}
	for _, p := range r.those(isNotReranked) {
		r.progress.Print(fmt.Sprintf("Note: the candidates of position %s are not ranked over what most have completed. %s",
			p.Label, run.Response(p.notReranked)))
	}
	if empty := r.those(r.isEmpty); len(empty) > 0 {
		r.progress.Print("Note: positions without candidates, which are not in " + tableName + ": " +
			messages.OneOf(empty) + ".")
	}
	missing := r.those(isMissing)
	r.printMissing(missing)
	for _, text := range r.advice(missing) {
		r.progress.Print(text)
	}
}

// printMissing prints why each position could not be read, and how many positions were not tried.
func (r *reportCommand) printMissing(missing []*reportedPosition) {
	notTried := 0
	for _, p := range missing {
		if isNotTried(p) {
			notTried++
		} else {
			r.progress.Print(p.failure())
		}
	}
	if notTried > 0 {
		r.progress.Print(fmt.Sprintf("Positions not tried, because earlier requests failed: %d.", notTried))
	}
}

// failure says why a position that was tried could not be read.
func (p *reportedPosition) failure() string {
	if p.reason() == report.Unknown {
		return p.problem.Error()
	}
	return fmt.Sprintf("Could not read the results of position %s. %s", p.Label, run.Response(p.problem))
}

// printResult prints how many positions have a page, how many candidates they have, how many positions are empty or
// missing, which page to open, and, without --overwrite, how to replace an incomplete report.
func (r *reportCommand) printResult(x report.Index) {
	candidates := 0
	for _, s := range x.Sections {
		candidates += len(s.Candidates)
	}
	text := fmt.Sprintf("Positions with a page: %d. Candidates: %d.", len(x.Sections), candidates)
	if len(x.Empty) > 0 {
		text += fmt.Sprintf(" Positions without candidates: %d.", len(x.Empty))
	}
	if len(x.Missing) > 0 {
		text += fmt.Sprintf(" Positions that could not be read: %d.", len(x.Missing))
	}
	text += "\nOpen " + filepath.Join(r.Folder, indexName)
	if len(x.Missing) > 0 && !r.Overwrite {
		text += "\nIf you run the command again, add --overwrite to replace this report."
	}
	_, _ = fmt.Fprintln(r.Out, text) // if this fails, the files are written nevertheless
}
