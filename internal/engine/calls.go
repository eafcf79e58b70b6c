// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"sync"
	"time"
)

// silence is how long no call of the CLI may arrive or be in progress before a run has seen
// everything that does not depend on the calls that wait. A CLI starts its next call within
// milliseconds.
const silence = 750 * time.Millisecond

// calls follows the calls of the CLI. It does not tell the provider when it has planned all
// resources, so a call that must know about other resources waits until no others arrive.
type calls struct {
	mu      sync.Mutex
	running int           // calls in progress, without those that wait here
	active  int           // calls in progress
	peak    int           // the largest number of calls in progress so far
	update  chan struct{} // closed when a call begins or ends, or when the run has learned something
	turn    chan struct{} // has an element while held by the only caller that waits for silence
}

func newCalls() *calls { return &calls{update: make(chan struct{}), turn: make(chan struct{}, 1)} }

func (c *calls) begin() (end func()) {
	c.mu.Lock()
	c.active++
	c.peak = max(c.peak, c.active)
	c.mu.Unlock()
	c.count(1)
	return sync.OnceFunc(func() {
		c.mu.Lock()
		c.active--
		c.mu.Unlock()
		c.count(-1)
	})
}

// most returns how many calls the CLI has had in progress at once. It may allow more.
func (c *calls) most() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peak
}

func (c *calls) count(n int) {
	c.mu.Lock()
	c.running += n
	c.mu.Unlock()
	c.changed()
}

// changed wakes all callers that wait.
func (c *calls) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.update)
	c.update = make(chan struct{})
}

func (c *calls) state() (running int, update <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running, c.update
}

// await returns true when the CLI is silent, and false when done returns true, or when the
// context ends. At most one caller sees the same silence, because its return may be what lets
// the CLI go on. The calls that are in progress have limits of their own.
func (c *calls) await(ctx context.Context, done func() bool) (silent bool) {
	c.count(-1)
	defer c.count(1)
	for {
		_, update := c.state()
		if done() {
			return false
		}
		select {
		case <-update:
		case <-ctx.Done():
			return false
		case c.turn <- struct{}{}:
			silent := c.silent(ctx, update)
			<-c.turn
			if silent {
				return true
			}
		}
	}
}

// silent reports whether nothing happens for the length of the silence.
func (c *calls) silent(ctx context.Context, update <-chan struct{}) bool {
	timer := time.NewTimer(silence)
	defer timer.Stop()
	select {
	case <-update:
		return false
	case <-ctx.Done():
		return false
	case <-timer.C:
		running, _ := c.state()
		return running <= 0
	}
}
