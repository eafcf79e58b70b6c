// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// opened returns a store over the file of the directory, whose wall clock is off
// by skew.
func opened(t *testing.T, dir string, skew *time.Duration) *file {
	t.Helper()
	f, ok := OpenFile(dir, "client:secret").(*file)
	if !ok {
		t.Fatal("no file")
	}
	clock := f.clock
	f.clock = func() (wall, monotonic int64) {
		wall, monotonic = clock()
		return wall + int64(*skew), monotonic
	}
	return f
}

// ask is a question of one request, always on behalf of the same line.
func ask() Ask {
	return Ask{Line: 1, Waiting: 1, Windows: keyWindows, MaxInFlight: 30 * time.Second}
}

// grants is how many places the store grants now, up to 25; they are released
// where answered holds, and stay under way otherwise.
func grants(t *testing.T, s Store, answered bool) (n int, wait time.Duration) {
	t.Helper()
	for ; n < 25; n++ {
		answer, err := s.Acquire(t.Context(), ask())
		if err != nil {
			t.Fatal(err)
		}
		if answer.Place == 0 {
			return n, answer.Wait
		}
		if answered {
			s.Release(answer.Place, keyWindows, Outcome{})
		}
	}
	return n, 0
}

// wantGrants fails the test where the store does not grant so many, or does not
// then ask to wait for so long, give or take what the test itself takes.
func wantGrants(t *testing.T, s Store, want int, wantWait time.Duration) {
	t.Helper()
	n, wait := grants(t, s, true)
	if n != want || wait.Round(100*time.Millisecond) != wantWait {
		t.Errorf("granted %d and then wait %v, want %d and %v", n, wait, want, wantWait)
	}
}

// wantNotices fails the test where the store has other notices.
func wantNotices(t *testing.T, s Store, want ...NoticeKind) {
	t.Helper()
	notices := s.Notices()
	if len(notices) != len(want) {
		t.Errorf("notices %+v, want kinds %v", notices, want)
		return
	}
	for i, n := range notices {
		if n.Kind != want[i] || n.Err == nil || strings.Contains(n.Err.Error(), "secret") {
			t.Errorf("notice %+v, want kind %v with its error", n, want[i])
		}
	}
}

// budgetFile is the path of the only budget in the directory.
func budgetFile(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.budget"))
	if err != nil || len(names) != 1 {
		t.Fatalf("budgets %v, error %v, want one", names, err)
	}
	return names[0]
}

// The names of the files reveal nothing, and nobody else may read them.
func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "to be", "created")
	wantGrants(t, OpenFile(dir, "client:secret"), 20, time.Second)
	wantGrants(t, OpenFile(dir, "client:other"), 20, time.Second)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Fatalf("entries %v, error %v, want a budget and a lock for each key", entries, err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), "client") || strings.Contains(e.Name(), "secret") {
			t.Errorf("the name %s reveals the key", e.Name())
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || bytes.Contains(content, []byte("secret")) || bytes.Contains(content, []byte("client")) {
			t.Errorf("%s: error %v, or it holds the key", e.Name(), err)
		}
	}
}

// A clock set back or forward frees no place early and holds none for longer,
// whoever looks next.
func TestFileClockIsSet(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]time.Duration{"back": -time.Hour, "far back": -30 * 365 * 24 * time.Hour, "forward": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var skew time.Duration
				dir := t.TempDir()
				one, two := opened(t, dir, &skew), opened(t, dir, &skew)
				grants(t, two, true)
				time.Sleep(600 * time.Millisecond)
				wantGrants(t, one, 0, 400*time.Millisecond)
				skew = set
				wantGrants(t, one, 0, 400*time.Millisecond)
				time.Sleep(300 * time.Millisecond)
				wantGrants(t, two, 0, 100*time.Millisecond)
				wantGrants(t, one, 0, 100*time.Millisecond)
				wantGrants(t, opened(t, dir, &skew), 0, 100*time.Millisecond)
				time.Sleep(time.Second)
				wantGrants(t, two, 20, time.Second)
				wantNotices(t, one)
			})
		})
	}
}

// A clock set back before a process starts: what was taken before counts as taken
// now.
func TestFileClockWasSetBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		dir := t.TempDir()
		grants(t, opened(t, dir, &skew), true)
		time.Sleep(600 * time.Millisecond)
		skew = -time.Hour
		s := opened(t, dir, &skew)
		wantGrants(t, s, 0, time.Second)
		time.Sleep(time.Second + time.Microsecond)
		wantGrants(t, s, 20, time.Second)
	})
}

// The file does not grow with the runs that came and went, though each with a
// share has windows of its own.
func TestFileStaysSmall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := &service{}
		for range 50 {
			apply(t, New(Config{Next: s, Windows: windowsOf, Store: OpenFile(dir, "key"), Share: 0.5}), "/", 3, 3)
			time.Sleep(time.Minute + time.Second)
		}
		info, err := os.Stat(budgetFile(t, dir))
		if err != nil || info.Size() > 2000 {
			t.Errorf("the file has %d bytes, error %v, want the size of a single run", info.Size(), err)
		}
	})
}

// A place of a process that died is free a window after its request would have
// been given up.
func TestFilePlacesOfTheDeadExpire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		dir := t.TempDir()
		if n, _ := grants(t, opened(t, dir, &skew), false); n != 20 {
			t.Fatalf("granted %d, want 20", n)
		}
		other := opened(t, dir, &skew)
		time.Sleep(30*time.Second + 900*time.Millisecond)
		wantGrants(t, other, 0, 100*time.Millisecond)
		time.Sleep(101 * time.Millisecond)
		wantGrants(t, other, 20, time.Second)
	})
}

// A damaged file, or one removed while in use, is rebuilt with one notice. Until
// what was sent before cannot count any more, every window is full.
func TestFileIsRebuilt(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"garbage":  func(path string) error { return os.WriteFile(path, []byte("what is this?"), 0o600) },
		"cut off":  func(path string) error { return os.Truncate(path, 100) },
		"one byte": func(path string) error { return flipLast(path) },
		"removed":  os.Remove,
		"emptied":  func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var skew time.Duration
				dir := t.TempDir()
				one, two := opened(t, dir, &skew), opened(t, dir, &skew)
				grants(t, one, true)
				for range 2 {
					if err := damage(budgetFile(t, dir)); err != nil {
						t.Fatal(err)
					}
					wantGrants(t, one, 0, time.Minute)
				}
				wantNotices(t, one, StoreRebuilt)
				wantGrants(t, two, 0, time.Minute)
				wantNotices(t, two)
				time.Sleep(time.Minute + time.Microsecond)
				wantGrants(t, two, 20, time.Second)
				wantNotices(t, one)
			})
		})
	}
}

// flipLast changes a byte of the valid ledger.
func flipLast(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, valid, err := locate(b)
	if err != nil {
		return err
	}
	b[valid.offset+valid.length-1] ^= 0x10
	return os.WriteFile(path, b, 0o600)
}

// A process killed while it writes leaves the ledger of before: whatever it had
// written of the new one, and wherever the kill cut it off.
func TestFileSurvivesAKillWhileWriting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		dir := t.TempDir()
		s := opened(t, dir, &skew)
		for range 40 {
			n, _ := grants(t, s, true)
			if n == 25 {
				t.Fatal("no limit")
			}
			path := budgetFile(t, dir)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, valid, err := locate(b)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.OpenFile(path, os.O_RDWR, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			torn := &tornWriter{file: data, left: rand.IntN(valid.length + 1)}
			if err := store(torn, bytes.Repeat([]byte{0xff}, valid.length), valid); !errors.Is(err, errTorn) {
				t.Fatalf("error %v, want %v", err, errTorn)
			}
			if err := data.Close(); err != nil {
				t.Fatal(err)
			}
			if n, _ := grants(t, opened(t, dir, &skew), true); n != 0 {
				t.Errorf("granted %d after the kill, want none", n)
			}
			time.Sleep(time.Duration(rand.Int64N(int64(2 * time.Second))))
		}
		wantNotices(t, s)
	})
}

var errTorn = errors.New("killed")

// tornWriter writes so many bytes and then no more.
type tornWriter struct {
	file *os.File
	left int
}

func (w *tornWriter) WriteAt(b []byte, offset int64) (int, error) {
	n, err := w.file.WriteAt(b[:min(len(b), w.left)], offset)
	if w.left -= n; err == nil && n < len(b) {
		err = errTorn
	}
	return n, err
}

// Where the file cannot be used the budget goes on in memory, with one notice.
func TestFileUnusable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plain := filepath.Join(t.TempDir(), "plain file")
		if err := os.WriteFile(plain, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s := OpenFile(filepath.Join(plain, "below"), "key")
		wantGrants(t, s, 20, time.Second)
		wantNotices(t, s, StoreUnusable)
		time.Sleep(time.Second + time.Microsecond)
		wantGrants(t, s, 20, time.Second)
		wantNotices(t, s)
	})
}

// Where it becomes unusable, what was known of it stays known.
func TestFileBecomesUnusable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		dir := t.TempDir()
		one, two := opened(t, dir, &skew), opened(t, dir, &skew)
		place, err := one.Acquire(t.Context(), ask())
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := grants(t, two, true); n != 19 {
			t.Fatalf("granted %d, want 19", n)
		}
		wantGrants(t, one, 0, time.Second)
		path := budgetFile(t, dir)
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(900 * time.Millisecond)
		wantGrants(t, one, 0, 100*time.Millisecond)
		wantNotices(t, one, StoreUnusable)
		one.Release(place.Place, keyWindows, Outcome{})
		time.Sleep(101 * time.Millisecond)
		wantGrants(t, one, 19, 900*time.Millisecond)
		wantNotices(t, one)
	})
}

// Who waits for the lock of a suspended process obeys its context.
func TestFileLockObeysTheContext(t *testing.T) {
	t.Parallel()
	var skew time.Duration
	dir := t.TempDir()
	holder, waiter := opened(t, dir, &skew), opened(t, dir, &skew)
	grants(t, waiter, true)
	unlock, err := holder.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := waiter.Acquire(ctx, ask()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := waiter.Acquire(t.Context(), ask()); err != nil {
		t.Error(err)
	}
	wantNotices(t, waiter)
}
