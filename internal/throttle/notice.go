// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"sync"
	"time"
)

// noticeAfter is how long requests must have been waiting before a BudgetNotice is made.
const noticeAfter = 30 * time.Second

// BudgetNotice is something that the user should read once. The caller words it.
type BudgetNotice struct {
	Kind BudgetNoticeKind

	// Stats are the numbers at the time of the notice. Set for Waiting.
	Stats Stats

	// Err is what happened. Set for StoreUnusable and StoreRebuilt. It names the
	// directory, or is an error of the store's package. It never contains the key or a
	// password.
	Err error
}

// BudgetNoticeKind is the kind of a BudgetNotice.
type BudgetNoticeKind int

const (
	// Waiting: requests have been waiting for 30 seconds without a break.
	Waiting BudgetNoticeKind = iota
	// StoreUnusable: the shared budget cannot be used. From now on, this process uses a
	// budget of its own, or the fallback.
	StoreUnusable
	// StoreRebuilt: the shared budget was damaged or lost, or may have been. It starts
	// again as if every window were full.
	StoreRebuilt
)

// BudgetNoticeList keeps the notices of a Transport or a Store: the first one of each kind.
type BudgetNoticeList struct {
	mu     sync.Mutex
	known  [StoreRebuilt + 1]bool
	unread []BudgetNotice
}

// Add adds a notice, unless there was one of its kind.
func (l *BudgetNoticeList) Add(n BudgetNotice) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.known[n.Kind] {
		l.known[n.Kind] = true
		l.unread = append(l.unread, n)
	}
}

// Notices returns the notices that it has not returned before.
func (l *BudgetNoticeList) Notices() []BudgetNotice {
	l.mu.Lock()
	defer l.mu.Unlock()
	unread := l.unread
	l.unread = nil
	return unread
}

// Stats are the numbers of a Transport.
type Stats struct {
	// Sent is how many requests it has sent.
	Sent int
	// Waiting is how many requests wait now, as far as the Transport knows.
	Waiting int
	// Window is the name of the window that most of them wait for. It is empty if no
	// request waits, or if a 429 holds them.
	Window string
	// OwnShare reports that this run's share of the limit holds them, not the limit
	// itself.
	OwnShare bool
	// Held reports that a response with status 429 holds them.
	Held bool
}

// Stats returns the current numbers.
func (t *Transport) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stats()
}

func (t *Transport) stats() Stats {
	s := Stats{Sent: int(t.sent.Load()), Waiting: t.waiting}
	most := 0
	for _, q := range t.queues {
		if n := len(q.requests); n > most {
			most = n
			s.Window, s.Held = q.bound(), q.refusal.Held
			s.OwnShare = !s.Held && q.refusal.Window >= len(q.asked)
		}
	}
	if t.waiting == 0 {
		return Stats{Sent: s.Sent}
	}
	return s
}

// Notices returns the notices, including those of the store, that it has not returned
// before.
func (t *Transport) Notices() []BudgetNotice {
	return append(t.notices.Notices(), t.cfg.Store.Notices()...)
}

// watch counts the waiting requests. While requests wait, a timer runs that makes the
// notice.
func (t *Transport) watch(delta int) {
	t.waiting += delta
	switch {
	case t.waiting == 0:
		t.noticeTimer.Stop()
	case t.waiting == 1 && delta > 0:
		t.noticeTimer = time.AfterFunc(noticeAfter, t.notice)
	}
}

func (t *Transport) notice() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting > 0 {
		t.notices.Add(BudgetNotice{Kind: Waiting, Stats: t.stats()})
	}
}
