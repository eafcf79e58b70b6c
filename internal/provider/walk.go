// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// walk is one walk of the CLI through a configuration: a refresh and plan, an
// apply, a destroy. It begins with the provider's Configure, and all that is
// learnt during it lives here and nowhere else.
type walk struct {
	*catalogue // nil while a setting is unknown

	throttle     *throttle.Transport
	notes        *planNotes
	unknown      string // the setting that is not known yet
	planChecks   bool
	retryTimeout time.Duration
	skipped      sync.Map // lists that the service does not show, and that was said

	// applied is set when the first resource is about to be created, changed or
	// deleted: from then on this is the apply walk, whose plans were checked
	// before.
	applied atomic.Bool
	// refreshed is set when a resource is read or imported: such a walk plans.
	refreshed atomic.Bool

	mu          sync.Mutex
	seen        map[attachment]bool  // refreshed, or the prior state of something
	imported    map[attachment]bool  // being imported
	destroyed   map[attachment]bool  // planned to be destroyed
	creations   map[creationKey]bool // planned to be created
	activations map[activation]bool  // planned to be enabled
	notices     []diag.Diagnostic    // to be said with the next answer
}

// attachment identifies a position assessment.
type attachment struct{ position, id string }

// activation identifies a skills test of an assessment.
type activation struct{ assessment, test string }

// connected reports whether the service can be asked at all.
func (w *walk) connected() bool { return w.catalogue != nil }

// notice keeps something that a user should know although nothing failed.
func (w *walk) notice(summary, detail string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, diag.NewWarningDiagnostic(summary, detail))
}

// flush says what there is to say, each thing once in a walk.
func (w *walk) flush(diags *diag.Diagnostics) {
	if w == nil {
		return
	}
	if w.connected() {
		for _, n := range w.throttle.Notices() {
			diags.Append(throttleNotice(n))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	diags.Append(w.notices...)
	w.notices = nil
}

// remember marks a position assessment as one that this walk knows.
func (w *walk) remember(a attachment) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[a] = true
}

func (w *walk) knows(a attachment) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[a]
}

// claim remembers a position assessment unless it is known already.
func (w *walk) claim(a attachment) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[a] {
		return false
	}
	w.seen[a] = true
	return true
}

// planActivation remembers that a test will be enabled before anything that
// refers to its activation is created.
func (w *walk) planActivation(a activation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.activations[a] = true
}

func (w *walk) plansActivation(a activation) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.activations[a]
}

// confirmGone decides whether a 404 may be believed: a wrong address, or the
// key of another organisation, would answer 404 to everything. Only where the
// list of assessments is there and holds the resource's own may it go.
func (w *walk) confirmGone(ctx context.Context, assessment string) error {
	all, err := w.assessments(ctx)
	if err != nil {
		return &foreignError{err: err}
	}
	for _, a := range all {
		if a.ID == assessment {
			return nil
		}
	}
	return &foreignError{}
}
