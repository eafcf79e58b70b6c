// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/browsertest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// installed is where npm has installed the programs of the lock file.
var installed = sync.OnceValues(func() (string, error) {
	folder, err := filepath.Abs("../../.bin/contract")
	if err != nil {
		return "", err
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		return "", err
	}
	done := filepath.Join(folder, "installed.json") // the lock file of a complete installation
	if before, err := os.ReadFile(done); err == nil && bytes.Equal(before, lock) {
		return folder, nil
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.MkdirAll(folder, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm cannot install Prism and Redocly: %w\n%s", err, out)
	}
	return folder, os.WriteFile(done, lock, 0o600)
})

// program returns a command that runs a program of npm. Without npm, the test is skipped,
// and fails in CI.
func program(t *testing.T, name string, arguments ...string) *exec.Cmd {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: programs of npm are slow")
	}
	browsertest.Program(t, "npm")
	node := browsertest.Program(t, "node")
	folder, err := installed()
	if err != nil {
		browsertest.Unavailable(t, "%v", err)
	}
	// The context of the test ends before its cleanup, which stops the program.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Minute)
	t.Cleanup(cancel)
	script := filepath.Join(folder, "node_modules", ".bin", name)
	command := exec.CommandContext(ctx, node, append([]string{script}, arguments...)...)
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	return command
}

// prism starts Prism with a contract until the end of the test.
func prism(t *testing.T, address, mode string, contract []byte, arguments ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(file, contract, 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	options := []string{mode, file, "--errors", "-h", host, "-p", port}
	command := program(t, "prism", append(options, arguments...)...)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill() // it has no other end
		_ = command.Wait()
	})
	ready, said := make(chan bool, 1), &bytes.Buffer{}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := out.Read(buffer)
			if said.Len() < 1<<16 {
				said.Write(buffer[:n])
			}
			if err != nil || strings.Contains(said.String(), "is listening") {
				ready <- err == nil
				break
			}
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	if !<-ready {
		t.Fatalf("Prism did not start:\n%s", said)
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// violations is a transport that ends a test at the first violation that Prism reports.
type violations struct {
	end context.CancelCauseFunc

	mu     sync.Mutex
	routes map[string]bool // methods and paths
}

// RoundTrip implements [http.RoundTripper].
func (v *violations) RoundTrip(request *http.Request) (*http.Response, error) {
	v.mu.Lock()
	if v.routes == nil {
		v.routes = map[string]bool{}
	}
	v.routes[request.Method+" "+request.URL.Path] = true
	v.mu.Unlock()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || response.Header.Get("Content-Type") != "application/problem+json" {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	v.end(fmt.Errorf("%s %s: %s", request.Method, request.URL, body))
	return response, nil
}

// behindPrism runs the lifecycle through Prism in front of the embedded service. It returns
// the first violation, or another error.
func behindPrism(t *testing.T, contract node) error {
	t.Helper()
	address := freeAddress(t)
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true, MaxPage: 5}})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = address // so that links lead through Prism
		service.ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	paths := node{}
	for path, item := range at(t, contract, "paths") {
		paths["/v1"+path] = item // Prism does not compare the path of the server
	}
	contract["paths"] = paths
	prism(t, address, "proxy", closed(t, contract, "http://"+address), upstream.URL)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	err := lifecycle(ctx, t, "http://"+address+"/v1", &violations{end: cancel})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if n := len(service.Writes()); err == nil && n != 10 {
		return fmt.Errorf("%d writes reached the service, want 4 POST, 2 PUT and 4 DELETE", n)
	}
	return err
}

// Prism finds no violation in the requests of the provider and the responses of the
// embedded service.
func TestLifecycleThroughPrism(t *testing.T) {
	t.Parallel()
	if err := behindPrism(t, read(t)); err != nil {
		t.Error(err)
	}
}

// Prism reports each of these members if the contract lacks it.
func TestPrismNoticesAMissingMember(t *testing.T) {
	t.Parallel()
	for _, m := range members {
		t.Run(m.schema+"."+m.name, func(t *testing.T) {
			err := behindPrism(t, without(t, m))
			if err == nil || !strings.Contains(err.Error(), m.name) {
				t.Errorf("no violation about %s, but %v", m.name, err)
			}
		})
	}
}

// The provider reads everything from a service that Prism makes from the examples of the
// contract.
func TestReadsFromPrism(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	prism(t, address, "mock", closed(t, read(t), "http://"+address))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	transport := &violations{end: cancel}
	core := workspace(t, "http://"+address, transport)
	config := coretest.Config{Providers: map[string]coretest.Body{"": {}}}
	config.Resources = append(
		lookups("pos-backend-london", "asm-quartet", "asm-quartet", "asm-northlight", "asm-workbench"),
		coretest.Resource{Addr: "data.assess_position_results.all", Body: coretest.Body{"position_id": "pos-backend-london"}},
	)
	err := core.Apply(ctx, config, coretest.Options{}).Err()
	_, single := newClient(t, "http://"+address, transport).PositionAssessment(ctx, "pos-backend-london", "pas-games")
	if err = errors.Join(err, single, context.Cause(ctx)); err != nil {
		t.Fatal(err)
	}
	for id, operation := range operations(t, read(t)) {
		sent := false
		for route := range transport.routes {
			method, path, _ := strings.Cut(route, " ")
			sent = sent || operation.MatchString(method+" /v1"+path)
		}
		if isRead := strings.HasPrefix(operation.String(), "^GET "); isRead && !sent {
			t.Errorf("%s was not sent", id)
		}
	}
}

// Redocly finds no problem in the contract.
func TestRedocly(t *testing.T) {
	t.Parallel()
	lint := program(t, "redocly", "lint", "--extends=recommended", "../../api/openapi.yaml")
	if out, err := lint.CombinedOutput(); err != nil || bytes.Contains(out, []byte("You have ")) { // warnings
		t.Errorf("%v:\n%s", err, out)
	}
}
