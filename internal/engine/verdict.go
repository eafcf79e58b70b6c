// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// A verdict says what a plan refuses about one resource.
type verdict interface {
	// judge returns the findings by what the run knows now.
	judge(ctx context.Context) []rules.Finding
	// waits reports whether they may change when the CLI plans other resources.
	waits() bool
}

// verdicts lets creations wait for the others of a plan.
type verdicts struct {
	mu      sync.Mutex
	waiting int       // how many creations wait
	rounds  int       // how often the CLI was silent
	open    []verdict // creations that have returned with warnings, and that the others decide
}

// settle waits until the verdict is final. If the CLI could not plan anything else while this
// creation waits, too, it returns at once, with warnings, and another creation decides.
func (s *verdicts) settle(ctx context.Context, r *run, own verdict) []rules.Finding {
	s.mu.Lock()
	if s.waiting > 0 && s.waiting >= r.calls.most()-1 {
		s.open = append(s.open, own)
		s.mu.Unlock()
		return rules.AsWarnings(own.judge(ctx))
	}
	s.waiting++
	round := s.rounds
	s.mu.Unlock()
	var open []verdict
	left := false
	silent := r.calls.await(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		left = s.rounds != round || !own.waits() && (s.waiting > 1 || !slices.ContainsFunc(s.open, verdict.waits))
		if left {
			open = s.leave()
		}
		return left
	})
	if !left {
		s.mu.Lock()
		if silent {
			s.rounds++
		}
		open = s.leave()
		s.mu.Unlock()
	}
	r.calls.changed() // the other creations that wait have seen the same silence
	found := own.judge(ctx)
	for _, v := range open {
		found = append(found, rules.ElsewhereRefused(v.judge(ctx))...)
	}
	return found
}

// leave ends the wait of a creation. The last one decides for the creations that have returned.
func (s *verdicts) leave() (open []verdict) {
	s.waiting--
	if s.waiting == 0 {
		open, s.open = s.open, nil
	}
	return open
}
