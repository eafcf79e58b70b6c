// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// noticeDiagnostic words what the engine has to say although nothing failed.
func (c *configured) noticeDiagnostic(n engine.Notice) diag.Diagnostic {
	switch n.Kind {
	case engine.ListNotShown:
		return newWarning("Could not check the "+n.List, fmt.Sprintf(
			"This service does not list %s: %s The plan does not check them. The service decides at apply.",
			n.List,
			answered(n.Err),
		))
	case engine.NoteNotWritten:
		return newWarning("Could not note a replacement", fmt.Sprintf(
			"The apply of this plan must know that %s is replaced, and the cache directory "+
				"cannot be written: %v. The apply may refuse the replacement as a duplicate.\n\nTo fix this: set HOME or "+
				"XDG_CACHE_HOME to a writable directory, or apply with ASSESS_PLAN_CHECKS=false.", c.named(n.Ref), n.Err))
	case engine.InvitationsUnknown:
		return c.invitationsUnknown(n)
	case engine.ManyRemovals:
		return newWarning(removalsUnchecked, "This plan removes or changes position assessments on more "+
			"than 30 positions, and the service allows 30 results requests a minute. The plan looks at 40 positions at most. "+
			"It cannot say whether candidates have been invited on the others. If so, the service refuses the removal at apply.")
	case engine.NoCacheDirectory:
		return newWarning(noSharing, "There is no cache directory. Other runs on this machine that use the "+
			"same API key may be refused with 429.\n\nTo fix this: set HOME or XDG_CACHE_HOME.")
	case engine.FellBackToHost:
		return fellBack(n.Err)
	case engine.BudgetUnusable:
		return newWarning(noSharing, fmt.Sprintf(
			"The file in which the runs on this machine share the rate limits cannot be used: %v. Other runs on this machine "+
				"that use the same API key may be refused with 429.", n.Err))
	case engine.BudgetRebuilt:
		return rebuiltBudget(n.Err)
	case engine.Waiting:
		return waiting(n)
	default: // engine.ServiceLimitation
		return newWarning(n.Summary, n.Detail)
	}
}

// onSnapshot warns that a run works on a copy of a service.
func onSnapshot(file string, origin *sandbox.Snapshot) diag.Diagnostic {
	return newWarning("Run on a snapshot", fmt.Sprintf(
		"This run uses %s, a snapshot of %s that was taken on %s. Later changes of that service are not in it, and neither "+
			"are its position assessments: what only the state has is kept as it is. An apply changes only this file, never "+
			"the service.\n\nTo use the service itself, remove the block \"sandbox\" and set base_url, client_id and api_key.",
		file, origin.BaseURL, origin.Taken.UTC().Format("2006-01-02 15:04 UTC")))
}

const removalsUnchecked = "Could not check all removals"

// invitationsUnknown says that a plan does not know whether a removal is refused.
func (c *configured) invitationsUnknown(n engine.Notice) diag.Diagnostic {
	position := c.PositionLabel(n.Ref.Position)
	reason := fmt.Sprintf("Position %s has more than 1000 candidates, and only the first 1000 were looked at.", position)
	if n.Err != nil {
		reason = fmt.Sprintf("Could not read the results of position %s. %s", position, answered(n.Err))
	}
	return newWarning(removalsUnchecked, reason+"\n\nThe plan cannot say whether candidates have been "+
		"invited. If so, the service refuses the removal at apply.")
}

const (
	noSharing = "Could not share the budget of the API key"
	rebuilt   = "Budget of the API key was rebuilt"
)

func rebuiltBudget(err error) diag.Diagnostic {
	if engine.IsSharedBudgetError(err) {
		return newWarning(rebuilt, fmt.Sprintf(
			"%s. It was rebuilt as if the limits had just been used up, so the runs that share it wait for a minute at most. "+
				"If this happens often, the server may lack memory, or lose its data when it restarts.", sentence(err)))
	}
	return newWarning(rebuilt, fmt.Sprintf(
		"The file in which the runs on this machine share the rate limits was damaged: %v. It was rebuilt as if the limits "+
			"had just been used up, so this run waits first.", err))
}

// checkBudget says what can be done about a shared budget that cannot be reached.
const checkBudget = "To fix this: check that address (\"coordination\" in the block \"rate_limit\" of the provider, " +
	"or the environment variable ASSESS_RATE_LIMIT_URL), its credentials, the server and the network. Then run it " +
	"again. To use the budget of this machine in such a case, set fallback = \"host\"."

const unreachable = "Could not reach the shared budget of the API key"

// noSharedBudget words that a run cannot start.
func noSharedBudget(err error) diag.Diagnostic {
	return newError(unreachable, fmt.Sprintf(
		"The server that shares the rate limits of the API key cannot be used. %s.\n\nNothing was sent to the service. %s",
		sentence(err), checkBudget))
}

// fellBack words that a run uses the budget of its machine.
func fellBack(err error) diag.Diagnostic {
	return newWarning(unreachable, fmt.Sprintf(
		"The server that shares the rate limits of the API key cannot be used. %s.\n\nBecause of \"fallback\", this run "+
			"shares the budget of this machine until it ends. While runs on other machines use the same key, requests may be "+
			"refused with 429.",
		sentence(err)))
}

// sentence makes a sentence of an error, without its full stop.
func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	return strings.ToUpper(text[:1]) + text[1:]
}

// waiting says why a run takes its time, with the current numbers.
func waiting(n engine.Notice) diag.Diagnostic {
	stats := n.Stats
	reason := fmt.Sprintf("The reason is the service's limit of %s, which cannot be changed.", stats.Window)
	switch {
	case stats.Held:
		reason = "The reason is that the service answered 429, so another program uses the same API key."
	case stats.OwnShare:
		reason = fmt.Sprintf("The reason is this run's share of the limit of %s. To use more of it, raise share in the "+
			"block rate_limit.", stats.Window)
	}
	return newWarning("Waiting for the service's rate limits", fmt.Sprintf(
		"Requests of this run have been waiting for 30 seconds: %d were sent so far, and at least %d are waiting. "+
			"%s\n\nNothing is wrong, and nothing is lost. To make runs faster: use fewer data sources that read results, run "+
			"fewer configurations at the same time, or use an API key of their own.", stats.Sent, stats.Waiting, reason))
}
