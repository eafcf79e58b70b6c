// SPDX-License-Identifier: MPL-2.0

// Command modules checks the Go modules of this repository, and describes the
// modules that a release contains:
//
//	modules check ROOT             versions, minimum versions, licenses
//	modules licenses ROOT          prints licenses.txt
//	modules notices ROOT           prints the license texts that each archive contains
//	modules sbom ARCHIVE DOCUMENT  writes the software bill of materials of an archive
//
// It uses the module cache and sends nothing over the network.
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "check":
		return check(ctx, args[1])
	case len(args) == 2 && args[0] == "licenses":
		linked, err := linkedModules(ctx, args[1])
		if err != nil {
			return err
		}
		fmt.Print(licenseTable(linked))
		return nil
	case len(args) == 2 && args[0] == "notices":
		return writeNotices(ctx, os.Stdout, args[1])
	case len(args) == 3 && args[0] == "sbom":
		return writeSBOM(args[1], args[2])
	}
	return fmt.Errorf("usage: modules check ROOT | licenses ROOT | notices ROOT | sbom ARCHIVE DOCUMENT")
}

// check prints every problem of the repository in a directory.
func check(ctx context.Context, root string) error {
	modules, err := findModules(root)
	if err != nil {
		return err
	}
	minimums, err := parseMinimums(minimumList)
	if err != nil {
		return err
	}
	linked, err := linkedModules(ctx, root)
	if err != nil {
		return err
	}
	problems := checkVersions(modules)
	problems = append(problems, checkMinimums(modules, minimums)...)
	problems = append(problems, checkLicenses(linked, licenseList)...)
	for _, problem := range problems {
		fmt.Fprintln(os.Stderr, "modules:", problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d problems. CONTRIBUTING.md, section \"Dependencies\", says how to fix them", len(problems))
	}
	fmt.Printf("%d modules, %d minimum versions, %d linked modules: no problem\n",
		len(modules), len(minimums), len(linked))
	return nil
}
