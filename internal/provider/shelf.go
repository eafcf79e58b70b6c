// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"golang.org/x/sync/singleflight"
)

// shelf keeps what a walk has read, so that it is not read again: all who ask
// for a key share one reading, also while it is under way. A reading that
// failed is not kept, nor is one that a write has overtaken.
type shelf[V any] struct {
	group singleflight.Group

	mu      sync.Mutex
	kept    map[string]V
	version map[string]int // grows with every write that makes a copy stale
}

// get returns the kept copy, or reads one.
func (s *shelf[V]) get(ctx context.Context, key string, read func(context.Context) (V, error)) (V, error) {
	s.mu.Lock()
	kept, ok := s.kept[key]
	version := s.version[key]
	s.mu.Unlock()
	if ok {
		return kept, nil
	}
	// Whoever asks after a write must not join a reading from before it: the
	// version is part of what is shared.
	led := false
	v, err, _ := s.group.Do(strconv.Itoa(version)+" "+key, func() (any, error) {
		led = true
		fresh, err := read(ctx)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.version[key] == version {
			if s.kept == nil {
				s.kept = map[string]V{}
			}
			s.kept[key] = fresh
		}
		return fresh, nil
	})
	if !led && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return s.get(ctx, key, read) // only the caller that was reading was cancelled
	}
	kept, _ = v.(V) // nil after an error
	return kept, err
}

// drop forgets a copy, and the readings of it that are under way.
func (s *shelf[V]) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, key)
	if s.version == nil {
		s.version = map[string]int{}
	}
	s.version[key]++
}

// versionOf numbers what is kept, or would be, under a key.
func (s *shelf[V]) versionOf(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version[key]
}
