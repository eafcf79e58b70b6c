// SPDX-License-Identifier: MPL-2.0

// Package redis keeps a shared budget in Redis or Valkey, for runs on several machines. The rules are one script
// (limiter.lua) over a sorted set for each window, with the server's clock. A cluster is not supported.
//
// Losing the sets never grants more than the limits. Each set has a member that is named after the server's run_id,
// so that a flush, an eviction, a restart, a snapshot and a failover all count as full windows (throttle.Lost), and
// so does the first use. The server's clock can be set: each run sends how late it can be at most, since its last
// answer. A question that arrives later than that is asked again, because it may have been slow. If it is late again,
// the sets count as lost.
package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

const (
	// noAnswer is how long the server may take to connect and to answer before a question is repeated.
	noAnswer = 5 * time.Second
	// firstPause and longestPause bound the pauses between attempts, which double.
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
	// openFor is how long Open tries to reach the server, which may be loading its data.
	openFor = 10 * time.Second
	// clockTolerance is how much the clocks of the server and of this machine may differ in speed.
	clockTolerance = 2 * time.Second
	// prefix begins every key, and the rights of the user depend on it. It contains the version of the format, so that two
	// versions of the program do not read each other's sets.
	prefix = "assess-budget:6:"
)

//go:embed limiter.lua
var source string

var script = redigo.NewScript(-1, source)

// Config says where a shared budget is.
type Config struct {
	// URL is redis://user:password@host:port/db, or rediss:// for TLS.
	URL string
	// Key identifies the budget. Its name on the server is a hash that does not reveal the key.
	Key string
	// RetryFor is how long questions are repeated after the server was lost. Then the run must end.
	RetryFor time.Duration
}

// store is a throttle.Store for all processes that reach the server.
type store struct {
	cfg     Config
	address address
	pool    *redigo.Pool
	keys    string // the beginning of all keys, with the tag that keeps them together

	// For tests: for how long lost windows are full, the clock instead of the server's when a question arrives there, and
	// what is around a question.
	full   time.Duration
	clock  func() int64
	around func(ask func() ([]int64, error)) ([]int64, error)

	mu    sync.Mutex
	now   int64     // the server's clock in its last answer
	asked time.Time // when the question for that was sent
	began time.Time // when the current outage began
	broke time.Time // when a connection failed last
	lost  error     // why the run must end
}

// Open returns a store for all processes that open the same key on the same server. If the server cannot be reached, it
// tries again for ten seconds. The error is about the URL, or an *throttle.UnavailableError.
func Open(ctx context.Context, cfg Config) (throttle.Store, error) {
	s, err := open(cfg)
	if err != nil {
		return nil, err
	}
	patient := s.cfg.RetryFor
	s.cfg.RetryFor = openFor
	_, _, err = s.call(ctx, nil, "acquire", "open", 0, "open", 0, 0)
	s.cfg.RetryFor = patient
	if err != nil {
		_ = s.pool.Close()
		return nil, err
	}
	return s, nil
}

func open(cfg Config) (*store, error) {
	a, err := parseURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &store{cfg: cfg, address: a, full: throttle.Lost, keys: prefix + "{" + throttle.BudgetName(cfg.Key) + "}:"}
	s.pool = &redigo.Pool{MaxIdle: idleConnections, IdleTimeout: idleFor, DialContext: a.dial, TestOnBorrow: s.test}
	return s, nil
}

func (s *store) Acquire(ctx context.Context, ask throttle.Ask) (throttle.Grant, error) {
	args := []any{ask.Run, ask.Age.Milliseconds(), ask.Queue, ask.Held, ask.MaxInFlight.Milliseconds()}
	for _, token := range ask.Tokens {
		args = append(args, token)
	}
	reply, asked, err := s.call(ctx, ask.Operation, "acquire", args...)
	if err != nil {
		return throttle.Grant{}, err
	}
	const fields = 6
	if len(reply) != fields || reply[1] < 0 || reply[1] > int64(len(ask.Tokens)) ||
		reply[3] < 0 || reply[3] >= int64(max(len(ask.Operation), 1)) {
		return throttle.Grant{}, s.end(fmt.Errorf("unexpected reply %v", reply))
	}
	return throttle.Grant{
		Granted: int(reply[1]), Wait: time.Duration(reply[2]) * time.Millisecond, Window: int(reply[3]),
		Cause: throttle.Cause(reply[4]), Shared: reply[5] == 1, At: asked,
	}, nil
}

func (s *store) Release(ctx context.Context, op throttle.Operation, token string, hold time.Duration) error {
	_, _, err := s.call(ctx, op, "release", token, hold.Milliseconds())
	return err
}

// call runs the script, and repeats that after a failure, until the server has been lost for too long. It returns when
// the question was sent that was answered.
func (s *store) call(
	ctx context.Context, op throttle.Operation, command string, args ...any,
) (reply []int64, asked time.Time, err error) {
	suspect := false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		start := time.Now()
		if err := s.usable(); err != nil {
			return nil, start, err
		}
		ask := func() (reply []int64, err error) {
			reply, asked, err = s.ask(ctx, func() []any { return s.arguments(op, command, suspect, args) })
			return reply, err
		}
		if s.around != nil {
			reply, err = s.around(ask)
		} else {
			reply, err = ask()
		}
		if err == nil && len(reply) > 0 {
			s.answered(asked, reply[0])
			return reply, asked, nil
		}
		if err == nil && !suspect { // the script wants to be asked again: the question was slow, or the clock was set
			suspect = true
			continue
		}
		if err == nil {
			err = errors.New("the reply is empty")
		}
		suspect = false
		if ctx.Err() != nil {
			return nil, start, context.Cause(ctx)
		}
		if err := s.failed(start, err); err != nil {
			return nil, start, err
		}
		timer := time.NewTimer(pause/2 + rand.N(pause/2))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, start, context.Cause(ctx)
		}
	}
}

// ask runs the script once, and returns when it was sent. Its arguments depend on that time, so they are built when
// there is a connection.
func (s *store) ask(ctx context.Context, arguments func() []any) (reply []int64, asked time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, noAnswer)
	defer cancel()
	conn, err := s.pool.GetContext(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { _ = conn.Close() }() // returns the connection to the pool
	asked = time.Now()
	reply, err = redigo.Int64s(script.DoContext(ctx, conn, arguments()...))
	return reply, asked, err
}

// test returns an error for a connection that was idle when another connection failed, because it is probably broken.
func (s *store) test(_ redigo.Conn, idleSince time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if idleSince.Before(s.broke) {
		return errors.New("another connection has failed")
	}
	return nil
}

// usable returns why the run must end, or nil.
func (s *store) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// arguments returns the keys and arguments of the script, for a question that is sent now.
func (s *store) arguments(op throttle.Operation, command string, suspect bool, args []any) []any {
	now, latest, again := "", "", 0
	s.mu.Lock()
	if !s.asked.IsZero() {
		latest = strconv.FormatInt(s.now+(throttle.Since(s.asked)+clockTolerance).Milliseconds(), 10)
	}
	s.mu.Unlock()
	if s.clock != nil {
		now = strconv.FormatInt(s.clock(), 10)
	}
	if suspect {
		again = 1
	}
	all := []any{len(op) + 2}
	for _, w := range op {
		all = append(all, s.keys+w.ID())
	}
	all = append(all, s.keys+"runs", s.keys+"next", command, now, latest, again, s.full.Milliseconds())
	for _, w := range op {
		all = append(all, w.Limit, w.Per.Milliseconds(), w.Reserve)
	}
	return append(all, args...)
}

// answered records the server's clock, and that the outage is over.
func (s *store) answered(asked time.Time, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = time.Time{}
	if !asked.Before(s.asked) {
		s.asked, s.now = asked, now
	}
}

// failed returns why the run must end, or nil if the question can be repeated. All questions share one outage, so they
// fail at the same time.
func (s *store) failed(asked time.Time, err error) error {
	s.mu.Lock()
	if s.began.IsZero() {
		s.began = asked
	}
	s.broke = time.Now()
	lasted := time.Since(s.began)
	s.mu.Unlock()
	switch {
	case lacksRight(err):
		return s.end(fmt.Errorf("the user lacks a right that the guide \"Rate limits\" names: %w", err))
	case isFinal(err):
		return s.end(err)
	case lasted >= s.cfg.RetryFor:
		return s.end(fmt.Errorf("%w (repeated for %v)", err, lasted.Round(time.Second)))
	}
	return nil
}

// end ends the use of the server for good.
func (s *store) end(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		server := "the Redis or Valkey server at " + s.address.String()
		s.lost = &throttle.UnavailableError{Store: server, Err: s.address.hide(err)}
	}
	return s.lost
}
