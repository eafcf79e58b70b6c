// SPDX-License-Identifier: MPL-2.0

package run

import (
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
	return Warning("Waiting for the service's rate limits", "")
}
