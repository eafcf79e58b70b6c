// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// reader counts its reads. Each read takes a second.
type reader struct {
	mu  sync.Mutex
	n   int
	err error
}

func (r *reader) read(context.Context) (int, error) {
	r.mu.Lock()
	r.n++
	n, err := r.n, r.err
	r.mu.Unlock()
	time.Sleep(time.Second)
	return n, err
}

func TestListCacheSharesOneRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			s    Cache[int]
			r    reader
			wait sync.WaitGroup
		)
		for range 10 {
			wait.Go(func() {
				if v, err := s.Get(t.Context(), "key", r.read); v != 1 || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
			})
		}
		wait.Wait()
		if _, err := s.Get(t.Context(), "key", r.read); err != nil || r.n != 1 {
			t.Errorf("%d reads, %v", r.n, err)
		}
		if _, err := s.Get(t.Context(), "other", r.read); err != nil || r.n != 2 {
			t.Errorf("another key: %d reads, %v", r.n, err)
		}
	})
}

func TestListCacheDropsReadsStartedBeforeAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			s    Cache[int]
			r    reader
			wait sync.WaitGroup
		)
		wait.Go(func() { // starts before the write
			if v, err := s.Get(t.Context(), "key", r.read); v != 1 || err != nil {
				t.Errorf("the read that started before the write: got %d, %v", v, err)
			}
		})
		time.Sleep(time.Second / 2)
		before := s.Version("key")
		s.Drop("key")
		if s.Version("key") == before {
			t.Error("a write did not change the version")
		}
		wait.Go(func() { // starts after the write, and must see it
			if v, err := s.Get(t.Context(), "key", r.read); v != 2 || err != nil {
				t.Errorf("the read after the write: got %d, %v", v, err)
			}
		})
		wait.Wait()
		if v, _ := s.Get(t.Context(), "key", r.read); v != 2 || r.n != 2 {
			t.Errorf("the cache has %d after %d reads", v, r.n)
		}
	})
}

func TestListCacheDoesNotStoreFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Cache[int]
		r := reader{err: errors.New("not now")}
		if _, err := s.Get(t.Context(), "key", r.read); err == nil {
			t.Error("got no error from a failed read")
		}
		r.err = nil
		if v, err := s.Get(t.Context(), "key", r.read); v != 2 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
}

// If a shared read stops the run, one caller gets the complete error. Each caller gets any other error.
func TestListCacheReportsAStopOnce(t *testing.T) {
	t.Parallel()
	for _, stops := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var (
				s        Cache[int]
				wait     sync.WaitGroup
				repeated atomic.Int64
			)
			err := errors.New("not now")
			r := reader{err: err}
			if stops {
				r.err = &assessapi.FirstError{Err: err}
			}
			for range 10 {
				wait.Go(func() {
					_, got := s.Get(t.Context(), "key", r.read)
					if errors.As(got, new(*assessapi.RepeatedError)) {
						repeated.Add(1)
					}
					if !errors.Is(got, err) {
						t.Error(got)
					}
				})
			}
			wait.Wait()
			if want := map[bool]int64{true: 9}[stops]; repeated.Load() != want {
				t.Errorf("%d repeated errors, want %d", repeated.Load(), want)
			}
		})
	}
}

// A caller that finds the cache empty may start its read after another caller's read
// ended. It must not request the list again.
func TestListCacheReadsOnce(t *testing.T) {
	t.Parallel()
	for range 2000 {
		var (
			cache Cache[int]
			reads atomic.Int64
			wg    sync.WaitGroup
		)
		for range 8 {
			wg.Go(func() {
				_, _ = cache.Get(t.Context(), "key", func(context.Context) (int, error) {
					return int(reads.Add(1)), nil
				})
			})
		}
		wg.Wait()
		if n := reads.Load(); n != 1 {
			t.Fatalf("%d reads, want 1", n)
		}
	}
}
