// SPDX-License-Identifier: MPL-2.0

// Package export is the command "assess export". It reads position assessments from the service and writes a
// configuration for them: resource blocks with import blocks, or a spreadsheet with an import block. An address is made
// of the position and the assessment, such as backend_engineer_london_qrt. The command sends only GET requests.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// Options configures [Write].
type Options struct {
	run.Options
	Format string // hcl or csv
	File   string // the file to write. With csv, imports.tf in the same folder is a second one. Neither may exist
	State  string // a state file, whose position assessments are not exported, or ""
	// Out is where the summary and the notes are written. Errors is where progress is written.
	Out, Errors io.Writer
	Terminal    bool // whether Errors is a terminal
}

// Write writes the configuration of the position assessments that the state does not manage, and prints a report. If
// there is nothing to export, or nothing that a spreadsheet can contain, it writes no file. A run that is interrupted
// while it reads the service does not write a file either.
func Write(ctx context.Context, o Options) error {
	if err := o.check(); err != nil { // before many positions are read
		return err
	}
	state, err := readState(o.State)
	if err != nil {
		return fmt.Errorf("could not read the state %s: %w", o.State, err)
	}
	found, err := o.read(ctx)
	if err != nil {
		return err
	}
	all := found.unmanaged(state)
	if len(all) == 0 {
		_, err = fmt.Fprintln(o.Out, "There is nothing to export.")
		return err
	}
	written := all
	if o.Format == "csv" {
		written, err = found.writeSpreadsheet(o, all) // adds notes to what has no row, for the report
	} else {
		err = writeFile(o.File, renderBlocks(all))
	}
	if err != nil {
		return err
	}
	return found.report(o, all, written)
}

// check returns an error if File is not set, or if a file to write exists or has no folder. It also returns an error if
// neither CLI would read a file with blocks, or if a CLI would read the spreadsheet.
func (o Options) check() error {
	if o.File == "" {
		return errors.New("name a file, such as existing.tf or positions.csv")
	}
	if err := checkNew(o.File, "Name a new file"); err != nil {
		return err
	}
	if o.Format == "csv" {
		return o.checkSpreadsheet()
	}
	name := filepath.Base(o.File)
	switch ending := filepath.Ext(name); {
	case strings.HasPrefix(name, "."):
		return fmt.Errorf("the CLI ignores %s, because its name begins with a dot", o.File)
	case ending != ".tf" && ending != ".tofu":
		return fmt.Errorf("%s is for HCL, so its name must end with .tf. Use %[1]s.tf", o.File)
	}
	return nil
}

// checkSpreadsheet returns an error if a CLI would read File as a configuration, or if the file to which the export
// writes the import block (see importsPath) already exists.
func (o Options) checkSpreadsheet() error {
	name := strings.ToLower(o.File) // many file systems ignore the case
	ending := filepath.Ext(strings.TrimSuffix(name, ".json"))
	if ending == ".tf" || ending == ".tofu" {
		return fmt.Errorf("%s would be read as a configuration. Name the spreadsheet, such as positions.csv", o.File)
	}
	return checkNew(o.importsPath(), "Delete it, or name another folder")
}

// checkNew returns an error if a file exists, or if its folder does not. fix says what to do if the file exists.
func checkNew(path, fix string) error {
	switch err := (files.File{Path: path}).Check(); {
	case errors.Is(err, files.ErrExists):
		return fmt.Errorf("the file %s already exists. %s", path, fix)
	case err != nil:
		return fmt.Errorf("could not write %s: %w", path, err)
	}
	return nil
}

// writeFile writes a new file. Its error names the file.
func writeFile(path, text string) error {
	err := files.File{Path: path}.Write(func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("could not write %s: %w", path, err)
	}
	return nil
}

// importsPath returns the path of the file with the import block for the rows of a spreadsheet.
func (o Options) importsPath() string { return filepath.Join(filepath.Dir(o.File), importsName) }

// read reads what the service has, with the lists of options for the format csv. It shows the progress, and then the
// notices of the run, even if a request failed. If the sandbox creates its state file, read says so.
func (o Options) read(ctx context.Context) (organization, error) {
	progress := cmdutil.NewProgress(o.Errors, o.Terminal)
	defer progress.Close()
	o.Created = progress.Print
	cfg, err := run.Settings(ctx, o.Options, "export")
	if err != nil {
		return organization{}, err
	}
	cfg.OnAttempt = progress.Attempt
	service, err := run.New(ctx, cfg)
	if err != nil {
		return organization{}, errors.New(run.Explain("Could not read the service.", err))
	}
	contents, err := readOrganization(ctx, service, progress)
	if err == nil && o.Format == "csv" {
		contents.options, err = readOptions(ctx, service, contents.positions)
	}
	for _, n := range service.Notices() { // even after an error, because they may explain it
		progress.Print("Note: " + run.Note(n))
	}
	if err != nil {
		return organization{}, explain(err)
	}
	return contents, nil
}

// errNoList means that the service probably does not list the assessments of a position (assumption A7). With a 404,
// the position may have been deleted instead.
var errNoList = errors.New("this service does not list the assessments of a position")

// explain returns an error that says why the service could not be read, and what to do.
func explain(err error) error {
	if errors.Is(err, errNoList) {
		why, fix := "This", ""
		if assessapi.IsNotFound(err) {
			why, fix = "Either the position no longer exists, or this", "run the command again. If it fails again, "
		}
		return errors.New("Could not read the assessments of the positions.\n\n" + run.Response(err) + " " + why +
			" service does not list the assessments of a position.\n\n" +
			"To fix this: " + fix + "import each position assessment by its ID, with an import block " +
			"(POSITION_ID/POSITION_ASSESSMENT_ID). The website of the service shows the IDs.")
	}
	return errors.New(run.Explain("Could not read the assessments of the positions, or their options.", err))
}
