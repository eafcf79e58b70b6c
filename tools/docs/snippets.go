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

// Each block of HCL is validated as a configuration, unless a comment directly above it
// says otherwise:
//
//	<!-- hcl: continues -->              validate it together with the block before it
//	<!-- hcl: Terraform 1.14 -->         validate it if the CLI is Terraform 1.14 or later, or another version
//	<!-- hcl: query, Terraform 1.14 -->  the same for the content of a .tfquery.hcl file
//	<!-- hcl: not validated, REASON -->  only check its format
var (
	terraformMarker  = regexp.MustCompile(`^(query, )?Terraform 1\.([0-9]+)$`)
	terraformVersion = regexp.MustCompile(`^Terraform v1\.([0-9]+)\.`)
	notValidated     = regexp.MustCompile(`^not validated, .`)
)

// snippet is a block of HCL on a page.
type snippet struct {
	at       string // page and line
	text     string
	earlier  []string // blocks that it continues
	isQuery  bool     // whether it belongs in a .tfquery.hcl file
	excluded string   // why it is not validated
}

// header is added to blocks without required_providers.
const header = "terraform {\n  required_providers {\n    assess = { source = \"assessascode/assess\" }\n  }\n}\n"

var hasProviders = regexp.MustCompile(`(?m)^\s*required_providers\s*\{`)

// checkSnippets fails if a block of HCL is not formatted or not valid. The configuration
// file of the CLI must install this provider.
func checkSnippets(ctx context.Context, pages []*page, cli string, out io.Writer) error {
	version, err := output(exec.CommandContext(ctx, cli, "version"), "")
	if err != nil {
		return err
	}
	minor := -1 // of Terraform
	if found := terraformVersion.FindStringSubmatch(version); found != nil {
		minor, _ = strconv.Atoi(found[1]) // digits
	}
	var snippets []snippet
	var problems problems
	for _, p := range pages {
		snippets = append(snippets, snippetsOf(p, minor, &problems)...)
	}
	for i, wrong := range checkAll(ctx, snippets, cli) {
		s := snippets[i]
		if wrong != nil {
			problems.add("%s: %w", s.at, wrong)
		}
		if s.excluded != "" {
			_, _ = fmt.Fprintf(out, "%s is not validated: %s\n", s.at, s.excluded)
		}
	}
	_, _ = fmt.Fprintf(out, "%d blocks of HCL\n", len(snippets))
	return problems.err()
}

// checkAll returns what is wrong with each snippet, or nil for it. It checks four snippets at the same time.
func checkAll(ctx context.Context, snippets []snippet, cli string) []error {
	wrongs := make([]error, len(snippets))
	slots := make(chan bool, 4)
	var group sync.WaitGroup
	for i, s := range snippets {
		group.Go(func() {
			slots <- true
			defer func() { <-slots }()
			wrongs[i] = s.check(ctx, cli)
		})
	}
	group.Wait()
	return wrongs
}

// snippetsOf returns the blocks of HCL of a page, for a minor version of Terraform, or -1 for OpenTofu. It adds a
// problem for each unknown marker.
func snippetsOf(p *page, minor int, problems *problems) (found []snippet) {
	var chain []string // the blocks that the next block can continue
	for _, f := range p.fences {
		if !slices.Contains([]string{"hcl", "terraform", "tf"}, f.language) {
			continue
		}
		s := snippet{at: fmt.Sprintf("%s:%d", p.path, f.line), text: f.text}
		terraform := terraformMarker.FindStringSubmatch(f.marker)
		switch {
		case f.marker == "":
			chain = nil
		case f.marker == "continues" && len(chain) > 0:
			s.earlier = slices.Clone(chain)
		case terraform != nil:
			chain, s.isQuery = nil, terraform[1] != ""
			if wanted, _ := strconv.Atoi(terraform[2]); minor < wanted {
				s.excluded = "it is for Terraform 1." + terraform[2]
			}
		case notValidated.MatchString(f.marker):
			s.excluded = f.marker
		default:
			problems.add("%s: the comment \"hcl: %s\" is unknown", s.at, f.marker)
		}
		if s.excluded == "" && !s.isQuery {
			chain = append(chain, f.text)
		}
		found = append(found, s)
	}
	return found
}

// check returns what is wrong with a snippet.
func (s snippet) check(ctx context.Context, cli string) error {
	formatted, err := output(exec.CommandContext(ctx, cli, "fmt", "-"), s.text)
	switch {
	case err != nil:
		return err
	case formatted != s.text:
		return fmt.Errorf("is not formatted. Expected:\n%s", formatted)
	case s.excluded != "":
		return nil
	}
	return s.validate(ctx, cli)
}

// validate returns the error of "validate" for a folder with the snippet and the blocks that it continues. It adds what
// they need to use this provider.
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

// withImportProviders adds the provider to each import whose resource is not in the
// blocks. Without the resource, the CLI would install hashicorp/assess.
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

// output runs a command and returns its standard output. Its error contains all output.
func output(cmd *exec.Cmd, in string) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, strings.TrimSpace(errs.String()+"\n"+out.String()))
	}
	return out.String(), nil
}
