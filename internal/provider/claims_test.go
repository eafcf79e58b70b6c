// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// claims is a comment that names the tests that show what a paragraph claims.
var claims = regexp.MustCompile(`<!-- tests: ([^>]+) -->`)

// SECURITY.md and some guides claim only what a test shows: each paragraph about what is
// protected names its tests, and these tests exist.
func TestClaimsNameTheirTests(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			tests[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for file, least := range map[string]int{
		"../../SECURITY.md": 11, "../../templates/guides/privacy.md": 6, "../../templates/guides/troubleshooting.md": 1,
		"../../templates/guides/troubleshooting-service.md": 1, "../../templates/guides/rate-limits.md": 1,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := claims.FindAllStringSubmatch(string(text), -1)
		if len(found) < least {
			t.Errorf("%s names tests of %d paragraphs, want at least %d", file, len(found), least)
		}
		for _, match := range found {
			for _, name := range strings.Split(match[1], ", ") {
				if !tests[name] {
					t.Errorf("%s names %s, which does not exist", file, name)
				}
			}
		}
	}
	security, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, protected, _ := strings.Cut(string(security), "## What is protected")
	protected, _, _ = strings.Cut(protected, "\n## ")
	for _, paragraph := range strings.Split(protected, "\n\n") {
		if strings.HasPrefix(paragraph, "**") && !claims.MatchString(paragraph) {
			t.Errorf("no test is named for: %.60s", paragraph)
		}
	}
}

// What the service writes into the answer of a refusal is in the error and in a log, also in strict mode.
func TestErrorsQuoteTheService(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	log := filepath.Join(t.TempDir(), "log")
	c.env = append(c.env, "ASSESS_PRIVACY=strict", "TF_LOG=trace", "TF_LOG_PATH="+log)
	c.add("main.tf", "data \"assess_assessments\" \"all\" {}\n")
	const quoted = "ask Liam Walker"
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RouteAssessments, Status: http.StatusForbidden, Times: -1,
		Body: []byte(`{"message":"` + quoted + strings.Repeat(" x", 500) + `"}`),
	})
	r := c.plan().fails("Could not list the assessments", quoted)
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), quoted) {
		t.Errorf("the log does not contain the answer: %v", err)
	}
	if strings.Contains(r.errors[0].Detail, strings.Repeat("x ", 160)) {
		t.Errorf("more than 300 characters are quoted: %s", r.errors[0].Detail)
	}
}
