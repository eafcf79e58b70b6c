// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-assess serves the provider. Flags select other commands: see
// [commands].
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/adopt"
	"github.com/assessascode/terraform-provider-assess/internal/callctx"
	"github.com/assessascode/terraform-provider-assess/internal/comment"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/results/folder"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/servicecheck"
	"github.com/assessascode/terraform-provider-assess/internal/source"
)

// version is set by the release.
var version = "dev"

// wrongUse is the exit code for wrong flags and arguments, as in the package flag.
const wrongUse = 2

// commands are all commands. If no flag selects another one, the first one serves the provider.
var commands = []command{
	{"", serveProvider, 1},
	{"version", printVersion, 1},
	{"sandbox", serveSandbox, 1},
	{"adopt", adoptExisting, 1},
	{"check", checkService, servicecheck.DoesNotWork},
	{"comment", writeComment, wrongUse},
	{"compare", comparePlans, 1},
	{"report", writeReports, folder.Nothing},
}

func main() {
	log.SetFlags(0)
	program, args := os.Args[0], os.Args[1:]
	c := chosenCommand(commands, args)
	if asksForHelp(args) {
		printFlags(c, program)
		return
	}
	flags := flag.NewFlagSet(program, flag.ExitOnError)
	flags.Usage = func() { _, _ = fmt.Fprintf(flags.Output(), "%s -help prints all flags\n", program) }
	run := c.define(flags)
	err := c.check(commands, flags, args)
	if err == nil {
		_ = flags.Parse(args) // exits if it fails
	}
	if err == nil && flags.NArg() > 0 && c.flag != "compare" {
		err = fmt.Errorf("%q is not a flag: -help prints all flags", flags.Arg(0))
	}
	if err != nil {
		log.Print(err)
		os.Exit(wrongUse)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx)
	stop()
	if err != nil {
		log.Print(err)
		os.Exit(c.failed)
	}
}

// printFlags prints the flags of a command, or of all if no command is chosen.
func printFlags(chosen command, program string) {
	if chosen.flag != "" {
		chosen.printHelp(program, os.Stdout)
		return
	}
	fmt.Print("This program is a provider, which Terraform and OpenTofu start themselves. Flags select other\n" +
		"commands. The guides explain them: https://registry.terraform.io/providers/assessascode/assess/latest/docs\n\n")
	for _, c := range commands {
		c.printHelp(program, os.Stdout)
	}
}

func printVersion(flags *flag.FlagSet) func(context.Context) error {
	flags.Bool("version", false, "print the version and exit")
	return func(context.Context) error {
		_, err := fmt.Println("terraform-provider-assess", version)
		return err
	}
}

func serveSandbox(flags *flag.FlagSet) func(context.Context) error {
	o := sandbox.Options{Log: os.Stdout}
	address := flags.String("sandbox", "", "serve the embedded assessment service on this `ADDRESS`, such as\n"+
		"127.0.0.1:8377, instead of the provider")
	flags.StringVar(&o.StateFile, "sandbox-state", "", "keep the state in this `FILE` instead of in memory")
	limits := flags.String("sandbox-limits", "on", "turn the rate limits of the service `on|off`")
	flags.BoolVar(&o.Remote, "sandbox-remote", false, "allow an address that other machines can reach")
	return func(ctx context.Context) error {
		if *limits != "on" && *limits != "off" {
			return fmt.Errorf("-sandbox-limits must be on or off, not %q", *limits)
		}
		o.NoLimits = *limits == "off"
		return sandbox.Run(ctx, *address, o)
	}
}

// readFlags defines -sandbox-state for a command that can also read the embedded service. It returns which service the
// command reads.
func readFlags(flags *flag.FlagSet) *source.Options {
	o := environment()
	flags.StringVar(&o.StateFile, "sandbox-state", "", "use the embedded service with the state in this `FILE`")
	return &o
}

// environment selects the service that the environment variables name.
func environment() source.Options { return source.Options{Version: version, Getenv: os.Getenv} }

func adoptExisting(flags *flag.FlagSet) func(context.Context) error {
	from := readFlags(flags)
	file := flags.String("adopt", "", "write import and resource blocks for all position assessments of the service at\n"+
		"ASSESS_BASE_URL into this new `FILE`. Their addresses contain the position and the assessment")
	return func(ctx context.Context) error {
		return adopt.Write(ctx, adopt.Options{Options: *from, File: *file, Out: os.Stdout, Progress: os.Stderr})
	}
}

// checkService prints the contract, or checks a service and ends the process with the exit
// code of the verdict.
func checkService(flags *flag.FlagSet) func(context.Context) error {
	flags.Bool("check", false, "say whether the provider works with the service at ASSESS_BASE_URL. The exit code is 0\n"+
		"(works), 1 (works with limits) or 2 (does not work, could not be reached, or wrong flags)")
	o := servicecheck.Options{Options: environment(), Out: os.Stdout}
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	contract := flags.Bool("openapi", false, "print the contract with the service (OpenAPI), and check nothing")
	return func(ctx context.Context) error {
		if *contract {
			_, err := os.Stdout.Write(api.OpenAPI)
			return err
		}
		code, err := servicecheck.Run(ctx, o)
		if err == nil {
			os.Exit(code)
		}
		return err
	}
}

// writeComment ends the process with the exit code 3 if the apply would refuse a part of the plan.
func writeComment(flags *flag.FlagSet) func(context.Context) error {
	var o comment.Options
	flags.StringVar(&o.Kind, "comment", "", "write a comment on the `plan|apply|drift` of a pipeline, in Markdown. The\n"+
		"exit code is 3 if the apply would certainly refuse a part of the plan, and 2 if there is no comment")
	flags.StringVar(&o.Dir, "dir", "out", "the `FOLDER` with plan.json and the other results of the run")
	flags.IntVar(&o.Limit, "limit", comment.DefaultLimit, "the maximum size of the comment, in `BYTES`")
	flags.StringVar(&o.Run, "run", "", "the `URL` of the run, to link its log")
	flags.StringVar(&o.Commit, "commit", "", "the `COMMIT` that was planned")
	return func(context.Context) error {
		refused, err := comment.Write(o, os.Stdout)
		if err == nil && refused {
			os.Exit(3)
		}
		return err
	}
}

// comparePlans ends the process with the exit code 1 if two plans differ.
func comparePlans(flags *flag.FlagSet) func(context.Context) error {
	flags.Bool("compare", false, "compare two plans: `REVIEWED.json NEW.json`. The exit code is 0 if\n"+
		"both change the same things to the same values, and 1 otherwise")
	return func(context.Context) error {
		if flags.NArg() != 2 {
			return errors.New("-compare requires two files: -compare REVIEWED.json NEW.json")
		}
		same, err := comment.Compare(flags.Arg(0), flags.Arg(1), os.Stdout)
		if err == nil && !same {
			os.Exit(1)
		}
		return err
	}
}

// writeReports ends the process with an exit code that says how complete the reports are.
func writeReports(flags *flag.FlagSet) func(context.Context) error {
	from := readFlags(flags)
	o := folder.Options{Out: os.Stdout, Errors: os.Stderr}
	o.Flags(flags)
	return func(ctx context.Context) error {
		o.Options = *from
		if info, err := os.Stderr.Stat(); err == nil {
			o.Terminal = info.Mode()&os.ModeCharDevice != 0
		}
		if code := folder.Run(ctx, o); code != folder.Complete {
			os.Exit(code)
		}
		return nil
	}
}

// serveProvider runs the provider until the CLI stops it, or has gone.
func serveProvider(flags *flag.FlagSet) func(context.Context) error {
	debug := flags.Bool("debug", false, "serve the provider for a debugger: print the environment variable to set,\n"+
		"and wait for a CLI")
	return func(ctx context.Context) error {
		calls := callctx.NewCalls()
		var options []tf6server.ServeOpt
		if *debug {
			options = append(options, tf6server.WithManagedDebug(),
				tf6server.WithManagedDebugStopSignals([]os.Signal{os.Interrupt, syscall.SIGTERM}))
		} else {
			if err := dropUnreadLogs(); err != nil {
				return err
			}
			gone, waitForParent := make(chan struct{}), parentProcess()
			go func() { waitForParent(); close(gone) }()
			go func() { waitForEnd(ctx.Done(), gone, calls); os.Exit(0) }()
		}
		collectLessOften()
		return tf6server.Serve("registry.terraform.io/assessascode/assess", func() tfprotov6.ProviderServer {
			return provider.NewServer(&provider.Provider{Version: version, Calls: calls})
		}, options...)
	}
}

// dropUnreadLogs turns logging off unless a variable whose name begins with TF_LOG is
// set. The plugin libraries log at level trace by default. They would write 20 lines
// for each call, which takes a third of the CPU time, and the CLI would discard them
// all.
func dropUnreadLogs() error {
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "TF_LOG") && !strings.HasSuffix(variable, "=") {
			return nil
		}
	}
	return errors.Join(os.Setenv("TF_LOG_SDK", "OFF"), os.Setenv("TF_LOG_PROVIDER_ASSESS", "OFF"))
}

// collectLessOften lets the heap grow to three times the live data, but not beyond the limit for
// large states, unless GOGC or GOMEMLIMIT is set. Most states are small, so this costs about 10 MB,
// and saves a sixth of the CPU time.
func collectLessOften() {
	const limit = 192 << 20 // bytes
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(limit)
	}
}
