// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// roleVariable makes the test binary something else than a test, so that a test can start a CLI and its provider on
// each system, without another program.
const roleVariable = "ASSESS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "cli":
		startProvider()
	case "provider":
		main()
	default:
		clitest.Main(m)
	}
}

// startProvider starts the provider as a CLI does, and waits for it. Both write to the same standard output.
func startProvider() {
	provider := exec.Command(os.Args[0]) //nolint:noctx // the end of this process must not end the provider
	provider.Env = append(os.Environ(), roleVariable+"=provider", "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	provider.Stdout = os.Stdout
	if err := provider.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("provider", provider.Process.Pid)
	_ = provider.Wait()
}

// process is a CLI with its provider. Its output ends when both have ended.
type process struct {
	cli      *exec.Cmd
	output   *bufio.Reader
	provider int // process ID
}

func startCLI(t *testing.T) process {
	t.Helper()
	p := process{cli: exec.CommandContext(t.Context(), os.Args[0])}
	p.cli.Env = append(os.Environ(), roleVariable+"=cli")
	out, err := p.cli.StdoutPipe()
	if err == nil {
		err = p.cli.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.output = bufio.NewReader(out)
	for serves := false; !serves || p.provider == 0; {
		line, err := p.output.ReadString('\n')
		if err != nil {
			t.Fatalf("the output ended with %q, %v", line, err)
		}
		_, _ = fmt.Sscanf(line, "provider %d", &p.provider)
		serves = serves || strings.HasPrefix(line, "1|6|")
	}
	return p
}

// ends waits for the end of both processes. TestWaitForEnd checks how long the provider waits.
func (p process) ends(t *testing.T) {
	t.Helper()
	// real time: only for the log
	began := time.Now()
	ended := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, p.output); ended <- err }()
	select {
	case err := <-ended:
		// real time: only for the log
		t.Logf("ended after %v, %v", time.Since(began), err)
	// real time: ends a test that hangs
	case <-time.After(3 * time.Minute):
		if provider, err := os.FindProcess(p.provider); err == nil {
			_ = provider.Kill()
		}
		t.Error("the provider is still running")
	}
	_ = p.cli.Wait()
}

// A CLI that is killed cannot end its provider, which then ends by itself.
func TestProviderEndsWithoutItsCLI(t *testing.T) {
	t.Parallel()
	p := startCLI(t)
	if err := p.cli.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.ends(t)
}
