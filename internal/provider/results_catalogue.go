// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// resultsFilter restricts the results of a position (section 4.6). A nil list
// does not restrict, an empty one selects nothing.
type resultsFilter struct {
	position                string
	candidates, assessments []string // sorted
}

// selectsNothing reports a filter that no result can pass. It never reaches the
// service, where a filter without values is no filter.
func (f resultsFilter) selectsNothing() bool {
	return f.candidates != nil && len(f.candidates) == 0 || f.assessments != nil && len(f.assessments) == 0
}

// key is equal for equal filters.
func (f resultsFilter) key() string { return fmt.Sprintf("%q", f) }

// resultLists keeps what was read of results, by position and filter: a write
// makes all of a position stale.
type resultLists struct {
	mu sync.Mutex
	by map[string]*shelf[assessapi.Results]
}

func (l *resultLists) of(position string) *shelf[assessapi.Results] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil {
		l.by = map[string]*shelf[assessapi.Results]{}
	}
	if l.by[position] == nil {
		l.by[position] = &shelf[assessapi.Results]{}
	}
	return l.by[position]
}

// drop forgets a position, and the readings that are under way: they end on a
// shelf that nobody looks at any more.
func (l *resultLists) drop(position string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.by, position)
}

// results reads the results of a position, for equal filters once per walk: the
// service's limits for them are the strictest (section 8).
func (c *catalogue) results(ctx context.Context, f resultsFilter) (assessapi.Results, error) {
	if f.selectsNothing() {
		return assessapi.Results{Raw: "[]"}, nil
	}
	return c.resultLists.of(f.position).get(ctx, f.key(), func(ctx context.Context) (assessapi.Results, error) {
		return c.client.Results(ctx, f.position, f.candidates, f.assessments)
	})
}
