// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// NoticeKind is the subject of a [Notice].
type NoticeKind int

// Kinds of notices. Each comment starts with the fields of the Notice that are set.
const (
	ParametersRefused NoticeKind = iota // Parameters, Err: the run continues without these optional parameters
	Cached                              // a cache in front of the service has answered, so that a list may be out of date
	BudgetUnusable                      // Err: runs on this machine cannot share the budget
	BudgetLocked                        // Err: another process has locked the budget and was probably stopped
	Waiting                             // Stats: requests have been waiting for a slot
)

// Notice is something that the user should know although nothing failed. Each notice is returned once.
type Notice struct {
	Kind       NoticeKind
	Parameters string
	Err        error
	Stats      throttle.Stats
}

// Notices returns the notices since the last call.
func (c *Connection) Notices() []Notice { return c.notices.Take() }

// NoticeQueue is a queue of notices, each of which is returned once.
type NoticeQueue[N any] struct {
	mu      sync.Mutex
	notices []N
	said    map[string]bool // keys of notices
}

// Add adds a notice.
func (q *NoticeQueue[N]) Add(notice N) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.notices = append(q.notices, notice)
}

// Once adds a notice, unless there was one with the same key in this run.
func (q *NoticeQueue[N]) Once(key string, notice N) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.said[key] {
		return
	}
	if q.said == nil {
		q.said = map[string]bool{}
	}
	q.said[key] = true
	q.notices = append(q.notices, notice)
}

// Take returns the notices since the last call.
func (q *NoticeQueue[N]) Take() []N {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.notices
	q.notices = nil
	return taken
}
