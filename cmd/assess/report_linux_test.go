// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A report that is killed while it writes leaves no part of a file, and a new folder is complete or does not exist.
func TestKilledReport(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: many processes take seconds")
	}
	const pages = 21
	server := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 1000 })
	server.Change(t, func(st *sandbox.State) {
		for i := range pages - 1 {
			p := *st.Position(sandbox.DemoResultsPosition)
			p.ID, p.Title = fmt.Sprintf("pos-many-%d", i), fmt.Sprintf("Engineer %d", i)
			st.Positions = append(st.Positions, p)
		}
	})
	program := clitest.CompanionBinary(t)
	for _, exists := range []bool{false, true} {
		for _, written := range []int{0, pages / 2, pages} {
			parent := t.TempDir()
			folder := filepath.Join(parent, "out")
			report := func() *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), program, "report", folder, "--overwrite")
				cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "ASSESS_UNTHROTTLED=1",
					"ASSESS_BASE_URL="+server.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
				return cmd
			}
			complete := func() {
				if text, err := report().CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
				assertComplete(t, folder, pages)
			}
			if exists {
				complete()
			}
			cmd := report()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			awaitDraft(parent, written, ended)
			_ = cmd.Process.Kill()
			<-ended
			if _, err := os.Stat(folder); err == nil || exists {
				assertComplete(t, folder, pages)
			}
			complete() // the next run
		}
	}
}

// awaitDraft waits until a run has written n files of a draft, or has ended before that was seen.
func awaitDraft(parent string, n int, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		// Samples the files until the process has ended.
		case <-time.After(100 * time.Microsecond):
		}
		drafts, _ := filepath.Glob(filepath.Join(parent, ".assess-report-*"))
		inside, _ := filepath.Glob(filepath.Join(parent, "out", ".assess-report-*"))
		for _, draft := range append(drafts, inside...) {
			if files, err := os.ReadDir(draft); err == nil && len(files) >= n {
				return
			}
		}
	}
}

// assertComplete checks that a folder has all pages of a report, and that all its files are complete.
func assertComplete(t *testing.T, folder string, pages int) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil || len(found) != pages+1 {
		t.Errorf("%d pages, want %d; %v", len(found)-1, pages, err)
	}
	for _, path := range found {
		if text := clitest.ReadFile(t, path); !strings.HasSuffix(text, "</html>\n") {
			t.Errorf("%s has no end", path)
		}
	}
	rows := clitest.ReadFile(t, folder, "results.csv")
	if n := strings.Count(rows, "\n"); n != 249*pages+1 || !strings.HasSuffix(rows, "\n") {
		t.Errorf("the table has %d rows, want %d", n-1, 249*pages)
	}
}
