// SPDX-License-Identifier: MPL-2.0

package main

import (
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/callctx"
)

// patience is how long the process of a provider waits before it ends in spite of the reason to stay.
const patience = 5 * time.Second

// waitForEnd returns when the process of a provider should end: after a signal, or after its CLI has gone. A CLI that
// was killed cannot end its providers.
//
// Ctrl-C reaches the CLI, too, which then waits for its running calls in order to store what the service has created.
// So while the CLI lives, the process stays until it has answered all calls, and has not been called for a while. A CLI
// that has gone cannot be told anything, so the process only waits a moment for what it has sent.
func waitForEnd(signaled, gone <-chan struct{}, calls *callctx.Calls) {
	select {
	case <-signaled:
	case <-gone:
	}
	calls.Stop()
	began := time.Now()
	var left time.Time // when the CLI had gone
	for {
		select {
		case <-gone:
			left, gone = time.Now(), nil
		default:
		}
		idle := min(calls.Idle(), time.Since(began))
		if idle >= patience || !left.IsZero() && (idle >= 0 || time.Since(left) >= patience) {
			return
		}
		time.Sleep(patience / 50)
	}
}
