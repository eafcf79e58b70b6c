// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// TestRef identifies a skills test of an assessment (section 2.7).
type TestRef struct{ Assessment, Test string }

// ErrNoSuchTest is the error of [Engine.Enable] if the service lists the test neither
// among the enabled tests nor among the others.
var ErrNoSuchTest = errors.New("the service does not list this skills test")

// skillsTests caches both lists of each skills assessment (section 4.4), and the tests
// that this run has enabled.
type skillsTests struct {
	lists   listCache[answer[assessapi.SkillsTest]]
	enabled sync.Map   // TestRef to assessapi.SkillsTest
	stale   sync.Map   // assessments whose cached lists lack tests that this run has enabled
	reading sync.Mutex // held while deciding whether to read the lists again
}

func skillsKey(assessment string, active bool) string {
	return strconv.FormatBool(active) + " " + assessment
}

func (s *skillsTests) drop(assessment string) {
	s.lists.drop(skillsKey(assessment, true))
	s.lists.drop(skillsKey(assessment, false))
}

// SkillsTests lists the enabled tests of an assessment, or the others. The lists may lack
// tests that this run has enabled. [Engine.SkillsTestsInOrder] includes them.
func (e *Engine) SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error) {
	key := skillsKey(assessment, active)
	return listed(ctx, &e.skills.lists, key, learning(&e.names, testNames+assessment,
		func(ctx context.Context) ([]assessapi.SkillsTest, error) {
			return e.client.SkillsTests(ctx, assessment, active)
		}))
}

// SkillsTestsInOrder lists the tests in the order of the service, including tests that
// this run has enabled.
func (e *Engine) SkillsTestsInOrder(
	ctx context.Context, assessment string, active bool,
) ([]assessapi.SkillsTest, error) {
	if _, stale := e.skills.stale.LoadAndDelete(assessment); stale {
		e.skills.drop(assessment)
	}
	return e.SkillsTests(ctx, assessment, active)
}

// ReadSkillsTest reads a test. If neither list contains it in two reads, and the
// organization still has the assessment, it returns [ErrGone], or [ErrNotInSnapshot] on a
// snapshot (assumption A19).
func (e *Engine) ReadSkillsTest(ctx context.Context, ref TestRef) (assessapi.SkillsTest, error) {
	test, found, err := e.FindSkillsTest(ctx, ref)
	if err == nil && !found {
		err = e.confirmGone(ctx, ref.Assessment)
	}
	return test, err
}

// FindSkillsTest looks for a test among the enabled tests, then among the others. A
// missing test may have moved from one list to the other between the two requests, so
// both lists are read a second time.
func (e *Engine) FindSkillsTest(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	e.signals.refreshed.Store(true)
	return e.lookTwice(ctx, ref)
}

func (e *Engine) lookTwice(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	read := e.skills.lists.versionOf(skillsKey(ref.Assessment, false))
	test, found, err := e.cachedSkillsTest(ctx, ref)
	if err == nil && !found {
		e.skills.reading.Lock()
		if e.skills.lists.versionOf(skillsKey(ref.Assessment, false)) == read {
			e.skills.drop(ref.Assessment)
		}
		e.skills.reading.Unlock()
		test, found, err = e.cachedSkillsTest(ctx, ref)
	}
	if assessapi.IsNotFound(err) {
		return test, false, nil
	}
	return test, found, err
}

func (e *Engine) cachedSkillsTest(ctx context.Context, ref TestRef) (assessapi.SkillsTest, bool, error) {
	if enabled, ok := e.skills.enabled.Load(ref); ok {
		test, ok := enabled.(assessapi.SkillsTest)
		return test, ok, nil
	}
	for _, active := range []bool{true, false} {
		tests, err := e.SkillsTests(ctx, ref.Assessment, active)
		if err != nil {
			return assessapi.SkillsTest{}, false, err
		}
		if i := slices.IndexFunc(tests, func(t assessapi.SkillsTest) bool { return t.ID == ref.Test }); i >= 0 {
			return tests[i], true, nil
		}
	}
	return assessapi.SkillsTest{}, false, nil
}

// Enable enables a test (section 4.5). It sends nothing if the test is already enabled.
func (e *Engine) Enable(ctx context.Context, ref TestRef) (assessapi.SkillsTest, error) {
	if err := e.Begin(); err != nil {
		return assessapi.SkillsTest{}, err
	}
	test, found, err := e.lookTwice(ctx, ref)
	switch {
	case err != nil:
		return test, err
	case !found:
		return test, ErrNoSuchTest
	case *test.Active:
		return test, nil
	}
	enabled, err := e.client.EnableSkillsTest(ctx, ref.Assessment, test)
	if err != nil {
		e.skills.drop(ref.Assessment)
		return assessapi.SkillsTest{}, err
	}
	// The position of the test in the list of enabled tests is unknown, so the test is
	// stored separately.
	e.skills.enabled.Store(ref, enabled)
	e.skills.stale.Store(ref.Assessment, true)
	return enabled, nil
}
