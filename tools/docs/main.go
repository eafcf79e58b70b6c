// SPDX-License-Identifier: MPL-2.0

// Command docs does what tfplugindocs does not: it makes links work wherever pages are read, and
// checks links, the proofs of promises, and the configurations on pages. tools/docs.sh
// calls it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs one of the commands that its last line lists. "check" reports the problems of all checks together.
func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "relink":
		return relink(args[1])
	case len(args) == 2 && args[0] == "comment":
		return commentPage(args[1], os.Stdout)
	case len(args) == 3 && args[0] == "check":
		pages, err := readPages(args[1])
		if err != nil {
			return err
		}
		return errors.Join(
			checkLinks(args[1], pages), checkProofs(args[1]),
			checkSnippets(ctx, pages, args[2], os.Stdout),
		)
	}
	return errors.New("usage: docs relink ROOT | docs comment README | docs check ROOT CLI")
}
