// SPDX-License-Identifier: MPL-2.0

// Package throttle compares strategies to stay within the rate limits, in virtual time, and computes
// how long large setups take. internal/throttle has the tests of what the strategy of this provider
// promises.
package throttle

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/time/rate"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

const results = "../results.md"

var update = flag.Bool("update", false, "compare the strategies, and write the tables of "+results)

// The results contain the times of large setups, and the guide on rate limits says how long 100,000
// position assessments take.
func TestResults(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		tables := []string{comparison(t), largeSetups()}
		page = regexp.MustCompile(`(?m)(^\|.*\n)+`).ReplaceAllFunc(page, func([]byte) []byte {
			table := tables[0]
			tables = tables[1:]
			return []byte(table)
		})
		if err = os.WriteFile(results, page, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.HasSuffix(string(page), "\n\n"+largeSetups()) {
		t.Errorf("run go -C tools/bench test -timeout 0 ./throttle -update: the last table of %s is not\n%s", results, largeSetups())
	}
	guide, err := os.ReadFile("../../../templates/guides/rate-limits.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(guide)), " ")
	for perPosition, says := range map[int]string{20: "%d h %d min with 20 assessments on each position", 1: "%d h %d min with one"} {
		took := creation(100_000, perPosition, 1)
		want := fmt.Sprintf(says, int(took.Hours()), int(took.Minutes())%60)
		if !strings.Contains(text, want) {
			t.Errorf("the guide does not contain %q", want)
		}
	}
}

// strategies are the columns of the table: what one process puts between its retries and the network.
// The processes of a scenario share a folder.
var strategies = []func(folder string, next http.RoundTripper) http.RoundTripper{
	func(folder string, next http.RoundTripper) http.RoundTripper {
		virtual := func() time.Duration { return time.Duration(time.Now().UnixNano()) }
		return throttle.New(throttle.Config{
			Next:    next,
			Windows: func(*http.Request) []throttle.Window { return throttletest.KeyWindows },
			Store:   throttle.OpenFile(folder, "key", throttle.Clock{Now: virtual}),
		})
	},
	bucket(500.0/60, 20),
	bucket(8, 12),
	func(_ string, next http.RoundTripper) http.RoundTripper { return next },
}

// bucket is a token bucket per process.
func bucket(perSecond rate.Limit, burst int) func(string, http.RoundTripper) http.RoundTripper {
	return func(_ string, next http.RoundTripper) http.RoundTripper {
		return &limited{next, rate.NewLimiter(perSecond, burst)}
	}
}

type limited struct {
	next    http.RoundTripper
	limiter *rate.Limiter
}

func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := l.limiter.Wait(request.Context()); err != nil {
		return nil, err
	}
	return l.next.RoundTrip(request)
}

// comparison returns the table about all strategies.
func comparison(t *testing.T) string {
	table := row("requests", "round trip", "callers", "ours", "x/time/rate", "safe bucket", "only retries") +
		row("---", "---", "---", "---", "---", "---", "---")
	add := func(name string, requests, processes, callers int, trip time.Duration, inTurn bool) {
		cells := []string{name, trip.String(), "all at once"}
		if callers > 0 {
			cells[2] = fmt.Sprint(callers)
		} else {
			callers = requests
		}
		for _, strategy := range strategies {
			took, refused, failed := run(t, strategy, requests, processes, callers, trip, inTurn)
			part := float64(took) / float64(throttletest.Floor(requests*processes, trip))
			cells = append(cells, fmt.Sprintf("%.1f s, %.2f, %d, %d", took.Seconds(), part, refused, failed))
		}
		table += row(cells...)
	}
	trips := []time.Duration{5 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond, 2 * time.Second}
	for _, n := range []int{100, 300, 500, 1000, 5000} {
		for _, trip := range trips {
			add(fmt.Sprint(n), n, 1, 0, trip, false)
		}
		add(fmt.Sprint(n), n, 1, 10, trips[1], false)
	}
	for _, processes := range []int{2, 4} {
		for _, trip := range trips {
			add(fmt.Sprintf("150 in each of %d processes", processes), 150, processes, 0, trip, false)
		}
	}
	add("300, then 300 in a new process", 300, 2, 10, trips[1], true)
	return table
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// run sends the requests of each process in virtual time, of all processes at once or in turn. The
// embedded service allows 20 requests per second and 500 per minute, in sliding windows. Requests that
// it refuses do not count.
func run(
	t *testing.T, transport func(string, http.RoundTripper) http.RoundTripper,
	requests, processes, callers int, trip time.Duration, inTurn bool,
) (took time.Duration, refused int, failed int64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		folder, service := t.TempDir(), sandboxtest.NewService(t, sandboxtest.Options{Latency: trip})
		start := time.Now()
		var failures atomic.Int64
		var all sync.WaitGroup
		for range processes {
			client := retryablehttp.NewClient()
			client.Logger = nil
			client.HTTPClient = &http.Client{Transport: transport(folder, service)}
			var left atomic.Int64
			left.Store(int64(requests))
			for range callers {
				all.Go(func() {
					for left.Add(-1) >= 0 {
						send(t, client, &failures)
					}
				})
			}
			if inTurn {
				all.Wait()
			}
		}
		all.Wait()
		took, failed = time.Since(start), failures.Load()
		for _, request := range service.Journal() {
			if request.Status == http.StatusTooManyRequests {
				refused++
			}
		}
	})
	return took, refused, failed
}

// send sends a request, and counts it if it fails after all retries.
func send(t *testing.T, client *retryablehttp.Client, failures *atomic.Int64) {
	t.Helper()
	request, err := retryablehttp.NewRequest(http.MethodGet, sandbox.BaseURL+"/positions?limit=1", nil)
	if err != nil {
		t.Error(err)
		return
	}
	request.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	response, err := client.Do(request)
	if err != nil {
		failures.Add(1)
		return
	}
	_ = response.Body.Close()
}

// creation is the shortest time in which runners plan and apply new resources: a request for each
// resource, one for each position in the plan, and the lists of each runner, in its plan and in its
// apply. The lists are that of all assessments, the pages of the positions, and four for each of five
// different assessments.
func creation(resources, perPosition, runners int) time.Duration {
	positions := resources / perPosition
	lists := 1 + (positions+999)/1000 + 4*5
	return throttletest.Floor(resources+positions+2*runners*lists, 0)
}

// largeSetups returns the table about many resources.
func largeSetups() string {
	table := row("position assessments", "plans without changes", "created by 1 runner", "by 10", "by 100") +
		row("---", "---", "---", "---", "---")
	for _, resources := range []int{1_000, 5_000, 10_000, 50_000, 100_000} {
		cells := []string{fmt.Sprint(resources), throttletest.Floor(resources/5, 0).String()}
		for _, runners := range []int{1, 10, 100} {
			cells = append(cells, creation(resources, 5, runners).String())
		}
		table += row(cells...)
	}
	return table
}
