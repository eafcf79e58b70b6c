// SPDX-License-Identifier: MPL-2.0

// Package redis keeps a shared budget in Redis or Valkey, for runs on several machines. One script (limiter.lua)
// implements the rules. It uses a sorted set for each window, and the server's clock. A cluster is not supported.
//
// If the sets are lost, runs are still never granted more than the limits. Each set has a member that is named after
// the server's run_id. If this member is missing, the window counts as full (throttle.Lost). This is the case after a
// flush, an eviction, a restart, a snapshot or a failover, and also at the first use. The documentation of package
// throttle says which losses no run notices.
//
// The server's clock can be set. Each run compares how far the server's clock and its own clock have advanced since an
// earlier reply. If the server's clock was set forward, the run uses no slot of the reply, and the sets count as lost.
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
	// noAnswer is how long one attempt may take, from connecting to the server to the reply. After this time, the
	// attempt has failed, and the script is run again.
	noAnswer = 5 * time.Second
	// firstPause and longestPause bound the pauses between attempts, which double.
	firstPause   = 50 * time.Millisecond
	longestPause = time.Second
	// openFor is how long Open tries to reach the server, which may be loading its data.
	openFor = 10 * time.Second
	// prefix begins every key, and the rights of the user depend on it. It contains the version of the format, so that
	// two versions of the program do not read each other's sets.
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
	// RetryFor is how long the store tries to run the script while the server cannot be used. After that, the run must
	// end.
	RetryFor time.Duration
}

// store is a throttle.Store for all processes that reach the server.
type store struct {
	cfg     Config
	address address
	pool    *redigo.Pool
	keys    string // the beginning of all keys. Its hash tag keeps the keys together

	// Tests change these fields. full replaces throttle.Lost, patience replaces noAnswer, and now, if it is not nil,
	// replaces the server's clock. around is called with the function that runs the script, and calls that function.
	full, patience time.Duration
	now            func() int64
	around         func(ask func() ([]int64, error)) ([]int64, error)

	mu    sync.Mutex
	clock reading   // the latest reading (see answered), zero before the first one
	began time.Time // when the current outage began
	broke time.Time // when a connection failed last
}

// reading is the time of the server's clock in a reply, in milliseconds, and the time at which this run asked for the
// reply.
type reading struct {
	now   int64
	asked time.Time
}

// Open returns a store for all processes that open the same key on the same server. If the server cannot be reached, it
// tries again for ten seconds. An error is a *throttle.UnavailableError, the cause of the end of ctx, or errURL.
func Open(ctx context.Context, cfg Config) (throttle.Store, error) {
	s, err := open(cfg)
	if err != nil {
		return nil, err
	}
	ask := throttle.Ask{Run: "open", Queue: "open"} // for no slot
	if _, _, err = s.acquire(ctx, openFor, ask); err != nil {
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
	s := &store{cfg: cfg, address: a, keys: prefix + "{" + throttle.BudgetName(cfg.Key) + "}:"}
	s.full, s.patience = throttle.Lost, noAnswer
	s.around = func(ask func() ([]int64, error)) ([]int64, error) { return ask() }
	s.pool = &redigo.Pool{MaxIdle: idleConnections, IdleTimeout: idleFor, DialContext: a.dial, TestOnBorrow: s.test}
	return s, nil
}

// Acquire implements [throttle.Store]. A reply that cannot be the grant is an error, too.
func (s *store) Acquire(ask throttle.Ask) (throttle.Grant, error) {
	reply, asked, err := s.acquire(context.Background(), s.cfg.RetryFor, ask)
	if err != nil {
		return throttle.Grant{}, err
	}
	grant, ok := readGrant(reply, ask)
	if !ok {
		return throttle.Grant{}, s.unavailable(fmt.Errorf("unexpected reply %v", reply))
	}
	grant.At = asked
	return grant, nil
}

// acquire runs the command "acquire" of the script (call).
func (s *store) acquire(ctx context.Context, retryFor time.Duration, ask throttle.Ask) ([]int64, time.Time, error) {
	args := []any{ask.Run, ask.Age.Milliseconds(), ask.Queue, ask.Used, ask.MaxInFlight.Milliseconds()}
	for _, token := range ask.Tokens {
		args = append(args, token)
	}
	return s.call(ctx, retryFor, ask.Operation, "acquire", args...)
}

// readGrant returns the grant in a reply of the script, which begins with the server's time. ok is false if the reply
// cannot be the grant for this ask.
func readGrant(reply []int64, ask throttle.Ask) (grant throttle.Grant, ok bool) {
	if len(reply) != 6 {
		return throttle.Grant{}, false
	}
	granted, wait, window, cause, shared := reply[1], reply[2], reply[3], reply[4], reply[5]
	ok = granted >= 0 && granted <= int64(len(ask.Tokens)) && window >= 0 && window < int64(len(ask.Operation))
	return throttle.Grant{
		Granted: int(granted), Wait: time.Duration(wait) * time.Millisecond, Window: int(window),
		Cause: throttle.Cause(cause), Shared: shared == 1,
	}, ok
}

func (s *store) Release(op throttle.Operation, token string, hold time.Duration) error {
	_, _, err := s.call(context.Background(), s.cfg.RetryFor, op, "release", token, hold.Milliseconds())
	return err
}

// call runs the script, and after a failure, pauses and runs it again, until recordFailure returns an error. It returns
// the reply, which is not empty, and when the successful attempt began. If the reply shows that the server's clock was
// set forward since an earlier reply, call ignores the reply, and runs the script again with the earlier reading. The
// script then makes the windows full, unless it has done so for another call.
func (s *store) call(
	ctx context.Context, retryFor time.Duration, op throttle.Operation, command string, args ...any,
) (reply []int64, asked time.Time, err error) {
	var setAfter reading // the reading after which the clock was set forward, or zero
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		asked = time.Now()
		earlier := s.earlier()
		reply, err = s.around(func() ([]int64, error) { return s.run(ctx, s.arguments(op, command, setAfter, args)) })
		if err != nil {
			if err = s.recordFailure(ctx, asked, retryFor, err); err != nil {
				return nil, asked, err
			}
			throttle.Sleep(pause/2+rand.N(pause/2), ctx.Done())
			continue
		}
		isReported := !setAfter.isZero() // the script was told that the clock was set
		if !isReported && earlier.clockWasSet(reply[0]) {
			setAfter = earlier
			continue
		}
		s.answered(reading{reply[0], asked}, isReported)
		return reply, asked, nil
	}
}

// run runs the script once. Its reply is not empty.
func (s *store) run(ctx context.Context, arguments []any) (reply []int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	conn, err := s.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // returns the connection to the pool
	reply, err = redigo.Int64s(script.DoContext(ctx, conn, arguments...))
	if err == nil && len(reply) == 0 {
		err = errors.New("the reply is empty")
	}
	return reply, err
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

// arguments returns the number of keys, the keys and the arguments of the script, which limiter.lua describes. setAfter
// is the reading after which the server's clock was set forward, or zero if it was not. args are those of the command.
func (s *store) arguments(op throttle.Operation, command string, setAfter reading, args []any) []any {
	now, before := "", ""
	if s.now != nil { // in a test
		now = strconv.FormatInt(s.now(), 10)
	}
	if !setAfter.isZero() {
		before = strconv.FormatInt(setAfter.now, 10)
	}
	all := []any{len(op) + 2}
	for _, w := range op {
		all = append(all, s.keys+w.ID())
	}
	all = append(all, s.keys+"runs", s.keys+"next", command, now, before, s.full.Milliseconds())
	for _, w := range op {
		all = append(all, w.Limit, w.Per.Milliseconds(), w.Reserve)
	}
	return append(all, args...)
}

func (r reading) isZero() bool { return r.asked.IsZero() }

// clockWasSet reports whether the server's clock was set forward after this reading: it has advanced by more than the
// time that has passed. It returns false for the zero reading.
func (r reading) clockWasSet(now int64) bool {
	passed := throttle.Since(r.asked) + throttle.ClockTolerance
	return !r.isZero() && now > r.now+passed.Milliseconds()
}

func (s *store) earlier() reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

// answered records that the outage is over. It also records the reading of the server's clock, unless the reply was
// slow and there is an earlier reading, because a slow reply does not show exactly when the clock was read.
func (s *store) answered(r reading, clockWasSet bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began = time.Time{}
	isSlow := throttle.Since(r.asked) >= throttle.ClockTolerance
	if clockWasSet || s.clock.isZero() || !isSlow {
		s.clock = r
	}
}

// recordFailure records that an attempt, which began at asked, has failed with err. It returns nil if the script can be
// run again. If err is final, or the outage has lasted for retryFor, it returns a *throttle.UnavailableError. All calls
// share one outage, so a call can fail after one attempt. If ctx has ended, recordFailure records nothing and returns
// the cause.
func (s *store) recordFailure(ctx context.Context, asked time.Time, retryFor time.Duration, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lasted := s.recordOutage(asked)
	switch {
	case lacksRight(err):
		return s.unavailable(fmt.Errorf("the user lacks a right that the guide \"Rate limits\" names: %w", err))
	case isFinal(err):
		return s.unavailable(err)
	case lasted >= retryFor:
		return s.unavailable(fmt.Errorf("%w (repeated for %v)", err, lasted.Round(time.Second)))
	}
	return nil
}

// recordOutage records that an attempt has failed, and returns how long ago the first failed attempt of the outage
// began.
func (s *store) recordOutage(asked time.Time) (lasted time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.began.IsZero() {
		s.began = asked
	}
	s.broke = time.Now()
	return time.Since(s.began)
}

func (s *store) unavailable(err error) error {
	server := "the Redis or Valkey server at " + s.address.String()
	return &throttle.UnavailableError{Store: server, Err: s.address.hide(err)}
}
