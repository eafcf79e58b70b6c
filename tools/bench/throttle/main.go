// SPDX-License-Identifier: MPL-2.0

// Command throttle compares strategies to stay within the rate limits, in virtual time, and computes
// how long large setups take. It prints tables in Markdown. internal/throttle has the tests of what
// the strategy of this provider promises.
package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

const introduction = `# Ways to limit requests, compared

` + "`make bench`" + ` writes this page. It sends the same requests in virtual time, with this provider and
with other ways to stay within 20 requests per second and 500 per minute. The service is the embedded
one: its windows slide, and requests that it refuses do not count.

Each cell contains the time, its ratio to the safe minimum, the number of 429 responses, and the
number of requests that failed in the end.

The safe minimum is the shortest time for N requests if each request may reach the service at any
moment between its sending and its response. For up to 500 requests it is floor((N-1)/20) x (1 s +
round trip) + round trip. Each further 500 requests add a minute and a round trip. The minimum is
never less than the first formula gives for all N, which is the larger value with round trips of 2 s.
A strategy can be faster than the safe minimum if it risks 429 responses, or if its requests fail.

Below the retries of go-retryablehttp with its defaults, the strategies are:

`

func main() {
	testing.Init()
	table := os.Stdout
	os.Stdout = os.Stderr // the testing package writes to standard output
	// Only tests have virtual time (testing/synctest).
	testing.Main(
		func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "Throttle", F: func(t *testing.T) {
			if _, err := table.WriteString(compare(t) + largeSetups()); err != nil {
				t.Fatal(err)
			}
		}}},
		nil, nil,
	)
}

// compare returns the page about all strategies.
func compare(t *testing.T) string {
	var page strings.Builder
	page.WriteString(introduction)
	columns := []string{"requests", "round trip", "callers"}
	for _, s := range strategies {
		fmt.Fprintf(&page, "- **%s**: %s\n", s.name, s.text)
		columns = append(columns, s.name)
	}
	page.WriteString("\n" + row(columns) + "|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, s := range scenarios() {
		cells := []string{s.name, s.trip.String(), "all at once"}
		if s.callers > 0 {
			cells[2] = fmt.Sprint(s.callers)
		}
		for _, strategy := range strategies {
			r := s.run(t, strategy)
			part := float64(r.took) / float64(s.floor())
			cells = append(cells, fmt.Sprintf("%.1f s, %.2f, %d, %d", r.took.Seconds(), part, r.refused, r.failures))
		}
		page.WriteString(row(cells))
	}
	return page.String()
}

func row(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// scenarios are the rows of the table.
func scenarios() []scenario {
	var all []scenario
	add := func(s scenario) {
		for _, trip := range []time.Duration{5, 50, 300, 2000} {
			s.trip = trip * time.Millisecond
			all = append(all, s)
		}
	}
	for _, n := range []int{100, 300, 500, 1000, 5000} {
		alone := scenario{name: fmt.Sprint(n), requests: n, processes: 1}
		add(alone)
		alone.callers, alone.trip = 10, 50*time.Millisecond
		all = append(all, alone)
	}
	for _, processes := range []int{2, 4} {
		add(scenario{name: fmt.Sprintf("150 in each of %d processes", processes), requests: 150, processes: processes})
	}
	return append(all, scenario{
		name: "300, then 300 in a new process", requests: 300, processes: 2, inTurn: true,
		callers: 10, trip: 50 * time.Millisecond,
	})
}
