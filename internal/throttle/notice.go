// SPDX-License-Identifier: MPL-2.0

package throttle

import "time"

// patience is how long requests must have been waiting for a Notice.
const patience = 30 * time.Second

// Notice is something that the user should read, once. The words are the
// caller's.
type Notice struct {
	Kind NoticeKind

	// Stats are the numbers of the moment; with Waiting.
	Stats Stats

	// Err is what happened; with StoreUnusable and StoreRebuilt. It names the
	// directory, or is the error of the store's package. It never holds the key
	// or a password.
	Err error
}

// NoticeKind tells notices apart.
type NoticeKind int

const (
	// Waiting: for 30 seconds without a break requests were waiting. Once per
	// Transport.
	Waiting NoticeKind = iota
	// StoreUnusable: the shared budget cannot be used. From now on this process
	// keeps a budget of its own, or uses the fallback. Once per store.
	StoreUnusable
	// StoreRebuilt: the shared budget was damaged or lost, or may have been. It
	// starts again as if every window were full. Once per store.
	StoreRebuilt
)

// Stats are the numbers of a Transport.
type Stats struct {
	// Sent is how many requests it has sent.
	Sent int
	// Waiting is how many wait now, as far as is known.
	Waiting int
	// Window is the name of the window that binds most of them; "" if none waits,
	// or if a 429 holds them.
	Window string
	// OwnShare says that it is not the window's limit that binds but this run's
	// share of it.
	OwnShare bool
	// Held says that a response with status 429 holds them.
	Held bool
}

// Stats returns the numbers of now.
func (t *Transport) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stats()
}

func (t *Transport) stats() Stats {
	s := Stats{Sent: int(t.sent.Load()), Waiting: t.waiting}
	most := 0
	for _, q := range t.queues {
		if n := q.behind.Len() + 1; q.front != nil && n > most {
			most = n
			s.Window, s.Held = q.bound(), q.held
			s.OwnShare = !q.held && q.binding >= len(q.asked)
		}
	}
	if t.waiting == 0 {
		return Stats{Sent: s.Sent}
	}
	return s
}

// Notices returns what the user should read and has not been returned yet, the
// store's notices included.
func (t *Transport) Notices() []Notice {
	t.mu.Lock()
	notices := t.notices
	t.notices = nil
	t.mu.Unlock()
	return append(notices, t.cfg.Store.Notices()...)
}

// watch counts the waiting requests. While there are some it waits for the moment
// to make the Transport's one notice.
func (t *Transport) watch(delta int) {
	t.waiting += delta
	switch {
	case t.noticed:
	case t.waiting == 0:
		t.patience.Stop()
	case t.waiting == 1 && delta > 0:
		t.patience = time.AfterFunc(patience, t.notice)
	}
}

func (t *Transport) notice() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.noticed || t.waiting == 0 {
		return
	}
	t.noticed = true
	t.notices = append(t.notices, Notice{Kind: Waiting, Stats: t.stats()})
}
