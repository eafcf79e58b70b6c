// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// expectedFailures are the tests of promises that the provider does not keep yet, by the sentence of the interface.
// Whoever makes one pass removes it. When none is left, [Test] calls [resource.Test], and this file goes.
var expectedFailures = map[string][]string{
	"If the assessment is there, it reads the list once more and then fails with nothing sent: it names the " +
		"position assessment, shows the `import` block, and says that a second apply completes a renamed resource.": {
		"TestAccPositionAssessment_alreadyAttached/equal",
		"TestAccPositionAssessment_alreadyAttached/different",
		"TestAccPositionAssessment_alreadyAttachedSincePlan",
		"TestAccPositionAssessment_servicesAlreadyAttached/documented",
		"TestAccPositionAssessment_servicesAlreadyAttached/bare_lists",
		"TestAccPositionAssessment_servicesAlreadyAttached/mute",
		"TestAccPositionAssessment_servicesAlreadyAttached/mute_packages",
		"TestAccPositionAssessment_servicesAlreadyAttached/mute_benchmark",
		"TestAccPositionAssessment_servicesAlreadyAttached/mute_tests",
	},
	"A second creation of a key that this apply has attached or adopted fails at once and says that two resources " +
		"have the same position and assessment.": {
		"TestAccPositionAssessment_oneKeyTwice/failing",
		"TestAccPositionAssessment_oneKeyTwice/adopting",
	},
	"If the metadata differ it sends one update, but only if nobody has been invited to it (one results request, " +
		"sent whatever `plan_checks` says).": {
		"TestAccPositionAssessment_adoptDifferent",
		"TestAccPositionAssessment_adoptInvited/plan_checks=true",
		"TestAccPositionAssessment_adoptInvited/plan_checks=false",
	},
	"If the update fails, the creation fails without a state.": {
		"TestAccPositionAssessment_adoptFails",
	},
	"An existing one whose metadata the service does not show counts as different.": {
		"TestAccPositionAssessment_adoptMute",
	},
	"A creation after a rejected removal that `forget` has just removed from the state takes it back if the " +
		"metadata are equal, and otherwise fails with the `import` block.": {
		"TestAccPositionAssessment_forgetTakesBack",
	},
	"Besides its ID, the assessment's ID names it: `POSITION/ASSESSMENT`, so an `import` block with `for_each` " +
		"over the rows that exist imports them.": {
		"TestAccPositionAssessment_importByAssessment",
		"TestAccPositionAssessment_importForEach",
	},
	"The ways out of a rejected removal are shown with the reviewed one first (a `removed` block, then " +
		"`on_refused_removal`, then `state rm`).": {
		"TestAccPositionAssessment_removalRejected",
		"TestAccPositionAssessment_removalRejectedByService",
	},
	"Everything else is an error that changes no state and names `state rm` and `-refresh=false`.": {
		"TestAccPositionAssessment_unsignedGone",
		"TestAccPositionAssessment_otherOrganization",
	},
	"A key that a read omits keeps the state's value, unless reads show this key.": {
		"TestAccPositionAssessment_muteByKey",
		"TestAccPositionAssessment_services/mute_packages",
		"TestAccPositionAssessment_services/mute_benchmark",
		"TestAccPositionAssessment_services/mute_tests",
	},
	"A response with `Age` above zero is requested once more, and then decides nothing about what exists: a " +
		"creation fails and names the header.": {
		"TestAccPositionAssessment_cannotLook/a_cache",
	},
	"An apply that would write fails before anything is sent; what sends nothing (the removal of an activation, a " +
		"state-only change) goes through.": {
		"TestAccProvider_readOnly",
		"TestAccSkillsTestActivation_readOnly",
	},
	"`request_timeout`: one attempt; at most 90s.": {
		"TestAccProvider_invalid/long_timeout",
	},
	"`title` of `assess_positions` compares exactly, also if the service ignores the filter.": {
		"TestAccPositionsDataSource_filterIgnored",
	},
	"One that reports a failure (`success` or `ok` false, `error` or `errors` not empty, `status` from 400) is an " +
		"error, whatever else it holds.": {
		"TestAccPositionResultsDataSource_absenceMustBeShown/success",
		"TestAccPositionResultsDataSource_absenceMustBeShown/errors",
		"TestAccPositionResultsDataSource_absenceMustBeShown/status",
	},
	"While all are INVITED, IN_PROGRESS or EXPIRED, percentile, classification and completed are null, whatever " +
		"placeholder the service sends.": {
		"TestAccPositionResultsDataSource_placeholders/INVITED",
		"TestAccPositionResultsDataSource_placeholders/IN_PROGRESS",
		"TestAccPositionResultsDataSource_placeholders/EXPIRED",
	},
}

// expectedFailure returns the sentence whose test a test is, or "".
func expectedFailure(name string) string {
	for sentence, tests := range expectedFailures {
		if slices.Contains(tests, name) {
			return sentence
		}
	}
	return ""
}

// run runs a test case. One that is expected to fail is skipped if it does, and fails if it passes.
func run(t *testing.T, c resource.TestCase) {
	t.Helper()
	sentence := expectedFailure(t.Name())
	if sentence == "" {
		resource.Test(t, c)
		return
	}
	r := &recorder{T: t}
	done := make(chan struct{})
	go func() { // which [recorder.FailNow] ends
		defer close(done)
		resource.Test(r, c)
	}()
	<-done
	switch {
	case r.failure != "":
		t.Skipf("expected failure: %s\n%s", sentence, r.failure)
	case r.skipped != "":
		t.Skip(r.skipped)
	default:
		t.Errorf("the test passes. Remove it from expected_failures.go: %s", sentence)
	}
}

// recorder is a [testing.T] that notes a failure instead of failing.
type recorder struct {
	*testing.T
	failure, skipped string
}

func (r *recorder) Error(args ...any)                 { r.failure += fmt.Sprintln(args...) }
func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }
func (r *recorder) Fail()                             { r.Error("failed") }
func (r *recorder) FailNow()                          { r.Fail(); runtime.Goexit() }
func (r *recorder) Failed() bool                      { return r.failure != "" }
func (r *recorder) Fatal(args ...any)                 { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }
func (r *recorder) Skip(args ...any)                  { r.skipped = fmt.Sprintln(args...); runtime.Goexit() }
func (r *recorder) SkipNow()                          { r.Skip("skipped") }
func (r *recorder) Skipf(format string, args ...any)  { r.Skip(fmt.Sprintf(format, args...)) }
func (r *recorder) Skipped() bool                     { return r.skipped != "" }
