// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// Each folder has the files of a run, and the comments about it, such as plan.md. UPDATE=1 writes the comments.
func TestComments(t *testing.T) {
	t.Parallel()
	comments, err := filepath.Glob("testdata/*/*.md")
	if err != nil || len(comments) == 0 {
		t.Fatal(err)
	}
	for _, path := range comments {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			folder, file := filepath.Split(path)
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			o := Options{
				Kind: strings.TrimSuffix(file, ".md"), Dir: dir, Limit: DefaultLimit,
				Run: "https://ci.example.com/a/b/1", Commit: "0123456789abcdef",
			}
			var out strings.Builder
			if _, err := Write(o, &out); err != nil {
				t.Fatal(err)
			}
			if os.Getenv("UPDATE") != "" {
				(&clitest.CLI{T: t, Dir: folder}).Add(file, out.String())
			} else if want := clitest.ReadFile(t, path); out.String() != want {
				t.Errorf("the comment is\n%s\nwant\n%s", out.String(), want)
			}
		})
	}
}
