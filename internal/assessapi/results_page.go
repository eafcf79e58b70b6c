// SPDX-License-Identifier: MPL-2.0

package assessapi

import "context"

// FirstResults reads the first page of the results of a position (listResults), with up
// to 1000 candidates. It returns false if there are more.
func (c *Client) FirstResults(ctx context.Context, position string) ([]Candidate, bool, error) {
	p := pages(c, resultsRoute, []string{position}, "", nil, readCandidate)
	candidates, err := p.Next(ctx)
	return candidates, p.Done(), err
}
