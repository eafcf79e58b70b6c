// SPDX-License-Identifier: MPL-2.0

package run

import (
	"fmt"
	"strings"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// notices are warnings that wait for the next call that can report them.
type notices struct {
	mu    sync.Mutex
	queue []finding.Finding
	said  map[string]bool // keys of notices
}

func (n *notices) once(key string, warning finding.Finding) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.said[key] {
		return
	}
	if n.said == nil {
		n.said = map[string]bool{}
	}
	n.said[key] = true
	n.queue = append(n.queue, warning)
}

func (n *notices) take() []finding.Finding {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.queue
	n.queue = nil
	return taken
}

// forget lets each notice be said again, in a new run.
func (n *notices) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = nil
}

// Warning returns a warning for [Run.Notice].
func Warning(summary, detail string) finding.Finding {
	return finding.Finding{Rule: finding.Rule{Summary: summary}, Warning: true, Detail: detail}
}

// Note returns the text of a notice for a command, which has no diagnostics.
func Note(warning finding.Finding) string {
	return warning.Summary + ". " + strings.ReplaceAll(warning.Detail, "\n\n", " ")
}

// clientWarning words a warning of the client.
func clientWarning(w assessapi.Warning) finding.Finding { return Warning(w.Summary, w.Detail) }

// NoSharedBudget is the error if a run cannot start without its shared budget.
func NoSharedBudget(err error) finding.Finding {
	return finding.Finding{
		Rule: finding.Rule{Summary: "Could not reach the shared budget of the API key"},
		Detail: "A Redis or Valkey server counts the requests of the API key. " + words.Capitalized(err) +
			".\n\nNothing was sent to the service.\n\n" + fixBudget,
	}
}

// limitsWarning words a notice of the limiter.
func limitsWarning(n throttle.Notice) finding.Finding {
	switch n.Kind {
	case throttle.Alone:
		return Warning("Could not share the budget of the API key", fmt.Sprintf(
			"All runs on this machine count their requests in one file, which cannot be used: %v. So this run counts only its "+
				"own requests. If other runs use the same API key, the service may reject requests because there are too many "+
				"(429).\n\nTo fix this: make the cache directory writable for this user only, or set HOME or XDG_CACHE_HOME "+
				"(LocalAppData on Windows) to such a directory. In a container without one, set coordination = \"none\".", n.Err))
	case throttle.Locked:
		return Warning("Budget of the API key is locked", fmt.Sprintf("Another process has locked the file in which all "+
			"runs on this machine count their requests: %v. Probably it was stopped, for example by Ctrl-Z. This run "+
			"waits for it, at most for retry_timeout.\n\nTo fix this: continue the other run, or end it.", n.Err))
	case throttle.Waiting:
	}
	return waitingWarning(n.Stats)
}

// waitingWarning says why a run waits, with the current numbers.
func waitingWarning(stats throttle.Stats) finding.Finding {
	limit := fmt.Sprintf("the service's limit of %s", stats.Window)
	reason := "The reason is " + limit + ", which cannot be changed."
	advice := " If several runs use this API key, do not start them at the same time, or give each configuration an API " +
		"key of its own. Then they finish earlier."
	switch {
	case stats.Cause == throttle.Hold:
		reason = "The reason is that the service answered 429 (too many requests). Usually, another program uses the same " +
			"API key."
	case stats.Cause == throttle.Loss:
		reason = "The reason is that the budget in which runs count the requests of the API key is used for the first " +
			"time, was lost, its Redis or Valkey server was restarted, a clock was set, or this machine slept. Requests " +
			"before that may be unknown, so the limits count as used up for 75 seconds."
		advice = " If this happens often, see the guide \"Rate limits\"."
	case stats.Cause == throttle.Share:
		reason = fmt.Sprintf("The reason is this run's share of the limit, %s.", stats.Window)
		advice = " To make this run faster, raise share in the block rate_limit."
	case stats.Cause == throttle.SlowStore:
		reason = "The reason is that the Redis or Valkey server (or the file) in which runs count the requests of the API " +
			"key takes most of the time to answer, or does not answer now."
		advice = " To make this run faster, use a server that is near, and check the network."
	case stats.Shared || stats.Cause == throttle.OtherRun:
		reason = "The reason is that other runs use the same API key, and share " + limit + " with this run."
	}
	return Warning("Waiting for the service's rate limits", fmt.Sprintf(
		"Requests of this run have been waiting for 30 seconds. Sent so far: %d. Still waiting: at least %d. "+
			"%s\n\nNothing is wrong, and nothing is lost.%s", stats.Sent, stats.Waiting, reason, advice))
}
