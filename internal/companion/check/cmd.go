// SPDX-License-Identifier: MPL-2.0

package check

import (
	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// NewCmdCheck returns the command "check". If the command checks a service, its exit code is the code that [Run]
// returns.
func NewCmdCheck(f *cmdutil.Factory) *cobra.Command {
	o := Options{Options: f.Service(), Out: f.Out, Errors: f.ErrOut, Terminal: f.Terminal}
	var onlyContract bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say whether the provider works with a service",
		Long: "Sends at most 40 read requests, and says which assumptions of the provider the service meets. The\n" +
			"output contains no credentials and nothing about people, so you can share it.\n\n" +
			"Exit codes: 0 (works), 1 (works with limits), 2 (does not work, or could not be reached).",
		Example: "  assess check\n" +
			"  assess check --verbose\n" +
			"  assess check --openapi > openapi.yaml",
		Args: cmdutil.Arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if onlyContract {
				if _, err := f.Out.Write(api.OpenAPI); err != nil {
					return cmdutil.Exit(DoesNotWork, err)
				}
				return nil
			}
			return cmdutil.Exit(Run(cmd.Context(), o))
		},
	}
	cmdutil.AddServiceFlags(cmd, &o.Options)
	cmd.Flags().BoolVar(&o.Verbose, "verbose", false, "also show which assumptions the service meets, as --json does")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&onlyContract, "openapi", false,
		"print the contract with the service (OpenAPI), and check nothing")
	cmd.MarkFlagsMutuallyExclusive("json", "openapi")
	cmd.MarkFlagsMutuallyExclusive("openapi", "verbose")
	return cmd
}
