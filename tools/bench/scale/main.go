// SPDX-License-Identifier: MPL-2.0

// Command scale measures runs with many resources: wall time, and the CPU time and peak memory
// of the provider. Each run has its own provider process, which manages position assessments on an
// sandbox in the process of this command, without rate limits. Scale prints a table in
// Markdown.
//
//	scale -provider PATH -cli PATH SIZES ...
//
// Paths are absolute, because each run has its own working directory.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
)

func main() {
	if os.Getenv(realProvider) != "" {
		if err := standIn(); err != nil {
			log.Fatal(err)
		}
		return
	}
	provider := flag.String("provider", "", "the `path` of the provider's binary")
	cli := flag.String("cli", "", "the `path` of terraform or tofu")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Print("| resources | run | requests | wall | CPU | CPU per resource | peak memory | memory per resource |\n" +
		"|---:|---|---:|---:|---:|---:|---:|---:|\n")
	for _, size := range flag.Args() {
		resources, err := strconv.Atoi(size)
		if err != nil {
			log.Fatal(err)
		}
		if err := measure(ctx, *provider, *cli, resources); err != nil {
			log.Fatalf("%d resources: %v", resources, err)
		}
	}
}
