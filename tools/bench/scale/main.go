// SPDX-License-Identifier: MPL-2.0

// Command scale measures runs with many resources: wall time, and the CPU time and peak memory
// of the provider. Each run has its own provider process. This provider manages position
// assessments on an embedded service in another process, without rate limits. For comparison,
// the provider tls creates the same number of keys, and an older binary of this provider does
// the same as the new one. Scale prints tables in Markdown.
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
	serve := flag.Int("serve", 0, "serve this many positions (only for internal use)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *serve > 0 {
		if err := serveEstate(ctx, *serve); err != nil {
			log.Fatal(err)
		}
		return
	}
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
	if err := compare(ctx, *cli, subjects, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

// compare measures each subject with each number of resources, and prints the results.
func compare(ctx context.Context, cli string, subjects []subject, sizes []string) error {
	if len(sizes) == 0 {
		sizes = []string{"1000", "5000", "10000"}
	}
	fmt.Print("| resources | run | provider | requests | wall | CPU | CPU per resource | growth of the CPU | " +
		"peak memory | memory per resource |\n|---:|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	var ratios []string
	first := map[string]float64{}
	for _, size := range sizes {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		ours := map[string]cost{}
		for _, s := range subjects {
			err := s.measure(ctx, cli, n, func(run string, c cost) {
				key := s.label + run
				if first[key] == 0 {
					first[key] = c.cpu.Seconds()
				}
				c.print(n, run, s.label, c.cpu.Seconds()/first[key])
				if s.label == subjects[0].label {
					ours[run] = c
					return
				}
				ratios = append(ratios, fmt.Sprintf("| %d | %s | %s | %.2f | %.2f |\n", n, run, s.label,
					ours[run].cpu.Seconds()/c.cpu.Seconds(), float64(ours[run].peak)/float64(c.peak)))
			})
			if err != nil {
				return fmt.Errorf("%d resources of %s: %w", n, s.label, err)
			}
		}
	}
	if len(ratios) > 0 {
		fmt.Print("\nThis provider, relative to others:\n\n| resources | run | other | CPU | memory |\n" +
			"|---:|---|---|---:|---:|\n")
	}
	for _, line := range ratios {
		fmt.Print(line)
	}
	return nil
}
