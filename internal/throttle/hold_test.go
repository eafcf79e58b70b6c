// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// refuses is a service that answers 429 to the requests from the first to the last one, with the
// header Retry-After if it is not empty.
func refuses(trip time.Duration, first, last int, retryAfter string) *throttletest.Service {
	return &throttletest.Service{Trip: trip, Answer: func(n int, _ string) *throttletest.Response {
		if n < first || n > last {
			return nil
		}
		return &throttletest.Response{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {retryAfter}}}
	}}
}

// untilAnswered repeats a request until it fails or its answer is not 429.
func untilAnswered(ctx context.Context, rt http.RoundTripper, path string) error {
	for {
		if status, err := throttletest.Get(ctx, rt, path); err != nil || status != http.StatusTooManyRequests {
			return err
		}
	}
}

// seconds returns the times of the arrivals since the first one, rounded.
func seconds(s *throttletest.Service) (seconds []int) {
	arrivals := s.Arrivals()
	for _, a := range arrivals {
		seconds = append(seconds, int(a.At.Sub(arrivals[0].At).Round(time.Second).Seconds()))
	}
	return seconds
}

// Without Retry-After, single probes are sent after pauses that double up to a minute.
// The first probe that is not refused ends the hold for all.
func TestProbes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := refuses(time.Millisecond, 1, 9, ""), throttle.NewMemory()
		one, two := s.Transport(throttle.Config{Store: store}), s.Transport(throttle.Config{Store: store})
		var wg sync.WaitGroup
		send := func(run http.RoundTripper) {
			wg.Go(func() {
				if err := untilAnswered(t.Context(), run, "/"); err != nil {
					t.Error(err)
				}
			})
		}
		send(one)
		time.Sleep(10 * time.Millisecond)
		for range 5 {
			send(one)
			send(two)
		}
		wg.Wait()
		got, want := seconds(s), []int{0, 1, 3, 7, 15, 31, 63, 123, 183, 243}
		if n := len(got); n != 20 || !slices.Equal(got[:len(want)], want) || got[n-1] > 245 {
			t.Errorf("arrivals at seconds %v, want 20, first %v, the last at about 244", got, want)
		}
	})
}

// All runs obey Retry-After, up to a few minutes. A 429 ends with its window
// (assumption A14), so a longer time is a mistake.
func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]int{"17": {0, 17, 34}, "86400": {0, 180, 360}} {
		synctest.Test(t, func(t *testing.T) {
			s := refuses(time.Millisecond, 1, 2, header)
			err := untilAnswered(t.Context(), s.Transport(throttle.Config{}), "/")
			if got := seconds(s); err != nil || !slices.Equal(got, want) {
				t.Errorf("Retry-After %s: arrivals at seconds %v, error %v, want %v", header, got, err, want)
			}
		})
	}
}

// If another program uses up the limit of the results, only requests for results wait.
// Without Retry-After, few of them are refused, although other requests succeed.
func TestResultsAreHeldAlone(t *testing.T) {
	t.Parallel()
	for _, retryAfter := range []string{"", "30"} {
		synctest.Test(t, func(t *testing.T) {
			// With a share, so that each run has windows of its own.
			alone := (&throttletest.Service{Trip: trip}).Transport(throttle.Config{Share: 0.999})
			most := throttletest.Apply(t, alone, "/", 400, 10) * 11 / 10
			s, refused := &throttletest.Service{Trip: trip}, 0
			s.Answer = func(_ int, path string) *throttletest.Response {
				if !strings.HasSuffix(path, "/results") {
					return nil
				}
				refused++
				return &throttletest.Response{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {retryAfter}}}
			}
			transport := s.Transport(throttle.Config{Share: 0.999})
			ctx, stop := throttle.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			for range 5 {
				go func() {
					for ctx.Err() == nil {
						_, _ = throttletest.Get(ctx, transport, "/positions/1/results")
					}
				}()
			}
			if took := throttletest.Apply(t, transport, "/", 400, 10); took > most {
				t.Errorf("400 requests took %v, want at most %v", took, most)
			}
			for n := 0; ctx.Err() == nil && n < 600; n++ { // ordinary requests go on, and the time of the others ends
				throttletest.Apply(t, transport, "/", 1, 1)
				time.Sleep(time.Second)
			}
			if refused == 0 || refused > 10 {
				t.Errorf("%d responses 429 in two minutes, want 1 to 10", refused)
			}
		})
	}
}
