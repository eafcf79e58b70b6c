// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// checkSnippets fails if a block of HCL is not formatted, or is not a valid configuration. A comment directly above a
// block, such as "<!-- not validated: it reads a file -->", says why the block is only formatted. The configuration
// file of the CLI must install this provider as assessascode/assess, and as hashicorp/assess, which the CLI assumes for
// an import without its resource.
func checkSnippets(ctx context.Context, pages []*page, cli string, out io.Writer) error {
	snippets := snippetsOf(pages)
	errs := make([]error, len(snippets))
	slots := make(chan bool, 4) // most of its time, a CLI waits for the provider
	var group sync.WaitGroup
	for i, s := range snippets {
		group.Go(func() {
			slots <- true
			defer func() { <-slots }()
			errs[i] = s.check(ctx, cli)
		})
	}
	group.Wait()
	var problems problems
	for i, err := range errs {
		if err != nil {
			problems.add("%s: %w", snippets[i].at, err)
		}
		if reason := snippets[i].excluded; reason != "" {
			_, _ = fmt.Fprintf(out, "%s is not validated: %s\n", snippets[i].at, reason)
		}
	}
	_, _ = fmt.Fprintf(out, "%d blocks of HCL\n", len(snippets))
	return problems.err()
}

// snippet is a block of HCL on a page.
type snippet struct {
	at       string // page and line
	text     string
	excluded string // why it is not validated, or ""
}

// snippetsOf returns the blocks of HCL of all pages.
func snippetsOf(pages []*page) (snippets []snippet) {
	for _, p := range pages {
		for _, at := range fences.FindAllStringSubmatchIndex(p.source, -1) {
			line := 1 + strings.Count(p.source[:at[6]], "\n")
			s := snippet{at: fmt.Sprintf("%s:%d", p.path, line), text: p.source[at[6]:at[7]]}
			if at[2] >= 0 {
				s.excluded = p.source[at[2]:at[3]]
			}
			if slices.Contains([]string{"hcl", "terraform", "tf"}, p.source[at[4]:at[5]]) {
				snippets = append(snippets, s)
			}
		}
	}
	return snippets
}

// source is added to a configuration that does not name the source of the provider.
const source = `terraform {
  required_providers {
    assess = { source = "assessascode/assess" }
  }
}
`

// check returns why the CLI formats a snippet differently, or does not accept it as a configuration of its own.
func (s snippet) check(ctx context.Context, cli string) error {
	dir, err := os.MkdirTemp("", "snippet-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(s.text), 0o600); err != nil {
		return err
	}
	if !strings.Contains(s.text, "required_providers") {
		if err := os.WriteFile(filepath.Join(dir, "source.tf"), []byte(source), 0o600); err != nil {
			return err
		}
	}
	commands := [][]string{{"fmt", "-check", "-diff"}, {"validate", "-no-color"}}
	if s.excluded != "" {
		commands = commands[:1]
	}
	for _, arguments := range commands {
		cmd := exec.CommandContext(ctx, cli, arguments...)
		cmd.Dir = dir
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", arguments[0], err, strings.TrimSpace(string(output)))
		}
	}
	return nil
}
