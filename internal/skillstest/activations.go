// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

var errNoSuchTest = errors.New("the service does not list this skills test")

// Activations is what a run knows and does about skills tests.
type Activations struct {
	run     *run.Run
	catalog *catalog.Catalog
	planned sync.Map // catalog.TestRef to bool: tests that this run has planned to enable
	enabled sync.Map // catalog.TestRef to bool: tests that this run has enabled
}

// Of returns the activations of a run.
func Of(r *run.Run) *Activations {
	return run.Of(r, func(r *run.Run) *Activations { return &Activations{run: r, catalog: r.Catalog()} })
}

// plan records that the apply of this plan will enable a test. The assessment is empty while it is not known.
func (a *Activations) plan(ref catalog.TestRef) { a.planned.Store(ref, true) }

// IsPlanned reports whether this run has planned to enable a test.
func (a *Activations) IsPlanned(ref catalog.TestRef) bool {
	_, planned := a.planned.Load(ref)
	_, perhaps := a.planned.Load(catalog.TestRef{Test: ref.Test})
	return planned || perhaps
}

// Await waits until this run has enabled tests that are not enabled yet. The CLI knows no order between a test and a
// position assessment that names it by a literal ID. If nothing enables them, the service decides.
func (a *Activations) Await(ctx context.Context, limit time.Time, assessment string, tests []string) error {
	if len(tests) == 0 {
		return nil
	}
	disabled, err := a.catalog.SkillsTests(ctx, assessment, false)
	switch {
	case assessapi.StopsRun(err):
		return err // later errors refer to it
	case err != nil:
		return ctx.Err()
	}
	missing := func(id string) bool {
		_, enabled := a.enabled.Load(catalog.TestRef{Assessment: assessment, Test: id})
		return !enabled && slices.ContainsFunc(disabled, func(t assessapi.SkillsTest) bool { return t.ID == id })
	}
	if slices.ContainsFunc(tests, missing) {
		a.run.Await(ctx, limit, func() bool { return !slices.ContainsFunc(tests, missing) })
	}
	return ctx.Err()
}

// read reads a test. If it is certainly gone, it returns [catalog.ErrGone] (assumption A19).
func (a *Activations) read(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, error) {
	test, found, err := a.catalog.Tests.Find(ctx, ref)
	if err == nil && !found {
		err = a.catalog.Tests.ConfirmGone(ctx, ref)
	}
	return test, err
}

// shown returns a test that is already enabled. An apply also reads the list, so that it says the same as its plan.
// Without plan checks, only an error that stops the run counts, because later errors refer to it.
func (a *Activations) shown(ctx context.Context, ref catalog.TestRef) (*assessapi.SkillsTest, error) {
	if !a.run.Connected() {
		return nil, nil
	}
	tests, err := a.catalog.SkillsTests(ctx, ref.Assessment, true)
	if i := slices.IndexFunc(tests, func(t assessapi.SkillsTest) bool { return t.ID == ref.Test }); i >= 0 {
		return &tests[i], nil
	}
	if !a.run.PlanChecks && !assessapi.StopsRun(err) || assessapi.IsNoList(err) {
		err = nil
	}
	return nil, err
}

// enable enables a test (enableSkillsTest). It sends nothing if the test is already enabled.
func (a *Activations) enable(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, error) {
	test, found, err := a.catalog.Tests.Find(ctx, ref)
	if err == nil && !found {
		err = errNoSuchTest
	}
	if err == nil && !*test.Active {
		test, err = a.send(ctx, ref, test)
	}
	if err == nil {
		a.enabled.Store(ref, true)
		a.run.Changed()
	}
	return test, err
}

// send enables a test. If the answer may not come from the service, the list of enabled tests must contain the test
// afterwards. If the lists do not show the whole test, nothing is sent ([assessapi.IncompleteError]).
func (a *Activations) send(
	ctx context.Context, ref catalog.TestRef, test assessapi.SkillsTest,
) (enabled assessapi.SkillsTest, err error) {
	var all []assessapi.SkillsTest
	for _, active := range []bool{true, false} {
		tests, err := a.catalog.SkillsTests(ctx, ref.Assessment, active)
		if err != nil {
			return test, err
		}
		all = append(all, tests...)
	}
	if err := test.CheckComplete(all); err != nil {
		return test, err
	}
	enabled, err = a.run.Client.EnableSkillsTest(ctx, ref.Assessment, test)
	err = catalog.ConfirmChange(err, func() (assessapi.SkillsTest, error) {
		a.catalog.Tests.Drop(ref.Assessment)
		listed, found, err := a.catalog.Tests.Find(ctx, ref)
		if err == nil && !found {
			err = errNoSuchTest
		}
		return listed, err
	}, func(listed assessapi.SkillsTest) bool { return listed.Active == nil || *listed.Active })
	if err != nil {
		a.catalog.Tests.Drop(ref.Assessment)
	} else {
		a.catalog.Tests.Enabled(ref, enabled)
	}
	return enabled, err
}

// label is how a message names a test.
func (a *Activations) label(ref catalog.TestRef) string {
	assessment := a.catalog.AssessmentLabel(ref.Assessment)
	return fmt.Sprintf("skills test %s of assessment %s", a.catalog.Tests.Label(ref), assessment)
}
