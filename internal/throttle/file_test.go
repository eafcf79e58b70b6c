// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// opened returns a store for the files in the directory, whose wall clock is wrong by
// skew.
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

// ask returns a question for one request, always of the same queue.
func ask() Ask {
	ask := askOf(1, 1, keyWindows)
	ask.MaxInFlight = 30 * time.Second
	return ask
}

// grants returns how many slots the store grants now, up to 25. If answered is set, it
// releases them. Otherwise they stay in flight.
func grants(t *testing.T, s Store, answered bool) (n int, wait time.Duration) {
	t.Helper()
	for ; n < 25; n++ {
		ask := ask()
		answer, err := s.Acquire(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if !answer.Granted {
			return n, answer.Wait
		}
		if answered {
			s.Release(ask, Outcome{})
		}
	}
	return n, 0
}

// wantGrants fails the test unless the store grants that many slots, and then says to
// wait for wantWait. It tolerates the time that the test itself takes.
func wantGrants(t *testing.T, s Store, want int, wantWait time.Duration) {
	t.Helper()
	n, wait := grants(t, s, true)
	if n != want || wait.Round(100*time.Millisecond) != wantWait {
		t.Errorf("granted %d and then wait %v, want %d and %v", n, wait, want, wantWait)
	}
}

// wantNotices fails the test unless the store has exactly these notices.
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

// budgetFile returns the path of the valid version of the only budget in the directory.
func budgetFile(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.budget"))
	if err != nil || len(names) == 0 {
		t.Fatalf("budgets %v, error %v, want one", names, err)
	}
	hash, _, _ := strings.Cut(filepath.Base(names[0]), ".")
	v := versions{dir, hash}
	newest, err := v.newest()
	if err != nil {
		t.Fatal(err)
	}
	return v.path(newest)
}

// The names of the files do not reveal the key, and only the owner may read the files.
// There are at most two versions.
func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "to be", "created")
		wantGrants(t, OpenFile(dir, "client:secret"), 20, time.Second)
		wantGrants(t, OpenFile(dir, "client:other"), 20, time.Second)
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 4 {
			t.Fatalf("entries %v, error %v, want two versions for each key", entries, err)
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), "client") || strings.Contains(e.Name(), "secret") {
				t.Errorf("the name %s reveals the key", e.Name())
			}
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil || bytes.Contains(content, []byte("secret")) || bytes.Contains(content, []byte("client")) {
				t.Errorf("%s: error %v, or it contains the key", e.Name(), err)
			}
		}
	})
}

// If the clock is set back or forward, no slot is free early or held for longer,
// whichever run looks next.
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

// If the clock is set back before a process starts, slots that were taken before count
// as taken now.
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

// The file does not grow with the number of past runs, although each run with a share
// has its own windows.
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

// The slot of a process that died is free a window after its request would have been
// given up.
func TestFileSlotsOfDeadProcessesExpire(t *testing.T) {
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

// A run that does not know the contents of a damaged file rebuilds it and makes one
// notice. Every window is full until the earlier requests no longer count. A run that
// knows the contents loses nothing.
func TestFileIsDamaged(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"garbage":  func(path string) error { return os.WriteFile(path, []byte("what is this?"), 0o600) },
		"cut off":  func(path string) error { return os.Truncate(path, 100) },
		"one byte": func(path string) error { return flipLast(path) },
		"emptied":  func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var skew time.Duration
				dir := t.TempDir()
				one, two := opened(t, dir, &skew), opened(t, dir, &skew)
				grants(t, one, true)
				if err := damage(budgetFile(t, dir)); err != nil {
					t.Fatal(err)
				}
				wantGrants(t, one, 0, time.Second)
				wantNotices(t, one)
				if err := damage(budgetFile(t, dir)); err != nil {
					t.Fatal(err)
				}
				wantGrants(t, two, 0, 90*time.Second)
				wantNotices(t, two, StoreRebuilt)
				wantGrants(t, one, 0, 90*time.Second)
				time.Sleep(90*time.Second + time.Microsecond)
				wantGrants(t, one, 20, time.Second)
				wantNotices(t, one)
			})
		})
	}
}

// A file that was removed while in use is also rebuilt, even if another run has started
// a new one without knowing the earlier requests.
func TestFileIsRemoved(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(t *testing.T, dir string){
		"removed": func(*testing.T, string) {},
		"replaced": func(t *testing.T, dir string) {
			grants(t, OpenFile(dir, "client:secret"), true)
		},
		"replaced by a higher version": func(t *testing.T, dir string) {
			s := OpenFile(dir, "client:secret")
			for range 4 {
				grants(t, s, true)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var skew time.Duration
				dir := t.TempDir()
				one, two := opened(t, dir, &skew), opened(t, dir, &skew)
				grants(t, one, true)
				wantGrants(t, two, 0, time.Second)
				for range 2 {
					if err := removeVersions(budgetFile(t, dir)); err != nil {
						t.Fatal(err)
					}
					remove(t, dir)
					wantGrants(t, one, 0, 90*time.Second)
				}
				wantNotices(t, one, StoreRebuilt)
				wantGrants(t, two, 0, 90*time.Second)
				wantNotices(t, two)
				time.Sleep(90*time.Second + time.Microsecond)
				wantGrants(t, two, 20, time.Second)
				wantNotices(t, one)
			})
		})
	}
}

// flipLast changes the last byte.
func flipLast(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[len(b)-1] ^= 0x10
	return os.WriteFile(path, b, 0o600)
}

// removeVersions removes every version of the budget.
func removeVersions(path string) error {
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// A process that is killed during a write leaves a draft. A process that is stopped for
// long publishes a version that is no longer current. Neither changes the budget.
func TestFileIsNotChangedByStoppedProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, _ := OpenFile(dir, "client:secret").(*file)
		wantGrants(t, s, 20, time.Second)
		path := budgetFile(t, dir)
		if err := os.WriteFile(strings.TrimSuffix(path, suffix)+draft, []byte("half a ledger"), 0o600); err != nil {
			t.Fatal(err)
		}
		empty := encode(newLedger())
		for _, version := range []uint64{2, s.seen.version - 5, s.seen.version} { // which are free, free and taken
			if err := s.versions.publish(version, empty); !errors.Is(err, errConflict) {
				t.Errorf("version %d of %d was published: %v", version, s.seen.version, err)
			}
		}
		wantGrants(t, OpenFile(dir, "client:secret"), 0, time.Second)
		wantNotices(t, s)
	})
}

// If the files cannot be used, the budget continues in memory with one notice.
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

// If the files become unusable, the budget keeps what it knew.
func TestFileBecomesUnusable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		dir := filepath.Join(t.TempDir(), "budgets")
		one, two := opened(t, dir, &skew), opened(t, dir, &skew)
		open := ask()
		if _, err := one.Acquire(t.Context(), open); err != nil {
			t.Fatal(err)
		}
		if n, _ := grants(t, two, true); n != 19 {
			t.Fatalf("granted %d, want 19", n)
		}
		wantGrants(t, one, 0, time.Second)
		if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		wantGrants(t, one, 19, time.Second) // all except the one in flight
		if took := time.Since(start); took < retryFileFor || took > 2*retryFileFor {
			t.Errorf("given up after %v, want %v", took, retryFileFor)
		}
		wantNotices(t, one, StoreUnusable)
		one.Release(open, Outcome{})
		time.Sleep(time.Second + time.Microsecond)
		wantGrants(t, one, 20, time.Second)
		wantNotices(t, one)
	})
}

// An error that ends within a second costs only that time.
func TestFileErrorsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		dir := filepath.Join(t.TempDir(), "budgets")
		s := opened(t, dir, &skew)
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(700*time.Millisecond, func() { _ = os.Remove(dir) })
		wantGrants(t, s, 20, time.Second)
		wantNotices(t, s)
	})
}
