// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestPoll(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	const s = time.Second
	for name, row := range map[string]struct {
		interval, timeout, answer, interrupt time.Duration
		doneAfter                            int
		fails                                error

		asked []time.Duration // since the start
		ended time.Duration
		done  bool
		err   error
	}{
		"done at once": {interval: 10 * s, timeout: 60 * s, doneAfter: 1, asked: []time.Duration{0}, done: true},
		"done at the last poll": {
			interval: 25 * s, timeout: 60 * s, doneAfter: 4,
			asked: []time.Duration{0, 25 * s, 50 * s, 60 * s}, ended: 60 * s, done: true,
		},
		"interval longer than the timeout": {
			interval: 90 * s, timeout: 60 * s,
			asked: []time.Duration{0, 60 * s}, ended: 60 * s,
		},
		"slow answers": {
			interval: 10 * s, timeout: 60 * s, answer: 40 * s,
			asked: []time.Duration{0, 50 * s}, ended: 90 * s,
		},
		"answer after the timeout": {
			interval: 10 * s, timeout: 60 * s, answer: 70 * s, doneAfter: 1,
			asked: []time.Duration{0}, ended: 70 * s, done: true,
		},
		"an error": {interval: 10 * s, timeout: 60 * s, fails: broken, asked: []time.Duration{0}, err: broken},
		"an interrupt": {
			interval: 10 * s, timeout: 60 * s, interrupt: 15 * s,
			asked: []time.Duration{0, 10 * s}, ended: 15 * s, err: context.Canceled,
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.interrupt > 0 {
				time.AfterFunc(row.interrupt, cancel)
			}
			var asked []time.Duration
			start := time.Now()
			done, err := Poll(ctx, row.interval, row.timeout, func(context.Context) (bool, error) {
				asked = append(asked, time.Since(start))
				time.Sleep(row.answer)
				return len(asked) == row.doneAfter, row.fails
			})
			since(t, start, row.ended)
			if done != row.done || !errors.Is(err, row.err) || !slices.Equal(asked, row.asked) {
				t.Errorf("polled after %v, then done is %t with error %v; want %v, %t and %v", asked, done, err,
					row.asked, row.done, row.err)
			}
		})
	}
}
