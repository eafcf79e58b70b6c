// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// file is a Store for all processes of a user on one machine. Every operation
// reads the ledger from the file, decides, and writes it back, under a lock that
// is held for that long only.
type file struct {
	path  string
	clock func() (wall, monotonic int64)

	turn    chan struct{} // holds one token; what follows belongs to who has it
	ledger  *ledger       // as last read or written
	buffer  []byte
	broken  bool // the file cannot be used: the ledger lives in this process alone
	rebuilt bool // a notice of that was made
	notices []Notice

	// The clocks at the last look, and how far the ledger had been shifted then.
	known                    bool
	wall, monotonic, shifted int64
}

// OpenFile returns a store for all processes that open the same key in the same
// directory. The directory is created where it is missing; the names of the
// files are a hash that does not reveal the key. Nothing is touched before the
// first use.
//
// It never fails: where the file cannot be read, locked or written, the store
// goes on in memory with what it knew last, and makes one notice
// (StoreUnusable). A file that is damaged, or removed while in use, is rebuilt
// as if every window were full (StoreRebuilt).
func OpenFile(dir, key string) Store {
	start := time.Now()
	return &file{
		path: filepath.Join(dir, budgetName(key)+".budget"),
		clock: func() (wall, monotonic int64) {
			now := time.Now()
			return now.UnixNano(), int64(now.Sub(start))
		},
		turn:   make(chan struct{}, 1),
		ledger: newLedger(),
	}
}

// budgetName is a hash of the key that does not reveal it.
func budgetName(key string) string {
	hash := sha256.Sum256([]byte("the budget of " + key))
	return hex.EncodeToString(hash[:16])
}

// Acquire implements Store. The error is the context's cause.
func (f *file) Acquire(ctx context.Context, ask Ask) (answer Answer, err error) {
	err = f.update(ctx, func(l *ledger) { answer = l.acquire(ask) })
	return answer, err
}

// Release implements Store.
func (f *file) Release(place Place, windows []Window, outcome Outcome) {
	ctx := context.Background() // a response is recorded whatever became of its request
	_ = f.update(ctx, func(l *ledger) { l.release(place, windows, outcome) })
}

// Notices implements Store.
func (f *file) Notices() []Notice {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	notices := f.notices
	f.notices = nil
	return notices
}

// update changes the ledger, in the file while that is possible. The error is
// the context's cause, nothing having changed.
func (f *file) update(ctx context.Context, change func(*ledger)) error {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if !f.broken {
		changed, err := f.updateFile(ctx, change)
		if err == nil || !changed && ctx.Err() != nil {
			return err
		}
		f.broken = true
		f.notices = append(f.notices, Notice{Kind: StoreUnusable, Err: err})
		if changed {
			return nil
		}
	}
	f.tick()
	change(f.ledger)
	return nil
}

// updateFile changes the ledger in the file. It reports whether the change was
// made, if only in f.ledger.
func (f *file) updateFile(ctx context.Context, change func(*ledger)) (changed bool, err error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	data, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, data.Close()) }()

	if f.buffer, err = readAll(data, f.buffer[:0]); err != nil {
		return false, err
	}
	valid, err := f.load()
	if err != nil {
		f.rebuild(err)
	}
	f.tick()
	change(f.ledger)
	f.ledger.forget()
	f.buffer = encode(f.buffer[:0], f.ledger)
	return true, store(data, f.buffer, valid)
}

// load reads the ledger from the buffer, which holds the whole file.
func (f *file) load() (valid extent, err error) {
	b, valid, err := locate(f.buffer)
	if err != nil {
		return extent{}, err
	}
	if b == nil {
		if f.known {
			return extent{}, errors.New("removed while in use")
		}
		return extent{}, nil
	}
	l, err := decode(b)
	if err != nil {
		return extent{}, err
	}
	f.ledger = l
	return valid, nil
}

// lock takes the lock that excludes other processes. The lock has a file of its
// own since on Windows a locked file cannot be read through another handle.
func (f *file) lock(ctx context.Context) (unlock func() error, err error) {
	lock := flock.New(f.path + ".lock")
	ok, err := lock.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
			return nil, err
		}
		ok, err = lock.TryLock()
	}
	if ok || err != nil {
		return lock.Unlock, err
	}
	locked := make(chan error, 1)
	go func() { locked <- lock.Lock() }()
	select {
	case err := <-locked:
		return lock.Unlock, err
	case <-ctx.Done(): // its holder was suspended, or worse
		go func() {
			if <-locked == nil {
				_ = lock.Unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// rebuild starts a new ledger, knowing nothing of what was sent before.
func (f *file) rebuild(cause error) {
	f.ledger = newLedger()
	f.ledger.now, _ = f.clock()
	f.ledger.lost = f.ledger.now
	if !f.rebuilt {
		f.rebuilt = true
		f.notices = append(f.notices, Notice{Kind: StoreRebuilt, Err: fmt.Errorf("%s: %w", f.path, cause)})
	}
}

// tick brings the ledger to the present. It counts in the wall clock's time,
// which all processes share, and which may be set at any moment. Then every
// instant in the ledger is moved along with it:
//
//   - back, to where the clock is, if it is behind the ledger, as if no time had
//     passed since that was written;
//   - forward, if the clock went further than our monotonic clock since our last
//     look, by as much as nobody else has moved the ledger meanwhile.
//
// So no place is free early where any process has looked before and after the
// change, and none is held for longer than if it were taken now.
func (f *file) tick() {
	wall, monotonic := f.clock()
	if l := f.ledger; l.now != 0 {
		ahead := wall - l.now
		if f.known && ahead > 0 {
			set := (wall - f.wall) - (monotonic - f.monotonic) - (l.shifted - f.shifted)
			ahead = min(ahead, max(set, 0))
		}
		if f.known || ahead < 0 {
			l.shift(ahead)
		}
	}
	f.ledger.advance(wall)
	f.wall, f.monotonic, f.shifted, f.known = wall, monotonic, f.ledger.shifted, true
}

// readAll reads the whole file into the buffer, growing it where needed.
func readAll(r io.Reader, buffer []byte) ([]byte, error) {
	b := bytes.NewBuffer(buffer)
	_, err := b.ReadFrom(io.LimitReader(r, tooBig))
	return b.Bytes(), err
}
