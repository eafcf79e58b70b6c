// SPDX-License-Identifier: MPL-2.0

package run

import (
	"fmt"
	"strings"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// notices are warnings that wait for the next call that can report them.
type notices struct {
	mu    sync.Mutex
	queue []messages.Finding
	keys  map[string]bool // of the warnings of this run
}

// Warn adds a warning, unless there was one with the same key in this run.
func (r *Run) Warn(key, summary, detail string) {
	n := &r.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.keys[key] {
		n.keys[key] = true
		n.queue = append(n.queue, messages.Warning(summary, detail))
	}
}

// Notices returns the warnings that were added since the last call of Notices.
func (r *Run) Notices() []messages.Finding {
	n := &r.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.queue
	n.queue = nil
	return taken
}

// clear lets each warning be reported again, in a new run.
func (n *notices) clear() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.keys)
}

// Note returns the text of a notice for a command, which has no diagnostics.
func Note(warning messages.Finding) string {
	return warning.Summary + ". " + strings.ReplaceAll(warning.Detail, "\n\n", " ")
}

// warnLimits adds a warning for a notice of the limiter or its store, once in a run for each kind of notice.
func (r *Run) warnLimits(n throttle.Notice) {
	key := fmt.Sprint("limits ", n.Kind)
	switch n.Kind {
	case throttle.Alone:
		r.Warn(key, "Could not share the budget of the API key", fmt.Sprintf(
			"Your runs on this machine count their requests in one file, which cannot be used: %v. So this run counts only its "+
				"own requests. If other runs use the same API key, the service may reject requests because there are too many "+
				"(429).\n\nTo fix this: make the cache directory writable for this user only, or set HOME or XDG_CACHE_HOME "+
				"(LocalAppData on Windows) to such a directory. In a container without one, set coordination = \"none\".",
			cause(n.Err)))
	case throttle.Locked:
		r.Warn(key, "Budget of the API key is locked", fmt.Sprintf("Another process has locked the file in which your "+
			"runs on this machine count their requests: %v. Probably it was stopped, for example by Ctrl-Z. This run "+
			"waits for it, at most for retry_timeout.\n\nTo fix this: continue the other run, or end it.", n.Err))
	case throttle.Waiting:
		r.Warn(key, "Waiting for the service's rate limits", waitingDetail(n.Stats))
	}
}

// waitingDetail says how many requests wait, why, and how the run could finish earlier.
func waitingDetail(stats throttle.Stats) string {
	reason, advice := whyWaiting(stats)
	return fmt.Sprintf("Requests of this run have been waiting for 30 seconds. Sent so far: %d. Still waiting: at least "+
		"%d. The reason is %s.\n\nNothing is wrong, and nothing is lost. %s", stats.Sent, stats.Waiting, reason, advice)
}

// useApart is the advice if several runs may use the same limits.
const useApart = "If several runs use this API key, do not start them at the same time, or give each configuration " +
	"an API key of its own. Then they finish earlier."

// whyWaiting returns why requests wait, to follow "The reason is", and advice, as sentences.
func whyWaiting(stats throttle.Stats) (reason, advice string) {
	switch {
	case stats.Cause == throttle.Hold:
		return "that the service answered 429 (too many requests). Usually, another program uses the same API key", useApart
	case stats.Cause == throttle.Loss:
		return "that earlier requests may not have been counted: the budget of the API key is new or was lost, its Redis " +
			"or Valkey server was restarted, a clock was set, or this machine slept. So the limits count as used up for 75 " +
			"seconds", "If this happens often, see the guide \"Rate limits\"."
	case stats.Cause == throttle.Share:
		return "that this run may use only a share of the service's limits",
			"To make this run faster, raise share in the block rate_limit."
	case stats.Cause == throttle.SlowStore:
		return "that the Redis or Valkey server (or the file) in which runs count the requests of the API key takes most " +
				"of the time to answer, or does not answer now",
			"To make this run faster, use a server that is near (or a local file), and check the network."
	case stats.Shared:
		return fmt.Sprintf("that other runs use the same API key, and share the service's limit of %s with this run",
			stats.Window), useApart
	}
	return fmt.Sprintf("the service's limit of %s, which cannot be changed", stats.Window), useApart
}
