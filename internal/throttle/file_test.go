// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// opened returns a store for the files in the directory.
func opened(t *testing.T, dir string) *file {
	t.Helper()
	f, ok := OpenFile(dir, "client:secret", virtual).(*file)
	if !ok {
		t.Fatal("no file")
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
	names, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.budget"))
	if err != nil || len(names) == 0 {
		t.Fatalf("budgets %v, error %v, want one", names, err)
	}
	v := versions{filepath.Dir(names[0]), unknownBoot}
	newest, _, err := v.newest()
	if err != nil {
		t.Fatal(err)
	}
	return v.path(newest)
}

// The names of the files do not reveal the key, and only the owner may read the files.
// There are at most two versions. Budgets of another format are elsewhere.
func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "to be", "created")
		wantGrants(t, OpenFile(dir, "client:secret", virtual), 20, time.Second)
		wantGrants(t, OpenFile(dir, "client:other", virtual), 20, time.Second)
		names, err := filepath.Glob(filepath.Join(dir, "budget-"+format, "*", "*"))
		if err != nil || len(names) != 4 {
			t.Fatalf("files %v, error %v, want two versions for each key", names, err)
		}
		for _, name := range names {
			if strings.Contains(name[len(dir):], "client") || strings.Contains(name[len(dir):], "secret") {
				t.Errorf("the name %s reveals the key", name)
			}
			content, err := os.ReadFile(name)
			if err != nil || bytes.Contains(content, []byte("secret")) || bytes.Contains(content, []byte("client")) {
				t.Errorf("%s: error %v, or it contains the key", name, err)
			}
		}
	})
}

// If the wall clock is set forward by an hour, no slot is free early, also for a run that
// starts after that. The budget does not use that clock.
func TestFileClockIsSet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		since := 1000 * time.Hour
		clock := Clock{Boot: "boot", Now: func() time.Duration { return since }}
		dir := t.TempDir()
		wantGrants(t, OpenFile(dir, "key", clock), 20, time.Second)
		time.Sleep(time.Hour) // only the wall clock advances
		wantGrants(t, OpenFile(dir, "key", clock), 0, time.Second)
		since += time.Second + 1
		wantGrants(t, OpenFile(dir, "key", clock), 20, time.Second)
	})
}

// After the machine was restarted, the windows are full until the requests before that no
// longer count. The same applies if the system cannot say that it was restarted. If the clock of the
// same start goes back, as after a virtual machine was restored, the budget is rebuilt.
func TestFileAfterARestart(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after string        // Clock.Boot
		since         time.Duration // since the restart
		grants        int
		wait          time.Duration
		notices       []NoticeKind
	}{
		"another boot":         {"one", "two", 50 * time.Second, 0, 40 * time.Second, nil},
		"another boot, later":  {"one", "two", 91 * time.Second, 20, time.Second, nil},
		"unknown boot":         {"", "", 50 * time.Second, 0, 40 * time.Second, nil},
		"unknown boot, later":  {"", "", 91 * time.Second, 20, time.Second, nil},
		"unknown, much later":  {"", "", 2000 * time.Hour, 20, time.Second, nil},
		"the clock went back":  {"one", "one", 500 * time.Hour, 0, 90 * time.Second, []NoticeKind{StoreRebuilt}},
		"the first run of all": {"one", "two", 0, 20, time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if row.since > 0 {
				grants(t, OpenFile(dir, "key", Clock{row.before, func() time.Duration { return 1000 * time.Hour }}), true)
			}
			s := OpenFile(dir, "key", Clock{row.after, func() time.Duration { return row.since }})
			wantGrants(t, s, row.grants, row.wait)
			wantNotices(t, s, row.notices...)
		})
	}
}

// The clock of the machine advances with the real time, and is the same in all processes.
func TestSystemClock(t *testing.T) {
	t.Parallel()
	one, two := SystemClock(), SystemClock()
	start, begin := time.Now(), one.Now()
	time.Sleep(20 * time.Millisecond)
	took, since := two.Now()-begin, time.Since(start)
	if took < 20*time.Millisecond || took > since || one.Boot != two.Boot {
		t.Errorf("%v passed, want at least 20ms and at most %v; boot %q and %q", took, since, one.Boot, two.Boot)
	}
	if up, err := os.ReadFile("/proc/uptime"); err == nil {
		seconds, _, _ := strings.Cut(string(up), " ")
		want, err := time.ParseDuration(seconds + "s")
		if got := one.Now(); err != nil || got < want || got > want+time.Minute {
			t.Errorf("the machine runs for %v, want %v, error %v", got, want, err)
		}
	}
}

// A version that cannot be read, such as a file of another user, counts as damaged. The
// budget stays shared.
func TestFileIsUnreadable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		grants(t, opened(t, dir), true)
		path := budgetFile(t, dir)
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil { // also root cannot read it
			t.Fatal(err)
		}
		one, two := opened(t, dir), opened(t, dir)
		wantGrants(t, one, 0, 90*time.Second)
		wantNotices(t, one, StoreRebuilt)
		time.Sleep(90*time.Second + time.Microsecond)
		if n, _ := grants(t, one, true); n != 20 {
			t.Errorf("granted %d, want 20", n)
		}
		wantGrants(t, two, 0, time.Second)
		wantNotices(t, two)
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
			apply(t, New(Config{Next: s, Windows: windowsOf, Store: OpenFile(dir, "key", virtual), Share: 0.5}), "/", 3, 3)
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
		dir := t.TempDir()
		if n, _ := grants(t, opened(t, dir), false); n != 20 {
			t.Fatalf("granted %d, want 20", n)
		}
		other := opened(t, dir)
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
		"garbage":   func(path string) error { return os.WriteFile(path, []byte("what is this?"), 0o600) },
		"cut off":   func(path string) error { return os.Truncate(path, 100) },
		"one digit": changeDigit, // which only the checksum shows
		"emptied":   func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				one, two := opened(t, dir), opened(t, dir)
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
			grants(t, OpenFile(dir, "client:secret", virtual), true)
		},
		"replaced by a higher version": func(t *testing.T, dir string) {
			s := OpenFile(dir, "client:secret", virtual)
			for range 4 {
				grants(t, s, true)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				one, two := opened(t, dir), opened(t, dir)
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

// changeDigit changes the last digit.
func changeDigit(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b[bytes.LastIndexAny(b, "0123456789")] ^= 1
	return os.WriteFile(path, b, 0o600)
}

// removeVersions removes every version of the budget.
func removeVersions(path string) error {
	return os.RemoveAll(filepath.Dir(path))
}

// A process that is killed during a write leaves a draft. A process that is stopped for
// long publishes a version that is no longer current. Neither changes the budget.
func TestFileIsNotChangedByStoppedProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, _ := OpenFile(dir, "client:secret", virtual).(*file)
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
		wantGrants(t, OpenFile(dir, "client:secret", virtual), 0, time.Second)
		wantNotices(t, s)
	})
}

// If the files become unusable, the budget keeps what it knew in memory, with one notice. A run
// that starts then knows nothing.
func TestFileBecomesUnusable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "budgets")
		one, two := opened(t, dir), opened(t, dir)
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
		late := opened(t, dir)
		wantGrants(t, late, 20, time.Second)
		wantNotices(t, late, StoreUnusable)
	})
}

// An error that ends within a second costs only that time.
func TestFileErrorsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "budgets")
		s := opened(t, dir)
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(700*time.Millisecond, func() { _ = os.Remove(dir) })
		wantGrants(t, s, 20, time.Second)
		wantNotices(t, s)
	})
}

// A disk that does not answer delays a run by a few seconds at most, with one notice.
func TestFileOnAStuckDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, disk := opened(t, t.TempDir()), make(chan bool)
		var changes atomic.Int32
		start := time.Now()
		s.update(time.Minute, func(*ledger) Answer {
			if changes.Add(1) == 1 {
				<-disk
			}
			return Answer{}
		})
		if took := time.Since(start); took != giveUpFile {
			t.Errorf("given up after %v, want %v", took, giveUpFile)
		}
		wantNotices(t, s, StoreUnusable)
		close(disk)
		synctest.Wait() // until the goroutine has written into the directory
	})
}
