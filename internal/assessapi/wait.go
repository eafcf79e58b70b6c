// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"time"
)

// Wait waits for so long, or until the context is over: then it returns the
// context's error.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Poll asks at once, then an interval after each answer, and for the last time
// when the timeout is over (section 4.6: results are obtained by polling). It
// reports whether an answer said that all is done; an error is that of an
// answer, or of the context. The time that an answer takes is not cut short.
func Poll(
	ctx context.Context,
	interval, timeout time.Duration,
	ask func(context.Context) (done bool, err error),
) (done bool, err error) {
	for end := time.Now().Add(timeout); ; {
		done, err = ask(ctx)
		left := time.Until(end)
		if done || err != nil || left <= 0 {
			return done, err
		}
		if err = Wait(ctx, min(interval, left)); err != nil {
			return false, err
		}
	}
}
