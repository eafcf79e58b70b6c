// SPDX-License-Identifier: MPL-2.0

package run

import (
	"context"
	"errors"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// cache keeps what requests have returned, such as lists, so that each is requested once in a run. Concurrent callers
// share one request. A read that failed is not kept.
type cache[V any] struct {
	client *assessapi.Client

	mu      sync.Mutex
	entries map[string]*cacheEntry[V]
}

type cacheEntry[V any] struct {
	read  chan struct{} // closed after the read
	value V
	err   error
}

// get returns the value of a key. If the value is not in the cache, get calls read. It then keeps the value, unless
// read has returned an error, or the key was changed or dropped meanwhile.
//
// If another call is reading the value, get waits, and returns the value and the error of the other call (see shared).
// But if only the other call was canceled, get tries again. If ctx ends while get waits, get returns the cause.
func (c *cache[V]) get(ctx context.Context, key string, read func(context.Context) (V, error)) (V, error) {
	for {
		entry, isNew := c.entryOf(key)
		if isNew {
			entry.value, entry.err = read(ctx)
			if entry.err != nil {
				c.dropEntry(key, entry)
			}
			close(entry.read)
			return entry.value, entry.err
		}
		select {
		case <-entry.read:
		case <-ctx.Done():
			return *new(V), context.Cause(ctx)
		}
		onlyOtherCanceled := errors.Is(entry.err, context.Canceled) && ctx.Err() == nil
		if !onlyOtherCanceled {
			return entry.value, c.shared(entry.err)
		}
	}
}

// entryOf returns the entry of a key. If there is none, it adds an entry, isNew is true, and the caller must read the
// value.
func (c *cache[V]) entryOf(key string) (entry *cacheEntry[V], isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, found := c.entries[key]; found {
		return entry, false
	}
	if c.entries == nil {
		c.entries = map[string]*cacheEntry[V]{}
	}
	entry = &cacheEntry[V]{read: make(chan struct{})}
	c.entries[key] = entry
	return entry, true
}

// shared returns the error for a caller that has waited for another caller's request. If the error has ended the run,
// shared returns an error that refers to it, so that messages explain it only once.
func (c *cache[V]) shared(err error) error {
	failed, ok := errors.AsType[*assessapi.Error](err)
	if ok && failed == c.client.Ended() {
		return failed.Again()
	}
	return err
}

// known returns the value of a key if the cache contains it. It neither waits nor sends a request.
func (c *cache[V]) known(key string) (value V, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, found := c.entries[key]
	if !found || !entry.isRead() {
		return value, false
	}
	return entry.value, true
}

// isRead reports whether the read has succeeded.
func (e *cacheEntry[V]) isRead() bool {
	select {
	case <-e.read:
		return e.err == nil
	default:
		return false
	}
}

// change changes the value of a key, if the cache contains it. The result of a read in progress is not kept, because
// the read may have missed the change.
func (c *cache[V]) change(key string, change func(V) V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, found := c.entries[key]
	delete(c.entries, key)
	if found && entry.isRead() {
		changed := &cacheEntry[V]{read: make(chan struct{}), value: change(entry.value)}
		close(changed.read)
		c.entries[key] = changed
	}
}

// drop removes the value of a key, so the next call of get reads it again.
func (c *cache[V]) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, key)
}

// clear drops everything.
func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = nil
}

func (c *cache[V]) dropEntry(key string, entry *cacheEntry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] == entry {
		delete(c.entries, key)
	}
}
