// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/files"
)

const (
	// retryFileFor is how long a failed operation on the file is repeated. An operation can fail because the process
	// has run out of file descriptors, or because a virus scanner has opened the file.
	retryFileFor = time.Second
	// lockedAfter is how long another process may have the lock before there is a notice.
	lockedAfter = 5 * time.Second

	folder = "budgets" // the name of the folder in FileConfig.Dir
)

// ErrLocked means that another process has locked the file, and did not unlock it in time.
var ErrLocked = errors.New("another process has held its lock")

// FileConfig configures the store of OpenFile.
type FileConfig struct {
	// Dir is a folder of this user. Key identifies the budget.
	Dir, Key string
	// RetryFor is how long requests wait for a process that was stopped while it had the lock.
	RetryFor time.Duration
	// OnNotice is called with each Notice of the kind Alone or Locked. It is required.
	OnNotice func(Notice)
}

// fileStore is a Store for all processes of a user on one machine.
type fileStore struct {
	cfg  FileConfig
	file *files.Locked
	wall func() int64 // the clock of the machine, in milliseconds. If alone, a clock that nobody can set

	turn   chan struct{} // guards the fields below. A wait for a sync.Mutex would stop the time of synctest
	budget budget        // the last content of the file or, if the file cannot be used, the budget in use
	seen   *seen         // the last change of this run, nil before the first one
	alone  bool
}

// budget is the content of the file.
type budget struct {
	ID      string `json:"id"`      // random
	Changes int    `json:"changes"` // so far
	Now     int64  `json:"now"`     // when it was written
	State   State  `json:"state"`
	// ClockSet is until when the windows are full because the clock was set forward, or 0.
	ClockSet int64 `json:"clockSet,omitempty"`
}

// seen is a change that this run has made.
type seen struct {
	id      string
	changes int
	wall    int64
	at      time.Time // when wall was read, as a monotonic time
}

// OpenFile returns a store for all processes that open the same key in the same folder. It does not access the file
// before the first use.
//
// The windows count as full (see Lost) if the file may lack requests of this run, is damaged, or was written much later
// than now, or if this run notices that the clock was set forward. If the file cannot be used for a second, the store
// continues in memory (Alone). If another process keeps the lock, requests wait (Locked). After RetryFor, they fail
// with an *UnavailableError.
func OpenFile(cfg FileConfig) Store {
	file := files.Private(cfg.Dir, folder, BudgetName(cfg.Key)+".json")
	file.Volatile = true
	wall := func() int64 { return time.Now().UnixMilli() }
	return &fileStore{cfg: cfg, file: file, wall: wall, turn: make(chan struct{}, 1)}
}

// BudgetName returns the name of a budget in a store: a hash that does not reveal its key.
func BudgetName(key string) string {
	hash := sha256.Sum256([]byte("the budget of " + key))
	return hex.EncodeToString(hash[:16])
}

func (f *fileStore) Acquire(ask Ask) (grant Grant, err error) {
	err = f.do(func(now int64, s *State) { grant = s.Acquire(now, ask) })
	return grant, err
}

func (f *fileStore) Release(op Operation, token string, hold time.Duration) error {
	return f.do(func(now int64, s *State) {
		s.Release(now, op, token, hold)
	})
}

// do applies a change to the state in the file. If the file cannot be used, do sends the notice Alone once, and applies
// this change and all later changes in memory. The only error is an *UnavailableError. It means that do did not get the
// lock within RetryFor, and that the file does not contain the change.
func (f *fileStore) do(change func(now int64, s *State)) error {
	locked := fmt.Errorf("%w for %v. Probably it was stopped", ErrLocked, f.cfg.RetryFor)
	ctx, cancel := context.WithTimeoutCause(context.Background(), f.cfg.RetryFor, locked)
	defer cancel()
	f.turn <- struct{}{} // this wait counts, too, because the changes before this one may wait for the lock
	defer func() { <-f.turn }()
	if !f.alone {
		err := f.writeOrRetry(ctx, change)
		if err == nil || errors.As(err, new(*UnavailableError)) {
			return err
		}
		f.alone = true
		now, at := f.wall(), time.Now()
		f.budget = f.orFull(f.budget, now)
		f.wall = func() int64 { return now + time.Since(at).Milliseconds() } // so that a set clock has no effect
		f.cfg.OnNotice(Notice{Kind: Alone, Err: err})
	}
	change(f.wall(), &f.budget.State)
	return nil
}

// writeOrRetry calls write, and repeats it for retryFileFor after errors other than an *UnavailableError. So it may
// apply the change again. This is safe: a change names its tokens, so applying it twice has the effect of applying it
// once.
func (f *fileStore) writeOrRetry(ctx context.Context, change func(now int64, s *State)) error {
	start := time.Now()
	for pause := 10 * time.Millisecond; ; pause *= 2 {
		err := f.write(ctx, change)
		isFinal := err == nil || errors.As(err, new(*UnavailableError))
		if isFinal || time.Since(start) >= retryFileFor {
			return err
		}
		time.Sleep(pause)
	}
}

// write changes the state in the file, and sets f.budget to the content of the file and f.seen to the change. If
// another process has the lock for lockedAfter, write sends the notice Locked. If ctx has ended and another process has
// the lock, write returns an *UnavailableError with the cause. After any other error, f.budget may contain the change
// although the file does not. The caller has f.turn.
func (f *fileStore) write(ctx context.Context, change func(now int64, s *State)) error {
	notice := Notice{Kind: Locked, Err: errors.New(f.file.Path + ".lock")}
	notifyLocked := time.AfterFunc(lockedAfter, func() { f.cfg.OnNotice(notice) })
	defer notifyLocked.Stop()
	var changedAt time.Time
	err := f.file.Change(ctx, func(text []byte, readErr error) ([]byte, error) {
		notifyLocked.Stop() // this process has the lock
		changedAt = time.Now()
		now := f.wall()
		b, err := f.read(text, readErr, now)
		if err != nil {
			return nil, err
		}
		f.budget = b
		f.budget.Now = now
		f.budget.Changes++
		change(now, &f.budget.State)
		return json.Marshal(f.budget)
	})
	switch {
	case err == nil:
		f.seen = &seen{f.budget.ID, f.budget.Changes, f.budget.Now, changedAt}
	case errors.Is(err, context.Cause(ctx)): // Change did not get the lock
		return &UnavailableError{"the file " + f.file.Path, context.Cause(ctx)}
	}
	return err
}

// read returns the budget in the file. text and readErr are the result of reading the file. If the file is missing and
// this run has made no change yet, read returns an empty budget, as for a key that was never used. If the file is
// damaged, or is missing after a change of this run, read returns fullBudget. For any other content, see orFull. The
// only error is readErr.
func (f *fileStore) read(text []byte, readErr error, now int64) (b budget, err error) {
	isMissing := errors.Is(readErr, fs.ErrNotExist)
	switch {
	case isMissing && f.seen == nil:
		return budget{ID: rand.Text()}, nil
	case isMissing:
		return f.fullBudget(now), nil
	case readErr != nil:
		return budget{}, readErr
	}
	isDamaged := json.Unmarshal(text, &b) != nil || b.ID == ""
	if isDamaged {
		return f.fullBudget(now), nil
	}
	return f.orFull(b, now), nil
}

// orFull returns budget b, or fullBudget if b does not account for the requests of this run (see isIn) or was written
// much later than now.
func (f *fileStore) orFull(b budget, now int64) budget {
	clockWasSetBack := b.Now > now+Lost.Milliseconds() // by so much that slots would last too long
	if clockWasSetBack || f.seen != nil && !f.seen.isIn(b, now) {
		return f.fullBudget(now)
	}
	return b
}

// fullBudget returns a new budget that allows no request until Lost has passed.
func (f *fileStore) fullBudget(now int64) budget {
	full := now + Lost.Milliseconds()
	b := budget{ID: rand.Text(), State: State{Full: full}}
	if f.seen != nil && f.seen.clockWasSet(now) {
		b.ClockSet = full
	}
	return b
}

// isIn reports whether budget b accounts for this run's requests. It does if b contains the requests, or if b blocked
// all runs until at least Lost after this run's last change. If the clock was set forward since that change, slots in b
// have expired too early. In that case, b accounts for the requests only if b blocked all runs for this long because of
// the clock.
func (s *seen) isIn(b budget, now int64) bool {
	if s.clockWasSet(now) {
		return b.ClockSet > s.wall+Lost.Milliseconds()
	}
	return b.ID == s.id && b.Changes >= s.changes || b.State.Full >= s.wall+Lost.Milliseconds()
}

// clockWasSet reports whether the clock of the machine was set forward after the change. It also returns true if the
// machine slept, because it cannot distinguish the two cases.
func (s *seen) clockWasSet(now int64) bool {
	return now-s.wall > (time.Since(s.at) + ClockTolerance).Milliseconds()
}
