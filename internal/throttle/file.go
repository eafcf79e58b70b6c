// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

const (
	// retryFileFor is for how long an operation on the file is repeated if it
	// fails: descriptors run out, a virus scanner has the file open.
	retryFileFor = time.Second
	// giveUpFile is how long an operation may take: the disk is stuck.
	giveUpFile = 5 * time.Second
	// lastMarks is how many changes a process can tell whether they include its own.
	lastMarks = 31
)

var errStuck = fmt.Errorf("the disk did not answer within %v", giveUpFile)

// file is a Store for all processes of a user on one machine. Every operation
// reads the newest version of the ledger, decides, and publishes the next version
// (see versions.go).
type file struct {
	versions versions
	clock    func() (wall, monotonic int64)

	token chan struct{} // holds one token; the next fields belong to who has it
	seen  seen
	alone *ledger // the ledger lives in this process alone, since the files cannot be used

	mu      sync.Mutex
	rebuilt bool // a notice of that was made
	notices []Notice
}

// seen is what a process knows of the ledger since it last looked.
type seen struct {
	version uint64 // 0: none was seen
	bytes   []byte // the ledger of that version
	id      uint64 // of that ledger
	now     int64  // its present

	// The clocks at that look, and how far the ledger had been shifted then.
	wall, monotonic, shifted int64
}

// OpenFile returns a store for all processes that open the same key in the same
// directory. The directory is created if it is missing. The names of the files
// are a hash that does not reveal the key. Nothing is touched before the first
// use.
//
// It never fails. A ledger that is damaged, or removed while in use, is rebuilt
// as if every window were full (StoreRebuilt). If files cannot be read or written
// for a second, or the disk does not answer for five, the store goes on in memory
// with what it knew last, and makes one notice (StoreUnusable). The file system
// must support hard links.
func OpenFile(dir, key string) Local {
	start := time.Now()
	return &file{
		versions: versions{dir: dir, name: BudgetName(key)},
		clock: func() (wall, monotonic int64) {
			now := time.Now()
			return now.UnixNano(), int64(now.Sub(start))
		},
		token: make(chan struct{}, 1),
	}
}

// BudgetName is a hash of a key that does not reveal it: what the shared budget
// is called in a store.
func BudgetName(key string) string {
	hash := sha256.Sum256([]byte("the budget of " + key))
	return hex.EncodeToString(hash[:16])
}

// Acquire implements Store. The error is the context's cause.
func (f *file) Acquire(ctx context.Context, ask Ask) (Answer, error) {
	select {
	case f.token <- struct{}{}:
		defer func() { <-f.token }()
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	return f.update(ask.MaxInFlight, func(l *ledger) Answer { return l.acquire(ask) }), nil
}

// Release implements Store.
func (f *file) Release(ask Ask, outcome Outcome) {
	f.token <- struct{}{} // which every operation returns within seconds
	defer func() { <-f.token }()
	f.update(ask.MaxInFlight, func(l *ledger) Answer {
		l.release(ask, outcome)
		return Answer{}
	})
}

// Charge implements Local.
func (f *file) Charge(asks []Ask) {
	if len(asks) == 0 {
		return
	}
	f.token <- struct{}{}
	defer func() { <-f.token }()
	f.update(asks[0].MaxInFlight, func(l *ledger) Answer {
		for _, ask := range asks {
			l.charge(ask)
		}
		return Answer{}
	})
}

// Notices implements Store.
func (f *file) Notices() []Notice {
	f.mu.Lock()
	defer f.mu.Unlock()
	notices := f.notices
	f.notices = nil
	return notices
}

// update changes the ledger, in the files while that is possible. The change may
// be made several times, each time in another ledger.
func (f *file) update(maxInFlight time.Duration, change func(*ledger) Answer) Answer {
	if f.alone == nil {
		seen, answer, err := f.within(maxInFlight, change)
		if err == nil {
			f.seen = seen
			return answer
		}
		f.notice(Notice{Kind: StoreUnusable, Err: fmt.Errorf("%s: %w", f.versions.dir, err)})
		f.alone = newLedger()
		if f.seen.version != 0 {
			f.alone, _ = decode(f.seen.bytes) // which this process has written
		}
	}
	f.seen.tick(f.alone, f.clock)
	return change(f.alone)
}

// within changes the ledger in the files, unless the disk takes too long. Then
// nothing waits for the result any more. At worst it takes one slot too many.
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
	// Many short waits: if this process is stopped, that takes one of them.
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

// persist changes the ledger in the files. It repeats what fails.
func (f *file) persist(before seen, maxInFlight time.Duration, change func(*ledger) Answer) (seen, Answer, error) {
	pause := 10 * time.Millisecond
	for start := time.Now(); ; {
		after, answer, err := f.publish(before, maxInFlight, change)
		switch {
		case errors.Is(err, errConflict): // another process was faster
		case err != nil && time.Since(start) < retryFileFor:
			time.Sleep(pause)
			pause *= 2
		default:
			return after, answer, err
		}
	}
}

// publish makes the next version of the ledger from the newest one. If another
// process is faster, the error is errConflict and nothing has changed.
func (f *file) publish(before seen, maxInFlight time.Duration, change func(*ledger) Answer) (seen, Answer, error) {
	newest, err := f.versions.newest()
	if err != nil {
		return seen{}, Answer{}, err
	}
	l, lost, err := f.load(before, newest, maxInFlight)
	if err != nil {
		return seen{}, Answer{}, err
	}
	after := before
	if lost != nil {
		wall, _ := f.clock()
		l = rebuilt(wall, maxInFlight)
	}
	after.tick(l, f.clock)
	answer := change(l)
	l.forget()
	mark := rand.Uint64()
	l.marks = append(l.marks[max(0, len(l.marks)-lastMarks):], mark)
	after.version = max(newest, before.version) + 1
	after.bytes = encode(l)
	err = f.versions.publish(after.version, after.bytes)
	if err != nil && !f.published(mark, err) {
		return seen{}, Answer{}, err
	}
	if lost != nil {
		f.rebuild(lost)
	}
	return after, answer, nil
}

// published reports whether a change is part of the newest version although a
// higher version than its own was found.
func (f *file) published(mark uint64, err error) bool {
	if !errors.Is(err, errOvertaken) {
		return false
	}
	newest, err := f.versions.newest()
	if err != nil {
		return false
	}
	b, err := f.versions.read(newest)
	if err != nil {
		return false
	}
	l, err := decode(b)
	return err == nil && slices.Contains(l.marks, mark)
}

// load reads the ledger of the newest version. If that is not the successor of
// what was seen before, requests may be under way that it does not know: lost
// says why.
func (f *file) load(before seen, newest uint64, maxInFlight time.Duration) (l *ledger, lost, err error) {
	switch {
	case newest == 0 && before.version == 0:
		return newLedger(), nil, nil
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
		l, err = decode(before.bytes) // which was written there
		return l, nil, err
	}
	// A ledger that was rebuilt since has taken account of what was seen.
	if before.version != 0 && l.id != before.id && (l.lost == 0 || l.lost < before.now+int64(maxInFlight)) {
		return nil, errors.New("replaced while in use"), nil
	}
	return l, nil, nil
}

func (f *file) notice(n Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notices = append(f.notices, n)
}

// rebuild makes the notice of a rebuilt ledger, once.
func (f *file) rebuild(cause error) {
	f.mu.Lock()
	first := !f.rebuilt
	f.rebuilt = true
	f.mu.Unlock()
	if first {
		f.notice(Notice{Kind: StoreRebuilt, Err: fmt.Errorf("%s: %w", f.versions.dir, cause)})
	}
}

// tick brings the ledger to the present. It counts in the wall clock's time,
// which all processes share, and which may be set at any moment. Then every
// instant in the ledger is moved along with it:
//
//   - back, to where the clock is, if it is behind the ledger, as if no time had
//     passed since that was written;
//   - forward, if the clock went further than our monotonic clock since our last
//     look, by as much as no other process has moved the ledger meanwhile.
//
// So no slot is free early if any process has looked before and after the change,
// and none is held for longer than if it were taken now.
func (s *seen) tick(l *ledger, clock func() (wall, monotonic int64)) {
	wall, monotonic := clock()
	if known := s.version != 0 && s.id == l.id; l.now != 0 {
		ahead := wall - l.now
		if known && ahead > 0 {
			set := (wall - s.wall) - (monotonic - s.monotonic) - (l.shifted - s.shifted)
			ahead = min(ahead, max(set, 0))
		}
		if known || ahead < 0 {
			l.shift(ahead)
		}
	}
	l.advance(wall)
	s.id, s.now, s.wall, s.monotonic, s.shifted = l.id, l.now, wall, monotonic, l.shifted
}
