// SPDX-License-Identifier: MPL-2.0

// Package report is the command "assess report". It writes reports on positions into a directory: a page for each
// position that has candidates, an index and a table. It needs neither Terraform nor a state.
//
// It sends only GET requests, within the rate limits that it shares with the provider. It reads everything before it
// writes the first file, so that an interrupted run leaves no files.
package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
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
	Positions []string // titles or IDs. If empty, all positions that have candidates, except the positions in Except
	Except    []string // titles or IDs
	Title     string   // heading of the index
	Since     string   // a folder with an earlier report, or ""
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

	earlier  *report.Earlier     // nil without Since
	reported []*reportedPosition // in the order of the flags or of the service
}

// Run writes the reports, and prints what it wrote and why positions could not be read. Without an error, Incomplete
// means that some positions could not be read. With an error, Incomplete means that a part of the report was written,
// and Nothing that no part was. The caller must print the error, after everything that Run has printed.
func Run(ctx context.Context, o Options) (exitCode int, err error) {
	r := &reportCommand{Options: o, progress: cmdutil.NewProgress(o.Errors, o.Terminal)}
	defer r.progress.Close()
	folder := files.Folder{Path: r.Folder, Overwrite: r.Overwrite, IsPage: report.IsPage}
	if err := folder.Check(); err != nil {
		return Nothing, folderProblem(r.Folder, err)
	}
	if err := r.open(ctx); err != nil {
		return Nothing, err
	}
	if err := r.read(ctx); err != nil {
		r.printNotices() // they may explain the error
		return Nothing, err
	}
	r.printProblems()
	if err := r.checkWasRead(); err != nil {
		return Nothing, err
	}
	index := r.index()
	if err := folder.Write(reportFiles(index)); err != nil {
		if errors.As(err, new(*files.PartialError)) {
			return Incomplete, folderProblem(r.Folder, err)
		}
		return Nothing, folderProblem(r.Folder, err)
	}
	r.progress.Close() // before the result, which may go to the same terminal
	r.printResult(index)
	if len(index.Missing) > 0 {
		return Incomplete, nil
	}
	return Complete, nil
}

// open reads the report that --since names, and then the settings of the service. It sets r.earlier and r.source, and
// the source and date that the report shows. If the sandbox file is missing, it creates the file, and prints that.
func (r *reportCommand) open(ctx context.Context) error {
	if r.Since != "" {
		earlier, err := readEarlier(r.Since)
		if err != nil {
			what := messages.Sentence(fmt.Sprintf("Could not read the earlier report in %s: %v", r.Since, err))
			return message(what + " " + nothingWritten)
		}
		r.earlier = earlier
	}
	r.Created = r.progress.Print
	settings, err := run.Settings(ctx, r.Options.Options, "report")
	if err != nil {
		return message(messages.Capitalized(err) + ".")
	}
	settings.OnAttempt = r.progress.Attempt
	r.source, err = run.New(ctx, settings)
	if err != nil {
		return message(run.Explain("Could not read the results. "+nothingWritten, err))
	}
	r.Report.Source, r.Report.Date = settings.BaseURL.Host, time.Now().UTC().Format(time.RFC3339)
	return nil
}

// checkWasRead returns an error if no position could be read. If the folder has an earlier report, checkWasRead also
// returns an error if there is no position to report on, or if the run ended before all positions were tried.
func (r *reportCommand) checkWasRead() error {
	missing := len(r.those(isMissing))
	if missing > 0 && missing == len(r.reported) {
		return message("No position could be read. " + nothingWritten)
	}
	if _, err := os.Stat(filepath.Join(r.Folder, indexName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if len(r.reported) == 0 {
		return message("There is no position to report on, but the folder has an earlier report. " + nothingWritten +
			"\n\nTo fix this: if no position is left, delete the folder. If there is one, correct --except, or run the " +
			"command again.")
	}
	if slices.ContainsFunc(r.reported, isNotTried) {
		return message("The folder keeps its earlier report, because no more results could be read. " + nothingWritten)
	}
	return nil
}
