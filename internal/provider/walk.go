// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// walk is one walk of the CLI through a configuration: a refresh and plan, an
// apply, a destroy. It begins with the provider's Configure, and all that is
// learnt during it lives here and nowhere else.
type walk struct {
	*catalogue // nil while a setting is unknown

	throttle     *throttle.Transport
	notes        *planNotes // nil while a setting is unknown
	unnoted      sync.Once  // that a note could not be written was said
	unknown      string     // the setting that is not known yet
	repeats      bool       // it may hold the plans and applies of several runs
	planChecks   bool
	retryTimeout time.Duration
	skipped      sync.Map // lists that the service does not show, and that was said

	// applied is set when the first resource is about to be created, changed or
	// deleted: from then on this is the apply walk, whose plans were checked
	// before.
	applied atomic.Bool
	// refreshed is set when a resource is read or imported: such a walk plans.
	refreshed atomic.Bool
	// proofs counts the readings of the list of assessments that were to confirm
	// a 404, when they begin.
	proofs  atomic.Int64
	proving sync.Mutex

	mu          sync.Mutex
	seen        map[attachment]bool      // refreshed, or the prior state of something
	imported    map[attachment]bool      // being imported
	destroyed   map[attachment]bool      // planned to be destroyed
	creations   map[creationKey][]string // planned to be created, as what
	activations map[activation]bool      // planned to be enabled
	notices     []diag.Diagnostic        // to be said with the next answer
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

// replaces notes for the apply what is about to be replaced, or may be.
func (w *walk) replaces(a attachment) {
	if err := w.notes.replaces(a); err != nil {
		w.unnoted.Do(func() {
			w.notice("Cannot note what is about to be replaced", fmt.Sprintf("The apply of this plan must know that the position assessment %q of the position %q is no double of its replacement, "+
				"and the user's cache directory cannot be written to: %v. The apply may refuse the replacement as a double. "+
				"Set HOME or XDG_CACHE_HOME to a place that can be written to, or apply with plan_checks = false.", a.id, a.position, err))
		})
	}
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

// assessmentsSince lists the assessments anew, unless a reading has begun after
// so many.
func (w *walk) assessmentsSince(ctx context.Context, proofs int64) ([]assessapi.Assessment, error) {
	w.proving.Lock()
	if w.proofs.CompareAndSwap(proofs, proofs+1) {
		w.assessmentLists.drop("")
	}
	w.proving.Unlock()
	return w.assessments(ctx)
}

// confirmGone decides whether a 404 that has just come may be believed: a wrong
// address, the key of another organisation, or a gateway that has lost its way
// answers 404 to everything. Only where the list of assessments is still there,
// and holds the resource's own, may it go.
func (w *walk) confirmGone(ctx context.Context, assessment string) error {
	all, err := w.assessmentsSince(ctx, w.proofs.Load())
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
