// SPDX-License-Identifier: MPL-2.0

// Command assess is the companion of the provider. It checks a service, writes reports, exports what positions have,
// writes the comments of pipelines, compares plans, and serves the sandbox.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/check"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/companion/comment"
	"github.com/assessascode/terraform-provider-assess/internal/companion/export"
	"github.com/assessascode/terraform-provider-assess/internal/companion/pages"
	"github.com/assessascode/terraform-provider-assess/internal/companion/report"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// buildVersion is set by the release.
var buildVersion = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, cmdutil.NewFactory(buildVersion), os.Args[1:])
	stop()
	os.Exit(code)
}

// run executes the command that the arguments name, and returns the exit code. It prints the error of the command. An
// error that is not a [cmdutil.ExitError] counts as wrong use.
func run(ctx context.Context, f *cmdutil.Factory, args []string) (exitCode int) {
	root := newCmdRoot(f) //nolint:contextcheck // cobra passes ctx to the command
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*cmdutil.ExitError](err)
	if !ok {
		_, _ = fmt.Fprintf(f.ErrOut, "%v\n\n\"assess --help\" and \"assess COMMAND --help\" say more.\n", err)
		return cmdutil.WrongUse
	}
	if exit.Err != nil {
		_, _ = fmt.Fprintln(f.ErrOut, exit.Err)
	}
	return exit.Code
}

// newCmdRoot returns the tree of commands.
func newCmdRoot(f *cmdutil.Factory) *cobra.Command {
	root := &cobra.Command{
		Use:   "assess",
		Short: "The companion of the Terraform provider for recruiting assessments",
		Long: "The companion of the Terraform provider for recruiting assessments.\n\n" +
			"check, report and export read the service of ASSESS_BASE_URL, ASSESS_CLIENT_ID and ASSESS_API_KEY,\n" +
			"or the sandbox of --sandbox FILE. For a service, they also use ASSESS_HEADERS and\n" +
			"ASSESS_RATE_LIMIT_URL. They send only GET requests, and share the rate limits with the provider.\n\n" +
			"Guides: " + messages.Page("guides/getting-started"),
		Example: "  assess report demo --sandbox demo.json    # a report on invented people, without an account\n" +
			"  assess check                              # does the provider work with my service?\n" +
			"  assess export --format csv positions.csv  # what positions have, as a spreadsheet",
		Version:       f.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(f.Out)
	root.SetErr(f.ErrOut)
	root.SetVersionTemplate("assess {{.Version}}\n")
	root.AddCommand(
		report.NewCmdReport(f),
		check.NewCmdCheck(f),
		export.NewCmdExport(f),
		comment.NewCmdComment(f),
		comment.NewCmdCompare(f),
		pages.NewCmdSandbox(f),
		newCmdVersion(f),
	)
	return root
}

// newCmdVersion returns the command "version".
func newCmdVersion(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  assess version",
		Args:    cmdutil.Arguments(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(f.Out, "assess", f.Version)
			return cmdutil.Failed(err)
		},
	}
}
