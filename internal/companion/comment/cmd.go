// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assessascode/terraform-provider-assess/internal/companion/cmdutil"
)

// Rejected is the exit code of "comment" if the apply would certainly reject a part of the plan, or would put one
// position assessment at two addresses.
const Rejected = 3

// NewCmdComment returns the command "comment". The command exits with [Rejected] if [Write] returns true, even with an
// error, and with 2 after any other error.
func NewCmdComment(f *cmdutil.Factory) *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "comment plan|apply|drift [--dir DIR]",
		Short: "Write the comment of a pipeline, in Markdown",
		Long: "Explains a plan, an apply or drift from files that a pipeline has written into a folder. Each may\n" +
			"be missing:\n\n" +
			"  plan.json    terraform show -json plan.bin        plan.jsonl   terraform plan -json\n" +
			"  plan.txt     terraform show -no-color plan.bin    apply.jsonl  terraform apply -json\n" +
			"  failed       name of the step that failed         log.txt      output of this step\n\n" +
			"\"comment plan\" also writes reviewed.json into DIR, for \"assess compare\", unless the plan failed or the\n" +
			"exit code is 3. \"comment drift\" writes the empty file drift into DIR if the service differs from the\n" +
			"repository, the plan has other changes to resources, or the plan failed. No credentials and no network\n" +
			"are needed.\n\n" +
			"Exit codes: 0, 2 (an error), 3 (the apply would certainly reject a part of the plan, or would put one\n" +
			"position assessment at two addresses).",
		Example: "  terraform plan -json -out=out/plan.bin > out/plan.jsonl\n" +
			"  terraform show -json out/plan.bin > out/plan.json\n" +
			"  assess comment plan --dir out > out/comment.md",
		ValidArgs: []string{"plan", "apply", "drift"},
		Args:      cmdutil.Arguments("plan|apply|drift"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Kind = args[0]
			rejected, err := Write(o, f.Out)
			if rejected {
				return cmdutil.Exit(Rejected, err)
			}
			if err != nil {
				return cmdutil.Exit(cmdutil.WrongUse, err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Dir, "dir", "out", "`DIR` with plan.json and the other files of the run")
	cmd.Flags().IntVar(&o.Limit, "limit", DefaultLimit,
		fmt.Sprintf("maximum size of the comment, in `BYTES` (at least %d)", smallest))
	cmd.Flags().StringVar(&o.Run, "run", "", "`URL` of the run, to link its log")
	cmd.Flags().StringVar(&o.Commit, "commit", "", "`HASH` of the commit that was planned")
	return cmd
}

// NewCmdCompare returns the command "compare". The command exits with 1 if [Compare] returns false or an error.
func NewCmdCompare(f *cmdutil.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "compare REVIEWED.json NEW.json",
		Short: "Compare a plan with a reviewed one",
		Long: "Says whether each change of a plan was reviewed, with the same values. Both files are outputs of\n" +
			"\"terraform show -json\". The first one can also be the file reviewed.json of \"assess comment plan\". Then\n" +
			"sensitive values are not compared.\n" +
			"A change that was reviewed may be missing, so the second apply of a half-applied merge usually passes.\n\n" +
			"Exit codes: 0 (each change was reviewed), 1 (some were not, or an error), 2 (wrong use).",
		Example: "  assess compare reviewed.json out/plan.json && terraform apply out/plan.bin",
		Args:    cmdutil.Arguments("REVIEWED.json", "NEW.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			same, err := Compare(args[0], args[1], f.Out)
			if !same || err != nil {
				return cmdutil.Exit(1, err)
			}
			return nil
		},
	}
}
