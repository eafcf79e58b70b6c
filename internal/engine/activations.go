// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// ErrNoSuchTest is the error of [Activations.Enable] if the service lists the test nowhere.
var ErrNoSuchTest = errors.New("the service does not list this skills test")

// Activations enables skills tests of the organization.
type Activations struct {
	run     *run.Run
	catalog *catalog.Catalog
	planned sync.Map // catalog.TestRef to bool: tests that this run has planned to enable
	enabled sync.Map // catalog.TestRef to bool: tests that this run has enabled
}

// ActivationsOf returns the activations of a run.
func ActivationsOf(r *run.Run) *Activations {
	return run.Of(r, func(r *run.Run) *Activations { return &Activations{run: r, catalog: r.Catalog()} })
}

// Plan records that a test will be enabled in the apply of this plan. The assessment is empty while it is not known.
func (a *Activations) Plan(ref catalog.TestRef) { a.planned.Store(ref, true) }

func (a *Activations) isPlanned(ref catalog.TestRef) bool {
	_, planned := a.planned.Load(ref)
	_, perhaps := a.planned.Load(catalog.TestRef{Test: ref.Test})
	return planned || perhaps
}

// await waits until this run has enabled tests that are not enabled yet. The CLI knows no order between a test and a
// position assessment that names it by a literal ID. If nothing enables them, the service decides.
func (a *Activations) await(ctx context.Context, limit time.Time, assessment string, tests []string) error {
	if len(tests) == 0 {
		return nil
	}
	disabled, err := a.catalog.SkillsTests(ctx, assessment, false)
	if err != nil {
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

// Read reads a test. If it is certainly gone, it returns [catalog.ErrGone] (assumption A19).
func (a *Activations) Read(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, error) {
	a.run.Refreshes()
	a = ActivationsOf(a.run)
	test, found, err := a.catalog.Tests.Find(ctx, ref)
	if err == nil && !found {
		err = a.catalog.Tests.ConfirmGone(ctx, ref)
	}
	return test, err
}

// Enabled returns a test that is already enabled. An apply also reads the list, so that it says the same as its plan.
func (a *Activations) Enabled(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, bool) {
	var tests []assessapi.SkillsTest
	if a.run.PlanChecks && a.run.Client != nil {
		tests, _ = a.catalog.SkillsTests(ctx, ref.Assessment, true)
	}
	for _, t := range tests {
		if t.ID == ref.Test {
			return t, true
		}
	}
	return assessapi.SkillsTest{}, false
}

// Enable enables a test (enableSkillsTest). It sends nothing if the test is already enabled.
func (a *Activations) Enable(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, error) {
	if err := a.run.BeginApply(); err != nil {
		return assessapi.SkillsTest{}, err
	}
	test, found, err := a.catalog.Tests.Find(ctx, ref)
	if err == nil && !found {
		err = ErrNoSuchTest
	}
	if err == nil && !*test.Active {
		test, err = a.catalog.Tests.Enable(ctx, ref, test)
	}
	if err != nil {
		return assessapi.SkillsTest{}, err
	}
	a.enabled.Store(ref, true)
	a.run.Changed()
	return test, nil
}
