// SPDX-License-Identifier: MPL-2.0

// Command throttle compares strategies to stay within the rate limits, in virtual time, and
// prints tables in Markdown. It fails if the strategy of this provider is not as good as
// promised.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "only up to 500 requests")
	testing.Init()
	flag.Parse()
	table := os.Stdout
	os.Stdout = os.Stderr // the testing package writes to standard output
	// Only tests have virtual time (testing/synctest).
	testing.Main(
		func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "Throttle", F: func(t *testing.T) { write(t, table, *quick) }}},
		nil, nil,
	)
}

func write(t *testing.T, w io.Writer, quick bool) {
	print := func(format string, args ...any) {
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			t.Fatal(err)
		}
	}
	print("# Ways to limit requests, compared\n\n`make bench` writes this page. It sends the same requests in " +
		"virtual time, with this provider and\nwith other ways to stay within 20 requests per second and 500 per minute.\n\n")
	print("Each cell contains the time, its ratio to the safe minimum, the number of 429 responses, and the\nnumber of " +
		"requests that failed in the end.\n\n")
	print("The safe minimum is the shortest time for N requests if each request may reach the service at any\nmoment " +
		"between its sending and its response. For up to 500 requests it is floor((N-1)/20) x (1 s +\nround trip) + round " +
		"trip. Each further 500 requests add a minute and a round trip. The minimum is\nnever less than the first formula " +
		"gives for all N, which is the larger value with round trips of 2 s.\nA strategy can be faster than the safe " +
		"minimum if it risks 429 responses, or if its requests fail.\n\n")
	print("Below the retries of go-retryablehttp with its defaults, the strategies are:\n\n")
	for _, s := range strategies {
		print("- **%s**: %s\n", s.name, s.text)
	}
	names := make([]string, len(strategies))
	for i, s := range strategies {
		names[i] = s.name
	}
	head := func(columns ...string) {
		columns = append(columns, names...)
		print("| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	}
	row := func(s scenario, columns ...string) {
		for i, strategy := range strategies {
			r := s.run(t, strategy)
			if i == 0 {
				s.check(t, r)
			}
			columns = append(columns, s.cell(r))
		}
		print("| %s |\n", strings.Join(columns, " | "))
	}
	for _, service := range []scenario{{}, {counted: true}, {fixed: true}, {fixed: true, counted: true}} {
		print("\n## %s\n\n", service.title())
		head("requests", "round trip", "callers")
		for _, base := range scenarios(quick) {
			s := base
			s.fixed, s.counted = service.fixed, service.counted
			row(s, s.who(), s.network(), s.crowd())
		}
	}
}

// title describes the service of a scenario.
func (s scenario) title() string {
	windows, refused := "Sliding windows", "refused requests do not count"
	if s.fixed {
		windows = "Fixed windows"
	}
	if s.counted {
		refused = "refused requests count"
	}
	return windows + ", " + refused
}

// who describes the requests of a scenario.
func (s scenario) who() string {
	switch {
	case s.inTurn:
		return fmt.Sprintf("%d, then %d in a new process", s.requests, s.requests)
	case s.fleet:
		return fmt.Sprintf("%d on each of %d machines", s.requests, s.processes)
	case s.processes > 1:
		return fmt.Sprintf("%d in each of %d processes", s.requests, s.processes)
	default:
		return fmt.Sprint(s.requests)
	}
}

// network describes the round trips of a scenario.
func (s scenario) network() string {
	if s.jitter > 0 {
		return fmt.Sprintf("%v ± %.0f %%", s.trip, 100*s.jitter)
	}
	return s.trip.String()
}

// crowd describes how many requests are sent at the same time.
func (s scenario) crowd() string {
	if s.callers > 0 {
		return fmt.Sprint(s.callers)
	}
	return "all at once"
}

// scenarios are the rows of each table.
func scenarios(quick bool) []scenario {
	var all []scenario
	add := func(s scenario) {
		for _, trip := range []time.Duration{5, 50, 300, 2000} {
			s.trip = trip * time.Millisecond
			all = append(all, s)
		}
		s.trip, s.jitter = 300*time.Millisecond, 0.5
		all = append(all, s)
	}
	for _, n := range []int{100, 300, 500, 1000, 5000} {
		if quick && n > 500 {
			break
		}
		add(scenario{requests: n, processes: 1})
		all = append(all, scenario{requests: n, processes: 1, callers: 10, trip: 50 * time.Millisecond})
	}
	for _, processes := range []int{2, 4} {
		add(scenario{requests: 150, processes: processes})
		add(scenario{requests: 150, processes: processes, fleet: true})
	}
	all = append(all, scenario{requests: 300, processes: 2, inTurn: true, callers: 10, trip: 50 * time.Millisecond})
	return all
}
