// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// gateway is a program on a port of this machine.
type gateway struct {
	t       *testing.T
	program string
	args    []string // with DIR for the directory
	file    string   // the name of the configuration
	dir     string   // for its configuration, and whatever it writes
	port    string

	mu  sync.Mutex
	cmd *exec.Cmd
	log bytes.Buffer
}

// newGateway prepares a program. Without the program, the test is skipped, or fails in CI.
func newGateway(t *testing.T, program, file string, args ...string) *gateway {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set: make test runs the acceptance tests")
	}
	path, err := exec.LookPath(program)
	if err != nil { // such programs are not on the PATH of every user
		if path, err = exec.LookPath(filepath.Join("/usr/sbin", program)); err != nil {
			browsertest.Unavailable(t, "%s is not installed", program)
		}
	}
	// Not in t.TempDir, which other users may not enter: some programs change their user.
	dir, err := os.MkdirTemp("", "gateway-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // see above
		t.Fatal(err)
	}
	g := &gateway{t: t, program: path, args: args, file: file, dir: dir, port: freePort(t)}
	t.Cleanup(func() {
		g.stop(syscall.SIGTERM)
		if t.Failed() {
			t.Logf("%s wrote:\n%s", program, g.log.String())
		}
		_ = os.RemoveAll(dir)
	})
	return g
}

// listen listens on a free port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func portOf(listener net.Listener) string {
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener := listen(t)
	defer func() { _ = listener.Close() }()
	return portOf(listener)
}

// configure starts the program with a configuration, in which DIR and PORT are replaced. It
// replaces the running one.
func (g *gateway) configure(text string) {
	g.t.Helper()
	g.write(g.file, g.fill(text))
	g.restart()
}

func (g *gateway) fill(text string) string {
	return strings.NewReplacer("DIR", g.dir, "PORT", g.port).Replace(text)
}

// write writes a file of the program.
func (g *gateway) write(name, text string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // for other users
		g.t.Fatal(err)
	}
}

// restart kills the program with all connections, and starts it again.
func (g *gateway) restart() {
	g.t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stop(syscall.SIGKILL)
	args := make([]string, len(g.args))
	for i, arg := range g.args {
		args[i] = g.fill(arg)
	}
	g.cmd = exec.CommandContext(context.WithoutCancel(g.t.Context()), g.program, args...) // stop ends it
	g.cmd.Dir, g.cmd.Stdout, g.cmd.Stderr = g.dir, &g.log, &g.log
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // for stop
	if err := g.cmd.Start(); err != nil {
		g.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(ended) }(g.cmd)
	clitest.WaitFor(g.t, g.program+" to listen", func() bool {
		select {
		case <-ended:
			g.t.Errorf("%s ended: %s", g.program, g.log.String())
			return true
		default:
		}
		connection, err := new(net.Dialer).DialContext(g.t.Context(), "tcp", "127.0.0.1:"+g.port)
		if err != nil {
			return false
		}
		_ = connection.Close()
		return true
	})
}

// stop ends the program and the processes that it has started.
func (g *gateway) stop(signal syscall.Signal) {
	if g.cmd == nil || g.cmd.Process == nil {
		return
	}
	_ = syscall.Kill(-g.cmd.Process.Pid, signal)
	clitest.WaitFor(g.t, fmt.Sprintf("%s to end", g.program), func() bool {
		if syscall.Kill(-g.cmd.Process.Pid, 0) == nil {
			_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
			return false
		}
		return true
	})
	g.cmd = nil
}
