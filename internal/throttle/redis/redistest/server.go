// SPDX-License-Identifier: MPL-2.0

// Package redistest starts Redis or Valkey servers for tests.
package redistest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"
)

// Password is the password of every server.
const Password = "a-very-secret-password"

// Server is a server process of a test, without any data.
type Server struct {
	URL string

	tb   testing.TB
	args []string
	cmd  *exec.Cmd
}

// Start starts redis-server or valkey-server. Without a program, it skips the test, and fails it in CI, except with
// -short.
func Start(tb testing.TB) *Server {
	tb.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		program, err = exec.LookPath("valkey-server")
	}
	if err != nil && os.Getenv("CI") != "" && !testing.Short() {
		tb.Fatal("redis-server and valkey-server are not on PATH, and their tests must run in CI")
	} else if err != nil {
		tb.Skip("redis-server and valkey-server are not on PATH. Install one, for example from Debian's package redis-server")
	}
	port := freePort(tb)
	s := &Server{tb: tb, URL: fmt.Sprintf("redis://:%s@127.0.0.1:%s/0", Password, port)}
	s.args = []string{
		program, "--bind", "127.0.0.1", "--port", port, "--requirepass", Password,
		"--save", "", "--appendonly", "no", "--dir", tb.TempDir(),
	}
	tb.Cleanup(s.Kill)
	s.Restart()
	return s
}

// Restart starts the process, and waits in real time until it answers, for minutes at most.
func (s *Server) Restart() {
	s.tb.Helper()
	s.cmd = exec.CommandContext(context.WithoutCancel(s.tb.Context()), s.args[0], s.args[1:]...)
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	for tries := 0; ; time.Sleep(10 * time.Millisecond) {
		_, err := s.Do("PING")
		if err == nil {
			return
		}
		if tries++; tries > 20_000 {
			s.tb.Fatalf("the server does not answer: %v", err)
		}
	}
}

// Kill kills the server.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // "signal: killed"
}

// Do sends the server one command.
func (s *Server) Do(command string, args ...any) (any, error) {
	conn, err := redigo.DialURLContext(s.tb.Context(), s.URL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.Do(command, args...)
}

// Must sends the server one command that must succeed.
func (s *Server) Must(command string, args ...any) {
	s.tb.Helper()
	if _, err := s.Do(command, args...); err != nil {
		s.tb.Fatal(err)
	}
}

// freePort returns a port for a server on 127.0.0.1 that nothing else uses. Systems do not give
// this port to other programs, unlike port 0 of [net.Listen]. So it stays free until the
// server starts, and while the server restarts.
func freePort(tb testing.TB) string {
	tb.Helper()
	var err error
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		var listener net.Listener
		if listener, err = new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:"+port); err == nil {
			_ = listener.Close()
			return port
		}
	}
	tb.Fatalf("no port is free: %v", err)
	return ""
}
