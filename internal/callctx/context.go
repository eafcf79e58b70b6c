// SPDX-License-Identifier: MPL-2.0

// Package callctx releases the context of each call of a provider server when the call ends.
//
// The protocol server of terraform-plugin-framework v1.19 derives a context from the context of each RPC, and appends
// its cancel function to a list for StopProvider. It never removes an entry of this list. So the context of each RPC,
// with its loggers, gRPC stream and request, stays in memory until the provider ends.
//
// [Wrap] passes the framework a context that behaves like the context of the RPC during the call. After the call, the
// context is canceled and refers to nothing. The file upstream-issue.md shows how much memory that saves.
// TestFrameworkHoldsContexts fails if a later version of the framework makes this package unnecessary.
package callctx

import (
	"context"
	"sync/atomic"
	"time"
)

// call is the context of an RPC. It delegates to the context of the running call, and after
// the end of the call to [ended].
type call struct {
	current atomic.Pointer[context.Context]
}

// ended is the context of all calls that have ended.
var ended = func() *context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &ctx
}()

// newCall returns the context for the framework, and the function that cancels and empties it at the end of the call.
func newCall(request context.Context) (ctx context.Context, end func()) {
	running, cancel := context.WithCancel(request)
	c := &call{}
	c.current.Store(&running)
	return c, func() {
		cancel()
		c.current.Store(ended)
	}
}

func (c *call) Deadline() (deadline time.Time, ok bool) { return (*c.current.Load()).Deadline() }

func (c *call) Done() <-chan struct{} { return (*c.current.Load()).Done() }

func (c *call) Err() error { return (*c.current.Load()).Err() }

func (c *call) Value(key any) any { return (*c.current.Load()).Value(key) }
