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
	code, err := run(ctx)
	stop()
	if err != nil {
		log.Print(err)
		code = c.failed
	}
	os.Exit(code)
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

func printVersion(flags *flag.FlagSet) runs {
	flags.Bool("version", false, "print the version and exit")
	return func(context.Context) (int, error) {
		_, err := fmt.Println("terraform-provider-assess", version)
		return 0, err
	}
}

func serveSandbox(flags *flag.FlagSet) runs {
	o := sandbox.Options{Log: os.Stdout}
	address := flags.String("sandbox", "", "serve the embedded assessment service on this `ADDRESS`, such as\n"+
		"127.0.0.1:8377, instead of the provider")
	flags.StringVar(&o.StateFile, "sandbox-state", "", "keep the state in this `FILE` instead of in memory")
	limits := flags.String("sandbox-limits", "on", "turn the rate limits of the service `on|off`")
	flags.BoolVar(&o.Remote, "sandbox-remote", false, "allow an address that other machines can reach")
	return func(ctx context.Context) (int, error) {
		if *limits != "on" && *limits != "off" {
			return 0, fmt.Errorf("-sandbox-limits must be on or off, not %q", *limits)
		}
		o.NoLimits = *limits == "off"
		return 0, sandbox.Run(ctx, *address, o)
	}
}

// environment selects the service that the environment variables name.
func environment() source.Options { return source.Options{Version: version, Getenv: os.Getenv} }

// stateFlag defines -sandbox-state for a command that can also read the embedded service.
func stateFlag(flags *flag.FlagSet, o *source.Options) {
	flags.StringVar(&o.StateFile, "sandbox-state", "", "use the embedded service with the state in this `FILE`")
}

func adoptExisting(flags *flag.FlagSet) runs {
	o := adopt.Options{Options: environment(), Out: os.Stdout, Progress: os.Stderr}
	stateFlag(flags, &o.Options)
	flags.StringVar(&o.File, "adopt", "", "write import and resource blocks for all position assessments of the service "+
		"at\nASSESS_BASE_URL into this new `FILE`. Their addresses contain the position and the assessment")
	return func(ctx context.Context) (int, error) { return 0, adopt.Write(ctx, o) }
}

// checkService prints the contract, or checks a service. The exit code is the verdict.
func checkService(flags *flag.FlagSet) runs {
	flags.Bool("check", false, "say whether the provider works with the service at ASSESS_BASE_URL. The exit code is 0\n"+
		"(works), 1 (works with limits) or 2 (does not work, could not be reached, or wrong flags)")
	o := servicecheck.Options{Options: environment(), Out: os.Stdout}
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	contract := flags.Bool("openapi", false, "print the contract with the service (OpenAPI), and check nothing")
	return func(ctx context.Context) (int, error) {
		if *contract {
			_, err := os.Stdout.Write(api.OpenAPI)
			return 0, err
		}
		return servicecheck.Run(ctx, o)
	}
}

// writeComment exits with 3 if the apply would refuse a part of the plan.
func writeComment(flags *flag.FlagSet) runs {
	var o comment.Options
	flags.StringVar(&o.Kind, "comment", "", "write a comment on the `plan|apply|drift` of a pipeline, in Markdown. The\n"+
		"exit code is 3 if the apply would certainly refuse a part of the plan, and 2 if there is no comment")
	flags.StringVar(&o.Dir, "dir", "out", "the `FOLDER` with plan.json and the other results of the run")
	flags.IntVar(&o.Limit, "limit", comment.DefaultLimit, "the maximum size of the comment, in `BYTES`")
	flags.StringVar(&o.Run, "run", "", "the `URL` of the run, to link its log")
	flags.StringVar(&o.Commit, "commit", "", "the `COMMIT` that was planned")
	return func(context.Context) (int, error) {
		refused, err := comment.Write(o, os.Stdout)
		if refused {
			return 3, err
		}
		return 0, err
	}
}

// comparePlans exits with 1 if two plans differ.
func comparePlans(flags *flag.FlagSet) runs {
	flags.Bool("compare", false, "compare two plans: `REVIEWED.json NEW.json`. The exit code is 0 if\n"+
		"both change the same things to the same values, and 1 otherwise")
	return func(context.Context) (int, error) {
		if flags.NArg() != 2 {
			return 0, errors.New("-compare requires two files: -compare REVIEWED.json NEW.json")
		}
		same, err := comment.Compare(flags.Arg(0), flags.Arg(1), os.Stdout)
		if !same {
			return 1, err
		}
		return 0, err
	}
}

// writeReports exits with a code that says how complete the reports are.
func writeReports(flags *flag.FlagSet) runs {
	o := folder.Options{Options: environment(), Out: os.Stdout, Errors: os.Stderr}
	stateFlag(flags, &o.Options)
	o.Flags(flags)
	return func(ctx context.Context) (int, error) {
		if info, err := os.Stderr.Stat(); err == nil {
			o.Terminal = info.Mode()&os.ModeCharDevice != 0
		}
		return folder.Run(ctx, o), nil
	}
}

// serveProvider runs the provider until the CLI stops it, or has gone.
func serveProvider(flags *flag.FlagSet) runs {
	debug := flags.Bool("debug", false, "serve the provider for a debugger: print the environment variable to set,\n"+
		"and wait for a CLI")
	return func(ctx context.Context) (int, error) {
		calls := callctx.NewCalls()
		var options []tf6server.ServeOpt
		if *debug {
			options = append(options, tf6server.WithManagedDebug(),
				tf6server.WithManagedDebugStopSignals([]os.Signal{os.Interrupt, syscall.SIGTERM}))
		} else {
			if err := dropUnreadLogs(); err != nil {
				return 0, err
			}
			gone, waitForParent := make(chan struct{}), parentProcess()
			go func() { waitForParent(); close(gone) }()
			go func() { waitForEnd(ctx.Done(), gone, calls); os.Exit(0) }()
		}
		collectLessOften()
		return 0, tf6server.Serve("registry.terraform.io/assessascode/assess", func() tfprotov6.ProviderServer {
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
