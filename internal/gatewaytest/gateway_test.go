// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// gateway is a program on a port of this machine, and a working directory whose provider reaches the sandbox only
// through it.
type gateway struct {
	*clitest.CLI

	service *sandboxtest.Server
	before  []string // the IDs of position assessments that existed before the test

	program string
	args    []string // with the same placeholders as the configuration
	file    string   // the name of the configuration
	config  string   // its text, with placeholders: see fill
	folder  string   // for its configuration, and whatever it writes
	port    string

	mu  sync.Mutex
	cmd *exec.Cmd
	log bytes.Buffer
}

// newGateway prepares a program. Without the program, the test is skipped, or fails in CI.
func newGateway(t *testing.T, program, file, config string, args ...string) *gateway {
	t.Helper()
	c := clitest.NewBare(t, "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey, "ASSESS_UNTHROTTLED=1")
	c.Add("main.tf", clitest.ReadFile(t, "testdata", "main.tf"))
	path, err := exec.LookPath(program)
	if err != nil { // such programs are not on the PATH of every user
		if path, err = exec.LookPath(filepath.Join("/usr/sbin", program)); err != nil {
			browsertest.Unavailable(t, "%s is not installed", program)
		}
	}
	// Not in t.TempDir, which other users may not enter: some programs change their user.
	folder, err := os.MkdirTemp("", "gateway-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil { //nolint:gosec // see above
		t.Fatal(err)
	}
	g := &gateway{
		CLI: c, service: service(t), program: path, args: args, file: file, config: config, folder: folder, port: freePort(t),
	}
	g.before = g.existing()
	t.Cleanup(func() {
		g.stop(syscall.SIGTERM)
		if t.Failed() {
			t.Logf("%s wrote:\n%s", program, g.log.String())
		}
		_ = os.RemoveAll(folder)
	})
	return g
}

// service starts a service that finishes what it has begun, also after the gateway has given up on it.
func service(t *testing.T) *sandboxtest.Server {
	t.Helper()
	s := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true, MaxPage: 20}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	}))
	t.Cleanup(server.Close)
	return &sandboxtest.Server{Service: s, URL: server.URL + "/v1", Origin: server.URL}
}

// connect makes the provider send its requests to a base URL. ca is a certificate to trust.
func (g *gateway) connect(baseURL, ca string) {
	g.T.Helper()
	g.Add("ca.pem", ca)
	g.CLI = g.With("ASSESS_BASE_URL="+baseURL, "SSL_CERT_FILE="+filepath.Join(g.Dir, "ca.pem"))
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

// start starts the program with its configuration.
func (g *gateway) start() {
	g.T.Helper()
	g.write(g.file, g.fill(g.config))
	g.restart()
}

// fill replaces the port and the directory of the program, and the address of the service.
func (g *gateway) fill(text string) string {
	address := strings.TrimPrefix(g.service.Origin, "http://")
	return strings.NewReplacer("SERVICE", address, "DIR", g.folder, "PORT", g.port).Replace(text)
}

// write writes a file of the program.
func (g *gateway) write(name, text string) {
	g.T.Helper()
	path := filepath.Join(g.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // for other users
		g.T.Fatal(err)
	}
}

// restart kills the program with all connections, and starts it again.
func (g *gateway) restart() {
	g.T.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stop(syscall.SIGKILL)
	args := make([]string, len(g.args))
	for i, arg := range g.args {
		args[i] = g.fill(arg)
	}
	g.cmd = exec.CommandContext(context.WithoutCancel(g.T.Context()), g.program, args...) // stop ends it
	g.cmd.Dir, g.cmd.Stdout, g.cmd.Stderr = g.folder, &g.log, &g.log
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // for stop
	if err := g.cmd.Start(); err != nil {
		g.T.Fatal(err)
	}
	ended := make(chan struct{})
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(ended) }(g.cmd)
	clitest.WaitFor(g.T, g.program+" to listen", func() bool {
		select {
		case <-ended:
			g.T.Errorf("%s ended: %s", g.program, g.log.String())
			return true
		default:
		}
		connection, err := new(net.Dialer).DialContext(g.T.Context(), "tcp", "127.0.0.1:"+g.port)
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
	clitest.WaitFor(g.T, fmt.Sprintf("%s to end", g.program), func() bool {
		if syscall.Kill(-g.cmd.Process.Pid, 0) == nil {
			_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
			return false
		}
		return true
	})
	g.cmd = nil
}
