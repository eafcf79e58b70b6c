// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

const usage = `usage:
  docs relink ROOT         list the sections in the troubleshooting guide, and change the links of generated pages so
                           that they work wherever the pages are read
  docs links ROOT          fail if a link is dead on GitHub, the Terraform registry or the OpenTofu registry
  docs messages ROOT       fail if a message has no section with an anchor in the troubleshooting pages
  docs tables ROOT         fail if a cell of a table is too long
  docs snippets ROOT CLI   fail if a configuration on a page is not formatted or not valid`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flag.Usage = func() { fmt.Fprintln(os.Stderr, usage) }
	flag.Parse()
	if err := run(ctx, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "relink":
		if err := addIndex(args[1]); err != nil {
			return err
		}
		return relink(args[1])
	case len(args) == 2 && args[0] == "links":
		return checkLinks(args[1], out)
	case len(args) == 2 && args[0] == "messages":
		return checkMessages(args[1], out)
	case len(args) == 2 && args[0] == "tables":
		return checkTables(args[1])
	case len(args) == 3 && args[0] == "snippets":
		return checkSnippets(ctx, args[1], args[2], out)
	}
	return errors.New(usage)
}

// joined returns one error for several problems, or nil if there are none.
func joined(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, "\n"))
}
