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
	"runtime"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/files"
)

const (
	// retryFileFor is how long a failed operation on the file is repeated. For example, the process has run out of file
	// descriptors, or a virus scanner has the file open.
	retryFileFor = time.Second
	// lockedAfter is how long another process may have the lock before there is a notice.
	lockedAfter = 5 * time.Second

	mostBytes = 1 << 20   // a larger file is damaged, because only its beginning is read
	folder    = "budgets" // below the directory
)

// clockStep is how far behind the clock of the machine may be, in milliseconds, because it advances in such steps.
var clockStep = map[string]int64{"windows": 16}[runtime.GOOS]

// FileConfig configures the store of OpenFile.
type FileConfig struct {
	// Dir is a folder of this user. Key identifies the budget.
	Dir, Key string
	// RetryFor is how long requests wait for a process that was stopped while it had the lock.
	RetryFor time.Duration
	// OnNotice is called with Alone and Locked. It may be nil.
	OnNotice func(Notice)
}

// fileStore is a Store for all processes of a user on one machine.
type fileStore struct {
	cfg  FileConfig
	file *files.Locked
	wall func() int64 // the clock of the machine, in milliseconds

	turn   chan struct{} // guards the rest. Unlike a sync.Mutex, it can be waited for in virtual time
	budget budget        // what the file contained last. If the file cannot be used, the budget goes on here
	seen   *seen         // the last change of this run, nil before the first one
	alone  bool
}

// budget is the content of the file.
type budget struct {
	ID      string `json:"id"`      // random
	Changes int    `json:"changes"` // so far
	Now     int64  `json:"now"`     // when it was written
	State   State  `json:"state"`
	// ClockSet is until when it was full because the clock was set forward.
	ClockSet int64 `json:"clockSet,omitempty"`
}

// seen is a change that this run has made.
type seen struct {
	id      string
	changes int
	wall    int64
	at      time.Time // the same instant
}

// OpenFile returns a store for all processes that open the same key in the same folder. The name of the file is a hash
// that does not reveal the key. It accesses no file before its first use.
//
// If the file lacks requests of this run, is damaged, or was written much later than now, or if the clock of the
// machine was set forward since the last change of this run, the windows count as full (see Lost). If the file cannot
// be used for a second, the store goes on in memory (Alone). A process that was stopped while it had the lock is waited
// for (Locked, and after RetryFor an *UnavailableError).
func OpenFile(cfg FileConfig) Store {
	file := files.Private(cfg.Dir, folder, BudgetName(cfg.Key)+".json")
	file.Most, file.Volatile = mostBytes, true
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
		s.Release(now+clockStep, op, token, hold)
	})
}

// do changes the state, in the file if possible. A repeated change changes nothing more, because it names its tokens.
func (f *fileStore) do(change func(now int64, s *State)) error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	pause := 10 * time.Millisecond
	for start := time.Now(); !f.alone; pause *= 2 {
		err := f.write(change)
		if err == nil || errors.As(err, new(*UnavailableError)) {
			return err
		}
		if f.alone = time.Since(start) >= retryFileFor; f.alone {
			f.notify(Alone, err)
			break
		}
		time.Sleep(pause)
	}
	change(f.wall(), &f.budget.State)
	return nil
}

func (f *fileStore) notify(kind NoticeKind, err error) {
	if f.cfg.OnNotice != nil {
		f.cfg.OnNotice(Notice{Kind: kind, Err: err})
	}
}

// write changes the state in the file, and records the change as seen. Afterwards, the budget is what the file has.
func (f *fileStore) write(change func(int64, *State)) error {
	errLocked := fmt.Errorf("another process has held its lock for %v. Probably it was stopped", f.cfg.RetryFor)
	ctx, cancel := context.WithTimeoutCause(context.Background(), f.cfg.RetryFor, errLocked)
	defer cancel()
	slow := time.AfterFunc(lockedAfter, func() { f.notify(Locked, errors.New(f.file.Path+".lock")) })
	defer slow.Stop()
	var at time.Time // of the change
	err := f.file.Change(ctx, func(text []byte, reading error) ([]byte, error) {
		slow.Stop()
		at = time.Now()
		now := f.wall()
		var err error
		if f.budget, err = f.read(text, reading, now); err != nil {
			return nil, err
		}
		f.budget.Now = now
		f.budget.Changes++
		change(now, &f.budget.State)
		return json.Marshal(f.budget)
	})
	switch {
	case err == nil:
		f.seen = &seen{f.budget.ID, f.budget.Changes, f.budget.Now, at}
	case errors.Is(err, errLocked):
		return &UnavailableError{"the file " + f.file.Path, errLocked}
	}
	return err
}

// read returns the budget in the file, or the known one if the file cannot be read. A file that is missing when this
// run begins was never used. In all other cases in which requests may be unknown, the budget is new, and full.
func (f *fileStore) read(text []byte, reading error, now int64) (budget, error) {
	isMissing := errors.Is(reading, fs.ErrNotExist)
	switch {
	case isMissing && f.seen == nil:
		return budget{ID: rand.Text()}, nil
	case reading != nil && !isMissing:
		return f.budget, reading
	}
	full := now + Lost.Milliseconds()
	var b budget
	isDamaged := json.Unmarshal(text, &b) != nil || b.ID == ""
	if !isDamaged && b.Now <= full && (f.seen == nil || f.seen.isIn(b, now)) {
		return b, nil
	}
	b = budget{ID: rand.Text(), State: State{Full: full}}
	if f.seen != nil && f.seen.clockWasSet(now) {
		b.ClockSet = full
	}
	return b, nil
}

// isIn reports whether a budget contains the requests of this run, or was full after them. If the clock was set forward
// since then, slots ended early, and so did the time for which the budget was full.
func (s *seen) isIn(b budget, now int64) bool {
	if s.clockWasSet(now) {
		return b.ClockSet > s.wall+Lost.Milliseconds()
	}
	return b.ID == s.id && b.Changes >= s.changes || b.State.Full >= s.wall+Lost.Milliseconds()
}

// clockWasSet reports whether the clock of the machine was set forward since the change. That the machine slept cannot
// be told apart.
func (s *seen) clockWasSet(now int64) bool {
	return now-s.wall > (time.Since(s.at) + ClockTolerance).Milliseconds()
}
