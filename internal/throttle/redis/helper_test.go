// SPDX-License-Identifier: MPL-2.0

package redis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	fake "github.com/alicebob/miniredis/v2/server"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

const (
	serverAddress  = "redis://server.test:6379/0"
	serverPassword = redistest.Password
	serverURL      = "redis://:" + serverPassword + "@server.test"
	serviceURL     = "http://service.test/"
)

// keyWindows are the limits of a key (x-rate-limits of the contract).
var keyWindows = []throttle.Window{
	{Name: "20 a second", Limit: 20, Per: time.Second}, {Name: "500 a minute", Limit: 500, Per: time.Minute},
}

// service counts arrivals, and answers 429 to those that exceed the limits of any
// sliding window.
type service struct {
	windows []throttle.Window
	trip    time.Duration

	mu       sync.Mutex
	arrivals []time.Time
	paths    []string
	refused  int
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(s.trip / 2)
	status := s.arrive(req.URL.Path)
	time.Sleep(s.trip / 2)
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: req}, nil
}

func (s *service) arrive(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, status := time.Now(), http.StatusOK
	s.arrivals, s.paths = append(s.arrivals, now), append(s.paths, path)
	for _, w := range s.windows {
		if n := len(s.arrivals) - 1 - w.Limit; n >= 0 && now.Sub(s.arrivals[n]) <= w.Per {
			status = http.StatusTooManyRequests
		}
	}
	if status != http.StatusOK {
		s.refused++
	}
	return status
}

// sent returns how many requests with a path arrived.
func (s *service) sent(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.paths {
		if p == path {
			n++
		}
	}
	return n
}

// check fails the test if the service refused a request, or did not get n requests.
func (s *service) check(t testing.TB, n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused != 0 || len(s.arrivals) != n {
		t.Errorf("%d of %d requests were refused, want 0 of %d", s.refused, len(s.arrivals), n)
	}
}

// transport throttles requests to the service.
func (s *service) transport(store throttle.Store) *throttle.Transport {
	if s.windows == nil {
		s.windows = keyWindows
	}
	return throttle.New(throttle.Config{
		Next: s, Store: store, MaxInFlight: time.Second, Windows: func(*http.Request) []throttle.Window { return s.windows },
	})
}

func get(ctx context.Context, rt http.RoundTripper, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// apply sends n requests from several callers and returns how long that took.
func apply(t *testing.T, rt http.RoundTripper, url string, n, callers int) time.Duration {
	t.Helper()
	start := time.Now()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if status, err := get(t.Context(), rt, url); err != nil || status != http.StatusOK {
					t.Errorf("status %d, error %v", status, err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// ask returns a question for one request, always of the same queue.
func ask() throttle.Ask {
	return throttle.Ask{
		Slot: throttle.Slot(rand.Uint64() | 1), Run: 1, Queue: 1, Waiting: 1,
		Windows: keyWindows, MaxInFlight: 30 * time.Second,
	}
}

// grants returns how many slots the store grants now, up to 25. If answered is set, it
// releases them. Otherwise they stay in flight.
func grants(t *testing.T, s throttle.Store, answered bool) (n int, wait time.Duration) {
	t.Helper()
	for ; n < 25; n++ {
		ask := ask()
		answer, err := s.Acquire(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if !answer.Granted {
			return n, answer.Wait
		}
		if answered {
			s.Release(ask, throttle.Outcome{})
		}
	}
	return n, 0
}

// wantGrants fails the test unless the store grants that many slots, and then says to
// wait for wantWait. It tolerates the time that the test itself takes.
func wantGrants(t *testing.T, s throttle.Store, want int, wantWait time.Duration) {
	t.Helper()
	n, wait := grants(t, s, true)
	if n != want || wait.Round(100*time.Millisecond) != wantWait {
		t.Errorf("granted %d and then wait %v, want %d and %v", n, wait, want, wantWait)
	}
}

// wantNotices fails the test unless the store has exactly these notices.
func wantNotices(t *testing.T, s throttle.Store, want ...throttle.NoticeKind) {
	t.Helper()
	notices := s.Notices()
	if len(notices) != len(want) {
		t.Errorf("notices %+v, want kinds %v", notices, want)
		return
	}
	for i, n := range notices {
		if n.Kind != want[i] || n.Err == nil || strings.Contains(n.Err.Error(), "secret") {
			t.Errorf("notice %+v, want kind %v with its error", n, want[i])
		}
	}
}

// wantError fails the test unless the error names the server and does not contain the
// password.
func wantError(t *testing.T, err error) {
	t.Helper()
	var failed *Error
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
	if command == "EVALSHA" { // commands of the script itself: the server is locked
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
func opens(t *testing.T, s *fakeRedis, cfg Config) *store {
	t.Helper()
	cfg.URL, cfg.Dial = serverURL, s.dial
	opened, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := opened.(*store)
	if !ok {
		t.Fatal("not a store in Redis")
	}
	t.Cleanup(r.close)
	return r
}
