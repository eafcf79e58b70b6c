// SPDX-License-Identifier: MPL-2.0

// Package report is the command "assess report". It writes reports on positions into a directory, without Terraform and
// a state: a page for each position, an index and a table.
//
// It sends only GET requests, within the rate limits that it shares with the provider. It reads
// everything before it writes the first file, so that an interrupted run leaves nothing.
package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Exit codes.
const (
	Complete   = 0
	Incomplete = 1 // some positions could not be read, or some files could not be written
	Nothing    = 2 // nothing was written
)

// Options configures [Run].
type Options struct {
	run.Options
	Folder    string
	Overwrite bool
	Positions []string // titles or ids. Without any, all positions that have candidates, except for Except
	Except    []string // titles or ids
	Title     string   // heading of the index
	Report    report.Options
	// Out is where the result is written. Errors is where progress and problems are written.
	Out, Errors io.Writer
	// Terminal is whether Errors is a terminal, on which one line shows the progress.
	Terminal bool
}

// reportCommand is one run of the command.
type reportCommand struct {
	Options

	source   *run.Run
	progress *cmdutil.Progress

	reported []*reportedPosition // in the order of the flags or of the service
}

// Run writes the reports, and returns an exit code. It writes problems to o.Errors.
func Run(ctx context.Context, o Options) (exitCode int) {
	r := &reportCommand{Options: o, progress: cmdutil.NewProgress(o.Errors, o.Terminal)}
	code, problem := r.run(ctx)
	r.progress.Close()
	if problem != "" {
		_, _ = fmt.Fprintln(o.Errors, problem)
	}
	return code
}

// run returns an exit code, and what to print if nothing was written.
func (r *reportCommand) run(ctx context.Context) (exitCode int, problem string) {
	r.Report.Language = cmp.Or(r.Report.Language, "en")
	if languages := report.Languages(); !slices.Contains(languages, r.Report.Language) {
		return Nothing, fmt.Sprintf("--language must be one of %s, not %q", strings.Join(languages, ", "), r.Report.Language)
	}
	folder := files.Folder{Path: filepath.Clean(r.Folder), Overwrite: r.Overwrite, IsPage: report.IsPage}
	if r.Folder == "" {
		return Nothing, "Name a folder for the report."
	}
	if len(r.Positions) > 0 && len(r.Except) > 0 {
		return Nothing, "--position and --except cannot be used together"
	}
	if err := folder.Check(); err != nil {
		return Nothing, folderProblem(r.Folder, err)
	}
	r.Created = r.progress.Print
	cfg, err := run.Settings(ctx, r.Options.Options, "report")
	if err != nil {
		return Nothing, words.Capitalized(err) + "."
	}
	cfg.OnAttempt = r.progress.Attempt
	if r.source, err = run.New(ctx, cfg); err != nil {
		return Nothing, run.Explain("Could not read the results. "+nothingWritten, err)
	}
	r.Report.Source, r.Report.Date = cfg.BaseURL.Host, time.Now().UTC().Format(time.RFC3339)
	if problem := r.read(ctx); problem != "" {
		return Nothing, problem
	}
	r.printProblems()
	if missing := len(r.missing()); missing > 0 && missing == len(r.reported) {
		return Nothing, "No position could be read. " + nothingWritten
	}
	switch earlier, _ := os.ReadDir(r.Folder); {
	case len(earlier) == 0:
	case r.stopped():
		return Nothing, "The folder keeps its earlier report, because no more results could be read. " + nothingWritten
	case len(r.reported) == 0:
		return Nothing, "There is no position to report on, but the folder has an earlier report. " + nothingWritten +
			"\n\nTo fix this: if no position is left, delete the folder. If there is one, correct --except, or run the " +
			"command again."
	}
	index := r.index()
	if err := folder.Write(reportFiles(index)); err != nil {
		if errors.As(err, new(*files.PartialError)) {
			return Incomplete, folderProblem(r.Folder, err)
		}
		return Nothing, folderProblem(r.Folder, err)
	}
	r.printResult(index)
	if len(index.Missing) > 0 {
		return Incomplete, ""
	}
	return Complete, ""
}
