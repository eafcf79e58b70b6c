// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

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

// results reads the results of a position, for equal filters once per walk: the
// service's limits for them are the strictest (section 8).
func (c *catalogue) results(ctx context.Context, f resultsFilter) (assessapi.Results, error) {
	if f.selectsNothing() {
		return assessapi.Results{Raw: "[]"}, nil
	}
	return c.resultLists.get(ctx, f.key(), func(ctx context.Context) (assessapi.Results, error) {
		return c.client.Results(ctx, f.position, f.candidates, f.assessments)
	})
}
