// SPDX-License-Identifier: MPL-2.0

// Package redis keeps a shared budget in Redis or Valkey, for runs on several machines.
// The ledger is one key. The rules are a script that runs in the server (load.lua,
// ledger.lua). One message takes a slot or returns how long to wait, and another
// message gives the slot back. All instants come from the server's clock.
//
// Losing the ledger never grants more than the limits. The ledger contains the identity
// of the server that wrote it, and each run sends what it has seen last. The ledger may
// be missing, older or a different one, the server may have been restarted, or a replica
// may have taken over. In all these cases, it is rebuilt as if every window were full.
// The same applies to the first use of a server that was started less than two minutes
// ago, because its earlier contents are not known.
//
// If the clock is set forward, no slot is free early if any run has used the budget
// before and after that: runs send how much time they measured.
package redis

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

const (
	// noAnswer is how long the server may take to answer before it counts as lost.
	noAnswer = 2 * time.Second
	// firstTry and latestTry bound the pauses between attempts, which double.
	firstTry  = 50 * time.Millisecond
	latestTry = time.Second
	// openFor is how long Open tries to reach the server, which may be loading its data
	// or waiting for a replica to take over.
	openFor = 10 * time.Second
	// format is the version of the ledger's format. It is part of the key, so that two
	// versions of the program do not read each other's ledgers.
	format = "3"
)

var (
	//go:embed load.lua
	load string
	//go:embed ledger.lua
	ledger string

	rules = load + ledger
)

// Config says where a shared budget is, and what to do if the server cannot be reached.
type Config struct {
	// URL is redis://user:password@host:port/db, or rediss:// for TLS.
	URL string

	// Key identifies the budget. Its name in Redis is a hash that does not reveal the
	// key.
	Key string

	// RetryFor is how long a question is repeated after the server was lost.
	RetryFor time.Duration

	// Dial connects to the server. If it is nil, the network is used.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Fallback takes over after that time. It gets every release from the beginning,
	// and the slots in flight when it takes over. If it is nil, nothing is granted any
	// more, and every Acquire fails with an *Error.
	Fallback throttle.Local
}

// store is a throttle.Store for all processes that reach the server.
type store struct {
	cfg    Config
	server server
	script *redigo.Script
	key    string

	mu      sync.Mutex
	node    *node // the server, or the node of its cluster that has the key
	seen    seen
	open    map[throttle.Slot]throttle.Ask // granted and not released yet
	rebuilt bool                           // the notice of a rebuilt ledger exists
	lost    error                          // why the store gave up and the fallback took over
	notices []throttle.Notice
}

// seen is the state of the ledger in the latest reply.
type seen struct {
	id      string
	present int64     // on the ledger's clock, in microseconds
	sent    time.Time // when the question was sent
}

// Open returns a store for all processes that open the same key on the same server. If
// the server cannot be reached, Open tries again for ten seconds. The error is an
// *Error (the server cannot be reached, or rejects the credentials) or an error of
// Address.
//
// A ledger that was lost or set back is rebuilt as if every window were full
// (StoreRebuilt). If the server is lost later, the store repeats its question for
// Config.RetryFor, while the time of throttle.WithTimeout does not run. Then the
// fallback takes over for good (StoreUnusable).
func Open(ctx context.Context, cfg Config) (throttle.Store, error) {
	server, err := parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	s := &store{
		cfg: cfg, server: server, script: redigo.NewScript(1, rules), key: keyOf(cfg.Key),
		open: map[throttle.Slot]throttle.Ask{},
	}
	s.node = s.connect(server.node)
	_, err = s.repeat(ctx, openFor, func() (throttle.Answer, error) {
		return s.run(ctx, "open", throttle.Ask{}, throttle.Outcome{})
	})
	if err != nil {
		s.close()
		return nil, s.wrap(err)
	}
	return s, nil
}

// close closes all connections.
func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.node.pool.Close()
}

// keyOf returns the key of a budget: the same hash as in the name of its file, as the
// hash tag that keeps all its data on one node of a cluster.
func keyOf(key string) string {
	return "assess-budget-" + format + ":{" + throttle.BudgetName(key) + "}"
}

// Acquire implements throttle.Store. The error is the context's cause, or an
// *Error.
func (s *store) Acquire(ctx context.Context, ask throttle.Ask) (throttle.Answer, error) {
	answer, err := s.persist(ctx, func() (throttle.Answer, error) {
		return s.run(ctx, "acquire", ask, throttle.Outcome{})
	})
	switch {
	case err == nil:
		if answer.Granted {
			s.mu.Lock()
			s.open[ask.Slot] = ask
			s.mu.Unlock()
		}
		return answer, nil
	case ctx.Err() != nil:
		// The server may have granted the slot.
		go s.record(context.WithoutCancel(ctx), ask, throttle.Outcome{Result: throttle.Unsent})
		return throttle.Answer{}, context.Cause(ctx)
	case s.givenUp() != nil && s.cfg.Fallback != nil:
		return s.cfg.Fallback.Acquire(ctx, ask)
	}
	return throttle.Answer{}, err
}

// Release implements throttle.Store. It tries once. If that fails, it repeats the
// attempt in the background for as long as Acquire would.
func (s *store) Release(ask throttle.Ask, outcome throttle.Outcome) {
	s.mu.Lock()
	delete(s.open, ask.Slot)
	s.mu.Unlock()
	if s.cfg.Fallback != nil {
		s.cfg.Fallback.Release(ask, outcome)
	}
	if s.givenUp() != nil {
		return
	}
	// A response must be recorded even if the context of its request has ended.
	ctx, cancel := context.WithTimeout(context.Background(), noAnswer)
	defer cancel()
	if _, err := s.run(ctx, "release", ask, outcome); err != nil {
		go s.record(context.Background(), ask, outcome)
	}
}

// record tells the server the outcome of a slot.
func (s *store) record(ctx context.Context, ask throttle.Ask, outcome throttle.Outcome) {
	_, _ = s.persist(ctx, func() (throttle.Answer, error) { return s.run(ctx, "release", ask, outcome) })
}

// Notices implements throttle.Store.
func (s *store) Notices() []throttle.Notice {
	s.mu.Lock()
	notices, lost := s.notices, s.lost
	s.notices = nil
	s.mu.Unlock()
	if s.cfg.Fallback != nil && lost != nil {
		notices = append(notices, s.cfg.Fallback.Notices()...)
	}
	return notices
}

// persist repeats a failed operation until its time or the context is over, or until
// another call has given the store up.
func (s *store) persist(ctx context.Context, do func() (throttle.Answer, error)) (throttle.Answer, error) {
	defer throttle.PauseTimeout(ctx)()
	answer, err := s.repeat(ctx, s.cfg.RetryFor, do)
	if err == nil || ctx.Err() != nil {
		return answer, err
	}
	return answer, s.giveUp(err)
}

// repeat repeats an operation that failed with a temporary error.
func (s *store) repeat(
	ctx context.Context, most time.Duration, do func() (throttle.Answer, error),
) (answer throttle.Answer, err error) {
	until := time.Now().Add(most)
	for pause := firstTry; ; pause = min(2*pause, latestTry) {
		if lost := s.givenUp(); lost != nil {
			return answer, lost
		}
		answer, err = do()
		left := time.Until(until)
		if err == nil || ctx.Err() != nil || left <= 0 || refuses(err) {
			return answer, err
		}
		timer := time.NewTimer(min(pause/2+rand.N(pause/2), left))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return answer, context.Cause(ctx)
		}
	}
}

// refuses reports a permanent error of the server: the password is wrong, the user lacks a
// permission, or the key is on a node to which the password is not sent.
func refuses(err error) bool {
	if errors.Is(err, errOtherHost) {
		return true
	}
	var answered redigo.Error
	if !errors.As(err, &answered) {
		return false
	}
	code, _, _ := strings.Cut(string(answered), " ")
	return slices.Contains([]string{"WRONGPASS", "NOAUTH", "NOPERM", "ERR"}, code)
}

func (s *store) giveUp(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return s.lost
	}
	s.lost = s.wrap(fmt.Errorf("the connection was lost, and could not be restored for %s: %w", s.cfg.RetryFor, err))
	if s.cfg.Fallback != nil {
		s.notices = append(s.notices, throttle.Notice{Kind: throttle.StoreUnusable, Err: s.lost})
		var open []throttle.Ask
		for _, ask := range s.open {
			open = append(open, ask)
		}
		s.cfg.Fallback.Charge(open)
	}
	return s.lost
}

func (s *store) givenUp() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// run runs the script once. The comment at the top of load.lua lists its arguments and
// its reply.
func (s *store) run(
	ctx context.Context, operation string, ask throttle.Ask, outcome throttle.Outcome,
) (throttle.Answer, error) {
	seen, reply, err := s.ask(ctx, operation, ask, outcome)
	if _, moved := movedTo(err, ""); moved {
		seen, reply, err = s.ask(ctx, operation, ask, outcome)
	}
	if err != nil {
		return throttle.Answer{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen.id == s.seen.id && seen.present > s.seen.present ||
		seen.id != s.seen.id && seen.id != "" && seen.sent.After(s.seen.sent) {
		s.seen = seen
	}
	if reply[0] != 0 && !s.rebuilt {
		s.rebuilt = true
		s.notices = append(
			s.notices,
			throttle.Notice{Kind: throttle.StoreRebuilt, Err: &Error{s.server.String(), errCountsLost}},
		)
	}
	return throttle.Answer{
		Granted: reply[1] != 0, Wait: time.Duration(reply[2]) * time.Microsecond,
		Window: int(reply[3]), Held: reply[4] != 0,
	}, nil
}

// ask sends one question.
func (s *store) ask(
	ctx context.Context, operation string, ask throttle.Ask, outcome throttle.Outcome,
) (now seen, reply []int64, err error) {
	now.sent = time.Now()
	s.mu.Lock()
	known := s.seen
	s.mu.Unlock()
	args := []any{
		s.key, operation, known.id, known.present, microseconds(now.sent.Sub(known.sent)), microseconds(ask.MaxInFlight),
		hex(uint64(ask.Slot)), hex(uint64(ask.Run)), hex(ask.Queue), ask.Waiting,
		outcome.Result.String(), microseconds(outcome.RetryAfter),
	}
	for _, w := range ask.Windows {
		args = append(args, hex(w.ID()), w.Limit, microseconds(w.Per), w.Reserve)
	}
	values, err := s.send(ctx, args)
	if err != nil {
		return seen{}, nil, err
	}
	if len(values) != 7 {
		return seen{}, nil, fmt.Errorf("unexpected reply %v", values)
	}
	now.id, err = redigo.String(values[0], nil)
	numbers := make([]int64, 0, 6)
	for _, v := range values[1:] {
		n, parsing := redigo.Int64(v, nil)
		err = errors.Join(err, parsing)
		numbers = append(numbers, n)
	}
	now.present = numbers[0]
	return now, numbers[1:], err
}

func hex(n uint64) string { return strconv.FormatUint(n, 16) }

// send runs the script on a connection. If that fails because another node of the
// cluster has the key, the next question goes to that node. Otherwise the next question
// starts with the configured server and new connections: the server may have become a
// replica, the address may lead to another server, and idle connections are broken as
// well.
func (s *store) send(ctx context.Context, args []any) ([]any, error) {
	s.mu.Lock()
	node := s.node
	s.mu.Unlock()
	values, err := node.run(ctx, s.script, args)
	if err == nil {
		return values, nil
	}
	next := s.server.node
	if has, ok := movedTo(err, node.address); ok && s.server.trusts(has) {
		next = has
	} else if ok {
		err = fmt.Errorf("the server answered that the node %q has the key: %w", has, errOtherHost)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.node == node { // no other question has replaced it
		_ = node.pool.Close()
		s.node = s.connect(next)
	}
	return nil, err
}

// microseconds rounds up, so that no slot is free too early.
func microseconds(d time.Duration) int64 {
	return int64((d + time.Microsecond - 1) / time.Microsecond)
}
