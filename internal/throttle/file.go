// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/files"
)

const (
	// retryFileFor is how long a failed operation on the file is repeated. For example, the process has run out of file
	// descriptors, or a virus scanner has the file open.
	retryFileFor = time.Second
	// lockedAfter is how long another process may hold the lock before there is a notice.
	lockedAfter = 5 * time.Second
	// unknownBoot is the Clock.Boot of a system that has none.
	unknownBoot = "any"
	// otherBootsFor is for how long the file keeps the budgets of other machines that share the folder.
	otherBootsFor = 24 * time.Hour

	mostBytes = 1 << 20
	folder    = "budgets" // below the directory
)

// FileConfig configures the store of OpenFile.
type FileConfig struct {
	// Dir is a folder of this user. Key identifies the budget.
	Dir, Key string
	// Clock is SystemClock except in tests.
	Clock Clock
	// RetryFor is how long requests wait for a process that was stopped while it held the lock.
	RetryFor time.Duration
	// OnNotice is called with Alone and Locked. It may be nil.
	OnNotice func(Notice)
}

// Clock measures the time for a budget in a file. All processes that share the budget have the same clock, and no one
// can set it.
type Clock struct {
	// Boot identifies the start of the machine, or is empty if the system has no such identity. Machines that share a
	// folder do not share a budget, because their clocks differ.
	Boot string
	// Now returns the time since the machine was started.
	Now func() time.Duration
}

// fileStore is a Store for all processes of a user on one machine.
type fileStore struct {
	cfg FileConfig

	turn    chan struct{} // has a token, which guards the rest
	seen    *fileBudget   // the budget in it, of which the state is not used. Nil before the first change
	content fileContent   // all of the file. If that cannot be used, the budget goes on here
	alone   bool
	lost    error // why the run must end

	said atomic.Bool // that the file is locked
}

// fileContent is a file: the budget of each start of a machine.
type fileContent map[string]*fileBudget

type fileBudget struct {
	ID      string `json:"id"`      // random. A different one means that the file was replaced
	Now     int64  `json:"now"`     // when it was written
	Written int64  `json:"written"` // the same, in seconds of the wall clock
	State   State  `json:"state"`
}

// OpenFile returns a store for all processes that open the same key in the same folder. The name of the file is a hash
// that does not reveal the key. It accesses no file before its first use.
//
// If the file is missing, older than before, damaged or later than now, its windows count as full (see Lost), except if
// it is missing and this run has not used it yet. If it cannot be used for a second, the store goes on in memory
// (Alone). A process that was stopped while it held the lock is waited for (Locked, and after RetryFor an
// *UnavailableError).
func OpenFile(cfg FileConfig) Store {
	cfg.Clock.Boot = cmp.Or(cfg.Clock.Boot, unknownBoot)
	return &fileStore{cfg: cfg, turn: make(chan struct{}, 1)}
}

// BudgetName returns the name of a budget in a store: a hash that does not reveal its key.
func BudgetName(key string) string {
	hash := sha256.Sum256([]byte("the budget of " + key))
	return hex.EncodeToString(hash[:16])
}

func (f *fileStore) Acquire(ctx context.Context, ask Ask) (grant Grant, err error) {
	err = f.do(ctx, func(now int64, s *State) { grant = s.Acquire(now, ask) })
	return grant, err
}

func (f *fileStore) Release(ctx context.Context, op Operation, token string, hold time.Duration) error {
	return f.do(ctx, func(now int64, s *State) { s.Release(now, op, token, hold) })
}

// do changes the state, in the file if possible. A repeated change changes nothing more, because it names its tokens.
func (f *fileStore) do(ctx context.Context, change func(now int64, s *State)) error {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if f.lost != nil {
		return f.lost
	}
	if !f.alone {
		err := f.persist(ctx, change)
		if err == nil || f.lost != nil || ctx.Err() != nil {
			return err
		}
		f.alone = true
		f.notify(Notice{Kind: Alone, Err: err})
	}
	if f.content[f.cfg.Clock.Boot] == nil {
		f.content = fileContent{f.cfg.Clock.Boot: {}}
	}
	change(f.now(), &f.content[f.cfg.Clock.Boot].State)
	return nil
}

func (f *fileStore) now() int64 { return f.cfg.Clock.Now().Milliseconds() }

func (f *fileStore) notify(n Notice) {
	if f.cfg.OnNotice != nil {
		f.cfg.OnNotice(n)
	}
}

func (f *fileStore) persist(ctx context.Context, change func(int64, *State)) error {
	pause := 10 * time.Millisecond
	for start := time.Now(); ; pause *= 2 {
		last := time.Since(start) >= retryFileFor
		err := f.write(ctx, change, last)
		if err == nil || f.lost != nil || ctx.Err() != nil || last {
			return err
		}
		time.Sleep(pause)
	}
}

// write changes the state in the file. In the last attempt, a file that cannot be read counts as damaged.
func (f *fileStore) write(ctx context.Context, change func(int64, *State), last bool) error {
	own, err := files.OwnFolder(f.cfg.Dir, folder)
	if err != nil {
		return err
	}
	file := files.In(own, BudgetName(f.cfg.Key)+".json")
	file.Most, file.Volatile = mostBytes, true
	path := file.Path()
	errLocked := fmt.Errorf("another process has held its lock for %v. Probably it was stopped", f.cfg.RetryFor)
	patient, cancel := context.WithTimeoutCause(ctx, f.cfg.RetryFor, errLocked)
	defer cancel()
	slow := time.AfterFunc(lockedAfter, func() {
		if f.said.CompareAndSwap(false, true) {
			f.notify(Notice{Kind: Locked, Err: errors.New(path + ".lock")})
		}
	})
	defer slow.Stop()
	err = file.Change(patient, func(text []byte, err error) ([]byte, error) {
		slow.Stop()
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !last {
			return nil, err
		}
		now := f.now()
		f.content = f.read(text, err, now)
		b := f.content[f.cfg.Clock.Boot]
		b.Now, b.Written = now, time.Now().Unix()
		change(now, &b.State)
		return json.Marshal(f.content)
	})
	switch b := f.content[f.cfg.Clock.Boot]; {
	case err == nil:
		f.seen = &fileBudget{ID: b.ID, Now: b.Now}
	case errors.Is(err, errLocked):
		f.lost = &UnavailableError{"the file " + path, errLocked}
		return f.lost
	}
	return err
}

// read returns the content of the file, with a budget of this start of the machine. If requests may be in flight that
// it does not contain, the budget is new, and full.
func (f *fileStore) read(text []byte, err error, now int64) fileContent {
	boot := f.cfg.Clock.Boot
	content := fileContent{}
	isNew := f.seen == nil && errors.Is(err, fs.ErrNotExist)
	if err == nil {
		err = json.Unmarshal(text, &content)
	}
	if content == nil { // the text is null
		content = fileContent{}
	}
	maps.DeleteFunc(content, func(_ string, b *fileBudget) bool { return b == nil })
	lost, found := Lost.Milliseconds(), content[boot]
	restarted := found == nil && len(content) > 0 || found != nil && found.Now > now && boot == unknownBoot
	maps.DeleteFunc(content, func(of string, b *fileBudget) bool {
		return of != boot && time.Since(time.Unix(b.Written, 0)) > otherBootsFor
	})
	full := now + lost
	switch {
	case isNew:
		full = 0
	case f.seen == nil && err == nil && restarted: // so the earlier requests were sent before the clock began
		full = lost
	case err == nil && found != nil && found.Now <= now && (f.seen == nil || found.follows(f.seen)):
		return content
	}
	content[boot] = &fileBudget{ID: rand.Text(), State: State{Full: full}}
	return content
}

// follows reports whether a budget contains the requests of an earlier one, or was full after them.
func (b *fileBudget) follows(before *fileBudget) bool {
	return b.ID == before.ID && b.Now >= before.Now || b.State.Full >= before.Now+Lost.Milliseconds()
}
