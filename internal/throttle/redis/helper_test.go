// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	fake "github.com/alicebob/miniredis/v2/server"

	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

const (
	serverAddress  = "redis://server.test:6379/0"
	serverPassword = redistest.Password
	serverURL      = "redis://:" + serverPassword + "@server.test"
)

// wantError fails the test unless the error names the server and does not contain the
// password.
func wantError(t *testing.T, err error) {
	t.Helper()
	var failed *BudgetError
	if !errors.As(err, &failed) || failed.Address != serverAddress || !strings.Contains(err.Error(), serverAddress) ||
		strings.Contains(err.Error(), serverPassword) {
		t.Errorf("error %v, want an Error that names %s", err, serverAddress)
	}
}

// fakeRedis is a server in memory. The server, its clients and its clock use the
// virtual time of the test.
type fakeRedis struct {
	*miniredis.Miniredis
	version  string
	sent     atomic.Int64 // messages from clients
	lose     atomic.Int64 // number of replies to lose
	identity atomic.Int64 // of the server
	uptime   atomic.Int64 // in seconds
	promoted atomic.Int64 // offset at which it became the master; -1 means never
	delay    atomic.Int64 // time before it handles a message, in nanoseconds
	skew     atomic.Int64 // error of its clock, in nanoseconds
	failing  atomic.Value // a string: its answer to everything
	dropped  atomic.Int64 // connections that were made before are silent; in nanoseconds
}

func newFakeRedis(t *testing.T) *fakeRedis {
	t.Helper()
	s := &fakeRedis{Miniredis: miniredis.NewMiniRedis(), version: "7.0.15"}
	s.ClockTTL(true)
	s.RequireAuth(serverPassword)
	s.uptime.Store(1_000_000)
	s.promoted.Store(-1)
	s.failing.Store("")
	t.Cleanup(s.Close)
	return s
}

// dial connects a client over a pipe.
func (s *fakeRedis) dial(context.Context, string, string) (net.Conn, error) {
	conn, err := s.Dial()
	s.Server().SetPreHook(s.handle)
	return clientConn{conn, s, time.Now().UnixNano()}, err
}

// handle answers the commands that miniredis does not support.
func (s *fakeRedis) handle(peer *fake.Peer, command string, args ...string) bool {
	if command == "EVAL" { // commands of the script itself: the server is locked
		time.Sleep(time.Duration(s.delay.Load()))
	}
	switch text, _ := s.failing.Load().(string); {
	case text != "":
		peer.WriteError(text)
	case command == "TIME":
		now := time.Now().Add(time.Duration(s.skew.Load())).UnixMicro()
		peer.WriteLen(2)
		peer.WriteBulk(strconv.FormatInt(now/1e6, 10))
		peer.WriteBulk(strconv.FormatInt(now%1e6, 10))
	case command == "INFO" && args[0] == "server":
		peer.WriteBulk(fmt.Sprintf("# Server\r\nredis_version:%s\r\nrun_id:%040x\r\nuptime_in_seconds:%d\r\n",
			s.version, s.identity.Load(), s.uptime.Load()))
	case command == "INFO":
		peer.WriteBulk(fmt.Sprintf("# Replication\r\nrole:master\r\nsecond_repl_offset:%d\r\n", s.promoted.Load()))
	default:
		return false
	}
	return true
}

type clientConn struct {
	net.Conn
	server *fakeRedis
	made   int64
}

func (c clientConn) Write(b []byte) (int, error) {
	c.server.sent.Add(1)
	if c.made < c.server.dropped.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c clientConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.server.lose.Load() > 0 {
		c.server.lose.Add(-1)
		return 0, errors.Join(errors.New("connection reset"), c.Close())
	}
	return n, err
}

// opens opens a store on the server.
func opens(t *testing.T, s *fakeRedis, cfg Config) *logStore {
	t.Helper()
	cfg.URL, cfg.Dial = serverURL, s.dial
	opened, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := opened.(*logStore)
	if !ok {
		t.Fatal("not a store in Redis")
	}
	t.Cleanup(r.close)
	return r
}
