// SPDX-License-Identifier: MPL-2.0

package callctx

import (
	"context"
	"sync"
	"time"
)

// Calls counts the calls of a server that are running, and can cancel them all.
type Calls struct {
	stopping context.Context // canceled by Stop
	stop     context.CancelFunc

	mu      sync.Mutex
	running int
	changed time.Time // when a call began or ended last
}

// NewCalls returns the calls of a server that begins to serve now.
func NewCalls() *Calls {
	c := &Calls{changed: time.Now()}
	c.stopping, c.stop = context.WithCancel(context.Background())
	return c
}

// Stop cancels the context of each running call, and of each call that begins later. A call still waits for the answer
// to a request that it has sent, and returns what the service did.
func (c *Calls) Stop() { c.stop() }

// Idle returns for how long no call has been running. It is negative while a call is running.
func (c *Calls) Idle() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running > 0 {
		return -1
	}
	return time.Since(c.changed)
}

// begin returns the context for the framework, and the function that ends the call.
func (c *Calls) begin(request context.Context) (ctx context.Context, end func()) {
	ctx, cancel, release := newCall(request)
	forget := context.AfterFunc(c.stopping, cancel)
	if c.stopping.Err() != nil {
		cancel() // AfterFunc would do that a moment later, and the call could send a request before
	}
	c.count(1)
	return ctx, func() {
		forget()
		release()
		c.count(-1)
	}
}

func (c *Calls) count(change int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running += change
	c.changed = time.Now()
}
