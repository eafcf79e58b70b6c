// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// How a server that does not answer is treated: what counts as no answer, and
// the pauses between tries, which double.
const (
	noAnswer  = 2 * time.Second
	firstTry  = 50 * time.Millisecond
	latestTry = time.Second
)

//go:embed redis.lua
var rules string

var script = redis.NewScript(1, rules)

// RedisConfig says where a budget lies in Redis, or in Valkey, and what to do
// while it cannot be reached.
type RedisConfig struct {
	// URL is redis://user:password@host:port/db, or rediss:// for TLS.
	URL string

	// Key is what the budget is for. The name in Redis is a hash that does not
	// reveal it.
	Key string

	// RetryFor is for how long a question is repeated when the server was lost.
	RetryFor time.Duration

	// Dial connects to the server, in place of the network; nil means the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Fallback takes over when that time is over. It hears of every release
	// from the beginning, so that it knows what was sent. Where it is nil
	// nothing is granted any more: every Acquire fails with a *RedisError.
	Fallback Store
}

// RedisError is what went wrong with a budget in Redis. It holds no credentials.
type RedisError struct {
	// Address is the URL of the budget without the credentials.
	Address string
	// Err is what happened.
	Err error
}

// Error implements error.
func (e *RedisError) Error() string {
	return fmt.Sprintf("the shared budget at %s: %v", e.Address, e.Err)
}

// Unwrap returns what happened.
func (e *RedisError) Unwrap() error { return e.Err }

// redisStore is a Store for a fleet: every process that reaches the server.
type redisStore struct {
	cfg    RedisConfig
	server redisServer
	key    string

	mu      sync.Mutex
	node    *redisNode // the server, or the node of its cluster that has the key
	known   int64      // the latest present of the ledger that was seen, in microseconds
	rebuilt bool       // a notice of that was made
	lost    error      // given up: the fallback serves
	notices []Notice
}

// OpenRedis returns a store for all processes that open the same key on the same
// server. The clock that counts is the server's. The error is a *RedisError (the
// server cannot be reached, or does not let us) or that of RedisAddress.
//
// A ledger that was lost or set back (the server was restarted without its data,
// a replica that lagged took over) is rebuilt as if every window were full
// (StoreRebuilt). A server that is lost later is asked again for
// RedisConfig.RetryFor, during which the time of WithTimeout stands still; then the
// fallback takes over for good (StoreUnusable).
func OpenRedis(ctx context.Context, cfg RedisConfig) (Store, error) {
	server, err := parseRedis(cfg.URL)
	if err != nil {
		return nil, err
	}
	r := &redisStore{cfg: cfg, server: server, key: redisKey(cfg.Key)}
	r.node = r.connect(server.node)
	if _, err := r.await(ctx, "open", nil); err != nil {
		r.close()
		return nil, r.wrap(err)
	}
	return r, nil
}

// close closes what connections there are.
func (r *redisStore) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.node.pool.Close()
}

// redisKey is the name of a budget: the same hash as the file's, as the tag that
// keeps whatever belongs to it on one node of a cluster.
func redisKey(key string) string {
	return "assess-budget:{" + budgetName(key) + "}"
}

// Acquire implements Store. The error is the context's cause, or a *RedisError.
func (r *redisStore) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	var answer Answer
	err := r.insist(ctx, func() error {
		reply, err := r.await(ctx, "acquire", ask.Windows,
			fmt.Sprintf("%016x", ask.Line), ask.Waiting, microseconds(ask.MaxInFlight))
		answer = reply
		return err
	})
	if err == nil || r.givenUp() == nil {
		return answer, err
	}
	if r.cfg.Fallback != nil {
		return r.cfg.Fallback.Acquire(ctx, ask)
	}
	if t := timeoutOf(ctx); t != nil { // no other attempt can mend it
		t.end(context.DeadlineExceeded, ErrTimeout)
	}
	return Answer{}, err
}

// Release implements Store. It is tried once, and while that fails in the
// background for as long as Acquire would be.
func (r *redisStore) Release(place Place, windows []Window, outcome Outcome) {
	if r.cfg.Fallback != nil {
		r.cfg.Fallback.Release(place, windows, outcome)
	}
	if r.givenUp() != nil {
		return
	}
	ctx := context.Background() // a response is recorded whatever became of its request
	record := func() error {
		_, err := r.run(ctx, "release", windows, uint64(place), outcome.Result.name(), microseconds(outcome.RetryAfter))
		return err
	}
	if record() != nil {
		go func() { _ = r.insist(ctx, record) }()
	}
}

// Notices implements Store.
func (r *redisStore) Notices() []Notice {
	r.mu.Lock()
	notices := r.notices
	r.notices = nil
	r.mu.Unlock()
	if r.cfg.Fallback != nil && r.givenUp() != nil {
		notices = append(notices, r.cfg.Fallback.Notices()...)
	}
	return notices
}

// insist repeats what fails, until its time or the context is over or the store
// was given up elsewhere.
func (r *redisStore) insist(ctx context.Context, do func() error) error {
	if lost := r.givenUp(); lost != nil {
		return lost
	}
	t := timeoutOf(ctx)
	t.pause()
	defer t.resume()
	err := do()
	if err == nil || ctx.Err() != nil {
		return err
	}
	until := time.Now().Add(r.cfg.RetryFor)
	for pause := firstTry; time.Now().Before(until); pause = min(2*pause, latestTry) {
		sleep(ctx, min(pause/2+rand.N(pause/2), time.Until(until)))
		if lost := r.givenUp(); lost != nil {
			return lost
		}
		if err = do(); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return r.giveUp(err)
}

func (r *redisStore) giveUp(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil {
		r.lost = r.wrap(fmt.Errorf("lost, and not found again for %s: %w", r.cfg.RetryFor, err))
		if r.cfg.Fallback != nil {
			r.notices = append(r.notices, Notice{Kind: StoreUnusable, Err: r.lost})
		}
	}
	return r.lost
}

func (r *redisStore) givenUp() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// await runs the script and returns when it has answered or the context ends,
// whichever is first. A place that is granted after that is given back.
func (r *redisStore) await(ctx context.Context, operation string, windows []Window, args ...any) (Answer, error) {
	type reply struct {
		answer Answer
		err    error
	}
	replies := make(chan reply)
	go func() {
		detached := context.WithoutCancel(ctx)
		answer, err := r.run(detached, operation, windows, args...)
		select {
		case replies <- reply{answer, err}:
		case <-ctx.Done():
			if answer.Place != 0 {
				_, _ = r.run(detached, "release", windows, uint64(answer.Place), Unsent.name(), 0)
			}
		}
	}()
	select {
	case got := <-replies:
		return got.answer, got.err
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

// run runs the script once. What it is given and what it replies stands at its
// head.
func (r *redisStore) run(ctx context.Context, operation string, windows []Window, args ...any) (Answer, error) {
	r.mu.Lock()
	args = append([]any{r.key, r.known, operation}, args...)
	r.mu.Unlock()
	for _, w := range windows {
		args = append(args, fmt.Sprintf("%016x", w.id()), w.Limit, microseconds(w.Per))
	}
	reply, err := r.send(ctx, args)
	if _, moved := movedTo(err, ""); moved {
		reply, err = r.send(ctx, args)
	}
	if err == nil && len(reply) != 6 {
		err = fmt.Errorf("it replied %v", reply)
	}
	if err != nil {
		return Answer{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = max(r.known, reply[0])
	if reply[1] != 0 && !r.rebuilt {
		r.rebuilt = true
		r.notices = append(r.notices, Notice{Kind: StoreRebuilt, Err: r.wrap(errors.New("what it had counted was lost"))})
	}
	return Answer{
		Place: Place(reply[2]), Wait: time.Duration(reply[3]) * time.Microsecond, Window: int(reply[4]), Gate: reply[5] != 0,
	}, nil
}

// send has the script run on a connection. Where that fails, the next goes to the
// node of the cluster that is said to have the key, or begins with the server and
// new connections: it may have become another one's replica, the address may lead
// elsewhere by now, and what was idle is as dead as what failed.
func (r *redisStore) send(ctx context.Context, args []any) ([]int64, error) {
	r.mu.Lock()
	node := r.node
	r.mu.Unlock()
	reply, err := node.run(ctx, args)
	if err == nil {
		return reply, nil
	}
	next := r.server.node
	if has, ok := movedTo(err, node.address); ok {
		next = has
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.node == node { // nobody else has gone on
		_ = node.pool.Close()
		r.node = r.connect(next)
	}
	return nil, err
}

// wrap names the address. Servers are known to repeat what they were sent, or
// the beginning of it.
func (r *redisStore) wrap(err error) error {
	const telling = 16 // bytes
	password := r.server.password
	switch text := err.Error(); {
	case password == "":
	case strings.Contains(text, password):
		err = errors.New(strings.ReplaceAll(text, password, "(secret)"))
	case len(password) > telling && strings.Contains(text, password[:telling]):
		err = errors.New("the server refused, in words that repeat a part of the password")
	}
	return &RedisError{Address: r.server.String(), Err: err}
}

// microseconds rounds up: no place is free too early.
func microseconds(d time.Duration) int64 {
	return int64((d + time.Microsecond - 1) / time.Microsecond)
}

// name is what the script calls a result.
func (r Result) name() string {
	return [...]string{Answered: "answered", Failed: "failed", Refused: "refused", Unsent: "unsent"}[r]
}

// timeoutOf returns the WithTimeout that the context is or derives from, or nil.
func timeoutOf(ctx context.Context) *timeout {
	t, _ := ctx.Value(timeoutKey{}).(*timeout)
	return t
}
