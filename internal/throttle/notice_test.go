// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"context"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/throttletest"
)

// After requests have been waiting for 30 seconds, there is one notice. It names what they really wait for.
func TestNoticeNamesTheCause(t *testing.T) {
	t.Parallel()
	second, minute := throttletest.Key[0], throttletest.Key[1]
	memory := func(*testing.T) throttle.Store { return throttle.NewMemory() }
	slow := func(takes time.Duration) func(*testing.T) throttle.Store {
		return func(*testing.T) throttle.Store {
			return hooked{Store: throttle.NewMemory(), answer: func(_ throttle.Ask, g throttle.Grant) (throttle.Grant, error) {
				time.Sleep(takes)
				return g, nil
			}}
		}
	}
	held := func(t *testing.T) throttle.Store { // a 429 to another run holds it
		t.Helper()
		memory := throttle.NewMemory()
		wants(t, throttle.New(throttle.Config{Store: memory}), throttletest.Key, 0, time.Minute)
		return memory
	}
	for name, row := range map[string]struct {
		store func(*testing.T) throttle.Store
		share float64
		n     int
		want  throttle.Stats
	}{
		"the limit": {
			store: memory, n: 600,
			want: throttle.Stats{Sent: 500, Waiting: 100, Window: minute},
		},
		"the share": {
			store: memory, share: 0.1, n: 600,
			want: throttle.Stats{
				Sent: 50, Waiting: 550, Cause: throttle.Share,
				Window: throttle.Window{Name: minute.Name, Limit: 50, Per: time.Minute},
			},
		},
		"a 429": {
			store: held, n: 5,
			want: throttle.Stats{Waiting: 5, Window: minute, Cause: throttle.Hold, Shared: true},
		},
		"a slow store": {
			store: slow(4 * time.Second), n: 600,
			want: throttle.Stats{Sent: 60, Waiting: 540, Window: second, Cause: throttle.SlowStore},
		},
		"no answer": {
			store: slow(200 * time.Second), n: 5,
			want: throttle.Stats{Waiting: 5, Window: second, Cause: throttle.SlowStore},
		},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			notices := make(chan throttle.Notice, 10)
			l := throttle.New(throttle.Config{Store: row.store(t), Share: row.share, OnNotice: func(n throttle.Notice) {
				notices <- n
			}})
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
			defer cancel()
			for range row.n {
				go func() {
					if release, err := l.Acquire(ctx, throttletest.Key); err == nil {
						time.Sleep(trip)
						release(0)
					}
				}()
			}
			time.Sleep(30*time.Second - 1)
			early := len(notices)
			<-ctx.Done()
			want := throttle.Notice{Kind: throttle.Waiting, Stats: row.want}
			if early != 0 || len(notices) != 1 {
				t.Fatalf("%d notices before 30 s, and %d in all, want none and 1", early, len(notices))
			}
			if got := <-notices; got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// Waits with breaks between them make no notice, even if they are long in total.
func TestShortWaitsMakeNoNotice(t *testing.T) {
	t.Parallel()
	throttletest.InVirtualTime(t, func(t *testing.T) {
		l := throttle.New(throttle.Config{OnNotice: func(n throttle.Notice) { t.Errorf("%+v", n) }})
		for range 5 {
			wants(t, l, throttletest.Key, 0, 29*time.Second)
			wants(t, l, throttletest.Key, 29*time.Second, 0)
		}
	})
}
