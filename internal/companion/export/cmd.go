// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// NewCmdExport returns the command "export". run replaces [Write] in tests.
func NewCmdExport(f *cmdutil.Factory, run func(context.Context, Options) error) *cobra.Command {
	o := Options{Options: f.Service(), Out: f.Out, Errors: f.ErrOut, Terminal: f.Terminal}
	cmd := &cobra.Command{
		Use:   "export --format hcl PATH",
		Short: "Write what positions have as configuration, with import blocks",
		Long: "Writes an import block and a resource block for each position assessment of the service into the new file\n" +
			"PATH. The address says which assessment of which position it is, such as backend_engineer_london_qrt. The next\n" +
			"plan imports everything and changes nothing.",
		Example: "  assess export --format hcl existing.tf\n" +
			"  assess export --format hcl existing.tf --sandbox assess-sandbox.json",
		Args: cmdutil.Arguments("PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Format != "hcl" {
				return fmt.Errorf("--format must be hcl, not %q", o.Format)
			}
			o.File = args[0]
			return cmdutil.Failed(run(cmd.Context(), o))
		},
	}
	cmdutil.AddServiceFlags(cmd, &o.Options)
	cmd.Flags().StringVar(&o.Format, "format", "", "`FORMAT` of the file: hcl")
	_ = cmd.MarkFlagRequired("format") // the flag exists
	return cmd
}
