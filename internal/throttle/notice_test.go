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
	slow := func(takes time.Duration) func() throttle.Store {
		return func() throttle.Store {
			return hooked{Store: throttle.NewMemory(), answer: func(_ throttle.Ask, g throttle.Grant) (throttle.Grant, error) {
				time.Sleep(takes)
				return g, nil
			}}
		}
	}
	answers := func(g throttle.Grant) func() throttle.Store {
		return func() throttle.Store {
			answer := func(throttle.Ask, throttle.Grant) (throttle.Grant, error) { return g, nil }
			return hooked{Store: throttle.NewMemory(), answer: answer}
		}
	}
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Hour)
	for name, row := range map[string]struct {
		store func() throttle.Store
		share float64
		n     int
		hold  time.Duration // before
		want  throttle.Stats
	}{
		"the limit": {
			store: throttle.NewMemory, n: 600, want: throttle.Stats{Sent: 500, Waiting: 100, Window: minute},
		},
		"the share": {
			store: throttle.NewMemory, share: 0.1, n: 600,
			want: throttle.Stats{
				Sent: 50, Waiting: 550, Cause: throttle.Share,
				Window: throttle.Window{Name: minute.Name, Limit: 50, Per: time.Minute},
			},
		},
		"a 429": {
			store: throttle.NewMemory, n: 5, hold: time.Minute,
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
		"a loss": {
			store: answers(throttle.Grant{Wait: time.Hour, Cause: throttle.Loss, Window: 1, At: now}), n: 5,
			want: throttle.Stats{Waiting: 5, Window: minute, Cause: throttle.Loss},
		},
		"another run": {
			store: answers(throttle.Grant{Wait: time.Hour, Cause: throttle.OtherRun, Shared: true, At: now}), n: 5,
			want: throttle.Stats{Waiting: 5, Window: second, Cause: throttle.OtherRun, Shared: true},
		},
	} {
		throttletest.Virtual(t, name, func(t *testing.T) {
			notices := make(chan throttle.Notice, 10)
			store := row.store()
			l := throttle.New(throttle.Config{Store: store, Share: row.share, OnNotice: func(n throttle.Notice) {
				notices <- n
			}})
			if row.hold > 0 {
				wants(t, throttle.New(throttle.Config{Store: store}), throttletest.Key, 0, row.hold)
			}
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
			if len(notices) != 0 {
				t.Fatalf("early: %+v", <-notices)
			}
			<-ctx.Done()
			if n := len(notices); n != 1 {
				t.Fatalf("%d notices, want one", n)
			}
			if got, want := <-notices, (throttle.Notice{Kind: throttle.Waiting, Stats: row.want}); got != want {
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
