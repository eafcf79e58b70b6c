// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"errors"
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
	enables sync.Map // catalog.TestRef to bool: tests that this run has planned to enable, or has enabled
	noted   func(catalog.TestRef)
}

// Plan records that a test will be enabled in the apply of this plan.
func (a *Activations) Plan(ref catalog.TestRef) {
	a.enables.Store(ref, true)
	a.noted(ref)
	a.run.calls.changed()
}

// isMissing reports whether this run has neither planned to enable a test, nor enabled it.
func (a *Activations) isMissing(ref catalog.TestRef) bool {
	_, enables := a.enables.Load(ref)
	return !enables
}

// Read reads a test. If the service does not list it, and the organization still has the
// assessment, it returns [catalog.ErrGone], or [catalog.ErrNotInSnapshot] on a snapshot
// (assumption A19).
func (a *Activations) Read(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, error) {
	a.run.refreshes()
	test, found, err := a.catalog.Tests.Find(ctx, ref)
	if err == nil && !found {
		err = a.catalog.Tests.ConfirmGone(ctx, ref)
	}
	return test, err
}

// Enable enables a test (enableSkillsTest). It sends nothing if the test is already enabled.
func (a *Activations) Enable(ctx context.Context, ref catalog.TestRef) (assessapi.SkillsTest, error) {
	if err := a.run.beginApply(); err != nil {
		return assessapi.SkillsTest{}, err
	}
	test, found, err := a.catalog.Tests.Find(ctx, ref)
	switch {
	case err != nil:
		return test, err
	case !found:
		return test, ErrNoSuchTest
	case *test.Active:
		return test, nil
	}
	enabled, err := a.catalog.Tests.Enable(ctx, ref, test)
	if err != nil {
		return assessapi.SkillsTest{}, err
	}
	a.enables.Store(ref, true)
	return enabled, nil
}
