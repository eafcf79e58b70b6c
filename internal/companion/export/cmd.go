// SPDX-License-Identifier: MPL-2.0

package export

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// NewCmdExport returns the command "export". It exits with 1 if [Write] fails, which also rejects some paths, and with
// [cmdutil.WrongUse] if other arguments or flags are wrong.
func NewCmdExport(f *cmdutil.Factory) *cobra.Command {
	o := Options{Options: f.Service(), Out: f.Out, Errors: f.ErrOut, Terminal: f.Terminal}
	cmd := &cobra.Command{
		Use:   "export --format hcl|csv PATH",
		Short: "Write what positions have as configuration, with import blocks",
		Long: "Writes the assessments that positions have into the new file PATH, so that the next plan imports\n" +
			"them and changes nothing. Points out duplicates, disabled tests, profiles of supervisors, and what\n" +
			"the file cannot contain.\n\n" +
			"hcl: an import block and a resource block for each, such as backend_engineer_london_qrt\n" +
			"csv: a row of the module \"spreadsheet\" for each, and imports.tf beside PATH with the import blocks\n\n" +
			"Exit codes: 0, 1 (it failed), 2 (wrong use).",
		Example: "  assess export --format csv positions.csv\n" +
			"  assess export --format hcl existing.tf\n\n" +
			"  # only what nobody manages yet\n" +
			"  terraform show -json > state.json\n" +
			"  assess export --format csv --state state.json more.csv",
		Args: cmdutil.Arguments("PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Format != "hcl" && o.Format != "csv" {
				return fmt.Errorf("--format must be hcl or csv, not %q", o.Format)
			}
			o.File = args[0]
			return cmdutil.Failed(Write(cmd.Context(), o))
		},
	}
	cmdutil.AddServiceFlags(cmd, &o.Options)
	cmd.Flags().StringVar(&o.Format, "format", "", "`FORMAT` of the file: hcl or csv")
	cmd.Flags().StringVar(&o.State, "state", "", "leave out what the state in this `FILE` manages")
	_ = cmd.MarkFlagRequired("format") // the flag exists
	cmdutil.Complete(cmd, "format", "hcl", "csv")
	return cmd
}
