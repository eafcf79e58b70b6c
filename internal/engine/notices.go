// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// NoticeKind is the subject of a [Notice].
type NoticeKind int

// Kinds of notices. Each comment starts with the fields of the Notice that are set.
const (
	ParametersRefused  NoticeKind = iota // Parameters, Err: the run continues without these optional parameters
	ListNotShown                         // List, Err: plans skip the checks that require this list
	NoteNotWritten                       // Ref, Err: the apply will not know that the plan replaces this
	NoCacheDirectory                     // runs on this machine cannot share the budget
	FellBackToHost                       // Err: the Redis server cannot be used
	BudgetUnusable                       // Err: the file of the budget cannot be used
	BudgetRebuilt                        // Err: the budget was damaged, and rebuilt as used up
	InvitationsUnknown                   // Ref, maybe Err: a plan cannot say whether a removal will be refused
	ManyRemovals                         // the plan does not check all positions
	Waiting                              // Stats: requests have been waiting for a slot
)

// Notice is something that the user should know although nothing failed. Each notice is
// returned once.
type Notice struct {
	Kind       NoticeKind
	Parameters string
	List       string
	Ref        Ref
	Err        error
	Stats      throttle.Stats
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
