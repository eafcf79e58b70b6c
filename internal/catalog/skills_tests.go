// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"strconv"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// SkillsTests lists the skills tests of assessments (listSkillsTests).
type SkillsTests struct {
	catalog *Catalog
	lists   Cache[response[assessapi.SkillsTest]]
}

func testsKey(assessment string, active bool) string {
	return strconv.FormatBool(active) + " " + assessment
}

// List lists the enabled tests of an assessment, or the others. Errors are the same as for
// [Catalog.Packages].
func (t *SkillsTests) List(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	read := func(ctx context.Context) ([]assessapi.SkillsTest, error) {
		return t.catalog.client.SkillsTests(ctx, assessment, active)
	}
	return listed(ctx, &t.lists, testsKey(assessment, active), learning(t.catalog, testNames+assessment, read))
}

// Label returns the id of a skills test, with its title if this run has read it.
func (t *SkillsTests) Label(assessment, test string) assessapi.Label {
	return t.catalog.label(testNames+assessment, test)
}

// Drop removes both lists of an assessment.
func (t *SkillsTests) Drop(assessment string) {
	t.lists.Drop(testsKey(assessment, true))
	t.lists.Drop(testsKey(assessment, false))
}

// Version returns how often the lists of an assessment were dropped.
func (t *SkillsTests) Version(assessment string) int {
	return t.lists.Version(testsKey(assessment, false))
}

// SkillsTests lists the enabled tests of an assessment, or the others. It lacks tests that
// this run has enabled since it read the list.
func (c *Catalog) SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	return c.Tests.List(ctx, assessment, active)
}
