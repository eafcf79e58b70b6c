// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// staffed returns the demo state with n more positions, each of which has candidates with four results.
func staffed(n, candidates int) *sandbox.State {
	st := sandbox.Demo()
	pattern := st.Position(sandbox.DemoResultsPosition)
	complete := slices.IndexFunc(pattern.Candidates, func(c sandbox.Candidate) bool { return len(c.Results) == 4 })
	for i := range n {
		p := sandbox.Position{ID: fmt.Sprintf("pos-many-%d", i), Title: fmt.Sprintf("Engineer %d", i)}
		for j, pa := range pattern.Assessments {
			pa.ID = fmt.Sprintf("pa-%d-%d", i, j)
			p.Assessments = append(p.Assessments, pa)
		}
		for j := range candidates {
			c := sandbox.Candidate{ID: fmt.Sprintf("cnd-%d-%d", i, j), Name: fmt.Sprintf("Person %d of %d", j, i)}
			for k, r := range pattern.Candidates[complete].Results {
				r.Invitations = slices.Clone(r.Invitations[:1])
				r.Invitations[0].ID = fmt.Sprintf("inv-%d-%d-%d", i, j, k)
				c.Results = append(c.Results, r)
			}
			p.Candidates = append(p.Candidates, c)
		}
		st.Positions = append(st.Positions, p)
	}
	return st
}

// reporter returns a command that writes reports on all positions of a service. Its throttle is off.
func reporter(t *testing.T, program string, server *sandboxtest.Server, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, flags...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "GOGC=", "GOMEMLIMIT=", "ASSESS_UNTHROTTLED=1",
		"ASSESS_BASE_URL="+server.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey)
	return cmd
}

func TestReportsOfTheProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: large organizations and many processes take seconds")
	}
	program := clitest.CompanionBinary(t)
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		needsLittleMemory(t, program)
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		survivesKills(t, program)
	})
}

// The program reports on 200 positions with 20,000 results with less than 200 MB of memory.
func needsLittleMemory(t *testing.T, program string) {
	server := sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage, o.Seed = true, 1000, func() *sandbox.State { return staffed(200, 25) }
	})
	for _, flag := range []string{"--wide", "--anonymous"} {
		peak, out := peakWhile(t, reporter(t, program, server, "report", filepath.Join(t.TempDir(), "out"), flag))
		t.Logf("%s: %d kB", flag, peak)
		if peak == 0 || peak*1024 > 200_000_000 || !strings.Contains(out, "Positions with a page: 201. Candidates: 5066.") {
			t.Errorf("%s: %d kB of memory: %s", flag, peak, out)
		}
	}
}

// A run that is killed at any moment leaves no part of a file, and a new directory is complete or does not exist.
func survivesKills(t *testing.T, program string) {
	const positions, rows = 20, 20*20*4 + 249
	for _, existing := range []bool{false, true} {
		for kill := range 8 {
			server := sandboxtest.New(t, func(o *sandboxtest.Options) {
				o.NoLimits, o.MaxPage, o.Seed = true, 1000, func() *sandbox.State { return staffed(positions, 20) }
			})
			parent := t.TempDir()
			out := filepath.Join(parent, "out")
			flags := []string{"report", out, "--overwrite"}
			if existing {
				if text, err := reporter(t, program, server, flags...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, text)
				}
			}
			cmd := reporter(t, program, server, flags...)
			if kill < 3 { // while it reads
				server.Inject(sandboxtest.Fault{Skip: kill * 20, Act: func(*sandbox.State) { _ = cmd.Process.Kill() }})
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			if kill >= 3 { // while it writes
				watch(parent, (kill-3)*(positions+3)/4, ended)
				_ = cmd.Process.Kill()
			}
			<-ended
			if _, err := os.Stat(out); err == nil || existing {
				assertComplete(t, out, positions+1, rows)
			}
			if text, err := reporter(t, program, server, flags...).CombinedOutput(); err != nil {
				t.Errorf("the next run: %v: %s", err, text)
			}
			assertComplete(t, out, positions+1, rows)
		}
	}
}

// watch waits until a run has written n files of a draft, or has ended before that was seen.
func watch(parent string, n int, ended <-chan struct{}) {
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

// assertComplete checks that a directory has a complete report, whose files are complete.
func assertComplete(t *testing.T, dir string, pages, rows int) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(found) != pages+1 {
		t.Errorf("%d pages, want %d; %v", len(found)-1, pages, err)
	}
	for _, path := range found {
		if text, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(text), "</html>\n") {
			t.Errorf("%s has no end; %v", path, err)
		}
	}
	file, err := os.Open(filepath.Join(dir, "results.csv"))
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = file.Close() }()
	if all, err := csv.NewReader(file).ReadAll(); err != nil || len(all) != rows+1 {
		t.Errorf("the table has %d rows, want %d; %v", len(all)-1, rows, err)
	}
}

// peakWhile runs a program that must succeed. It returns the peak of its resident memory in kB, and its output.
func peakWhile(t *testing.T, program *exec.Cmd) (peak int, output string) {
	t.Helper()
	var out bytes.Buffer
	program.Stdout, program.Stderr = &out, &out
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	for { // the peak that the system reports at the end includes the test process that started it
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %s", err, &out)
			}
			return peak, out.String()
		// Samples the memory until the process has ended.
		case <-time.After(5 * time.Millisecond):
			peak = max(peak, peakOf(program.Process.Pid))
		}
	}
}

// peakOf returns the peak of the resident memory of a process in kB, or 0 if the
// process has ended.
func peakOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	var peak int
	_, _ = fmt.Sscan(after, &peak)
	return peak
}
