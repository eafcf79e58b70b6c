// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// newCache returns a cache whose client has not ended a run.
func newCache() *cache[int] { return &cache[int]{client: assessapi.New(assessapi.Config{})} }

// Concurrent callers share one read, and later callers get what it returned, unless it failed.
func TestListIsReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, reads, failure := newCache(), 0, errors.New("no list")
		_, err := c.get(t.Context(), "a", func(context.Context) (int, error) { return 0, failure })
		if _, known := c.known("a"); known || !errors.Is(err, failure) {
			t.Errorf("a failure is known: %t, %v", known, err)
		}
		read := func(context.Context) (int, error) { reads++; time.Sleep(time.Second); return 7, nil }
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				if got, err := c.get(t.Context(), "a", read); got != 7 || err != nil {
					t.Errorf("got %d, %v", got, err)
				}
			})
		}
		callers.Wait()
		if _, err := c.get(t.Context(), "a", read); err != nil || reads != 1 {
			t.Errorf("%d reads, %v, want 1", reads, err)
		}
		c.drop("a")
		if _, err := c.get(t.Context(), "a", read); err != nil || reads != 2 {
			t.Errorf("%d reads after a drop, %v, want 2", reads, err)
		}
	})
}

// A caller that waits for the read of another one ends with its own context. If only the reading caller was canceled, a
// waiting caller reads itself.
func TestCanceledRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCache()
		first, cancel := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := c.get(first, "a", func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the canceled caller got %v", err)
			}
		})
		synctest.Wait()
		gone := errors.New("gone")
		impatient, end := context.WithCancelCause(t.Context())
		callers.Go(func() {
			if _, err := c.get(impatient, "a", nil); !errors.Is(err, gone) {
				t.Errorf("the impatient caller got %v", err)
			}
		})
		callers.Go(func() {
			got, err := c.get(t.Context(), "a", func(context.Context) (int, error) { return 3, nil })
			if got != 3 || err != nil {
				t.Errorf("the waiting caller got %d, %v", got, err)
			}
		})
		synctest.Wait()
		end(gone)
		synctest.Wait()
		cancel()
		callers.Wait()
	})
}

// A change is applied to what is kept. A read in progress may have missed the change, so it is not kept.
func TestChangeOfList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCache()
		increment := func(n int) int { return n + 1 }
		c.change("a", increment)
		if _, known := c.known("a"); known {
			t.Error("a change made up a list")
		}
		var reading sync.WaitGroup
		reading.Go(func() {
			_, _ = c.get(t.Context(), "a", func(context.Context) (int, error) { time.Sleep(time.Second); return 1, nil })
		})
		synctest.Wait()
		c.change("a", increment)
		reading.Wait()
		if _, known := c.known("a"); known {
			t.Error("a read that began before the change was kept")
		}
		_, _ = c.get(t.Context(), "a", func(context.Context) (int, error) { return 5, nil })
		c.change("a", increment)
		if got, known := c.known("a"); got != 6 || !known {
			t.Errorf("kept %d, %t, want 6", got, known)
		}
	})
}

type cachedPage struct{}

func (cachedPage) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Age": {"9"}}, Body: io.NopCloser(strings.NewReader("[]"))}, nil
}

// Results of a cache in front of the service prove nothing about who was invited, also if all of them were read before.
func TestResultsOfACache(t *testing.T) {
	t.Parallel()
	l := &Lists{}
	l.use(assessapi.New(assessapi.Config{
		BaseURL: &url.URL{Scheme: "https", Host: "service"}, Transport: cachedPage{},
		RequestTimeout: time.Minute, RetryTimeout: time.Minute,
	}))
	if _, err := l.Results(t.Context(), ResultsFilter{Position: "pos"}); err != nil {
		t.Fatal(err)
	}
	if _, complete, err := l.FirstResults(t.Context(), "pos"); err != nil || complete {
		t.Errorf("complete %t, %v", complete, err)
	}
}
