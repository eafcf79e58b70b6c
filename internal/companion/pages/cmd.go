// SPDX-License-Identifier: MPL-2.0

// Package pages serves the sandbox to programs and to people.
package pages

import (
	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Options configures [Run].
type Options struct {
	sandbox.Options
	Listen string // a loopback address
}

// NewCmdSandbox returns the command "sandbox", which exits with 1 if [Run] returns an error.
func NewCmdSandbox(f *cmdutil.Factory) *cobra.Command {
	o := Options{Options: sandbox.Options{Log: f.Out}}
	var limits bool
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "Serve the sandbox, with pages to look at and to practice on",
		Long: "Serves an assessment service with invented data on this machine until you press Ctrl-C. It prints\n" +
			"the settings for the provider, and then a line for each request to the service. Open its address\n" +
			"in a browser to see what the service has, and to do what colleagues, candidates and supervisors\n" +
			"do.\n\n" +
			"Exit codes: 0 (stopped), 1 (could not serve), 2 (wrong use).",
		Example: "  assess sandbox\n" +
			"  assess sandbox --listen 127.0.0.1:9000 --state assess-sandbox.json",
		Args: cmdutil.Arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.NoLimits = !limits
			return cmdutil.Failed(Run(cmd.Context(), o))
		},
	}
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:8377", "loopback `ADDRESS` to serve on")
	cmd.Flags().StringVar(&o.StateFile, "state", "", "keep the state in this `FILE` instead of in memory")
	cmd.Flags().BoolVar(&limits, "limits", true, "apply the service's rate limits")
	return cmd
}
