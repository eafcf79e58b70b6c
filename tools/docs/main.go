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
)

const usage = `call it as one of
  docs schema SOURCES <SCHEMA >SCHEMA    rename the provider to its bare name, and cite what stands behind each attribute
  docs missing SOURCES <SCHEMA           fail where SOURCES and the schema do not name the same attributes
  docs links ROOT                        fail where a page of the repository links to nothing
  docs messages ROOT                     fail if a message has no heading in the troubleshooting guide
  docs snippets ROOT CLI                 fail where a configuration on a page is not formatted or not valid`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	flag.Usage = func() { fmt.Fprintln(os.Stderr, usage) }
	flag.Parse()
	if err := run(ctx, flag.Args(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "schema":
		return cite(args[1], in, out)
	case len(args) == 2 && args[0] == "missing":
		return compare(args[1], in)
	case len(args) == 2 && args[0] == "links":
		return checkLinks(args[1], out)
	case len(args) == 2 && args[0] == "messages":
		return checkMessages(args[1], out)
	case len(args) == 3 && args[0] == "snippets":
		return checkSnippets(ctx, args[1], args[2], out)
	}
	return errors.New(usage)
}
