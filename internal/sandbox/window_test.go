// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// admitted returns how many of n requests at once are not answered with 429, and the last
// Retry-After.
func admitted(t *testing.T, service *sandbox.Service, path string, n int) (in int, retryAfter string) {
	t.Helper()
	for range n {
		got := get(t, service, path)
		if got.Status != http.StatusTooManyRequests {
			in++
			continue
		}
		got.Want(t, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		retryAfter = got.Header.Get("Retry-After")
	}
	return in, retryAfter
}

func TestLimitsSlide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := memory(t, sandbox.Options{})
		expect := func(path string, n, want int, wantAfter string) {
			t.Helper()
			if in, after := admitted(t, service, path, n); in != want || after != wantAfter {
				t.Errorf("at %v: %d admitted, Retry-After %q, want %d, %q", time.Now(), in, after, want, wantAfter)
			}
		}
		expect("/positions", 12, 12, "")
		time.Sleep(600 * time.Millisecond)
		expect("/nowhere", 10, 8, "1") // an answer with any status counts
		time.Sleep(399 * time.Millisecond)
		expect("/positions", 1, 0, "1")
		time.Sleep(time.Millisecond)
		expect("/positions", 20, 12, "1") // the first twelve have left the window, and the rejected ones never counted
		for range 23 {
			time.Sleep(time.Second)
			expect("/positions", 20, 20, "")
		}
		time.Sleep(time.Second)
		expect("/positions", 20, 8, "35") // 500 in the minute that began 25 s ago
		time.Sleep(35*time.Second - time.Millisecond)
		expect("/positions", 1, 0, "1")
		time.Sleep(time.Millisecond)
		expect("/positions", 20, 12, "1") // as many as in the first instant of that minute
	})
}

func TestResultsHaveStricterLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := memory(t, sandbox.Options{})
		const results = "/positions/pos-backend-london/results"
		for range 15 {
			if in, _ := admitted(t, service, results, 5); in != 2 {
				t.Errorf("%d admitted, want 2", in)
			}
			time.Sleep(time.Second)
		}
		if in, after := admitted(t, service, results, 1); in != 0 || after != "45" {
			t.Errorf("%d admitted, Retry-After %q", in, after)
		}
		if in, _ := admitted(t, service, "/positions", 20); in != 20 {
			t.Errorf("other requests: %d admitted", in)
		}
	})
}

// Requests that a state file has in the future do not count, because the clock was set back since.
func TestWindowsIgnoreTheFuture(t *testing.T) {
	t.Parallel()
	future := slices.Repeat([]time.Time{time.Now().Add(30 * time.Second)}, 20)
	service := memory(t, sandbox.Options{Seed: func() *sandbox.State {
		st := sandbox.Demo()
		st.Windows = sandbox.Windows{Requests: future, Results: future[:2]}
		return st
	}})
	if in, after := admitted(t, service, "/positions/pos-backend-london/results", 2); in != 2 {
		t.Errorf("%d admitted, Retry-After %q, want 2", in, after)
	}
}

// The windows are in the state file, because plan, apply and the next plan are processes. Requests with other credentials
// do not count.
func TestWindowsSurviveInTheStateFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state.json")
		for _, want := range []int{10, 10, 0} {
			service := memory(t, sandbox.Options{StateFile: path})
			for range 30 {
				request := sandboxtest.NewRequest(t, http.MethodGet, sandbox.BaseURL+"/positions", "")
				request.SetBasicAuth("somebody", "else")
				send(t, service, request).Want(t, http.StatusUnauthorized)
			}
			if in, _ := admitted(t, service, "/positions", 10); in != want {
				t.Errorf("%d admitted, want %d", in, want)
			}
		}
	})
}
