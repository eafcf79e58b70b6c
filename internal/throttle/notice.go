// SPDX-License-Identifier: MPL-2.0

package throttle

import "time"

// noticeAfter is how long requests must have been waiting before there is a notice.
const noticeAfter = 30 * time.Second

// Notice is something that the user should know. The receiver writes the message, and shows each kind only once.
type Notice struct {
	Kind  NoticeKind
	Stats Stats // set for Waiting
	Err   error // set for Alone, and for Locked, where it is the path of the lock file
}

// NoticeKind is the kind of a Notice.
type NoticeKind int

const (
	// Waiting means that requests have been waiting for 30 seconds without a break.
	Waiting NoticeKind = iota
	// Alone means that the file of the budget cannot be used, so this run counts only its own requests.
	Alone
	// Locked means that another process has locked the file for 5 seconds. The process was probably stopped.
	Locked
)

// Stats are the numbers of a Limiter.
type Stats struct {
	Sent    int    // requests that got their slots
	Waiting int    // requests that wait now
	Window  Window // the window for which most of the requests wait
	Cause   Cause  // why they wait
	Shared  bool   // other runs are at work
}

// Stats returns the current numbers. Window, Cause and Shared are those of the queue with the most waiting requests.
// They are zero if no request waits.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Stats{Sent: l.sent, Waiting: l.waiting}
	most := 0
	for _, q := range l.queues {
		if len(q.waiters) > most {
			most = len(q.waiters)
			s.Window, s.Cause, s.Shared = q.op[q.last.Window], q.cause(), q.last.Shared
		}
	}
	return s
}

// cause returns why the requests of the queue wait. The caller has locked Limiter.mu.
func (q *queue) cause() Cause {
	inStore := q.inStore
	if !q.asked.IsZero() { // the store has not answered yet
		inStore += time.Since(q.asked)
	}
	switch {
	case q.ofShare:
		return Share
	case inStore > noticeAfter/2: // more than half of the wait before a notice
		return SlowStore
	}
	return q.last.Cause
}

// watch adds delta to the number of waiting requests. While requests wait, a timer runs, which sends the notice
// Waiting.
func (l *Limiter) watch(delta int) {
	before := l.waiting
	l.waiting += delta
	switch {
	case before == 0 && l.waiting > 0:
		l.noticeTimer = time.AfterFunc(noticeAfter, l.notice)
	case before > 0 && l.waiting == 0:
		l.noticeTimer.Stop()
	}
}

func (l *Limiter) notice() {
	if stats := l.Stats(); stats.Waiting > 0 && l.cfg.OnNotice != nil {
		l.cfg.OnNotice(Notice{Kind: Waiting, Stats: stats})
	}
}
