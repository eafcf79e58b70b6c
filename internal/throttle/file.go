// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/lockedfile"
)

const (
	// retryFileFor is how long a failed operation on the file is repeated. For example,
	// the process has run out of file descriptors, or a virus scanner has the file
	// open.
	retryFileFor = time.Second
	// giveUpFile is how long an operation may take. If it takes longer, the disk is
	// stuck. Then each process counts alone, so a machine that is only slow must not
	// reach this time.
	giveUpFile = 30 * time.Second
	// unknownBoot is the Clock.Boot of a system that has none. An instant of an earlier
	// start is then at least as long ago as the clock says, or after the present.
	unknownBoot = "any"
	// stoppedFor is how long another process may take for a change. If it takes longer, it was
	// stopped in the middle of it, for example by Ctrl-Z.
	stoppedFor = 2 * time.Second

	folderPrefix = "budget-" // and the version of the format: the directory of all budgets
	suffix       = ".budget"
)

var errStuck = fmt.Errorf("the disk did not answer within %v", giveUpFile)

// fileStore is a Store for all processes of a user on one machine. The file BOOT.budget in a
// directory of its own contains the ledger. The instants of an earlier start of the machine mean
// nothing now, so each start has its own file.
type fileStore struct {
	ledgerFile *lockedfile.File
	boot       string
	clock      func() time.Duration

	token    chan struct{} // holds one token, which guards the next two fields
	seen     seen          // at the last look
	inMemory *Ledger       // the ledger of only this process, after the file became unusable

	BudgetNoticeList
}

// seen is a ledger, and how the file contains it.
type seen struct {
	ledger *Ledger // nil before the first look. It does not change any more
	text   []byte
}

// Clock measures the time for a budget in files. All processes that share the budget must
// have the same clock, and no one may be able to set it.
type Clock struct {
	// Boot identifies the start of the machine, or is empty if the system has no such
	// identity. Machines that share a directory do not share a budget, because their
	// clocks differ.
	Boot string
	// Now returns the time since the machine was started.
	Now func() time.Duration
}

// OpenFile returns a store for all processes that open the same key in the same
// directory. The store has a directory of its own below it, whose name is a hash that does
// not reveal the key. It accesses no file before its first use. clock is SystemClock
// except in tests.
//
// OpenFile never fails. A ledger that is damaged, that cannot be read for a second, or
// that is removed while in use, is rebuilt as if every window were full (StoreRebuilt).
// After a restart of the machine, the windows are full for as long as earlier requests
// count.
//
// If the file cannot be written for a second, or the disk does not answer for 30 seconds,
// the store continues in memory. It then starts from what it saw last, and makes one
// notice (StoreUnusable).
func OpenFile(dir, key string, clock Clock) Store {
	boot := cmp.Or(clock.Boot, unknownBoot)
	f := lockedfile.New(filepath.Join(dir, folderPrefix+ledgerFormat, BudgetName(key), boot+suffix))
	f.TakeOver, f.Volatile = stoppedFor, true
	return &fileStore{ledgerFile: f, boot: boot, clock: clock.Now, token: make(chan struct{}, 1)}
}

// BudgetName returns the name of a shared budget in a store: a hash of its key that
// does not reveal the key.
func BudgetName(key string) string {
	hash := sha256.Sum256([]byte("the budget of " + key))
	return hex.EncodeToString(hash[:16])
}

// Acquire fails only if the context ends. The error is its cause.
func (f *fileStore) Acquire(ctx context.Context, ask Ask) (Decision, error) {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return Decision{}, context.Cause(ctx)
	}
	return f.do(context.WithoutCancel(ctx), Operation{Ask: ask}), nil
}

func (f *fileStore) Release(ask Ask, outcome Outcome) {
	f.token <- struct{}{} // every operation returns within seconds
	defer func() { <-f.token }()
	f.do(context.Background(), Operation{ask, &outcome})
}

// do changes the ledger, in the file if possible.
func (f *fileStore) do(ctx context.Context, op Operation) Decision {
	if f.inMemory == nil {
		seen, decision, err := f.within(ctx, op)
		if err == nil {
			f.seen = seen
			return decision
		}
		f.Add(BudgetNotice{Kind: StoreUnusable, Err: fmt.Errorf("%s: %w", f.dir(), err)})
		f.inMemory = NewLedger()
		if f.seen.ledger != nil {
			f.inMemory = f.seen.ledger.Clone()
		}
	}
	return f.inMemory.Apply(int64(f.clock()), op)
}

func (f *fileStore) dir() string { return filepath.Dir(f.ledgerFile.Path()) }

// within changes the ledger in the file. If the disk takes too long, it stops waiting
// for the result. At worst, the change then takes one slot too many.
func (f *fileStore) within(ctx context.Context, op Operation) (seen, Decision, error) {
	type result struct {
		seen     seen
		decision Decision
		err      error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results, before := make(chan result, 1), f.seen
	go func() {
		var r result
		r.seen, r.decision, r.err = f.persist(ctx, before, op)
		results <- r
	}()
	// Many short waits, so that the time for which this process is stopped counts as only one of them.
	const ticks = 50
	ticker := time.NewTicker(giveUpFile / ticks)
	defer ticker.Stop()
	for range ticks {
		select {
		case r := <-results:
			return r.seen, r.decision, r.err
		case <-ticker.C:
		}
	}
	return seen{}, Decision{}, errStuck
}

// persist changes the ledger in the file, and retries after a failure. A repeated change
// changes nothing more, because it says which slot it is about. In the last attempt, a file
// that cannot be read counts as damaged.
func (f *fileStore) persist(ctx context.Context, before seen, op Operation) (after seen, decision Decision, err error) {
	pause := 10 * time.Millisecond
	for start := time.Now(); ; {
		last := time.Since(start) >= retryFileFor
		var lost error
		change := func(text []byte, err error) ([]byte, error) {
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !last {
				return nil, err
			}
			after.ledger, lost = f.load(before, text, err, op.Ask.MaxInFlight)
			decision = after.ledger.Apply(int64(f.clock()), op)
			after.text = encodeLedger(after.ledger)
			return after.text, nil
		}
		if err = os.MkdirAll(f.dir(), 0o700); err == nil {
			err = f.ledgerFile.Change(ctx, change)
		}
		if err == nil && lost != nil {
			f.Add(BudgetNotice{Kind: StoreRebuilt, Err: fmt.Errorf("%s: %w", f.dir(), lost)})
		}
		if err == nil || last {
			return after, decision, err
		}
		time.Sleep(pause)
		pause *= 2
	}
}

// load returns the ledger of a file, or a new one. If requests may be in flight that the file
// does not contain, it returns a rebuilt ledger. lost says why, unless the machine was restarted.
func (f *fileStore) load(before seen, text []byte, err error, maxInFlight time.Duration) (l *Ledger, lost error) {
	switch {
	case errors.Is(err, fs.ErrNotExist) && before.ledger != nil:
		lost = errors.New("removed while in use")
	case errors.Is(err, fs.ErrNotExist):
		return f.first(maxInFlight)
	case err != nil:
		lost = err
	case before.ledger != nil && bytes.Equal(text, before.text): // decoding takes longer
		l = before.ledger.Clone()
	default:
		l, lost = decodeLedger(text)
	}
	now := int64(f.clock()) // after the ledger was read, so it is not before the ledger's present
	switch {
	case lost != nil:
	case before.ledger != nil && !l.follows(before.ledger, maxInFlight):
		lost = errors.New("replaced while in use")
	case l.Now > now && f.boot == unknownBoot:
		return rebuilt(0, maxInFlight), nil
	case l.Now > now:
		lost = errors.New("written later than now")
	}
	if lost != nil {
		l = rebuilt(now, maxInFlight)
	}
	return l, lost
}

// first returns the ledger if there is no file yet. A file of an earlier start of the machine shows that the budget was
// used before.
func (f *fileStore) first(maxInFlight time.Duration) (*Ledger, error) {
	entries, err := os.ReadDir(f.dir())
	if err != nil {
		return rebuilt(int64(f.clock()), maxInFlight), err
	}
	l := NewLedger()
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), f.boot+".") {
			continue
		}
		if strings.HasSuffix(entry.Name(), suffix) {
			l = rebuilt(0, maxInFlight)
		}
		removeAbandoned(filepath.Join(f.dir(), entry.Name()))
	}
	return l, nil
}

// removeAbandoned removes a file of an earlier start of the machine after a day. A machine that
// shares the directory has changed its file since.
func removeAbandoned(path string) {
	const after = 24 * time.Hour
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > after {
		_ = os.Remove(path)
	}
}
