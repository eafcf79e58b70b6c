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
const (
	continues    = "continues"
	notValidated = "not validated, "
)

var (
	terraformMarker  = regexp.MustCompile(`^(query, )?Terraform 1\.([0-9]+)$`)
	terraformVersion = regexp.MustCompile(`(?m)^Terraform v1\.([0-9]+)\.`)
)

// isTerraform reports whether the output of a CLI's command version is that of Terraform
// 1.minor or later.
func isTerraform(version string, minor int) bool {
	found := terraformVersion.FindStringSubmatch(version)
	if found == nil {
		return false
	}
	n, err := strconv.Atoi(found[1])
	return err == nil && n >= minor
}

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
	slots := make(chan struct{}, 4)
	for i, s := range snippets {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
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
		terraform := terraformMarker.FindStringSubmatch(f.marker)
		switch {
		case f.marker == "":
			chain = nil
		case f.marker == continues && len(chain) > 0:
			s.earlier = slices.Clone(chain)
		case terraform != nil:
			chain, s.isQuery = nil, terraform[1] != ""
			if minor, err := strconv.Atoi(terraform[2]); err != nil || !isTerraform(version, minor) {
				s.excluded = "it is for Terraform 1." + terraform[2]
			}
		case excluded && reason != "":
			s.excluded = reason
		default:
			problems = append(problems, fmt.Sprintf("%s: the comment \"hcl: %s\" is unknown", s.at, f.marker))
		}
		if s.excluded == "" && !s.isQuery {
			chain = append(chain, f.text)
		}
		found = append(found, s)
	}
	return found, problems
}

// check returns what is wrong with a snippet, or "".
func (s snippet) check(ctx context.Context, cli string) string {
	formatted, err := output(exec.CommandContext(ctx, cli, "fmt", "-"), s.text)
	switch {
	case err != nil:
		return err.Error()
	case formatted != s.text:
		return "is not formatted. Expected:\n" + formatted
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
