// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"fmt"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ResultsFilter restricts the results of a position (section 4.6). A nil list selects
// everything. An empty list selects nothing.
type ResultsFilter struct {
	Position                string
	Candidates, Assessments []string // sorted
}

// SelectsNothing reports whether a filter has an empty list. Such a filter must not be
// sent, because the service treats it as no filter.
func (f ResultsFilter) SelectsNothing() bool {
	return f.Candidates != nil && len(f.Candidates) == 0 || f.Assessments != nil && len(f.Assessments) == 0
}

// key returns the same text for equal filters.
func (f ResultsFilter) key() string { return fmt.Sprintf("%q", f) }

// Results reads the results of a position, once in a run for equal filters. Their rate
// limits are the strictest (section 8).
func (e *Engine) Results(ctx context.Context, f ResultsFilter) (assessapi.Results, error) {
	if f.SelectsNothing() {
		return assessapi.Results{Raw: "[]"}, nil
	}
	read := func(ctx context.Context) (assessapi.Results, error) {
		return e.client.Results(ctx, f.Position, f.Candidates, f.Assessments)
	}
	return e.results.of(f.Position).get(ctx, f.key(), read)
}

// FreshResults reads the results without the cache.
func (e *Engine) FreshResults(ctx context.Context, f ResultsFilter) (assessapi.Results, error) {
	e.results.of(f.Position).drop(f.key())
	return e.Results(ctx, f)
}

// resultLists caches results by position and filter. A write makes all results of its
// position stale.
type resultLists struct {
	mu         sync.Mutex
	byPosition map[string]*listCache[assessapi.Results]
}

func (l *resultLists) of(position string) *listCache[assessapi.Results] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byPosition == nil {
		l.byPosition = map[string]*listCache[assessapi.Results]{}
	}
	if l.byPosition[position] == nil {
		l.byPosition[position] = &listCache[assessapi.Results]{}
	}
	return l.byPosition[position]
}

// drop removes the results of a position. Reads that have already started store their
// result in a cache that is no longer used.
func (l *resultLists) drop(position string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byPosition, position)
}
