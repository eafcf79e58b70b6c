// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// testNames begins the key of the names of the tests of an assessment.
const testNames = "skills tests "

// TestRef identifies a skills test of an assessment (listSkillsTests).
type TestRef struct{ Assessment, Test string }

// SkillsTests lists the enabled or, if active is false, the disabled tests of an assessment. If the service does not
// offer the list, the error satisfies [assessapi.IsNoList]. The lists may lack tests that this run has enabled.
func (c *Catalog) SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	list, err := c.Tests.list(ctx, assessment, active)
	return list.items, err
}

// SkillsTests caches and finds the skills tests of assessments (listSkillsTests).
type SkillsTests struct {
	catalog *Catalog
	lists   Cache[listing[assessapi.SkillsTest]]
	enabled sync.Map   // TestRef to assessapi.SkillsTest: tests that this run has enabled
	stale   sync.Map   // assessments whose cached lists lack such tests
	reading sync.Mutex // held while deciding whether to read the lists again
}

func testsKey(assessment string, active bool) string {
	return strconv.FormatBool(active) + " " + assessment
}

func (t *SkillsTests) list(
	ctx context.Context, assessment string, active bool,
) (list listing[assessapi.SkillsTest], err error) {
	return listed(ctx, &t.lists, testsKey(assessment, active), true, func(ctx context.Context) (
		list listing[assessapi.SkillsTest], err error,
	) {
		if other, known := t.lists.Known(testsKey(assessment, !active)); known && other.refused != nil {
			return list, other.refused // the assessment has no skills tests (assumption A23)
		}
		pages := t.catalog.client.SkillsTests(assessment, active)
		all, err := pages.All(ctx)
		learn(t.catalog, testNames+assessment, all)
		// The service, or a link to a later page, may have lost the filter.
		list.items = slices.DeleteFunc(all, func(t assessapi.SkillsTest) bool { return *t.Active != active })
		list.doubt = pages.Doubt()
		return list, err
	})
}

// InOrder lists the tests in the order of the service, including tests that this run has enabled.
func (t *SkillsTests) InOrder(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	if _, stale := t.stale.LoadAndDelete(assessment); stale {
		t.Drop(assessment)
	}
	return t.catalog.SkillsTests(ctx, assessment, active)
}

// Find looks for a test among the enabled tests, then among the others. A missing test may have moved from one list to
// the other between the two requests, so both lists are read a second time.
func (t *SkillsTests) Find(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	version := func() int { return t.lists.Version(testsKey(ref.Assessment, false)) }
	read := version()
	test, found, err := t.find(ctx, ref)
	if err == nil && !found {
		t.reading.Lock()
		if version() == read {
			t.Drop(ref.Assessment)
		}
		t.reading.Unlock()
		test, found, err = t.find(ctx, ref)
	}
	if assessapi.IsNotFound(err) { // see ConfirmGone
		return test, false, nil
	}
	return test, found, err
}

func (t *SkillsTests) find(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	if enabled, ok := t.enabled.Load(ref); ok {
		test, ok := enabled.(assessapi.SkillsTest)
		return test, ok, nil
	}
	for _, active := range []bool{true, false} {
		tests, err := t.catalog.SkillsTests(ctx, ref.Assessment, active)
		if err != nil {
			return assessapi.SkillsTest{}, false, err
		}
		if i := slices.IndexFunc(tests, func(t assessapi.SkillsTest) bool { return t.ID == ref.Test }); i >= 0 {
			return tests[i], true, nil
		}
	}
	return assessapi.SkillsTest{}, false, nil
}

// Enabled records that this run has enabled a test. Its place in the list of enabled tests is
// unknown, so it is stored separately.
func (t *SkillsTests) Enabled(ref TestRef, test assessapi.SkillsTest) {
	t.enabled.Store(ref, test)
	t.stale.Store(ref.Assessment, true)
}

// Label returns the id of a skills test, with its title if this run has read it.
func (t *SkillsTests) Label(ref TestRef) assessapi.Label {
	return t.catalog.label(testNames+ref.Assessment, ref.Test)
}

// Drop removes both lists of an assessment.
func (t *SkillsTests) Drop(assessment string) {
	t.lists.Drop(testsKey(assessment, true))
	t.lists.Drop(testsKey(assessment, false))
}
