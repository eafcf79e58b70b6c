// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A block stands for itself unless a comment right above it says otherwise:
//
//	<!-- hcl: continues -->              it is validated together with the block before it
//	<!-- hcl: OpenTofu alone -->         it is validated where the CLI is OpenTofu
//	<!-- hcl: not validated, REASON -->  it is formatted only
const (
	continues    = "continues"
	openTofu     = "OpenTofu alone"
	notValidated = "not validated, "
)

// snippet is a configuration as a page shows it, with what goes before.
type snippet struct {
	at       string // page and line
	text     string
	earlier  []string // blocks that it continues
	excluded string   // why it is not validated
}

// header makes a block a whole configuration where it names no provider.
const header = "terraform {\n  required_providers {\n    assess = { source = \"assessascode/assess\" }\n  }\n}\n"

var hasProviders = regexp.MustCompile(`(?m)^\s*required_providers\s*\{`)

// checkSnippets formats and validates every block of HCL, with the CLI given,
// whose configuration file must name this provider.
func checkSnippets(ctx context.Context, root, cli string, out io.Writer) error {
	pages, err := readPages(root)
	if err != nil {
		return err
	}
	var snippets []snippet
	var problems []string
	version, err := output(exec.CommandContext(ctx, cli, "version"), "")
	if err != nil {
		return err
	}
	for _, p := range pages {
		found, wrong := snippetsOf(p, strings.Contains(version, "OpenTofu"))
		snippets, problems = append(snippets, found...), append(problems, wrong...)
	}
	wrongs := make([]string, len(snippets))
	var group sync.WaitGroup
	places := make(chan struct{}, 4)
	for i, s := range snippets {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			wrongs[i] = s.check(ctx, cli)
		})
	}
	group.Wait()
	validated := 0
	for i, s := range snippets {
		switch {
		case wrongs[i] != "":
			problems = append(problems, s.at+": "+wrongs[i])
		case s.excluded != "":
			if _, err := fmt.Fprintf(out, "snippets: %s is not validated: %s\n", s.at, s.excluded); err != nil {
				return err
			}
		default:
			validated++
		}
	}
	if _, err := fmt.Fprintf(out, "snippets: %d of %d blocks of HCL are formatted and valid\n", validated, len(snippets)); err != nil {
		return err
	}
	return joined(problems)
}

func snippetsOf(p *page, isOpenTofu bool) (found []snippet, problems []string) {
	var chain []string
	for _, f := range p.fences {
		if !slices.Contains([]string{"hcl", "terraform", "tf"}, f.language) {
			continue
		}
		s := snippet{at: fmt.Sprintf("%s:%d", p.path, f.line), text: f.text}
		reason, excluded := strings.CutPrefix(f.marker, notValidated)
		switch {
		case f.marker == "":
			chain = nil
		case f.marker == continues && len(chain) > 0:
			s.earlier = slices.Clone(chain)
		case f.marker == openTofu && isOpenTofu:
			chain = nil
		case f.marker == openTofu:
			s.excluded = "it is for OpenTofu alone"
		case excluded && reason != "":
			s.excluded = reason
		default:
			problems = append(problems, fmt.Sprintf("%s: the comment \"hcl: %s\" is none that is known here", s.at, f.marker))
		}
		if s.excluded == "" {
			chain = append(chain, f.text)
		}
		found = append(found, s)
	}
	return found, problems
}

// check says what is wrong with a snippet.
func (s snippet) check(ctx context.Context, cli string) string {
	formatted, err := output(exec.CommandContext(ctx, cli, "fmt", "-"), s.text)
	switch {
	case err != nil:
		return err.Error()
	case formatted != s.text:
		return "is not formatted; it would be:\n" + formatted
	case s.excluded != "":
		return ""
	}
	if err := s.validate(ctx, cli); err != nil {
		return err.Error()
	}
	return ""
}

func (s snippet) validate(ctx context.Context, cli string) error {
	dir, err := os.MkdirTemp("", "snippet-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	blocks := append(slices.Clone(s.earlier), s.text)
	if !slices.ContainsFunc(blocks, hasProviders.MatchString) {
		blocks = append([]string{header}, blocks...)
	}
	for i, block := range blocks {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.tf", i)), []byte(block), 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, cli, "validate", "-no-color")
	cmd.Dir = dir
	_, err = output(cmd, "")
	return err
}

// output runs a command and returns what it wrote; its error holds what it said.
func output(cmd *exec.Cmd, in string) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, strings.TrimSpace(said.String()+"\n"+out.String()))
	}
	return out.String(), nil
}
