// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// NoticeKind says what a [Notice] is about.
type NoticeKind int

// Kinds of notices. The comment says which members of the Notice are set.
const (
	ServiceLimitation  NoticeKind = iota // Summary, Detail: the client worked around something
	ListNotShown                         // List, Err: plans skip the checks that need this list
	NoteNotWritten                       // Ref, Err: the apply will not know that this was replaced
	NoCacheDirectory                     // runs on this machine cannot share the budget
	FellBackToHost                       // Err: the Redis server cannot be used
	BudgetUnusable                       // Err: the file of the budget cannot be used
	BudgetRebuilt                        // Err: the budget was damaged and rebuilt as used up
	InvitationsUnknown                   // Ref; Err, if a request failed: a plan cannot say whether a removal is refused
	ManyRemovals                         // the results limits slow a plan down, and not all positions are looked at
	Waiting                              // Stats: requests have been waiting for their slots
)

// Notice is something that the user should know although nothing failed. Each
// is returned once.
type Notice struct {
	Kind            NoticeKind
	Summary, Detail string
	List            string
	Ref             Ref
	Err             error
	Stats           throttle.Stats
}

// Notices returns the notices since the last call.
func (e *Engine) Notices() []Notice {
	var all []Notice
	for _, n := range e.throttle.Notices() {
		kind := BudgetRebuilt
		switch {
		case n.Kind == throttle.Waiting:
			kind = Waiting
		case n.Kind == throttle.StoreUnusable && IsSharedBudgetError(n.Err):
			kind = FellBackToHost
		case n.Kind == throttle.StoreUnusable:
			kind = BudgetUnusable
		}
		all = append(all, Notice{Kind: kind, Err: n.Err, Stats: n.Stats})
	}
	return append(all, e.notices.take()...)
}

// SkipList notes, once in a run, that the service does not show a list that
// plan checks need (assumption A8).
func (e *Engine) SkipList(list string, err error) {
	e.notices.once("list "+list, Notice{Kind: ListNotShown, List: list, Err: err})
}

type notices struct {
	mu    sync.Mutex
	said  map[string]bool
	queue []Notice
}

func (n *notices) add(notice Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.queue = append(n.queue, notice)
}

func (n *notices) once(key string, notice Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.said[key] {
		return
	}
	if n.said == nil {
		n.said = map[string]bool{}
	}
	n.said[key] = true
	n.queue = append(n.queue, notice)
}

func (n *notices) take() []Notice {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.queue
	n.queue = nil
	return taken
}
