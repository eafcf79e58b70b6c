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

// commands are the commands. Without a flag of another command, the program serves the provider.
var commands = []flagCommand{
	{"", []string{"debug"}, serveProvider, 1},
	{"version", nil, printVersion, 1},
	{"sandbox", []string{"sandbox-state", "sandbox-limits", "sandbox-remote"}, serveSandbox, 1},
	{"adopt", []string{"sandbox-state"}, adoptExisting, 1},
	{"check", []string{"json", "openapi"}, checkService, servicecheck.DoesNotWork},
	{"comment", []string{"dir", "limit", "run", "commit"}, writeComment, wrongUse},
	{"compare", nil, comparePlans, 1},
	{"report", append([]string{"sandbox-state"}, folder.FlagNames...), writeReports, folder.Nothing},
}

func main() {
	var s flagValues
	s.define()
	flag.Usage = func() { _, _ = fmt.Fprintf(flag.CommandLine.Output(), "%s -help prints all flags\n", os.Args[0]) }
	if printHelp(commands, os.Args[0], os.Args[1:], os.Stdout) {
		return
	}
	flag.Parse()
	c, err := chosenCommand(commands)
	if err != nil {
		log.SetFlags(0)
		log.Print(err)
		os.Exit(wrongUse)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = c.run(ctx, s)
	stop()
	if err != nil {
		log.Print(err)
		os.Exit(c.failed)
	}
}

// define defines the flags.
func (s *flagValues) define() {
	flag.BoolVar(&s.debug, "debug", false, "serve the provider for a debugger: print the environment variable to set, "+
		"and wait for a CLI")
	flag.Bool("version", false, "print the version and exit")
	flag.StringVar(&s.sandbox.Address, "sandbox", "", "serve the embedded assessment service on this address, such as "+
		"127.0.0.1:8377, instead of the provider")
	flag.StringVar(&s.sandbox.StateFile, "sandbox-state", "", "with -sandbox: keep the state in this file instead of "+
		"in memory. With -adopt and -report: use the embedded service of this file")
	flag.StringVar(&s.limits, "sandbox-limits", "on", "with -sandbox: whether the rate limits are on or off")
	flag.BoolVar(&s.sandbox.AllowRemote, "sandbox-remote", false, "with -sandbox: allow an address that other machines "+
		"can reach")
	flag.StringVar(&s.adopt, "adopt", "", "write import and resource blocks for all position assessments of the service "+
		"at ASSESS_BASE_URL into this new file. Their addresses contain the position and the assessment")
	flag.Bool("check", false, "say if the provider works with the service at ASSESS_BASE_URL. The exit code is 0 "+
		"(works), 1 (works with limits) or 2 (does not work, could not be reached, or wrong flags)")
	flag.BoolVar(&s.json, "json", false, "with -check: print JSON")
	flag.BoolVar(&s.openAPI, "openapi", false, "with -check: print the contract with the service (OpenAPI), and check "+
		"nothing")
	flag.StringVar(&s.comment.Kind, "comment", "", "write the comment of a pipeline, in Markdown, about a plan, apply or "+
		"drift. The exit code is 3 if the apply would certainly refuse a part of the plan, and 2 if there is no comment")
	flag.StringVar(&s.comment.Dir, "dir", "out", "with -comment: the folder with plan.json and the other results of the "+
		"run")
	flag.IntVar(&s.comment.Limit, "limit", comment.DefaultLimit, "with -comment: the maximum size, in bytes")
	flag.StringVar(&s.comment.Run, "run", "", "with -comment: the URL of the run, to link its log")
	flag.StringVar(&s.comment.Commit, "commit", "", "with -comment: the commit that was planned")
	flag.Bool("compare", false, "compare REVIEWED.json with NEW.json, which follow this flag. The exit code is 0 if both "+
		"plans change the same things to the same values, and otherwise 1")
	s.report.Flags(flag.CommandLine)
}

func printVersion(context.Context, flagValues) error {
	_, err := fmt.Println("terraform-provider-assess", version)
	return err
}

func serveSandbox(ctx context.Context, s flagValues) error {
	if s.limits != "on" && s.limits != "off" {
		return fmt.Errorf("-sandbox-limits must be on or off, not %q", s.limits)
	}
	s.sandbox.NoLimits, s.sandbox.Out = s.limits == "off", os.Stdout
	return sandbox.Run(ctx, s.sandbox)
}

// source says which service a command reads.
func (s flagValues) source() source.Options {
	return source.Options{Version: version, StateFile: s.sandbox.StateFile, Getenv: os.Getenv}
}

func adoptExisting(ctx context.Context, s flagValues) error {
	log.SetFlags(0)
	return adopt.Write(ctx, adopt.Options{
		Options: s.source(), File: s.adopt, Out: os.Stdout, Progress: os.Stderr,
	})
}

// checkService prints the contract, or checks a service and ends the process with the exit
// code of the verdict.
func checkService(ctx context.Context, s flagValues) error {
	if s.openAPI {
		_, err := os.Stdout.Write(api.OpenAPI)
		return err
	}
	code, err := servicecheck.Run(ctx, servicecheck.Options{Options: s.source(), JSON: s.json, Out: os.Stdout})
	if err == nil {
		os.Exit(code)
	}
	return err
}

// writeComment ends the process with the exit code 3 if the apply would refuse a part of the plan.
func writeComment(_ context.Context, s flagValues) error {
	log.SetFlags(0)
	refused, err := comment.Write(s.comment, os.Stdout)
	if err == nil && refused {
		os.Exit(3)
	}
	return err
}

// comparePlans ends the process with the exit code 1 if two plans differ.
func comparePlans(context.Context, flagValues) error {
	log.SetFlags(0)
	if flag.NArg() != 2 {
		return errors.New("-compare requires two files: -compare REVIEWED.json NEW.json")
	}
	same, err := comment.Compare(flag.Arg(0), flag.Arg(1), os.Stdout)
	if err == nil && !same {
		os.Exit(1)
	}
	return err
}

// writeReports ends the process with an exit code that says how complete the reports are.
func writeReports(ctx context.Context, s flagValues) error {
	log.SetFlags(0)
	o := s.report
	o.Options, o.Out, o.Errors = s.source(), os.Stdout, os.Stderr
	if info, err := os.Stderr.Stat(); err == nil {
		o.Terminal = info.Mode()&os.ModeCharDevice != 0
	}
	if code := folder.Run(ctx, o); code != folder.Complete {
		os.Exit(code)
	}
	return nil
}

// serveProvider runs the provider until the CLI stops it, or has gone.
func serveProvider(ctx context.Context, s flagValues) error {
	calls := callctx.NewCalls()
	var options []tf6server.ServeOpt
	if s.debug {
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
