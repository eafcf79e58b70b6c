// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
)

// ErrNoSuchTest is the error of [Activations.Enable] if the service lists the test neither
// among the enabled tests nor among the others.
var ErrNoSuchTest = errors.New("the service does not list this skills test")

// Activations enables skills tests of the organization.
type Activations struct {
	run     *run
	catalog *catalog.Catalog
	enabled sync.Map // TestRef to assessapi.SkillsTest: tests that this run has enabled
	stale   sync.Map // assessments whose cached lists lack tests that this run has enabled
	planned sync.Map // TestRef to bool: tests whose activations this run has planned
	noted   func(TestRef)
	reading sync.Mutex // held while deciding whether to read the lists again
}

func (a *Activations) clear() {
	a.enabled.Clear()
	a.stale.Clear()
	a.planned.Clear()
}

// Plan records that a test will be enabled in the apply of this plan.
func (a *Activations) Plan(ref TestRef) {
	a.planned.Store(ref, true)
	a.noted(ref)
	a.run.calls.changed()
}

// isMissing reports whether this run has neither planned to enable a test, nor enabled it.
func (a *Activations) isMissing(ref TestRef) bool {
	_, planned := a.planned.Load(ref)
	_, enabled := a.enabled.Load(ref)
	return !planned && !enabled
}

// InOrder lists the tests in the order of the service, including tests that this run has
// enabled.
func (a *Activations) InOrder(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	if _, stale := a.stale.LoadAndDelete(assessment); stale {
		a.catalog.Tests.Drop(assessment)
	}
	return a.catalog.SkillsTests(ctx, assessment, active)
}

// Read reads a test. If neither list contains it in two reads, and the
// organization still has the assessment, it returns [catalog.ErrGone], or [catalog.ErrNotInSnapshot] on a
// snapshot (assumption A19).
func (a *Activations) Read(ctx context.Context, ref TestRef) (assessapi.SkillsTest, error) {
	test, found, err := a.Find(ctx, ref)
	if err == nil && !found {
		err = a.catalog.ConfirmGone(ctx, ref.Assessment)
	}
	return test, err
}

// Find looks for a test among the enabled tests, then among the others. A
// missing test may have moved from one list to the other between the two requests, so
// both lists are read a second time.
func (a *Activations) Find(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	a.run.refreshes()
	return a.lookTwice(ctx, ref)
}

func (a *Activations) lookTwice(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	read := a.catalog.Tests.Version(ref.Assessment)
	test, found, err := a.cached(ctx, ref)
	if err == nil && !found {
		a.reading.Lock()
		if a.catalog.Tests.Version(ref.Assessment) == read {
			a.catalog.Tests.Drop(ref.Assessment)
		}
		a.reading.Unlock()
		test, found, err = a.cached(ctx, ref)
	}
	if assessapi.IsNotFound(err) {
		return test, false, nil
	}
	return test, found, err
}

func (a *Activations) cached(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	if enabled, ok := a.enabled.Load(ref); ok {
		test, ok := enabled.(assessapi.SkillsTest)
		return test, ok, nil
	}
	for _, active := range []bool{true, false} {
		tests, err := a.catalog.SkillsTests(ctx, ref.Assessment, active)
		if err != nil {
			return assessapi.SkillsTest{}, false, err
		}
		if i := slices.IndexFunc(tests, func(t assessapi.SkillsTest) bool { return t.ID == ref.Test }); i >= 0 {
			return tests[i], true, nil
		}
	}
	return assessapi.SkillsTest{}, false, nil
}

// Enable enables a test (enableSkillsTest). It sends nothing if the test is already enabled.
func (a *Activations) Enable(ctx context.Context, ref TestRef) (assessapi.SkillsTest, error) {
	if err := a.run.beginApply(); err != nil {
		return assessapi.SkillsTest{}, err
	}
	test, found, err := a.lookTwice(ctx, ref)
	switch {
	case err != nil:
		return test, err
	case !found:
		return test, ErrNoSuchTest
	case *test.Active:
		return test, nil
	}
	enabled, err := a.run.client.EnableSkillsTest(ctx, ref.Assessment, test)
	if err != nil {
		a.catalog.Tests.Drop(ref.Assessment)
		return assessapi.SkillsTest{}, err
	}
	// The position of the test in the list of enabled tests is unknown, so the test is
	// stored separately.
	a.enabled.Store(ref, enabled)
	a.stale.Store(ref.Assessment, true)
	return enabled, nil
}

// disabled returns the tests of a creation that the service lists as not enabled. If it cannot
// be read, the service decides.
func (a *Activations) disabled(ctx context.Context, c Creation) (disabled []TestRef) {
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
		disabled = append(disabled, TestRef{c.Assessment, id})
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
		ref := TestRef{c.Assessment, test}
		if !planned && a.isMissing(ref) {
			continue // then the service decides
		}
		if _, err := a.Enable(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}
