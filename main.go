// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-assess serves the provider. With -sandbox, it serves the
// embedded assessment service instead. With -snapshot, it copies a service into a file
// to plan with. With -check, it says if the provider works with a service.
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
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/servicecheck"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

// version is set by the release.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve the provider for a debugger: print the environment variable to set, "+
		"and wait for a CLI")
	address := flag.String("sandbox", "", "serve the embedded assessment service on this address, such as "+
		"127.0.0.1:8377, instead of the provider")
	stateFile := flag.String("sandbox-state", "", "with -sandbox: keep the state in this file instead of in memory")
	limits := flag.String("sandbox-limits", "on", "with -sandbox: whether the rate limits are on or off")
	remote := flag.Bool("sandbox-remote", false, "with -sandbox: allow an address that other machines can reach")
	snapshotFile := flag.String("snapshot", "", "copy the assessments, their options and the positions of the service "+
		"at ASSESS_BASE_URL into this new file, so that you can plan without credentials")
	check := flag.Bool(
		"check",
		false,
		"say if the provider works with the service at ASSESS_BASE_URL. The exit code is 0 "+
			"(works), 1 (works with limits) or 2 (does not work, or could not be reached)",
	)
	asJSON := flag.Bool("json", false, "with -check: print JSON")
	openAPI := flag.Bool("openapi", false, "with -check: print the contract with the service (OpenAPI), and check nothing")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println("terraform-provider-assess", version)
		return
	}
	if *limits != "on" && *limits != "off" {
		log.Fatalf("-sandbox-limits must be on or off, not %q", *limits)
	}
	if *snapshotFile != "" && *address != "" || *check && (*snapshotFile != "" || *address != "") {
		log.Fatal("-check, -snapshot and -sandbox cannot be used together")
	}
	if (*asJSON || *openAPI) && !*check {
		log.Fatal("-json and -openapi require -check")
	}
	if *address == "" && (*stateFile != "" || *limits != "on" || *remote) {
		log.Fatal("-sandbox-state, -sandbox-limits and -sandbox-remote require -sandbox ADDRESS")
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case *check:
		err = checkService(ctx, *asJSON, *openAPI)
	case *snapshotFile != "":
		log.SetFlags(0)
		err = snapshot.Take(ctx, snapshot.Options{
			File: *snapshotFile, Version: version, Getenv: os.Getenv, Out: os.Stdout, Progress: os.Stderr,
			Words: snapshot.Words{Explain: provider.Explain, Answer: provider.Answer, Notice: provider.Note},
		})
	case *address != "":
		err = sandbox.Run(ctx, sandbox.ServerOptions{
			Address: *address, StateFile: *stateFile, NoLimits: *limits == "off", AllowRemote: *remote, Out: os.Stdout,
		})
	default:
		err = serve(*debug)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// checkService prints the contract, or checks a service and ends the process with the exit
// code of the verdict.
func checkService(ctx context.Context, asJSON, openAPI bool) error {
	if openAPI {
		_, err := os.Stdout.Write(api.OpenAPI)
		return err
	}
	code, err := servicecheck.Run(ctx, servicecheck.Options{
		Version: version, Getenv: os.Getenv, JSON: asJSON, Out: os.Stdout,
	})
	if err == nil {
		os.Exit(code)
	}
	return err
}

// serve runs the provider until the CLI stops it.
func serve(debug bool) error {
	// Terraform stops its providers itself, so a signal must not end this process.
	var options []tf6server.ServeOpt
	if debug {
		options = append(options, tf6server.WithManagedDebug())
	} else if err := dropUnreadLogs(); err != nil {
		return err
	}
	collectLessOften()
	return tf6server.Serve("registry.terraform.io/assessascode/assess", func() tfprotov6.ProviderServer {
		return provider.NewServer(&provider.Provider{Version: version})
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

// collectLessOften lets the heap grow to three times the live data, unless GOGC is set.
// The live data is small, so this costs about 10 MB and saves a sixth of the CPU time.
func collectLessOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}
