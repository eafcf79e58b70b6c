// SPDX-License-Identifier: MPL-2.0

//go:build unix

package redis

import (
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis/redistest"
)

// Measures the CPU time of the server for a question, and the time of a question on
// loopback. Meanwhile, 500 slots are taken and 100 runs wait.
func BenchmarkHundredRuns(b *testing.B) {
	server := redistest.Start(b)
	s := open(b, server, Config{})
	windows := []throttle.Window{
		{
			Name:  "a second",
			Limit: 10_000,
			Per:   time.Second,
		},
		{Name: "a minute", Limit: 500, Per: 10 * time.Minute},
	}
	ask := func(run uint32) throttle.Ask {
		return throttle.Ask{
			Slot: throttle.Slot(
				rand.Uint64() | 1,
			),
			Run:         run,
			Queue:       uint64(run),
			Waiting:     10,
			Windows:     windows,
			MaxInFlight: time.Minute,
		}
	}
	for n := range 500 {
		ask := ask(uint32(1 + n%100))
		if _, err := s.Acquire(b.Context(), ask); err != nil {
			b.Fatal(err)
		}
		s.Release(ask, throttle.Outcome{})
	}
	var took []time.Duration
	before := cpuOf(b, server)
	for b.Loop() {
		start := time.Now()
		if _, err := s.Acquire(b.Context(), ask(uint32(1+len(took)%100))); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[0].Microseconds()), "least-µs")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric((cpuOf(b, server)-before)*1e6/float64(len(took)), "cpu-µs")
}

// Measures four processes on one server, with 100 requests each and the limits of the
// service, in real time: the ratio to the safe minimum, and the responses with status 429.
func BenchmarkFleet(b *testing.B) {
	for b.Loop() {
		f := newFleet(b, "service")
		var runs []*exec.Cmd
		for i := range 4 {
			runs = append(runs, f.start(strconv.Itoa(i), 100))
		}
		f.wait(runs...)
		f.service.check(b, 400)
		at := f.service.arrivals
		const trip = 40 * time.Millisecond
		least := 19 * (time.Second + trip)
		b.ReportMetric(float64(at[len(at)-1].Sub(at[0]))/float64(least), "of-the-minimum")
		b.ReportMetric(float64(f.service.refused), "refused")
	}
}

// cpuOf returns the CPU time of the server in seconds.
func cpuOf(b *testing.B, server *redistest.Server) (seconds float64) {
	b.Helper()
	stats, err := redigo.String(server.Do("INFO", "cpu"))
	if err != nil {
		b.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`used_cpu_(?:user|sys):([\d.]+)`).FindAllStringSubmatch(stats, -1) {
		part, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			b.Fatal(err)
		}
		seconds += part
	}
	return seconds
}
