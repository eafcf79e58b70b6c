// SPDX-License-Identifier: MPL-2.0

// Package redis keeps a shared budget in Redis or Valkey, for runs on several machines.
// The ledger is one key: a log of operations, in the order in which the server received them
// (log.go). One message takes a slot or returns how long to wait, and another
// message gives the slot back. All instants come from the server's clock.
//
// Losing the ledger never grants more than the limits. Each line of the log contains the identity
// of the server, and what the run that sent it has seen last. The ledger may
// be missing, older or a different one, the server may have been restarted, or a replica
// may have taken over. In all these cases, it is rebuilt as if every window were full.
// The same applies to the first use of a server that was started less than two minutes
// ago, because its earlier contents are not known.
//
// The server has no clock that cannot be set. If its clock is set forward, no slot is free
// early, because runs send how much time they measured, and new runs send their wall clock.
// A step is not noticed if it is shorter than a fifth of a second, or than the time that
// a message of another run takes.
package redis

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

const (
	// noAnswer is how long the server may take to answer before a question has failed.
	noAnswer = 5 * time.Second
	// releaseFor is how long a response waits until the server has recorded it. After
	// that, it is recorded in the background.
	releaseFor = 2 * time.Second
	// firstTry and latestTry bound the pauses between attempts, which double.
	firstTry  = 50 * time.Millisecond
	latestTry = time.Second
	// openFor is how long Open tries to reach the server, which may be loading its data
	// or waiting for a replica to take over.
	openFor = 10 * time.Second
	// keepFor is how long a budget is kept that no run uses.
	keepFor = 24 * time.Hour
	// prefix begins every key. The rights of the user depend on it.
	prefix = "assess-budget:"
	// logFormat is the version of the ledger's format. It is part of the key, so that two
	// versions of the program do not read each other's ledgers.
	logFormat = "5"
	// oldestVersion is the oldest supported major version of the server.
	oldestVersion = 7
)

// script appends an operation to the ledger.
//
//go:embed append.lua
var script string

// Config says where a shared budget is, and what to do if the server cannot be reached.
type Config struct {
	// URL is redis://user:password@host:port/db, or rediss:// for TLS.
	URL string

	// Key identifies the budget. Its name in Redis is a hash that does not reveal the
	// key.
	Key string

	// RetryFor is how long questions are repeated after the server was lost.
	RetryFor time.Duration

	// Dial connects to the server. If it is nil, the network is used.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Fallback takes over after that time, as soon as the slots that the server granted no
	// longer count. If it is nil, nothing is granted any more, and every Acquire fails with
	// an *Error.
	Fallback throttle.Store
}

// logStore is a throttle.Store for all processes that reach the server.
type logStore struct {
	cfg    Config
	server redisServer
	script string
	key    string

	notices throttle.BudgetNoticeList

	mu     sync.Mutex
	node   *node // the server, or the node of its cluster that has the key
	seen   logView
	latest time.Time   // when the server answered last
	outage OutageError // the current one, if Attempts is not zero
	began  time.Time   // when the outage began
	lost   error       // why the store gave up the server, for good
}

// Open returns a store for all processes that open the same key on the same server. If
// the server cannot be reached, Open tries again for ten seconds. The error is an *Error
// with the cause, such as an *OutageError, or an error of Address.
//
// A ledger that was lost or set back is rebuilt as if every window were full
// (StoreRebuilt). If the server is lost later, all questions are repeated for
// Config.RetryFor, which begins with the first one that failed. Then the fallback takes
// over for good (StoreUnusable).
func Open(ctx context.Context, cfg Config) (throttle.Store, error) {
	server, err := parseURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &logStore{cfg: cfg, server: server, script: script, key: keyOf(cfg.Key)}
	s.node = s.connect(server.node)
	_, err = s.repeat(ctx, openFor, func() (throttle.Decision, error) { return throttle.Decision{}, s.check(ctx) })
	if err != nil {
		s.close()
		return nil, s.wrap(err)
	}
	return s, nil
}

// check returns an error if the server is too old, or the user lacks a right.
func (s *logStore) check(ctx context.Context) error {
	key := s.key + ":check"
	info, err := s.send(ctx, func(conn redigo.Conn) (reply any, err error) {
		for _, command := range []redigo.Args{
			{"GET", key}, {"SET", key, "1", "PX", "1"}, {"TIME"}, {"EVAL", "return 1", 1, key}, {"INFO", "server"},
		} {
			name, _ := command[0].(string)
			if reply, err = redigo.DoContext(conn, ctx, name, command[1:]...); err != nil {
				return nil, err
			}
		}
		return []any{reply}, nil
	})
	if answered, _ := errors.AsType[redigo.Error](err); strings.HasPrefix(string(answered), "NOPERM") {
		return fmt.Errorf("the user lacks the right to run a command, or to use the keys %s*: %w", prefix, err)
	}
	if err != nil {
		return err
	}
	about, _ := redigo.String(info[0], nil)
	return supported(about)
}

// supported returns an error if a server that says this about itself is too old.
func supported(about string) error {
	_, after, _ := strings.Cut(about, "redis_version:")
	version := strings.TrimSpace(strings.SplitN(after, "\n", 2)[0])
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestVersion {
		return fmt.Errorf("the server has version %q, and %w", version, errOldVersion)
	}
	return nil
}

func (s *logStore) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.node.pool.Close()
}

// keyOf returns the key of a budget: the same hash as in the name of its file, as the
// hash tag that keeps all its data on one node of a cluster.
func keyOf(key string) string {
	return prefix + logFormat + ":{" + throttle.BudgetName(key) + "}"
}

// Acquire returns a *BudgetError, or an error that wraps the context's cause.
func (s *logStore) Acquire(ctx context.Context, ask throttle.Ask) (throttle.Decision, error) {
	decision, err := s.persist(ctx, throttle.Operation{Ask: ask})
	switch {
	case err == nil:
		return decision, nil
	case ctx.Err() != nil:
		// The server may have granted the slot.
		unsent := throttle.Operation{Ask: ask, Outcome: &throttle.Outcome{Kind: throttle.Unsent}}
		go s.record(context.WithoutCancel(ctx), unsent)
		return throttle.Decision{}, s.ended(ctx)
	}
	latest, lost := s.giveUp(err)
	if s.cfg.Fallback == nil {
		return throttle.Decision{}, lost
	}
	decision = throttle.Decision{}
	for i, w := range ask.Windows {
		if wait := time.Until(latest.Add(ask.MaxInFlight + w.Per)); wait > decision.Wait {
			decision = throttle.Decision{Wait: wait, Window: i}
		}
	}
	if decision.Wait > 0 {
		return decision, nil
	}
	return s.cfg.Fallback.Acquire(ctx, ask)
}

// ended returns the cause of a context, with the outage during which it ended.
func (s *logStore) ended(ctx context.Context) error {
	s.mu.Lock()
	outage := s.outage
	s.mu.Unlock()
	if outage.Attempts == 0 {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", context.Cause(ctx), s.wrap(&outage))
}

// Release tries once. If that fails, it repeats the attempt in the background for as long as
// Acquire would.
func (s *logStore) Release(ask throttle.Ask, outcome throttle.Outcome) {
	if s.givenUp() != nil {
		if s.cfg.Fallback != nil {
			s.cfg.Fallback.Release(ask, outcome) // also if the server granted the slot
		}
		return
	}
	// A response must be recorded even if the context of its request has ended.
	ctx, cancel := context.WithTimeout(context.Background(), releaseFor)
	defer cancel()
	op := throttle.Operation{Ask: ask, Outcome: &outcome}
	if _, err := s.run(ctx, op); err != nil {
		go s.record(context.Background(), op)
	}
}

// record tells the server the outcome of a slot.
func (s *logStore) record(ctx context.Context, op throttle.Operation) {
	_, _ = s.persist(ctx, op)
}

func (s *logStore) Notices() []throttle.BudgetNotice {
	notices := s.notices.Notices()
	if s.cfg.Fallback != nil && s.givenUp() != nil {
		notices = append(notices, s.cfg.Fallback.Notices()...)
	}
	return notices
}

// persist repeats an operation that failed until the server has been lost for too long, or
// the context is over.
func (s *logStore) persist(ctx context.Context, op throttle.Operation) (throttle.Decision, error) {
	return s.repeat(ctx, s.cfg.RetryFor, func() (throttle.Decision, error) { return s.run(ctx, op) })
}

// repeat repeats an operation that failed, unless the error is final. All operations share
// one outage, so they fail at the same time.
func (s *logStore) repeat(
	ctx context.Context, most time.Duration, do func() (throttle.Decision, error),
) (decision throttle.Decision, err error) {
	for pause := firstTry; ; pause = min(2*pause, latestTry) {
		if lost := s.givenUp(); lost != nil {
			return decision, lost
		}
		asked := time.Now()
		decision, err = do()
		if ctx.Err() != nil && err != nil {
			return decision, context.Cause(ctx)
		}
		left, err := s.count(asked, most, err)
		if err == nil || left <= 0 {
			return decision, err
		}
		timer := time.NewTimer(min(pause/2+rand.N(pause/2), left))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return decision, context.Cause(ctx)
		}
	}
}

// count counts the result of a question. It returns how much time is left for the outage,
// and the error if none is left.
func (s *logStore) count(asked time.Time, most time.Duration, err error) (left time.Duration, failure error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.lost != nil: // in the meantime
		return 0, s.lost
	case err == nil:
		s.outage, s.latest = OutageError{}, time.Now()
		return 0, nil
	case s.outage.Attempts == 0:
		s.began = asked
	}
	s.outage = OutageError{Lasted: time.Since(s.began), Attempts: s.outage.Attempts + 1, Err: err}
	if outage := s.outage; !isPermanent(err) {
		return most - outage.Lasted, &outage
	}
	return 0, err
}

// giveUp ends the use of the server for good. It returns when the server granted a slot at
// the latest, and why it was given up.
func (s *logStore) giveUp(err error) (latest time.Time, lost error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = s.wrap(err)
		if s.cfg.Fallback != nil {
			s.notices.Add(throttle.BudgetNotice{Kind: throttle.StoreUnusable, Err: s.lost})
		}
	}
	return s.latest, s.lost
}

func (s *logStore) givenUp() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// run appends an operation to the log, and returns the decision about it.
func (s *logStore) run(ctx context.Context, op throttle.Operation) (throttle.Decision, error) {
	s.mu.Lock()
	known := s.seen
	s.mu.Unlock()
	sent := time.Now()
	checkpoint, args, err := known.arguments(known.ask(sent, op))
	if err != nil {
		return throttle.Decision{}, err
	}
	reply, err := s.send(ctx, func(conn redigo.Conn) (any, error) {
		return redigo.DoContext(conn, ctx, "EVAL", append([]any{s.script, 1, s.key}, args...)...)
	})
	if err != nil {
		return throttle.Decision{}, err
	}
	var same int
	var rest string
	if _, err = redigo.Scan(reply, &same, &rest); err != nil {
		return throttle.Decision{}, fmt.Errorf("unexpected reply %v: %w", reply, err)
	}
	now, err := known.after(checkpoint, same, rest)
	if err != nil {
		return throttle.Decision{}, err
	}
	now.sent, now.received = sent, time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen.before(now) {
		s.seen = now
	}
	if now.rebuilt {
		s.notices.Add(throttle.BudgetNotice{Kind: throttle.StoreRebuilt, Err: &BudgetError{s.server.String(), errCountsLost}})
	}
	return now.decision, nil
}

// send sends a command. If that fails because another node of the cluster has the key, it
// is sent to that node. After any other error of a connection, the next question starts
// with the configured server and new connections: the server may have become a replica,
// the address may lead to another server, and idle connections are broken as well.
func (s *logStore) send(ctx context.Context, do func(redigo.Conn) (any, error)) (values []any, err error) {
	for range 2 {
		s.mu.Lock()
		node := s.node
		s.mu.Unlock()
		values, err = redigo.Values(node.run(ctx, do))
		next, moved := movedTo(err, node.address)
		if moved && !s.server.trusts(next) {
			err = fmt.Errorf("the server answered that the node %q has the key: %w", next, errOtherHost)
			next, moved = "", false
		}
		if err == nil {
			return values, nil
		}
		s.mu.Lock()
		if s.node == node { // no other question has replaced it
			_ = node.pool.Close()
			s.node = s.connect(cmp.Or(next, s.server.node))
		}
		s.mu.Unlock()
		if !moved {
			break
		}
	}
	return nil, err
}
