// SPDX-License-Identifier: MPL-2.0

// Package run implements a run: one plan or one apply of the provider, or one command. It contains the settings, the
// client, the lists that the run has read, and the messages about its requests. It does not use Terraform types.
package run

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Run is the configured provider during one plan or one apply, or one command. It is safe for concurrent use, because
// the CLI plans and applies up to ten resources at the same time.
type Run struct {
	Config
	Client   *assessapi.Client // nil while a setting is unknown
	Lists    Lists
	Attached Attached
	Reads    Reads    // what responses have shown about the service
	Planned  Tests    // skills tests that this run has planned to enable
	Gone     set[Key] // position assessments that a Read of this run has reported gone
	GoneTest Tests    // skills tests that a Read of this run has reported gone
	Counted  Counters

	notices notices
	reading sync.Mutex
	writes  atomic.Bool // the CLI has begun to create, update or delete
}

// New returns a run with these settings. If cfg has no BaseURL, because a setting is not known yet, the run has no
// client and [Run.Connected] is false. New sends nothing to the service. It returns an error if the budget's Redis
// server cannot be used, or if ctx ends while New connects to it.
func New(ctx context.Context, cfg Config) (*Run, error) {
	r := &Run{Config: cfg}
	r.notices.keys = map[string]bool{}
	if cfg.BaseURL == nil {
		return r, nil
	}
	acquire, err := r.openLimits(ctx)
	if err != nil {
		return nil, err
	}
	r.Client = r.newClient(acquire)
	r.Lists.use(r.Client)
	r.Attached.use(r.Client, &r.Reads)
	r.Reads.use(r.Client)
	return r, nil
}

// newClient returns a client with the settings of the run. acquire waits for the rate limits.
func (r *Run) newClient(acquire assessapi.Acquire) *assessapi.Client {
	transport := r.Transport
	if transport == nil {
		transport = assessapi.Network(r.RequestTimeout)
	}
	return assessapi.New(assessapi.Config{
		BaseURL: r.BaseURL, ClientID: r.ClientID, APIKey: r.APIKey, UserAgent: r.UserAgent, Headers: r.Headers,
		Transport: transport, Acquire: acquire, ReadOnly: r.ReadOnly,
		RequestTimeout: r.RequestTimeout, RetryTimeout: r.RetryTimeout,
		Observe: r.OnAttempt,
		Warn:    func(w assessapi.Warning) { r.Warn(w.Key, w.Summary, w.Detail) },
	})
}

// Connected reports whether all settings are known, so that requests can be sent.
func (r *Run) Connected() bool { return r.Client != nil }

// ChecksPlan reports whether a plan may read lists to check what the service would reject. It returns false after the
// first write, because an apply plans each resource again.
func (r *Run) ChecksPlan() bool { return r.PlanChecks && r.Connected() && !r.writes.Load() }

// BeginApply records that the CLI has begun to create, update or delete.
func (r *Run) BeginApply() { r.writes.Store(true) }

// BeginRead is called before each refresh, if the run is connected. A refresh after a write begins a new run in the
// same process, as "terraform test" requires. BeginRead then drops everything that the last run has read and recorded,
// except the notices that no call has reported yet, and what [assessapi.Client.Reset] keeps.
func (r *Run) BeginRead() {
	r.reading.Lock() // other reads wait until the data of the last run is removed
	defer r.reading.Unlock()
	isNewRun := r.writes.CompareAndSwap(true, false)
	if !isNewRun {
		return
	}
	r.Client.Reset()
	r.Lists.clear()
	r.Attached.clear()
	r.Reads.clear()
	r.Planned.clear()
	r.Gone.clear()
	r.GoneTest.clear()
	r.Counted.clear()
	r.notices.clear()
}

// Tests is a set of skills tests.
type Tests struct{ set[TestRef] }

// TestRef identifies a skills test. The assessment is empty while it is not known.
type TestRef struct{ Assessment, Test string }

// Has reports whether the set contains a test. It also returns true if the set contains the test's ID with an empty
// assessment.
func (t *Tests) Has(ref TestRef) bool { return t.set.Has(ref) || t.set.Has(TestRef{Test: ref.Test}) }

// Key is the natural key of a position assessment: an assessment can be attached to a position only once, because the
// service keeps a candidate's results for each assessment of a position (section 2.8).
type Key struct{ Position, Assessment string }

// set is a set that is safe for concurrent use.
type set[T comparable] struct {
	mu      sync.Mutex
	members map[T]bool
}

// Add adds a member.
func (s *set[T]) Add(member T) { s.addUpTo(math.MaxInt, member) }

// addUpTo adds a member, unless the set already contains as many members as the parameter most allows. It reports
// whether the set now contains the member.
func (s *set[T]) addUpTo(most int, member T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.members[member] && len(s.members) >= most {
		return false
	}
	if s.members == nil {
		s.members = map[T]bool{}
	}
	s.members[member] = true
	return true
}

// Has reports whether the set contains a member.
func (s *set[T]) Has(member T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.members[member]
}

func (s *set[T]) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members = nil
}
