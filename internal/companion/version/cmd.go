// SPDX-License-Identifier: MPL-2.0

// Package version prints the version of the companion.
package version

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// NewCmdVersion returns the command "version".
func NewCmdVersion(f *cmdutil.Factory) *cobra.Command {
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
