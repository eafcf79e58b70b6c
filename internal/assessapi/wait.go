// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"time"
)

// Wait waits for the given time. If the context ends before, it returns the error of the
// context.
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

// Poll calls ask immediately, then an interval after each call returns, and a last time
// when the timeout is over. It reports whether a call returned done. It
// returns the error of a call or of the context. The timeout does not interrupt a call.
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

// turnstile delays calls. While it is closed, only as many calls pass as it has room for.
type turnstile chan struct{}

// pass waits until a call may pass. The caller calls leave afterwards.
func (t turnstile) pass(ctx context.Context, isClosed func() bool) (leave func()) {
	if isClosed() {
		select {
		case t <- struct{}{}:
			if isClosed() {
				return func() { <-t }
			}
			<-t
		case <-ctx.Done(): // the request then returns that error
		}
	}
	return func() {}
}
