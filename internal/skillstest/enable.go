// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"errors"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// errNotListed means that the service lists a test neither as enabled nor as disabled, so nothing was sent.
var errNotListed = errors.New("the service does not list this test")

// find returns a test from the lists of enabled and disabled tests, because the service has no request for a single
// test (assumption A19). The list that has the test may come from a cache. If neither list has the test, and one of the
// lists comes from a cache, the error is [run.ErrCached].
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
		return test, false, run.ErrCached
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

// enable enables a test, and returns the enabled test. It sends nothing if the test is already enabled. The error is
// [run.ErrCached] if one of the lists that enable needs comes from a cache, and errNotListed if neither list has the
// test.
func enable(ctx context.Context, r *run.Run, ref run.TestRef) (test assessapi.SkillsTest, err error) {
	enabled, err := r.Lists.ListSkillsTests(ctx, ref.Assessment, true)
	if err != nil {
		return test, err
	}
	test, found := testIn(enabled.Elements, ref.Test)
	if found && !enabled.Cached {
		return test, nil
	}
	disabled, err := r.Lists.ListSkillsTests(ctx, ref.Assessment, false)
	if err != nil {
		return test, err
	}
	if enabled.Cached || disabled.Cached {
		return test, run.ErrCached
	}
	test, found = testIn(disabled.Elements, ref.Test)
	if !found {
		return test, errNotListed
	}
	return sendEnabled(ctx, r, ref, test, slices.Concat(enabled.Elements, disabled.Elements))
}

// sendEnabled sends the request that enables a listed test, and returns the enabled test. all are the tests of the
// assessment. If the list may omit members of the test, sendEnabled returns an [assessapi.IncompleteError] and sends
// nothing, because the service could delete what the request omits. A request whose outcome is unknown is an error only
// if the list of enabled tests, read again, does not confirm it.
func sendEnabled(
	ctx context.Context, r *run.Run, ref run.TestRef, test assessapi.SkillsTest, all []assessapi.SkillsTest,
) (assessapi.SkillsTest, error) {
	if err := test.CheckComplete(all); err != nil {
		return test, err
	}
	err := r.Client.EnableSkillsTest(ctx, ref.Assessment, test)
	switch {
	case assessapi.OutcomeOf(err) == assessapi.Unknown:
		return confirm(ctx, r, ref, err)
	case err != nil:
		return test, err
	}
	test.Active = new(true)
	r.Lists.TestEnabled(ref.Assessment, test)
	return test, nil
}

// confirm reads the list of enabled tests again after a request whose outcome is unknown, and returns the test if the
// list has it and does not come from a cache. Otherwise, it returns the parameter unknown, the error of the request.
func confirm(ctx context.Context, r *run.Run, ref run.TestRef, unknown error) (assessapi.SkillsTest, error) {
	r.Lists.DropSkillsTests(ref.Assessment)
	enabled, err := r.Lists.ListSkillsTests(ctx, ref.Assessment, true)
	test, found := testIn(enabled.Elements, ref.Test)
	if err != nil || enabled.Cached || !found {
		return test, unknown
	}
	return test, nil
}
