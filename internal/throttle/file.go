// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

const (
	// retryFileFor is how long a failed operation on the file is repeated. For example,
	// the process has run out of file descriptors, or a virus scanner has the file
	// open.
	retryFileFor = time.Second
	// giveUpFile is how long an operation may take. If it takes longer, the disk is
	// stuck.
	giveUpFile = 5 * time.Second
	// unknownBoot is the Clock.Boot of a system that has none. An instant of an earlier
	// start is then at least as long ago as the clock says, or after the present.
	unknownBoot = "any"
)

var errStuck = fmt.Errorf("the disk did not answer within %v", giveUpFile)

// file is a Store for all processes of a user on one machine. Every operation reads the
// newest version of the ledger, decides, and publishes the next version (see
// versions.go).
type file struct {
	versions versions
	clock    func() time.Duration

	token    chan struct{} // holds one token, which guards the next two fields
	seen     seen
	inMemory *ledger // the ledger of only this process, after the files became unusable

	NoticeList
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

// seen is the result of a process's last look at the ledger.
type seen struct {
	version uint64 // 0 if the process has not seen one
	bytes   []byte // the encoded ledger of that version
	id      uint64 // the ID of that ledger
	now     int64  // the present of that ledger
}

// OpenFile returns a store for all processes that open the same key in the same
// directory. The store has a directory of its own below it, whose name is a hash that does
// not reveal the key. It accesses no file before its first use. clock is SystemClock
// except in tests.
//
// OpenFile never fails. A ledger that is damaged, that cannot be read for a second, or
// that is removed while in use, is rebuilt as if every window were full (StoreRebuilt).
// After a restart of the machine, the windows are full for as long as earlier requests
// count. The file system must support hard links.
//
// If files cannot be written for a second, or the disk does not answer for five seconds,
// the store continues in memory. It then starts from what it saw last, and makes one
// notice (StoreUnusable).
func OpenFile(dir, key string, clock Clock) Store {
	return &file{
		versions: versions{filepath.Join(dir, "budget-"+format, BudgetName(key)), cmp.Or(clock.Boot, unknownBoot)},
		clock:    clock.Now,
		token:    make(chan struct{}, 1),
	}
}

// BudgetName returns the name of a shared budget in a store: a hash of its key that
// does not reveal the key.
func BudgetName(key string) string {
	hash := sha256.Sum256([]byte("the budget of " + key))
	return hex.EncodeToString(hash[:16])
}

// Acquire fails only if the context ends. The error is its cause.
func (f *file) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	return f.update(ask.MaxInFlight, func(l *ledger) Answer { return l.acquire(ask) }), nil
}

func (f *file) Release(ask Ask, outcome Outcome) {
	f.token <- struct{}{} // every operation returns within seconds
	defer func() { <-f.token }()
	f.update(ask.MaxInFlight, func(l *ledger) Answer {
		l.release(ask, outcome)
		return Answer{}
	})
}

// update changes the ledger, in the files if possible. It may call change several
// times, each time with another ledger.
func (f *file) update(maxInFlight time.Duration, change func(*ledger) Answer) Answer {
	if f.inMemory == nil {
		seen, answer, err := f.within(maxInFlight, change)
		if err == nil {
			f.seen = seen
			return answer
		}
		f.Add(Notice{Kind: StoreUnusable, Err: fmt.Errorf("%s: %w", f.versions.dir, err)})
		f.inMemory = newLedger()
		if f.seen.version != 0 {
			f.inMemory, _ = decode(f.seen.bytes) // cannot fail: this process has written the bytes
		}
	}
	f.inMemory.advance(int64(f.clock()))
	return change(f.inMemory)
}

// within changes the ledger in the files. If the disk takes too long, it stops waiting
// for the result. At worst, the change then takes one slot too many.
func (f *file) within(maxInFlight time.Duration, change func(*ledger) Answer) (seen, Answer, error) {
	type result struct {
		seen   seen
		answer Answer
		err    error
	}
	results, before := make(chan result, 1), f.seen
	go func() {
		var r result
		r.seen, r.answer, r.err = f.persist(before, maxInFlight, change)
		results <- r
	}()
	// Many short waits, so that the time for which this process is stopped counts as only one of them.
	const ticks = 50
	ticker := time.NewTicker(giveUpFile / ticks)
	defer ticker.Stop()
	for range ticks {
		select {
		case r := <-results:
			return r.seen, r.answer, r.err
		case <-ticker.C:
		}
	}
	return seen{}, Answer{}, errStuck
}

// persist changes the ledger in the files, and retries after a failure.
func (f *file) persist(before seen, maxInFlight time.Duration, change func(*ledger) Answer) (seen, Answer, error) {
	pause := 10 * time.Millisecond
	for start := time.Now(); ; {
		last := time.Since(start) >= retryFileFor
		after, answer, err := f.publish(before, maxInFlight, last, change)
		switch {
		case errors.Is(err, errConflict): // another process was faster
		case err != nil && !last:
			time.Sleep(pause)
			pause *= 2
		default:
			return after, answer, err
		}
	}
}

// publish writes the next version of the ledger, based on the newest one. If another
// process is faster, the error is errConflict, and the change is repeated. That changes
// nothing if it was published after all, because a change says which slot it is about. In
// the last attempt, a version that cannot be read counts as damaged.
func (f *file) publish(
	before seen, maxInFlight time.Duration, last bool, change func(*ledger) Answer,
) (seen, Answer, error) {
	newest, earlier, err := f.versions.newest()
	if err != nil {
		return seen{}, Answer{}, err
	}
	l, lost, err := f.load(before, newest, maxInFlight)
	if err != nil && last && !errors.Is(err, errConflict) {
		lost, err = err, nil
	}
	if err != nil {
		return seen{}, Answer{}, err
	}
	now := int64(f.clock()) // after the ledger was read, so it is not before the ledger's present
	restarted := l == nil && earlier
	if l != nil && l.Now > now {
		if restarted = f.versions.boot == unknownBoot; !restarted {
			lost = errors.New("written later than now")
		}
	}
	switch {
	case lost != nil:
		l = rebuilt(now, maxInFlight)
	case restarted:
		l = rebuilt(0, maxInFlight)
	case l == nil:
		l = newLedger()
	}
	l.advance(now)
	after := seen{id: l.ID, now: now}
	answer := change(l)
	l.dropUnused()
	after.version = max(newest, before.version) + 1
	after.bytes = encode(l)
	if err = f.versions.publish(after.version, after.bytes); err != nil {
		return seen{}, Answer{}, err
	}
	if lost != nil {
		f.Add(Notice{Kind: StoreRebuilt, Err: fmt.Errorf("%s: %w", f.versions.dir, lost)})
	}
	return after, answer, nil
}

// load reads the ledger of the newest version, or returns nil if there is none. If that
// ledger is not a successor of the one seen before, requests may be in flight that it does
// not know. lost then says why.
func (f *file) load(before seen, newest uint64, maxInFlight time.Duration) (l *ledger, lost, err error) {
	switch {
	case newest == 0 && before.version == 0:
		return nil, nil, nil
	case newest < before.version:
		return nil, errors.New("removed while in use"), nil
	}
	b, err := f.versions.read(newest)
	if err != nil {
		return nil, nil, err
	}
	if l, err = decode(b); err != nil {
		if newest != before.version {
			return nil, err, nil
		}
		l, err = decode(before.bytes) // the ledger was written there
		return l, nil, err
	}
	// If another process has rebuilt the ledger since, the rebuilt ledger includes what this process saw.
	if before.version != 0 && l.ID != before.id && (l.Lost == 0 || l.Lost < before.now+int64(maxInFlight)) {
		return nil, errors.New("replaced while in use"), nil
	}
	return l, nil, nil
}
