// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Acquires and releases a free slot while a minute's worth of other slots is taken. In
// memory, this takes a few microseconds.
func BenchmarkAcquireMemory(b *testing.B) {
	now := int64(time.Hour)
	store := &memory{ledger: newLedger(), clock: func() int64 { return now }}
	transport := New(Config{Store: store})
	benchmarkAcquire(b, transport, func() { now += int64(time.Minute) / 480 })
}

// The same with the files of a machine.
func BenchmarkAcquireFile(b *testing.B) {
	now := int64(time.Hour)
	store, _ := OpenFile(b.TempDir(), "key", virtual).(*file)
	store.clock = func() time.Duration { return time.Duration(now) }
	transport := New(Config{Store: store})
	benchmarkAcquire(b, transport, func() { now += int64(time.Minute) / 480 })
	if notices := transport.Notices(); len(notices) > 0 {
		b.Fatal(notices)
	}
}

func benchmarkAcquire(b *testing.B, transport *Transport, tick func()) {
	b.Helper()
	b.ReportAllocs()
	ctx := b.Context()
	acquire := func() Ask {
		tick()
		q := transport.queue(keyWindows)
		ask, err := transport.acquire(ctx, q)
		if err != nil {
			b.Fatal(err)
		}
		return ask
	}
	for range 480 { // fill the minute
		transport.cfg.Store.Release(acquire(), Outcome{})
	}
	for b.Loop() {
		ask := acquire()
		b.StopTimer()
		transport.cfg.Store.Release(ask, Outcome{})
		b.StartTimer()
	}
	if s := transport.Stats(); s.Waiting > 0 {
		b.Fatal("a request waited")
	}
}

// The memory of 10,000 waiters, goroutines included, is at most 40 MB.
func BenchmarkWaiters(b *testing.B) {
	const waiters, most = 10_000, 40 << 20
	for b.Loop() {
		never := roundTripper(func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		transport := New(Config{Next: never, Windows: windowsOf})
		ctx, cancel := context.WithCancel(b.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://service.test/", nil)
		if err != nil {
			b.Fatal(err)
		}
		before := inUse()
		var wg sync.WaitGroup
		for range waiters + 20 {
			wg.Go(func() {
				if resp, err := transport.RoundTrip(req); err == nil {
					b.Error("answered", resp.Body.Close())
				}
			})
		}
		for transport.Stats().Waiting < waiters {
			runtime.Gosched()
		}
		used := inUse() - before
		b.ReportMetric(float64(used)/(1<<20), "MB")
		if used > most {
			b.Errorf("%d waiters use %d bytes, want at most %d", waiters, used, most)
		}
		cancel()
		wg.Wait()
	}
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
