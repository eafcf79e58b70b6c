// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/files"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// opened returns a store for the files in the directory.
func opened(dir string) throttle.Store { return noticed(dir, func(throttle.Notice) {}) }

func noticed(dir string, on func(throttle.Notice)) throttle.Store {
	return throttle.OpenFile(throttle.FileConfig{
		Dir: filepath.Join(dir, "cache"), Key: "client:secret", RetryFor: 5 * time.Minute, OnNotice: on,
	})
}

var counter atomic.Int64

// wantGrants fails the test unless a store grants so many of 25 slots, and then says to wait. It releases them.
func wantGrants(t *testing.T, s throttle.Store, want int, wait time.Duration) {
	t.Helper()
	ask := throttle.Ask{Operation: throttletest.Key, Run: "run", Queue: "queue", MaxInFlight: 40 * time.Second}
	for range 25 {
		ask.Tokens = append(ask.Tokens, fmt.Sprint("token.", counter.Add(1)))
	}
	g, err := s.Acquire(ask)
	if err != nil || g.Granted != want || g.Wait.Round(100*time.Millisecond) != wait {
		t.Errorf("granted %d and then wait %v, error %v, want %d and %v", g.Granted, g.Wait, err, want, wait)
	}
	for _, token := range ask.Tokens[:g.Granted] {
		if err := s.Release(throttletest.Key, token, 0); err != nil {
			t.Error(err)
		}
	}
}

// budgetFile returns the path of the only budget in the directory.
func budgetFile(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "cache", "budgets", "*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("budgets %v, error %v, want one", names, err)
	}
	return names[0]
}

// A budget is a file and its lock. Neither reveals the key. (The tests of files prove that only the owner can read them.)
func TestFileRevealsNoKey(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "to be", "created")
		wantGrants(t, opened(dir), 20, time.Second) // its key is client:secret
		names, err := filepath.Glob(filepath.Join(dir, "cache", "budgets", "*"))
		if err != nil || len(names) != 2 {
			t.Fatalf("files %v, error %v, want a budget and its lock", names, err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			text := name[len(dir):] + string(content)
			if err != nil || strings.Contains(text, "client") || strings.Contains(text, "secret") {
				t.Errorf("%s: error %v, or it contains the key", name, err)
			}
		}
	})
}

// If the clock of the machine is set while a run works, the windows are full from then on. A clock that is set back by
// seconds only delays the end of slots.
func TestFileAfterAClockWasSet(t *testing.T) {
	t.Parallel()
	const second = time.Second + time.Millisecond // until the slots of a second have ended
	for name, row := range map[string]struct {
		by     time.Duration
		idle   time.Duration
		grants int
		wait   time.Duration
	}{
		"forward":                             {2100 * time.Millisecond, 0, 0, throttle.Lost},
		"forward, less than is noticed":       {1900 * time.Millisecond, 0, 20, time.Second},
		"forward by an hour":                  {time.Hour, 0, 0, throttle.Lost},
		"back by an hour":                     {-time.Hour, 0, 0, throttle.Lost},
		"back by seconds":                     {-5 * time.Second, second, 0, time.Second},
		"back by seconds, and these are over": {-5 * time.Second, 5*time.Second + second, 20, time.Second},
		"not at all":                          {0, second, 20, time.Second},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			dir := t.TempDir()
			one, two := opened(dir), opened(dir)
			wantGrants(t, one, 20, time.Second)
			for _, s := range []throttle.Store{one, two} {
				throttle.SetWall(s, func() int64 { return time.Now().Add(row.by).UnixMilli() })
			}
			time.Sleep(row.idle)
			wantGrants(t, one, row.grants, row.wait)
			if row.wait == throttle.Lost {
				wantGrants(t, two, 0, throttle.Lost)
				time.Sleep(throttle.Lost)
				wantGrants(t, two, 20, time.Second)
				time.Sleep(second)
				wantGrants(t, one, 20, time.Second)
			}
		})
	}
}

// If the clock advances in steps of 16 ms, a response may have arrived 15 ms later than the clock says. Its slot stays
// occupied for this time, too, also if another request is released meanwhile.
func TestClockAdvancesInSteps(t *testing.T) { //nolint:paralleltest // the step is that of all stores
	throttle.SetClockStep(16)
	defer throttle.SetClockStep(0)
	throttletest.InVirtualTime(t, func(t *testing.T) {
		op := throttle.Operation{{Name: "a second", Limit: 2, Per: time.Second}}
		s, state := opened(t.TempDir()), &throttle.State{}
		throttle.SetWall(s, func() int64 { return time.Now().UnixMilli() / 16 * 16 })
		wants := func(want int, tokens ...string) {
			t.Helper()
			ask := throttle.Ask{Operation: op, Tokens: tokens, Run: "a", Queue: "a", MaxInFlight: 40 * time.Second}
			g, err := s.Acquire(ask)
			inMemory := state.Acquire(time.Now().UnixMilli()/16*16, ask).Granted
			if err != nil || g.Granted != want || inMemory != want {
				t.Errorf("after %v: granted %d and %d, error %v, want %d", time.Since(start(t)), g.Granted, inMemory, err, want)
			}
		}
		release := func(token string) {
			if err := s.Release(op, token, 0); err != nil {
				t.Error(err)
			}
			state.Release(time.Now().UnixMilli()/16*16, op, token, 0)
		}
		wants(2, "1", "2")
		time.Sleep(15 * time.Millisecond)
		release("1")
		time.Sleep(993 * time.Millisecond)
		release("2")
		wants(0, "3")
		time.Sleep(16 * time.Millisecond)
		wants(1, "3")
	})
}

// If the clock of the machine is set forward while the windows are full after a loss, they are full once more, but only
// once for all runs.
func TestFileAfterALossAndASetClock(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		dir := t.TempDir()
		one, two := opened(dir), opened(dir)
		wantGrants(t, one, 20, time.Second)
		time.Sleep(2 * time.Second)
		wantGrants(t, two, 20, time.Second)
		if err := os.Truncate(budgetFile(t, dir), 0); err != nil {
			t.Fatal(err)
		}
		wantGrants(t, one, 0, throttle.Lost)
		for _, s := range []throttle.Store{one, two} {
			throttle.SetWall(s, func() int64 { return time.Now().Add(70 * time.Second).UnixMilli() })
		}
		wantGrants(t, two, 0, throttle.Lost)
		time.Sleep(5 * time.Second)
		wantGrants(t, one, 0, throttle.Lost-5*time.Second)
		time.Sleep(throttle.Lost - 5*time.Second)
		wantGrants(t, two, 20, time.Second)
	})
}

// A file that was damaged, replaced or set back while it was in use counts as full for 75 seconds, for all runs and
// only once. A new run cannot know that a file was removed, or replaced by an old copy.
func TestFileIsLost(t *testing.T) {
	t.Parallel()
	write := func(content string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
	}
	for name, row := range map[string]struct {
		lose    func(path string) error
		unknown bool // to new runs
	}{
		"garbage":        {lose: write("what is this?")},
		"emptied":        {lose: write("")},
		"cut off":        {lose: func(path string) error { return os.Truncate(path, 100) }},
		"too large":      {lose: func(path string) error { return os.Truncate(path, 2<<20) }},
		"of the future":  {lose: func(path string) error { return replace(path, `"now":`, `"now":9`) }},
		"removed":        {lose: os.Remove, unknown: true},
		"folder removed": {lose: func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, unknown: true},
		"set back":       {lose: func(path string) error { return os.Rename(path+".old", path) }, unknown: true},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			dir := t.TempDir()
			one, two := opened(dir), opened(dir)
			wantGrants(t, one, 20, time.Second)
			old, err := os.ReadFile(budgetFile(t, dir))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(1001 * time.Millisecond)
			wantGrants(t, two, 20, time.Second)
			wantGrants(t, one, 0, time.Second)
			for range 2 {
				path := budgetFile(t, dir)
				if err := errors.Join(os.WriteFile(path+".old", old, 0o600), row.lose(path)); err != nil {
					t.Fatal(err)
				}
				first := opened(dir)
				if row.unknown {
					first = one
				}
				wantGrants(t, first, 0, throttle.Lost)
				time.Sleep(time.Second)
				wantGrants(t, one, 0, throttle.Lost-time.Second)
				wantGrants(t, two, 0, throttle.Lost-time.Second)
				wantGrants(t, opened(dir), 0, throttle.Lost-time.Second)
			}
			time.Sleep(throttle.Lost)
			wantGrants(t, two, 20, time.Second)
		})
	}
}

func replace(path, from, to string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), from) {
		err = fmt.Errorf("%s does not contain %s", text, from)
	}
	return errors.Join(err, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

// If the folder becomes unusable for more than a second, the budget keeps what it knew in memory, with one notice that
// names the folder. A clock that is set then has no effect. A run that starts then knows nothing.
func TestFolderIsUnusable(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		dir := t.TempDir()
		var notices []throttle.Notice
		on := func(n throttle.Notice) { notices = append(notices, n) }
		one, clock := noticed(dir, on), time.Duration(0)
		throttle.SetWall(one, func() int64 { return time.Now().Add(clock).UnixMilli() })
		ask := throttle.Ask{
			Operation: throttletest.Key, Run: "a", Queue: "a", Tokens: []string{"open"}, MaxInFlight: 40 * time.Second,
		}
		if _, err := one.Acquire(ask); err != nil {
			t.Fatal(err)
		}
		cache := filepath.Join(dir, "cache")
		if err := errors.Join(os.RemoveAll(cache), os.WriteFile(cache, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		wantGrants(t, one, 19, time.Second) // all except the one in flight
		if took := time.Since(begin); took < time.Second || took > 3*time.Second {
			t.Errorf("given up after %v, want a second", took)
		}
		time.Sleep(time.Second + 2*time.Millisecond)
		clock = -time.Hour
		wantGrants(t, one, 19, time.Second)
		clock = time.Hour
		wantGrants(t, one, 0, time.Second)
		wantGrants(t, noticed(dir, on), 20, time.Second)
		if len(notices) != 2 || notices[0].Kind != throttle.Alone || !strings.Contains(notices[0].Err.Error(), cache) ||
			notices[1].Kind != throttle.Alone {
			t.Errorf("%v, want one of each store", notices)
		}
	})
}

// If the clock of the machine was set since the last change, and then the folder becomes unusable, the windows are full.
func TestFolderIsUnusableAfterAClockWasSet(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		throttletest.Virtual(t, by.String(), func(t *testing.T) {
			dir := t.TempDir()
			s := opened(dir)
			wantGrants(t, s, 20, time.Second)
			cache := filepath.Join(dir, "cache")
			if err := errors.Join(os.RemoveAll(cache), os.WriteFile(cache, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			throttle.SetWall(s, func() int64 { return time.Now().Add(by).UnixMilli() })
			wantGrants(t, s, 0, throttle.Lost)
			time.Sleep(throttle.Lost)
			wantGrants(t, s, 20, time.Second)
		})
	}
}

// A process that was stopped while it held the lock is said once after five seconds, and waited for. After RetryFor,
// the run must end, also if releases wait for the lock, too. No other process takes the lock.
func TestStoppedWithTheLock(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		stopped, took time.Duration
		notice        string
		err           string
	}{
		"briefly":  {4 * time.Second, 4 * time.Second, "", ""},
		"for long": {time.Minute, time.Minute, "FILE.lock after 5s", ""},
		"for an hour": {
			time.Hour, 5 * time.Minute, "FILE.lock after 5s",
			"could not use the file FILE: another process has held its lock for 5m0s. Probably it was stopped",
		},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			dir := t.TempDir()
			wantGrants(t, opened(dir), 20, time.Second)
			path := budgetFile(t, dir)
			go func() {
				file := files.Private(filepath.Join(dir, "cache"), "budgets", filepath.Base(path))
				_ = file.Change(context.Background(), func([]byte, error) ([]byte, error) {
					time.Sleep(row.stopped)
					return nil, nil
				})
			}()
			synctest.Wait()
			shown := make(chan string, 10)
			s := noticed(dir, func(n throttle.Notice) {
				shown <- fmt.Sprint(n.Err, " after ", time.Since(start(t)).Round(time.Second))
			})
			for range 3 {
				go func() { _ = s.Release(throttletest.Key, "earlier", 0) }()
			}
			synctest.Wait()
			_, err := s.Acquire(throttle.Ask{Operation: throttletest.Key, Run: "a", Queue: "a", Tokens: []string{"b"}})
			took := time.Since(start(t)).Round(10 * time.Millisecond)
			var notices, failure string
			for len(shown) > 0 {
				notices += <-shown
			}
			if unavailable, ok := errors.AsType[*throttle.UnavailableError](err); ok {
				failure = unavailable.Error()
			}
			notice, failed := strings.ReplaceAll(row.notice, "FILE", path), strings.ReplaceAll(row.err, "FILE", path)
			if took != row.took || notices != notice || failure != failed {
				t.Errorf("after %v: notices %q, error %q, want %q and %q after %v", took, notices, failure, notice, failed, row.took)
			}
			time.Sleep(2 * time.Hour)
		})
	}
}
