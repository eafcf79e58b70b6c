// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// checkTests rejects a configuration without the block tests if the assessment has skills tests. It also rejects each
// test in the block that the assessment does not have, or that is not enabled. Exceptions are a test that this run has
// planned to enable, and a disabled test that is already attached. It checks nothing if there is another block, if it
// is not known yet whether there is a block tests, or if a list that it needs was not read ([review.wasRead]).
func (c *review) checkTests(ctx context.Context) {
	if c.Tests.Unknown || c.Packages.Set || c.Benchmark.Set || c.Profile.Set {
		return // a block of another kind of assessment has its own checks
	}
	const active, inactive = true, false
	path := []string{"tests", "ids"}
	enabled, ok := c.listTests(ctx, path, active)
	if !ok {
		return
	}
	isEnabled := func(id string) bool { return messages.Has(enabled, id) || c.Activations[id] }
	others := slices.DeleteFunc(slices.Clone(c.Tests.IDs), isEnabled)
	if len(others) == 0 && c.Tests.Set { // this includes a block whose IDs are not known yet
		return
	}
	disabled, ok := c.listTests(ctx, path, inactive)
	if !ok {
		return
	}
	if c.Tests.absent() && len(enabled)+len(disabled) > 0 {
		c.reject(MissingTests, path[:1], "Assessment %s consists of skills tests, so it requires the block \"tests\" with "+
			"at least one test. Enabled tests: %s.\n\nTo fix this: add the block:\n\n  tests { ids = [\"TEST_ID\"] }",
			c.labeled(), messages.OneOf(enabled))
	}
	for _, id := range others {
		c.checkNotEnabled(path, id, enabled, disabled)
	}
}

// checkNotEnabled checks a test that is not in the list enabled. It rejects a test that the assessment does not have,
// and a disabled test that is not already attached.
func (c *review) checkNotEnabled(path []string, id string, enabled, disabled []assessapi.Label) {
	fix := "correct the ID in tests.ids"
	if len(enabled)+len(disabled) == 0 {
		fix = "remove the block \"tests\", or correct assessment_id"
	}
	i := slices.IndexFunc(disabled, func(l assessapi.Label) bool { return l.ID == id })
	switch {
	case i < 0:
		c.reject(messages.UnknownTest, path, "Assessment %s has no skills test %q. Enabled tests: %s.\n\nTo fix this: %s.",
			c.labeled(), id, messages.Near(id, enabled), fix)
	case !slices.Contains(c.Attached, id):
		c.reject(TestNotEnabled, path, "Skills test %s of assessment %s is not enabled for the organization. Enabled "+
			"tests: %s.\n\nTo fix this: enable it with another resource of the same provider configuration:\n\n  resource "+
			"\"assess_skills_test_activation\" \"NAME\" {\n    assessment_id = %q\n    test_id       = %q\n  }\n\nThen refer "+
			"to the activation instead of writing the ID, so that the test is enabled first:\n\n  tests { ids = "+
			"[assess_skills_test_activation.NAME.test_id] }",
			disabled[i], c.labeled(), messages.OneOf(enabled), c.Assessment, id)
	}
}

// listTests returns the enabled tests, or the tests that are not enabled, and what [review.wasRead] returns.
func (c *review) listTests(ctx context.Context, path []string, active bool) ([]assessapi.Label, bool) {
	listed, err := c.facts.SkillsTests(ctx, c.Assessment, active)
	return assessapi.Labels(listed), c.wasRead(path, "skills tests", err)
}
