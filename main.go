// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-assess serves the provider. Terraform and OpenTofu start it. For everything else, there is
// the companion cmd/assess.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// version is set by the release.
var version = "dev"

// main serves the provider, or prints the version. It exits with 2 if an argument is not a flag, because a person has
// probably confused the two programs.
func main() {
	log.SetFlags(0)
	debugged := flag.Bool("debug", false, "serve for a debugger: print the variable to set, and wait for a CLI")
	printVersion := flag.Bool("version", false, "print the version")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Printf("%q is not a flag. The commands for people are in another program, assess", flag.Arg(0))
		os.Exit(2)
	}
	if *printVersion {
		fmt.Println("terraform-provider-assess", version)
		return
	}
	if err := serve(*debugged); err != nil {
		log.Fatal(err)
	}
}

// serve runs the provider until the CLI stops it.
func serve(debugged bool) error {
	var options []tf6server.ServeOpt
	if debugged {
		options = append(options, tf6server.WithManagedDebug())
	} else if err := dropUnreadLogs(); err != nil {
		return err
	}
	collectLessOften()
	return tf6server.Serve("registry.terraform.io/assessascode/assess", func() tfprotov6.ProviderServer {
		return provider.NewServer(&provider.Provider{Version: version})
	}, options...)
}

// dropUnreadLogs turns logging off unless a variable whose name begins with TF_LOG is set. The plugin libraries log at
// level trace by default. They would write 20 lines for each call, which takes a third of the CPU time, and the CLI
// would discard them all.
func dropUnreadLogs() error {
	for _, variable := range os.Environ() {
		if name, value, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "TF_LOG") && value != "" {
			return nil
		}
	}
	return errors.Join(os.Setenv("TF_LOG_SDK", "OFF"), os.Setenv("TF_LOG_PROVIDER_ASSESS", "OFF"))
}

// collectLessOften lets the heap grow to three times the live data. A soft limit of 192 MiB makes the collection more
// frequent for large states. If GOGC or GOMEMLIMIT is set, collectLessOften changes nothing. Most states are small, so
// this costs about 10 MB, and saves a sixth of the CPU time.
func collectLessOften() {
	const limit = 192 << 20 // bytes
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(200)
		debug.SetMemoryLimit(limit)
	}
}
