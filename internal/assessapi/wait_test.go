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
		interval, answer, interrupt time.Duration // the timeout is a minute
		doneAfter                   int
		fails                       error

		asked []time.Duration // since the start
		ended time.Duration
		err   error
	}{
		"done at once":             {10 * s, 0, 0, 1, nil, []time.Duration{0}, 0, nil},
		"done at the last poll":    {25 * s, 0, 0, 4, nil, []time.Duration{0, 25 * s, 50 * s, 60 * s}, 60 * s, nil},
		"a long interval":          {90 * s, 0, 0, 0, nil, []time.Duration{0, 60 * s}, 60 * s, nil},
		"slow answers":             {10 * s, 40 * s, 0, 0, nil, []time.Duration{0, 50 * s}, 90 * s, nil},
		"answer after the timeout": {10 * s, 70 * s, 0, 1, nil, []time.Duration{0}, 70 * s, nil},
		"an error":                 {10 * s, 0, 0, 0, broken, []time.Duration{0}, 0, broken},
		"an interrupt":             {10 * s, 0, 15 * s, 0, nil, []time.Duration{0, 10 * s}, 15 * s, context.Canceled},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if row.interrupt > 0 {
				time.AfterFunc(row.interrupt, cancel)
			}
			var asked []time.Duration
			start := time.Now()
			done, err := Poll(ctx, row.interval, time.Minute, func(context.Context) (bool, error) {
				asked = append(asked, time.Since(start))
				time.Sleep(row.answer)
				return len(asked) == row.doneAfter, row.fails
			})
			since(t, start, row.ended)
			if done != (row.doneAfter > 0) || !errors.Is(err, row.err) || !slices.Equal(asked, row.asked) {
				t.Errorf("polled after %v, then done is %t with error %v; want %+v", asked, done, err, row)
			}
		})
	}
}
