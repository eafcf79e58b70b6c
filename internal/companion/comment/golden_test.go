// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
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

// What a table has no room for is counted, too.
func TestTableWithoutRoom(t *testing.T) {
	t.Parallel()
	cells := func(*row) []string { return nil }
	for n, want := range map[int]string{0: "2 more changes. Of these, 0 need attention", 1: "Of these, 1 needs attention", 2: "Of these, 2 need attention"} {
		rows := []*row{{}, {}}
		for _, r := range rows[:n] {
			r.attention = []string{"It is deleted"}
		}
		says(t, grid("", nil, rows, 0, cells), want)
	}
}

// A comment that has no room for the advice says that there is more.
func TestAdviceWithoutRoom(t *testing.T) {
	t.Parallel()
	d := diagnostic{Diagnostic: tfjson.Diagnostic{
		Summary: "Rejected", Detail: "It is rejected.\n\nTo fix this: add it:\n\n  block {}\n\n" + messages.Link("Rejected"),
	}}
	c := comment{events: events{diagnostics: []diagnostic{d, d}}}
	for room := range 1000 {
		text := c.messageSections(room)
		if len(text) > max(room, len("There are more messages: the log of the run has the rest.\n\n")) {
			t.Fatalf("%d bytes in %d", len(text), room)
		}
		if (strings.Count(text, "For engineers") < 2) != strings.Contains(text, "There are more messages") {
			t.Fatalf("room %d: the comment must say that it was cut, but only then:\n%s", room, text)
		}
	}
}
