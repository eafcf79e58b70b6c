// SPDX-License-Identifier: MPL-2.0

package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// NewCmdReport returns the command "report". It exits with the code that [Run] returns, or with [cmdutil.WrongUse] if
// the arguments and flags are wrong.
func NewCmdReport(f *cmdutil.Factory) *cobra.Command {
	o := Options{Options: f.Service(), Out: f.Out, Errors: f.ErrOut, Terminal: f.Terminal}
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Write a page for each position that has candidates, an index and a table",
		Long: "Writes the results of candidates into the new or empty folder DIR: an HTML page for each position\n" +
			"that has candidates, index.html and results.csv. The files contain personal data. On Linux and\n" +
			"macOS, only you can read them. On Windows, choose a private folder.\n\n" +
			"Exit codes: 0, 1 (a position or a file is missing), 2 (nothing was written).",
		Example: "  assess report monday\n" +
			"  assess report monday --position 'Backend Engineer, London' --language de --wide --excel\n" +
			"  assess report monday --since last-monday     # what is new\n" +
			"  assess report demo --sandbox demo.json       # invented people",
		Args: cmdutil.Arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Folder = args[0]
			if err := o.check(); err != nil {
				return err
			}
			o.Folder = filepath.Clean(o.Folder) // after the check, because an empty path would become "."
			return cmdutil.Exit(Run(cmd.Context(), o))
		},
	}
	flags := cmd.Flags()
	cmdutil.AddServiceFlags(cmd, &o.Options)
	flags.StringArrayVar(&o.Positions, "position", nil, "report only on the position with this `TITLE_OR_ID`, even if "+
		"it has no candidates (repeatable)")
	flags.StringArrayVar(&o.Except, "except", nil, "leave out the position with this `TITLE_OR_ID` (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("position", "except")
	flags.StringVar(&o.Report.Language, "language", "en", "`LANGUAGE` of texts, numbers and dates: "+
		strings.Join(report.Languages(), ", "))
	cmdutil.Complete(cmd, "language", report.Languages()...)
	flags.StringVar(&o.Title, "title", "", "`TITLE` of index.html")
	flags.StringVar(&o.Since, "since", "", "mark what is new since the earlier report in this `FOLDER`")
	flags.BoolVar(&o.Report.FinishedOnly, "finished-only", false, "only candidates who have completed all "+
		"assessments that they were invited to")
	flags.BoolVar(&o.Report.Anonymous, "anonymous", false, "pseudonyms instead of names, and no links")
	flags.BoolVar(&o.Report.Wide, "wide", false, "in results.csv, one row for each candidate")
	flags.BoolVar(&o.Report.Excel, "excel", false, "write results.csv so that Excel opens it correctly")
	flags.BoolVar(&o.Overwrite, "overwrite", false, "replace an earlier report in the folder")
	return cmd
}

// check returns an error if the arguments and flags are wrong.
func (o Options) check() error {
	languages := report.Languages()
	switch {
	case o.Folder == "":
		return errors.New("DIR must not be empty")
	case !slices.Contains(languages, o.Report.Language):
		return fmt.Errorf("--language must be one of %s, not %q", strings.Join(languages, ", "), o.Report.Language)
	case slices.Contains(slices.Concat(o.Positions, o.Except), ""): // would select all positions without a title
		return errors.New("--position and --except require a title or an ID")
	}
	return nil
}
