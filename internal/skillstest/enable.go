// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"errors"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

var (
	errNotListed = errors.New("the service does not list this test. Correct assessment_id or test_id")
	errCached    = errors.New("a cache in front of the service has answered (header Age), so the lists of skills tests " +
		"may be out of date")
)

// find returns a test from the lists of enabled and disabled tests, because the service has no request for a single
// test (assumption A19). If it finds no test and one of the lists comes from a cache, it returns errCached.
func find(ctx context.Context, r *run.Run, ref run.TestRef) (test assessapi.SkillsTest, found bool, err error) {
	cached := false
	for _, active := range []bool{true, false} {
		list, err := r.Lists.ListSkillsTests(ctx, ref.Assessment, active)
		if err != nil {
			return test, false, err
		}
		if test, found = testIn(list.Elements, ref.Test); found {
			return test, true, nil
		}
		cached = cached || list.Cached
	}
	if cached {
		return test, false, errCached
	}
	return test, false, nil
}

func testIn(tests []assessapi.SkillsTest, id string) (test assessapi.SkillsTest, found bool) {
	i := slices.IndexFunc(tests, func(t assessapi.SkillsTest) bool { return t.ID == id })
	if i < 0 {
		return test, false
	}
	return tests[i], true
}

// enable enables a test, and returns it. It sends nothing if the test is already enabled. If the lists do not show all
// of the test, it returns an [assessapi.IncompleteError], because the service could delete what the request omits.
func enable(ctx context.Context, r *run.Run, ref run.TestRef) (assessapi.SkillsTest, error) {
	none := assessapi.SkillsTest{}
	enabled, err := r.Lists.ListSkillsTests(ctx, ref.Assessment, true)
	if err != nil {
		return none, err
	}
	if test, found := testIn(enabled.Elements, ref.Test); found && isActive(test) && !enabled.Cached {
		return test, nil
	}
	disabled, err := r.Lists.ListSkillsTests(ctx, ref.Assessment, false)
	if err != nil {
		return none, err
	}
	all := slices.Concat(enabled.Elements, disabled.Elements)
	test, found := testIn(all, ref.Test)
	switch {
	case enabled.Cached || disabled.Cached:
		return none, errCached
	case !found:
		return none, errNotListed
	case isActive(test):
		return test, nil
	}
	if err := test.CheckComplete(all); err != nil {
		return none, err
	}
	err = r.Client.EnableSkillsTest(ctx, ref.Assessment, test)
	if assessapi.OutcomeOf(err) == assessapi.Unknown {
		return confirm(ctx, r, ref, err)
	}
	if err != nil {
		return none, err
	}
	active := true
	test.Active = &active
	r.Lists.TestEnabled(ref.Assessment, test)
	return test, nil
}

// confirm reads whether a test is enabled after a request whose outcome is unknown. If the lists do not show the test
// as enabled, it returns the error unknown.
func confirm(ctx context.Context, r *run.Run, ref run.TestRef, unknown error) (assessapi.SkillsTest, error) {
	r.Lists.DropSkillsTests(ref.Assessment)
	test, found, err := find(ctx, r, ref)
	if err != nil || !found || !isActive(test) {
		return test, unknown
	}
	return test, nil
}

func isActive(test assessapi.SkillsTest) bool { return test.Active != nil && *test.Active }
