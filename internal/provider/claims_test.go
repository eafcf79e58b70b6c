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

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// claims is a comment that names the tests that show what a paragraph claims.
var claims = regexp.MustCompile(`<!-- (?:proof|tests): ([^>]+) -->`)

// SECURITY.md claims only what a test shows: each paragraph about what is protected names its tests. All of them
// exist. "make docs-check" checks the guides.
func TestClaimsNameTheirTests(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	for _, folder := range []string{"..", "../../examples"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllSubmatch(text, -1) {
				tests[string(match[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for file, parts := range map[string]struct{ separator, claim string }{
		"../../SECURITY.md": {"\n\n", "**"}, // paragraphs about what is protected
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		claimed := 0
		for _, part := range strings.Split(string(text), parts.separator) {
			if !strings.Contains(part, parts.claim) {
				continue
			}
			if claimed++; !claims.MatchString(part) {
				t.Errorf("%s names no test for: %.60s", file, part)
			}
		}
		if claimed == 0 {
			t.Errorf("%s claims nothing", file)
		}
	}
	for _, file := range []string{"../../SECURITY.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range claims.FindAllStringSubmatch(string(text), -1) {
			for _, name := range strings.Split(match[1], ", ") {
				if !tests[name] {
					t.Errorf("%s names %s, which does not exist", file, name)
				}
			}
		}
	}
}

// What the service writes into the answer of a refusal is in the error and in a log, also in strict mode.
func TestErrorsQuoteTheService(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	log := filepath.Join(t.TempDir(), "log")
	c.Env = append(c.Env, "ASSESS_PRIVACY=strict", "TF_LOG=trace", "TF_LOG_PATH="+log)
	c.Add("main.tf", "data \"assess_assessments\" \"all\" {}\n")
	const quoted = "ask Liam Walker"
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RouteAssessments, Status: http.StatusForbidden, Times: -1,
		Body: []byte(`{"message":"` + quoted + strings.Repeat(" x", 500) + `"}`),
	})
	r := c.Plan().Fails("Could not list the assessments", quoted)
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), quoted) {
		t.Errorf("the log does not contain the answer: %v", err)
	}
	if strings.Contains(r.Errors[0].Detail, strings.Repeat("x ", 160)) {
		t.Errorf("more than 300 characters are quoted: %s", r.Errors[0].Detail)
	}
}
