// SPDX-License-Identifier: MPL-2.0

package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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

// The program copies an organization of 5,000 skills tests, 2,000 positions and 13
// assessments with less than 50 MB of memory. The service is another process of the
// same program.
func TestMemoryOfASnapshot(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: a large organization takes seconds")
	}
	dir := t.TempDir()
	program := clitest.ProviderBinary(t)
	served := filepath.Join(dir, "served.json")
	organization := *sandboxtest.Large()
	// The server does not write the file of a snapshot with each request.
	organization.Snapshot = &sandbox.Snapshot{BaseURL: "https://assess.example.com"}
	if err := sandbox.Create(served, organization); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), program, "-sandbox", "127.0.0.1:0", "-sandbox-state", served)
	server.Stderr = os.Stderr
	told, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() }) // the end of the test's context kills it
	var variables []string
	for lines := bufio.NewScanner(told); len(variables) < 3 && lines.Scan(); {
		if variable, found := strings.CutPrefix(lines.Text(), "  export "); found {
			variables = append(variables, variable)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, told) }() // one line for each request

	out, peak := "", 0
	for peak == 0 { // until the process has run long enough
		out, peak = peakOfASnapshot(t, program, filepath.Join(dir, "snapshot.json"), variables)
	}
	if peak*1024 > 50_000_000 {
		t.Errorf("%d kB of memory: %s", peak, out)
	}
	for _, says := range []string{"assessments   13", "skills tests  5000", "positions     2000"} {
		if !strings.Contains(out, says) {
			t.Errorf("the output does not contain %q:\n%s", says, out)
		}
	}
}

// peakOfASnapshot takes a snapshot, and returns what it prints and the peak of its memory in kB, or 0 if the
// process was too fast.
func peakOfASnapshot(t *testing.T, program, file string, variables []string) (printed string, peak int) {
	t.Helper()
	take := exec.CommandContext(t.Context(), program, "-snapshot", file)
	take.Env = append(append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir(), "GOGC="), variables...)
	peak, printed = peakWhile(t, take)
	return printed, peak
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
		// real time: samples the memory until the process has ended
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
