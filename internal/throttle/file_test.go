// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// virtual is the clock of budgets in tests with virtual time.
var virtual = throttle.Clock{Now: func() time.Duration { return time.Duration(time.Now().UnixNano()) }}

// opened returns a store for the files in the directory.
func opened(dir string) throttle.Store { return throttle.OpenFile(dir, "client:secret", virtual) }

// budgetFile returns the path of the only budget in the directory.
func budgetFile(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.budget"))
	if err != nil || len(names) != 1 {
		t.Fatalf("budgets %v, error %v, want one", names, err)
	}
	return names[0]
}

// The names of the files do not reveal the key, and only the owner may read the files.
// A budget is a file and its lock.
func TestFileIsPrivate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "to be", "created")
		throttletest.WantGrants(t, throttle.OpenFile(dir, "client:secret", virtual), 20, time.Second)
		throttletest.WantGrants(t, throttle.OpenFile(dir, "client:other", virtual), 20, time.Second)
		names, err := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
		if err != nil || len(names) != 4 {
			t.Fatalf("files %v, error %v, want a budget and its lock for each key", names, err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			for _, word := range []string{"client", "secret"} {
				if err != nil || strings.Contains(name[len(dir):]+string(content), word) {
					t.Errorf("%s: error %v, or it contains %q", name, err, word)
				}
			}
		}
	})
}

// If the wall clock is set forward by an hour, no slot is free early, also for a run that
// starts after that. The budget does not use that clock.
func TestFileClockIsSet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		since, dir := 1000*time.Hour, t.TempDir()
		clock := throttle.Clock{Boot: "boot", Now: func() time.Duration { return since }}
		throttletest.WantGrants(t, throttle.OpenFile(dir, "key", clock), 20, time.Second)
		time.Sleep(time.Hour) // only the wall clock advances
		throttletest.WantGrants(t, throttle.OpenFile(dir, "key", clock), 0, time.Second)
		since += time.Second + 1
		throttletest.WantGrants(t, throttle.OpenFile(dir, "key", clock), 20, time.Second)
	})
}

// After the machine was restarted, the windows are full until the requests before that no
// longer count. The same applies if the system cannot say that it was restarted. If the clock of the
// same start goes back, as after a virtual machine was restored, the budget is rebuilt.
func TestFileAfterARestart(t *testing.T) {
	t.Parallel()
	rebuilt := []throttle.BudgetNoticeKind{throttle.StoreRebuilt}
	for name, row := range map[string]struct {
		before, after string        // Clock.Boot
		since         time.Duration // since the restart
		grants        int
		wait          time.Duration
		notices       []throttle.BudgetNoticeKind
	}{
		"another boot":         {"one", "two", 50 * time.Second, 0, 40 * time.Second, nil},
		"another boot, later":  {"one", "two", 91 * time.Second, 20, time.Second, nil},
		"unknown boot":         {"", "", 50 * time.Second, 0, 40 * time.Second, nil},
		"unknown boot, later":  {"", "", 91 * time.Second, 20, time.Second, nil},
		"unknown, much later":  {"", "", 2000 * time.Hour, 20, time.Second, nil},
		"the clock went back":  {"one", "one", 500 * time.Hour, 0, 90 * time.Second, rebuilt},
		"the first run of all": {"one", "two", 0, 20, time.Second, nil},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			dir := t.TempDir()
			open := func(boot string, now time.Duration) throttle.Store {
				return throttle.OpenFile(dir, "key", throttle.Clock{Boot: boot, Now: func() time.Duration { return now }})
			}
			if row.since > 0 {
				throttletest.Grants(t, open(row.before, 1000*time.Hour), true)
			}
			s := open(row.after, row.since)
			throttletest.WantGrants(t, s, row.grants, row.wait)
			throttletest.WantNotices(t, s, row.notices...)
		})
	}
}

// The clock of the machine advances with the real time, and is the same in all processes.
func TestSystemClock(t *testing.T) {
	t.Parallel()
	const sleep, step = 50 * time.Millisecond, 16 * time.Millisecond // Go's clock on Windows advances in steps
	one, two := throttle.SystemClock(), throttle.SystemClock()
	// real time: compares two clocks
	start, begin := time.Now(), one.Now()
	// real time: compares two clocks
	time.Sleep(sleep)
	// real time: compares two clocks
	took, since := two.Now()-begin, time.Since(start)
	if took < sleep-step || took > since+step || one.Boot != two.Boot {
		t.Errorf("%v passed, want at least %v and at most %v; boot %q and %q", took, sleep-step, since+step, one.Boot, two.Boot)
	}
	before := one.Now()
	if up, err := os.ReadFile("/proc/uptime"); err == nil && runtime.GOOS == "linux" { // Wine has the file, too
		seconds, _, _ := strings.Cut(string(up), " ")
		got, err := time.ParseDuration(seconds + "s") // rounded down to 10 ms
		if after := one.Now(); err != nil || got < before-10*time.Millisecond || got > after {
			t.Errorf("the machine runs for %v, want %v to %v, error %v", got, before, after, err)
		}
	}
}

// The file does not grow with the number of past runs, although each run with a share
// has its own windows.
func TestFileStaysSmall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for range 50 {
			run := new(throttletest.Service).Transport(throttle.Config{Store: opened(dir), Share: 0.5})
			throttletest.Apply(t, run, "/", 3, 3)
			time.Sleep(time.Minute + time.Second)
		}
		info, err := os.Stat(budgetFile(t, dir))
		if err != nil || info.Size() > 2000 {
			t.Errorf("the file has %d bytes, error %v, want the size of a single run", info.Size(), err)
		}
	})
}

// A file that is damaged or unreadable, or that was removed while in use, is rebuilt.
func TestFileIsDamaged(t *testing.T) {
	t.Parallel()
	write := func(content string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
	}
	remove := func(path string) error { return os.RemoveAll(filepath.Dir(path)) }
	// Like a file of another user, but root cannot read it either.
	hide := func(path string) error { return errors.Join(os.Remove(path), os.Symlink(path, path)) }
	if runtime.GOOS == "windows" { // where not every user may make a link
		hide = write("")
	}
	for name, row := range map[string]struct {
		damage  func(path string) error
		removed bool
		replace int // how many other runs start a new budget, without knowing the earlier requests
	}{
		"garbage":                 {damage: write("what is this?")},
		"emptied":                 {damage: write("")},
		"cut off":                 {damage: func(path string) error { return os.Truncate(path, 100) }},
		"one digit":               {damage: changeDigit}, // which only the checksum shows
		"unreadable":              {damage: hide},
		"removed":                 {damage: remove, removed: true},
		"replaced":                {damage: remove, removed: true, replace: 1},
		"replaced and often used": {damage: remove, removed: true, replace: 99},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			dir := t.TempDir()
			damage := func() {
				if err := row.damage(budgetFile(t, dir)); err != nil {
					t.Fatal(err)
				}
				if row.replace > 0 {
					s := opened(dir)
					for range row.replace {
						throttletest.Grants(t, s, true)
					}
				}
			}
			throttletest.TestRebuild(t, func() throttle.Store { return opened(dir) }, damage, !row.removed)
		})
	}
}

// Files of earlier starts of the machine are removed after a day.
func TestFilesOfEarlierStartsAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range 3 {
		clock := throttle.Clock{Boot: fmt.Sprint(n), Now: func() time.Duration { return time.Hour }}
		s := throttle.OpenFile(dir, "key", clock)
		// real time: the clock of the store is set
		throttletest.Grants(t, s, true)
		left, err := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
		if err != nil || len(left) != 2 {
			t.Fatalf("after %d starts, the files are %q, error %v, want a budget and its lock", n+1, left, err)
		}
		for _, path := range left {
			// real time: sets the age of a file
			old := time.Now().Add(-25 * time.Hour)
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
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

// If the files become unusable, the budget keeps what it knew in memory, with one notice. A run
// that starts then knows nothing.
func TestFileBecomesUnusable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "budgets")
		one, open := opened(dir), throttletest.Ask()
		if _, err := one.Acquire(t.Context(), open); err != nil {
			t.Fatal(err)
		}
		throttletest.WantGrants(t, opened(dir), 19, time.Second)
		throttletest.WantGrants(t, one, 0, time.Second)
		if err := errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		throttletest.WantGrants(t, one, 19, time.Second) // all except the one in flight
		if took := time.Since(start); took < time.Second || took > 2*time.Second {
			t.Errorf("given up after %v, want a second", took)
		}
		throttletest.WantNotices(t, one, throttle.StoreUnusable)
		one.Release(open, throttle.Outcome{})
		time.Sleep(time.Second + time.Microsecond)
		throttletest.WantGrants(t, one, 20, time.Second)
		throttletest.WantNotices(t, one)
		late := opened(dir)
		throttletest.WantGrants(t, late, 20, time.Second)
		throttletest.WantNotices(t, late, throttle.StoreUnusable)
	})
}

// An error that ends within a second costs only that time.
func TestFileErrorsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "budgets")
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(700*time.Millisecond, func() { _ = os.Remove(dir) })
		s := opened(dir)
		throttletest.WantGrants(t, s, 20, time.Second)
		throttletest.WantNotices(t, s)
	})
}

// A disk that does not answer delays a run by half a minute at most, with one notice. A slow one loses nothing.
func TestFileOnAStuckDisk(t *testing.T) {
	t.Parallel()
	const giveUp = 30 * time.Second
	for delay, notices := range map[time.Duration][]throttle.BudgetNoticeKind{
		giveUp - time.Second: nil, giveUp: {throttle.StoreUnusable},
	} {
		synctest.Test(t, func(t *testing.T) {
			disk, once := make(chan bool), new(sync.Once)
			s := throttle.OpenFile(t.TempDir(), "key", throttle.Clock{Now: func() time.Duration {
				once.Do(func() { <-disk }) // in the middle of an operation
				return time.Hour
			}})
			start := time.Now()
			go func() {
				time.Sleep(delay)
				close(disk)
			}()
			throttletest.WantGrants(t, s, 20, time.Second)
			if took := time.Since(start); took != delay {
				t.Errorf("answered after %v, want %v", took, delay)
			}
			throttletest.WantNotices(t, s, notices...)
			synctest.Wait() // until the goroutine has written into the directory
		})
	}
}
