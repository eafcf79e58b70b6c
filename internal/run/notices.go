// SPDX-License-Identifier: MPL-2.0

package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
	"github.com/assessascode/terraform-provider-assess/internal/throttle"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Notice adds a warning, unless there was one with the same key in this run.
func (r *Run) Notice(key string, warning finding.Finding) { r.notices.Once(key, warning) }

// Warn adds a warning.
func (r *Run) Warn(warning finding.Finding) { r.notices.Add(warning) }

// Notices returns the warnings since the last call, with those of the connection.
func (r *Run) Notices() (all []finding.Finding) {
	all = r.notices.Take()
	if r.connection != nil {
		for _, n := range r.connection.Notices() {
			all = append(all, connectionWarning(n))
		}
	}
	return all
}

func warning(summary, detail string) finding.Finding {
	return finding.Finding{Rule: finding.Rule{Summary: summary}, Warning: true, Detail: detail}
}

// Note returns the text of a notice for a program that has no diagnostics.
func Note(n connection.Notice) string {
	warning := connectionWarning(n)
	return warning.Summary + ". " + strings.ReplaceAll(warning.Detail, "\n\n", " ")
}

// connectionWarning returns the warning for a notice of the connection.
func connectionWarning(n connection.Notice) finding.Finding {
	switch n.Kind {
	case connection.Cached:
		return warning("A cache in front of the service answered", "An answer is older than this run, or lacks what this "+
			"run has changed, although the provider asks for answers that do not come from a cache. So this run may show "+
			"changes that do not exist, or overlook changes.\n\nTo fix this: ask the operator of the gateway in front of "+
			"base_url to exclude the service from the cache. Until then, run the command again after a few minutes.")
	case connection.BudgetUnusable:
		return warning("Could not share the budget of the API key", fmt.Sprintf(
			"All runs on this machine count their requests in one file, which cannot be used: %v. So this run counts only its "+
				"own requests. If other runs use the same API key, the service may reject requests because there are too "+
				"many (429).\n\nTo fix this: make the cache directory writable for this user only, or set HOME or XDG_CACHE_HOME "+
				"(LocalAppData on Windows) to such a directory. In a container without one, set coordination = \"none\".",
			n.Err))
	case connection.BudgetLocked:
		return warning("Budget of the API key is locked", fmt.Sprintf("Another process has locked the file in which all "+
			"runs on this machine count their requests: %v. Probably it was stopped, for example by Ctrl-Z. This run waits "+
			"for it, at most for retry_timeout.\n\nTo fix this: continue the other run, or end it.", n.Err))
	case connection.Waiting:
		return waitingWarning(n)
	default: // connection.ParametersRefused
		return parametersWarning(n)
	}
}

// parametersWarning says which parameters a service does not accept, and what that costs.
func parametersWarning(n connection.Notice) finding.Finding {
	if errors.Is(n.Err, assessapi.ErrIgnored) && n.Parameters == "assessment" {
		return warning(parametersIgnored, "The provider asked for the results of some assessments, but the service also "+
			"returned results of others, which the provider leaves out. The suitability of a candidate counts them, too, so it "+
			"is null.\n\nTo fix this: if you need the suitability, omit assessment_ids. Then it counts all assessments.")
	}
	if errors.Is(n.Err, assessapi.ErrIgnored) {
		return warning(parametersIgnored, fmt.Sprintf("A list contains only IDs, although the provider asked for more, "+
			"with the optional parameters %s. So names and other optional fields are missing.\n\nTo fix this: if an object is "+
			"not found by its name, use its ID instead.", n.Parameters))
	}
	effect, fix := "Lists may take more requests.", "You do not need to do anything."
	refuses := func(parameters ...string) bool {
		return slices.ContainsFunc(strings.Split(n.Parameters, " and "), func(refused string) bool {
			name, _, _ := strings.Cut(refused, "=")
			return slices.Contains(parameters, name)
		})
	}
	if refuses("fields") {
		effect = "Lists may take more requests, and names and other optional fields may be missing."
		fix = "To fix this: if an object is not found by its name, use its ID instead."
	}
	if refuses("title", "active", "candidate", "assessment") {
		effect += " The provider reads the whole list, and selects from it itself."
	}
	if refuses("assessment") {
		effect += " The suitability of a candidate is null if it counts assessments that were not asked for."
		fix = "To fix this: if you need the suitability, omit assessment_ids. Then it counts all assessments."
	}
	return warning("The service refuses optional parameters", fmt.Sprintf(
		"The service refused a request with the optional parameters %s. %s\n\nThe same request without these parameters "+
			"worked, so the run continues without them. %s\n\n%s", n.Parameters, Answer(n.Err), effect, fix))
}

const parametersIgnored = "The service ignores optional parameters"

const unreachable = "Could not reach the shared budget of the API key"

// NoSharedBudget is the error if a run cannot start without its shared budget.
func NoSharedBudget(err error) finding.Finding {
	return finding.Finding{Rule: finding.Rule{Summary: unreachable}, Detail: fmt.Sprintf(
		"A Redis or Valkey server counts the requests of the API key. %s.\n\nNothing was sent to the service.\n\n%s",
		words.Capitalized(err), fixBudget)}
}

// waitingWarning says why a run waits, with the current numbers.
func waitingWarning(n connection.Notice) finding.Finding {
	stats := n.Stats
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
			"time, was lost, or its Redis or Valkey server was restarted. Requests before that may be unknown, so the " +
			"limits count as used up for 75 seconds."
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
	return warning("Waiting for the service's rate limits", fmt.Sprintf(
		"Requests of this run have been waiting for 30 seconds. Sent so far: %d. Still waiting: at least %d. "+
			"%s\n\nNothing is wrong, and nothing is lost.%s", stats.Sent, stats.Waiting, reason, advice))
}
