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

// find reads a test from the lists, which are the only reads (assumption A19). Lists that come from a cache cannot show
// that it is missing.
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

// enable enables a test, and returns it. It sends nothing if the test is enabled already, and nothing if the lists do
// not show all of the test, because the service could delete what is missing ([assessapi.IncompleteError]).
func enable(ctx context.Context, r *run.Run, ref run.TestRef) (assessapi.SkillsTest, error) {
	test, found, err := find(ctx, r, ref)
	switch {
	case err != nil:
		return test, err
	case !found:
		return test, errNotListed
	case isActive(test):
		return test, nil
	}
	enabled, err := r.Lists.SkillsTests(ctx, ref.Assessment, true)
	if err != nil {
		return test, err
	}
	disabled, err := r.Lists.SkillsTests(ctx, ref.Assessment, false)
	if err != nil {
		return test, err
	}
	if err := test.CheckComplete(slices.Concat(enabled, disabled)); err != nil {
		return test, err
	}
	err = r.Client.EnableSkillsTest(ctx, ref.Assessment, test)
	if assessapi.OutcomeOf(err) == assessapi.Unknown {
		return confirm(ctx, r, ref, err)
	}
	if err != nil {
		return test, err
	}
	active := true
	test.Active = &active
	r.Lists.TestEnabled(ref.Assessment, test)
	return test, nil
}

// confirm reads whether a test is enabled after a request whose outcome is unknown.
func confirm(ctx context.Context, r *run.Run, ref run.TestRef, unknown error) (assessapi.SkillsTest, error) {
	r.Lists.DropSkillsTests(ref.Assessment)
	test, found, err := find(ctx, r, ref)
	if err != nil || !found || !isActive(test) {
		return test, unknown
	}
	return test, nil
}

func isActive(test assessapi.SkillsTest) bool { return test.Active != nil && *test.Active }
