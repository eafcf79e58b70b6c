// SPDX-License-Identifier: MPL-2.0

// Package callctx keeps a provider server from holding the contexts of its calls.
//
// The protocol server of terraform-plugin-framework v1.19 derives a context from that
// of each RPC, and appends its cancel function to a list for StopProvider. Nothing
// removes an entry before the provider ends. Each entry refers to the context of its
// RPC, and with it to the loggers, the gRPC stream and the request.
//
// [Wrap] hands the framework a context that behaves as the context of the RPC during
// the call. Then it is canceled and refers to nothing. CONTRIBUTING.md has the
// measurement. When the framework no longer needs this package, its test
// TestFrameworkHoldsContexts fails.
package callctx

import (
	"context"
	"sync/atomic"
	"time"
)

// call is the context of an RPC. It delegates to a context that is canceled when the
// call ends, and after that to [ended].
type call struct {
	current atomic.Pointer[context.Context]
}

// ended is the context of every call that has ended.
var ended = func() *context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &ctx
}()

// begin returns the context to hand to the framework, and the function that ends the call.
func begin(request context.Context) (ctx context.Context, end func()) {
	running, cancel := context.WithCancel(request)
	c := &call{}
	c.current.Store(&running)
	return c, func() {
		cancel()
		c.current.Store(ended)
	}
}

// Deadline implements [context.Context].
func (c *call) Deadline() (deadline time.Time, ok bool) { return (*c.current.Load()).Deadline() }

// Done implements [context.Context].
func (c *call) Done() <-chan struct{} { return (*c.current.Load()).Done() }

// Err implements [context.Context].
func (c *call) Err() error { return (*c.current.Load()).Err() }

// Value implements [context.Context].
func (c *call) Value(key any) any { return (*c.current.Load()).Value(key) }
