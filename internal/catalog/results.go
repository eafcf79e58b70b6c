// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"fmt"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ResultsFilter restricts the results of a position (listResults). A nil list selects
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

// Results reads results of positions, and caches them by position and filter. A write makes
// all results of its position stale.
type Results struct {
	Client *assessapi.Client

	byPosition sync.Map // from positions to *Cache[assessapi.Results]
}

// Read reads the results of a position, once in a run for equal filters. Results have the strictest rate limits.
func (r *Results) Read(ctx context.Context, f ResultsFilter) (assessapi.Results, error) {
	if f.SelectsNothing() {
		return assessapi.Results{Raw: "[]"}, nil
	}
	read := func(ctx context.Context) (assessapi.Results, error) {
		return r.Client.Results(ctx, f.Position, f.Candidates, f.Assessments)
	}
	return r.of(f.Position).Get(ctx, f.key(), read)
}

// ReadFresh reads the results without the cache.
func (r *Results) ReadFresh(ctx context.Context, f ResultsFilter) (assessapi.Results, error) {
	r.of(f.Position).Drop(f.key())
	return r.Read(ctx, f)
}

func (r *Results) of(position string) *Cache[assessapi.Results] {
	stored, _ := r.byPosition.LoadOrStore(position, &Cache[assessapi.Results]{})
	cache, _ := stored.(*Cache[assessapi.Results])
	return cache
}

// Drop removes the results of a position. Reads that have already started store their
// result in a cache that is no longer used.
func (r *Results) Drop(position string) { r.byPosition.Delete(position) }
