// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Cache stores each list for the length of a run, so that it is requested once. Concurrent callers share one request.
// If it fails in a way that stops the run, one of them gets the complete error, and the others get a
// [assessapi.RepeatedError]. The cache does not store a read that failed, or a read that started before a write.
type Cache[V any] struct {
	group singleflight.Group

	mu      sync.Mutex
	stored  map[string]V
	version map[string]int // incremented by each write that makes the copy stale
}

// Get returns the stored copy, or reads the list.
func (c *Cache[V]) Get(ctx context.Context, key string, read func(context.Context) (V, error)) (V, error) {
	version := c.Version(key)
	if stored, known := c.Known(key); known {
		return stored, nil
	}
	// A caller that asks after a write must not share a read that started before the write,
	// so the version is part of the key.
	led := false
	v, err, _ := c.group.Do(strconv.Itoa(version)+" "+key, func() (any, error) {
		led = true
		if stored, known := c.Known(key); known {
			return stored, nil // another read has stored it since this caller looked
		}
		fresh, err := read(ctx)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.version[key] == version {
			if c.stored == nil {
				c.stored = map[string]V{}
			}
			c.stored[key] = fresh
		}
		return fresh, nil
	})
	if !led && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return c.Get(ctx, key, read) // only the caller that was reading was canceled
	}
	if !led {
		err = assessapi.Repeated(err)
	}
	fresh, _ := v.(V) // nil after an error
	return fresh, err
}

// Known returns the stored copy, and whether there is one.
func (c *Cache[V]) Known(key string) (stored V, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	stored, known = c.stored[key]
	return stored, known
}

// Drop removes a copy. Reads that have already started are not stored.
func (c *Cache[V]) Drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.stored, key)
	if c.version == nil {
		c.version = map[string]int{}
	}
	c.version[key]++
}

// Version returns how often a key was dropped.
func (c *Cache[V]) Version(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version[key]
}

// lock is a mutex that is held during requests. It is a channel, because the clock of
// testing/synctest does not advance while a goroutine waits for a [sync.Mutex].
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) Lock() { l <- struct{}{} }

func (l lock) Unlock() { <-l }
