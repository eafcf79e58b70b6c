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
	"strconv"
	"strings"
	"sync"
)

// A block stands for itself unless a comment right above it says otherwise:
//
//	<!-- hcl: continues -->              it is validated together with the block before it
//	<!-- hcl: OpenTofu alone -->         it is validated where the CLI is OpenTofu
//	<!-- hcl: Terraform 1.14 -->         it is validated where the CLI is such a Terraform, or a later one
//	<!-- hcl: query, Terraform 1.14 -->  the same, for what stands in a .tfquery.hcl file
//	<!-- hcl: not validated, REASON -->  it is formatted only
const (
	continues    = "continues"
	openTofu     = "OpenTofu alone"
	newTerraform = "Terraform 1.14"
	query        = "query, Terraform 1.14"
	notValidated = "not validated, "
)

var terraformVersion = regexp.MustCompile(`(?m)^Terraform v1\.([0-9]+)\.`)

// knows reports whether a CLI, by what it says of its version, can validate what
// bears such a marker.
func knows(version, marker string) bool {
	if marker == openTofu {
		return strings.Contains(version, "OpenTofu")
	}
	found := terraformVersion.FindStringSubmatch(version)
	if found == nil {
		return false
	}
	minor, err := strconv.Atoi(found[1])
	return err == nil && minor >= 14
}

// snippet is a configuration as a page shows it, with what goes before.
type snippet struct {
	at       string // page and line
	text     string
	earlier  []string // blocks that it continues
	isQuery  bool     // whether it stands in a .tfquery.hcl file
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
		found, wrong := snippetsOf(p, version)
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
	if _, err := fmt.Fprintf(
		out,
		"snippets: %d of %d blocks of HCL are formatted and valid\n",
		validated,
		len(snippets),
	); err != nil {
		return err
	}
	return joined(problems)
}

func snippetsOf(p *page, version string) (found []snippet, problems []string) {
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
		case slices.Contains([]string{openTofu, newTerraform, query}, f.marker):
			chain, s.isQuery = nil, f.marker == query
			if !knows(version, f.marker) {
				s.excluded = "it is for " + strings.TrimPrefix(f.marker, "query, ")
			}
		case excluded && reason != "":
			s.excluded = reason
		default:
			problems = append(problems, fmt.Sprintf("%s: the comment \"hcl: %s\" is none that is known here", s.at, f.marker))
		}
		if s.excluded == "" && !s.isQuery {
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
	blocks := slices.Clone(s.earlier)
	arguments := []string{"validate", "-no-color"}
	if s.isQuery {
		arguments = append(arguments, "-query")
		if err := os.WriteFile(filepath.Join(dir, "0.tfquery.hcl"), []byte(s.text), 0o600); err != nil {
			return err
		}
	} else {
		blocks = append(blocks, s.text)
	}
	if !slices.ContainsFunc(blocks, hasProviders.MatchString) {
		blocks = append([]string{header}, blocks...)
	}
	for i, block := range withImportProviders(blocks) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.tf", i)), []byte(block), 0o600); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, cli, arguments...)
	cmd.Dir = dir
	_, err = output(cmd, "")
	return err
}

var importTarget = regexp.MustCompile(`(?m)^import \{\n(?:.*\n)*?  to\s+= (assess_\w+)\.(\w+)\n`)

// withImportProviders names the provider in each import whose resource no block
// declares. An import may stand alone on a page; Terraform then takes the
// provider for one of HashiCorp's.
func withImportProviders(blocks []string) []string {
	whole := strings.Join(blocks, "\n")
	named := make([]string, len(blocks))
	for i, block := range blocks {
		named[i] = importTarget.ReplaceAllStringFunc(block, func(found string) string {
			target := importTarget.FindStringSubmatch(found)
			if strings.Contains(whole, fmt.Sprintf("resource %q %q", target[1], target[2])) {
				return found
			}
			return found + "  provider = assess\n"
		})
	}
	return named
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
