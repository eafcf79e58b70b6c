// SPDX-License-Identifier: MPL-2.0

package engine

import "sync"

// NoticeKind is the subject of a [Notice].
type NoticeKind int

// Kinds of notices. Each comment starts with the fields of the Notice that are set.
const (
	ListNotShown        NoticeKind = iota // List, Err: plans skip the checks that require this list
	AttachedWithoutLook                   // Ref: the service does not list what a position has already
	InvitationsUnknown                    // Ref, maybe Err: a plan cannot say whether a removal will be refused
	ManyRemovals                          // the plan does not check all positions
)

// Notice is something that the user should know although nothing failed. Each notice is
// returned once.
type Notice struct {
	Kind NoticeKind
	List string
	Ref  Ref
	Err  error
}

type notices struct {
	mu    sync.Mutex
	said  map[string]bool
	queue []Notice
}

// once adds a notice, unless there was one with the same key in this run.
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
