// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// answers sends nothing, but answers with the next of these values of Retry-After, and then with 200.
type answers struct {
	after []string
	sent  []time.Duration
}

var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of virtual time

func (a *answers) RoundTrip(*http.Request) (*http.Response, error) {
	a.sent = append(a.sent, time.Since(start))
	if len(a.after) == 0 {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
	}
	resp := &http.Response{StatusCode: http.StatusTooManyRequests, Body: http.NoBody, Header: http.Header{}}
	if a.after[0] != "" {
		resp.Header.Set("Retry-After", a.after[0])
	}
	a.after = a.after[1:]
	return resp, nil
}

func limitedTo(next http.RoundTripper, store throttle.Store) *limited {
	return &limited{
		limiter: throttle.New(throttle.Config{Store: store}), next: next,
		operation: func(*http.Request) throttle.Operation { return keyOperation },
	}
}

// get sends a request until its status is 200, and returns whether that ended before the timeout.
func get(t *testing.T, l *limited, timeout time.Duration) error {
	t.Helper()
	ctx, cancel := WithTimeout(t.Context(), timeout)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://service.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := l.RoundTrip(req)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
	}
}

// After a 429, requests wait as long as the service says, at most three minutes. If it does not say how long, that is a
// second, and each further 429 doubles it up to a minute.
func TestPausesAfterA429(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		after []string
		want  []int // seconds
	}{
		"seconds":     {[]string{"7", "100"}, []int{0, 7, 107}},
		"a long time": {[]string{"3600"}, []int{0, 180}},
		"nothing":     {[]string{"", "", "", "", "", "", "", ""}, []int{0, 1, 3, 7, 15, 31, 63, 123, 183}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &answers{after: row.after}
				if err := get(t, limitedTo(service, nil), time.Hour); err != nil {
					t.Fatal(err)
				}
				for i, at := range service.sent {
					if i >= len(row.want) || at.Round(time.Second) != time.Duration(row.want[i])*time.Second {
						t.Fatalf("sent after %v, want after %v", service.sent, row.want)
					}
				}
				time.Sleep(5 * time.Minute)
			})
		})
	}
}

// The wait for a slot does not count for a timeout. The wait after a 429 does.
func TestTimeoutExcludesTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := new(answers)
		l := limitedTo(service, nil)
		for range 1001 {
			if err := get(t, l, time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < 2*time.Minute {
			t.Errorf("1001 requests took %v", took)
		}
		service.after = []string{strconv.Itoa(60)}
		begin := time.Now()
		err := get(t, l, 30*time.Second)
		if took := time.Since(begin); !errors.Is(err, ErrTimeout) || took < 30*time.Second || took > 91*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		time.Sleep(5 * time.Minute)
	})
}

// broken is a store that cannot be used.
type broken struct{ throttle.Store }

func (broken) Acquire(context.Context, throttle.Ask) (throttle.Grant, error) {
	return throttle.Grant{}, &throttle.UnavailableError{Store: "the file x", Err: errors.New("it is locked")}
}

// Without its shared budget, the run ends. The end of a context does not end it.
func TestWaitErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		err := get(t, limitedTo(new(answers), broken{}), time.Hour)
		wait, _ := errors.AsType[*WaitError](err)
		if wait == nil || !wait.EndsRun() || !wait.Permanent() || SharedBudgetError(err) == nil ||
			err.Error() != "not sent: could not use the file x: it is locked" {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://service.test/", nil)
		resp, err := limitedTo(new(answers), nil).RoundTrip(req)
		if resp != nil {
			_ = resp.Body.Close()
		}
		wait, _ = errors.AsType[*WaitError](err)
		if wait == nil || wait.EndsRun() || !errors.Is(err, context.Canceled) || SharedBudgetError(err) != nil {
			t.Errorf("%v", err)
		}
	})
}
