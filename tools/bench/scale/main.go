// SPDX-License-Identifier: MPL-2.0

// Command scale measures runs with many resources: wall time, and the CPU time and peak memory
// of the provider. Each run has its own provider process. This provider manages position
// assessments on an embedded service in the process of this command, without rate limits. For
// comparison, the provider tls creates the same number of keys, and an older binary of this
// provider does the same as the new one. Scale prints a table in Markdown.
//
//	scale -provider PATH [-tls PATH] [-before PATH] -cli PATH [SIZES ...]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
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
	other := flag.String("tls", "", "the `path` of the binary of hashicorp/tls, to compare with")
	before := flag.String("before", "", "the `path` of an older binary of the provider, to compare with")
	cli := flag.String("cli", "", "the `path` of terraform or tofu")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, path := range []*string{provider, other, before, cli} {
		if *path != "" { // each run has its own working directory
			var err error
			if *path, err = filepath.Abs(*path); err != nil {
				log.Fatal(err)
			}
		}
	}
	subjects := []subject{assess("assess", *provider)}
	if *before != "" {
		subjects = append(subjects, assess("before", *before))
	}
	if *other != "" {
		subjects = append(subjects, tls(*other))
	}
	fmt.Print("| resources | run | provider | requests | wall | CPU | CPU per resource | peak memory | memory per resource |\n" +
		"|---:|---|---|---:|---:|---:|---:|---:|---:|\n")
	for _, size := range flag.Args() {
		resources, err := strconv.Atoi(size)
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range subjects {
			if err := s.measure(ctx, *cli, resources); err != nil {
				log.Fatalf("%d resources of %s: %v", resources, s.label, err)
			}
		}
	}
}
