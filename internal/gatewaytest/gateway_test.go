// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	args    []string
	port    string
	cmd     *exec.Cmd
	ended   chan struct{} // is closed when cmd has ended
	log     bytes.Buffer
}

// newGateway starts a program, which serves a path on its port. In its configuration and its arguments, DIR is its
// folder, in which the files "config" and "pem" are, PORT its port, and SERVICE the host and port of the sandbox.
// Without the program, the test is skipped, or fails in CI.
func newGateway(t *testing.T, path, config, program string, args ...string) *gateway {
	t.Helper()
	cli := clitest.NewBare(t, "ASSESS_CLIENT_ID="+sandbox.ClientID, "ASSESS_API_KEY="+sandbox.APIKey, "ASSESS_UNTHROTTLED=1")
	cli.Add("main.tf", clitest.ReadFile(t, "testdata", "main.tf"))
	found, err := exec.LookPath(program)
	if err != nil { // such programs are not on the PATH of every user
		if found, err = exec.LookPath(filepath.Join("/usr/sbin", program)); err != nil {
			browsertest.Unavailable(t, "%s is not installed", program)
		}
	}
	certificate, key := certificate(t)
	cli.Add("ca.pem", certificate)
	g := &gateway{service: service(t), program: found, port: freePort(t)}
	g.CLI = cli.With("ASSESS_BASE_URL=https://127.0.0.1:"+g.port+path, "SSL_CERT_FILE="+filepath.Join(cli.Dir, "ca.pem"))
	g.before = g.existing()

	folder := t.TempDir()
	fill := strings.NewReplacer("SERVICE", strings.TrimPrefix(g.service.Origin, "http://"), "DIR", folder, "PORT", g.port)
	for _, arg := range args {
		g.args = append(g.args, fill.Replace(arg))
	}
	for name, text := range map[string]string{"config": fill.Replace(config), "pem": certificate + key} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.start()
	t.Cleanup(func() {
		g.kill()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", program, g.log.String())
		}
	})
	return g
}

// service starts a service that finishes what it has begun, also after the gateway has given up on it.
func service(t *testing.T) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, func(o *sandboxtest.Options) {
		o.NoLimits, o.MaxPage = true, 20
		o.Wrap = func(s *sandboxtest.Service) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
			})
		}
	})
}

// certificate returns a self-signed certificate for this machine, and its key: those of package httptest.
func certificate(t *testing.T) (certificate, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	own := server.TLS.Certificates[0]
	encoded, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	_ = listener.Close()
	return port
}

// start starts the program, and waits until it listens.
func (g *gateway) start() {
	g.T.Helper()
	g.cmd = exec.CommandContext(context.WithoutCancel(g.T.Context()), g.program, g.args...) // kill ends it
	g.cmd.Stdout, g.cmd.Stderr = &g.log, &g.log
	if err := g.cmd.Start(); err != nil {
		g.T.Fatal(err)
	}
	g.ended = make(chan struct{})
	go func() { _ = g.cmd.Wait(); close(g.ended) }()
	clitest.WaitFor(g.T, fmt.Sprint(g.program, " to listen"), func() bool {
		select {
		case <-g.ended:
			g.T.Errorf("%s has ended", g.program)
			return true
		default:
		}
		connection, err := new(net.Dialer).DialContext(g.T.Context(), "tcp", "127.0.0.1:"+g.port)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	})
}

// kill ends the program with all its connections. It is one process.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill()
	<-g.ended
}
