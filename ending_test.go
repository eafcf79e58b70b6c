// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// busy is a server whose calls take a while, whether or not their contexts are canceled.
type busy struct {
	callctx.Server
	takes time.Duration

	mu       sync.Mutex
	canceled int
	last     time.Time // when a call ended last
}

func (b *busy) ReadResource(
	ctx context.Context, _ *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	b.work(ctx)
	return nil, nil
}

func (b *busy) ConfigureProvider(
	ctx context.Context, _ *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	b.work(ctx)
	return nil, nil
}

func (b *busy) work(ctx context.Context) {
	time.Sleep(b.takes)
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		b.canceled++
	}
	b.last = time.Now()
}

// A provider ends as soon as no CLI can be told anything, and never before it has answered a CLI that lives.
func TestWaitForEnd(t *testing.T) {
	t.Parallel()
	const sec, min1, never = time.Second, time.Minute, time.Hour
	const promised = 10 * sec // within which a provider ends that no CLI uses any more
	for name, row := range map[string]struct {
		configures   bool          // instead of reading a resource
		call, next   time.Duration // how long each of two calls takes, and when the second one begins
		signal, gone time.Duration // when the process sees a signal, and the end of its CLI
		ends         time.Duration
		canceled     int
	}{
		"no CLI":                           {false, 0, never, never, min1, min1, 0},
		"no CLI, but a call":               {false, min1 + 3*sec, never, never, min1, min1 + 3*sec, 1},
		"no CLI, but a long call":          {false, never, never, never, min1, min1 + patience, 0},
		"a signal":                         {false, 0, never, min1, never, min1 + patience, 0},
		"a signal during a call":           {false, 2 * min1, never, min1, never, 2*min1 + patience, 1},
		"a signal during Configure":        {true, 2 * min1, never, min1, never, 2*min1 + patience, 1},
		"no CLI, but a long Configure":     {true, never, never, never, min1, min1 + patience, 0},
		"a signal, and then the CLI goes":  {false, 2 * min1, never, min1, 2*min1 + sec, 2*min1 + sec, 1},
		"a signal, and then the next call": {false, min1 + sec, min1 + 2*sec, min1, never, 2*min1 + 3*sec + patience, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &busy{takes: row.call, last: time.Now()}
				calls := callctx.NewCalls()
				server := callctx.Wrap(b, calls, func() func() { return func() {} })
				signaled, gone := make(chan struct{}), make(chan struct{})
				call := func() {
					if row.configures {
						_, _ = server.ConfigureProvider(t.Context(), nil)
					} else {
						_, _ = server.ReadResource(t.Context(), nil)
					}
				}
				began := time.Now()
				time.AfterFunc(0, call)
				time.AfterFunc(row.next, call)
				time.AfterFunc(row.signal, func() { close(signaled) })
				time.AfterFunc(row.gone, func() { close(gone) })
				waitForEnd(signaled, gone, calls)
				took := time.Since(began)
				b.mu.Lock()
				last, canceled := b.last, b.canceled
				b.mu.Unlock()
				if took < row.ends || took > row.ends+patience/10 {
					t.Errorf("the process ended after %v, want %v", took, row.ends)
				}
				if unused := min(row.gone, max(row.signal, last.Sub(began))); took-unused > promised {
					t.Errorf("the process ended %v after its last use", took-unused)
				}
				if canceled != row.canceled {
					t.Errorf("%d calls ended with a canceled context, want %d", canceled, row.canceled)
				}
				time.Sleep(2 * never) // until all calls have ended
			})
		})
	}
}
