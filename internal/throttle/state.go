// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"cmp"
	"runtime"
	"slices"
	"time"
)

// State is the slots of one budget. Its methods are the rules that grant slots, which are the same as in
// redis/limiter.lua. All instants are in milliseconds on the clock of the store. They are rounded such that no slot
// ends too early.
type State struct {
	Windows map[string]slots `json:"windows,omitempty"`
	Runs    slots            `json:"runs,omitempty"` // when each run asked last
	Next    waiting          `json:"next,omitzero"`  // the waiting queue that comes first
	Full    int64            `json:"full,omitempty"` // until when windows that are not in Windows are full
}

// slots are the occupied slots of a window, by the time at which they end. The tokens full and hold are not slots of
// requests: while a window has one of them, it has no free slot.
type slots []slot

type slot struct {
	Token string `json:"t"`
	Until int64  `json:"u"`
}

const (
	tokenFull = "full" // after a loss
	tokenHold = "hold" // after a 429
)

// waiting is the queue that comes first. Before Until, queues that use more slots leave this queue twice as many slots
// as it wants, in the window that had no free slot.
type waiting struct {
	Until  int64  `json:"u"`
	Want   int    `json:"w"`
	Used   int    `json:"n"`
	Queue  string `json:"q"`
	Window string `json:"l"`
}

const (
	// firstFor is how long a queue stays first after it was served, in milliseconds, because the callers that were
	// served may send further requests. They can do so after a second, when slots of the shortest window are free
	// again. The other half second is the time to ask for slots.
	firstFor = 1500
	// seenFor is how long a budget counts as shared after another run has asked, in milliseconds.
	seenFor = 600_000
)

// clockStep is how far the clock of the machine can be behind, in milliseconds, because the clock advances in steps of
// this length.
var clockStep = map[string]int64{"windows": 16}[runtime.GOOS]

// until returns until when a token occupies a slot.
func (s slots) until(token string) (until int64, found bool) {
	i := slices.IndexFunc(s, func(s slot) bool { return s.Token == token })
	if i < 0 {
		return 0, false
	}
	return s[i].Until, true
}

// put makes a token occupy a slot until the given time. If the token already has a slot, the new slot replaces it. The
// slots stay sorted by their end.
func (s *slots) put(token string, until int64) {
	*s = slices.DeleteFunc(*s, func(s slot) bool { return s.Token == token })
	i, _ := slices.BinarySearchFunc(*s, until, func(s slot, until int64) int { return cmp.Compare(s.Until, until) })
	*s = slices.Insert(*s, i, slot{token, until})
}

func (s *slots) expire(now int64) {
	*s = slices.DeleteFunc(*s, func(s slot) bool { return s.Until <= now })
}

// begin removes expired slots from the windows of an operation, and adds the windows that the state does not have.
func (s *State) begin(now int64, op Operation) {
	if s.Windows == nil {
		s.Windows = map[string]slots{}
	}
	for _, w := range op {
		window, known := s.Windows[w.ID()]
		window.expire(now)
		if !known && s.Full > now {
			window.put(tokenFull, s.Full)
		}
		s.Windows[w.ID()] = window
	}
}

// Release records that the request of a token was answered, so its slots stay occupied for the length of each window.
// It also counts a token that the state does not have, because the token expired or was lost. If hold is not zero, it
// holds the last window for this time.
func (s *State) Release(now int64, op Operation, token string, hold time.Duration) {
	s.begin(now, op)
	now += clockStep // when the response arrived, at the latest
	for i, w := range op {
		window := s.Windows[w.ID()]
		window.put(token, now+1+w.Per.Milliseconds())
		until, _ := window.until(tokenHold)
		if i == len(op)-1 && hold > 0 {
			window.put(tokenHold, max(until, now+hold.Milliseconds()))
		}
		s.Windows[w.ID()] = window
	}
}

// Acquire takes slots for as many tokens as possible, from the first token on. A token that already has slots keeps
// them for longer, even during a hold. If not all tokens get slots, the Grant says how long to wait before asking
// again. Acquire also updates Runs and Next. ask must have at least one window.
func (s *State) Acquire(now int64, ask Ask) Grant {
	s.begin(now, ask.Operation)
	isShared := s.recordRun(now, ask)
	g := Grant{Shared: isShared, At: time.Now()}
	free := make([]int, len(ask.Operation))
	for i, w := range ask.Operation {
		free[i] = s.free(now, ask, w, isShared)
	}
	renewed := s.grantedBefore(ask)
	missing := len(ask.Tokens) - renewed
	granted := max(min(missing, slices.Min(free)), 0)
	wait := int64(0)
	if granted < missing {
		wait, g.Window, g.Cause = s.longestWait(now, ask, free, granted)
	}
	g.Granted, g.Wait = renewed+granted, time.Duration(wait)*time.Millisecond
	s.occupy(now, ask, ask.Tokens[:g.Granted])
	s.enqueue(now, ask, g)
	return g
}

// grantedBefore returns how many of the first tokens already have all their slots, because an earlier answer was lost
// or late. It checks only the first window, which is the shortest, so its slots end first.
func (s *State) grantedBefore(ask Ask) int {
	window := s.Windows[ask.Operation[0].ID()]
	i := slices.IndexFunc(ask.Tokens, func(token string) bool {
		_, has := window.until(token)
		return !has
	})
	if i < 0 {
		return len(ask.Tokens)
	}
	return i
}

// occupy takes a slot in each window for each of these tokens. If a token already has slots, they last longer.
func (s *State) occupy(now int64, ask Ask, tokens []string) {
	for _, w := range ask.Operation {
		window := s.Windows[w.ID()]
		for _, token := range tokens {
			window.put(token, now+ask.MaxInFlight.Milliseconds()+w.Per.Milliseconds())
		}
		s.Windows[w.ID()] = window
	}
}

// recordRun records that a run asks, and reports whether another run has asked since this run began, within the last
// ten minutes. So a run does not share the budget with a run that ended before it. For an ask without tokens, recordRun
// records nothing and returns false.
func (s *State) recordRun(now int64, ask Ask) (isShared bool) {
	s.Runs.expire(now - seenFor)
	if len(ask.Tokens) == 0 {
		return false
	}
	s.Runs.put(ask.Run, now)
	since := now - min(ask.Age.Milliseconds(), seenFor)
	return slices.ContainsFunc(s.Runs, func(r slot) bool { return r.Token != ask.Run && r.Until >= since })
}

// free returns how many slots of a window are free for the queue that asks. The result is negative if the queue must
// leave more slots to others than are free.
func (s *State) free(now int64, ask Ask, w Window, isShared bool) int {
	window := s.Windows[w.ID()]
	_, full := window.until(tokenFull)
	_, hold := window.until(tokenHold)
	if full || hold {
		return 0
	}
	if isShared && ask.Used >= w.Reserve {
		w.Limit -= w.Reserve
	}
	return w.Limit - len(window) - s.leftToFirst(now, ask, w)
}

// leftToFirst returns how many slots of a window the queue that asks leaves to the first of the waiting queues.
func (s *State) leftToFirst(now int64, ask Ask, w Window) int {
	if s.Next.Until > now && s.Next.Queue != ask.Queue && s.Next.Used < ask.Used && s.Next.Window == w.ID() {
		return 2 * s.Next.Want
	}
	return 0
}

// longestWait returns the longest time for which a window has no further slot, the index of this window, and why it has
// none. free is how many slots of each window are free, and granted is how many of them are granted.
func (s *State) longestWait(now int64, ask Ask, free []int, granted int) (wait int64, window int, cause Cause) {
	for i, w := range ask.Operation {
		if free[i] > granted {
			continue
		}
		if blocked, why := s.blocked(now, ask, w, free[i]); blocked > wait {
			wait, window, cause = blocked, i, why
		}
	}
	return wait, window, cause
}

// blocked returns how long a window is certain to have no further slot for the queue that asks, and why. free is the
// result of State.free, so further slots are missing if it is negative.
func (s *State) blocked(now int64, ask Ask, w Window, free int) (wait int64, cause Cause) {
	window := s.Windows[w.ID()]
	if until, full := window.until(tokenFull); full {
		return until - now, Loss
	}
	if until, hold := window.until(tokenHold); hold {
		return until - now, Hold
	}
	wait = window.untilExpired(now, w, 1+max(-free, 0))
	if s.leftToFirst(now, ask, w) > 0 {
		wait = min(wait, s.Next.Until-now)
	}
	return wait, Limit
}

// untilExpired returns how long it takes at least until N slots have expired, where N is the parameter count. The
// result is never longer than the window w, plus rounding, and it has this length if there are fewer than N slots. A
// slot of a request in flight may last longer, but if the response arrives now, the slot expires one window later.
func (s slots) untilExpired(now int64, w Window, count int) int64 {
	longest := w.Per.Milliseconds() + clockStep + 2 // see Release. In a store, both instants are rounded
	if count > len(s) {
		return longest
	}
	return min(longest, s[count-1].Until-now)
}

// enqueue updates Next, the first of the waiting queues, after a Grant. If the queue waits, it becomes the first if no
// other queue is first, or if the first queue uses more slots. If the first queue does not wait, it stays the first for
// at most firstFor. A wait because of a Loss or a Hold does not count.
func (s *State) enqueue(now int64, ask Ask, g Grant) {
	missing := len(ask.Tokens) - g.Granted
	waits := missing > 0 && g.Cause == Limit
	if s.Next.Until <= now {
		s.Next = waiting{} // no queue is the first
	}
	isFirst, noneIsFirst := s.Next.Queue == ask.Queue, s.Next.Queue == ""
	switch {
	case waits && (isFirst || noneIsFirst || ask.Used < s.Next.Used):
		s.Next = waiting{
			Until: now + g.Wait.Milliseconds() + firstFor, Want: missing,
			Used: ask.Used, Queue: ask.Queue, Window: ask.Operation[g.Window].ID(),
		}
	case !waits && isFirst: // its callers may send as many requests again, in the same window
		s.Next.Until, s.Next.Want, s.Next.Used = now+firstFor, len(ask.Tokens), ask.Used
	}
}
