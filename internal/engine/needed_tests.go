// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// disabled returns the tests of a creation that the service lists as not enabled. If it cannot
// be read, the service decides.
func (a *Activations) disabled(ctx context.Context, c Creation) (disabled []catalog.TestRef) {
	among := func(active bool) []string {
		listed, _ := a.catalog.SkillsTests(ctx, c.Assessment, active)
		var ids []string
		for _, test := range listed {
			if slices.Contains(c.Metadata.Tests, test.ID) {
				ids = append(ids, test.ID)
			}
		}
		return ids
	}
	if len(c.Metadata.Tests) == 0 || len(among(true)) == len(c.Metadata.Tests) {
		return nil
	}
	for _, id := range among(false) {
		disabled = append(disabled, catalog.TestRef{Assessment: c.Assessment, Test: id})
	}
	return disabled
}

// ensure enables the tests of a creation that are not enabled yet, if this run plans that. The
// CLI knows no order between a test and a creation that names it by a literal id.
func (a *Activations) ensure(ctx context.Context, c Creation, planned bool) error {
	if !planned && len(c.Metadata.Tests) > 0 {
		tests := a.disabled(ctx, c)
		a.run.calls.await(ctx, func() bool { return !slices.ContainsFunc(tests, a.isMissing) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	for _, test := range c.Metadata.Tests {
		ref := catalog.TestRef{Assessment: c.Assessment, Test: test}
		if !planned && a.isMissing(ref) {
			continue // then the service decides
		}
		if _, err := a.Enable(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}
