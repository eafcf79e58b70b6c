// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// OnChange is the value of the attribute on_supervisor_change.
type OnChange string

// Values of [OnChange].
const (
	Keep      OnChange = "keep"
	Reattach  OnChange = "reattach"
	Undecided OnChange = "" // the value is not known yet
)

// Change is an update of a position assessment whose planned metadata is completely known.
type Change struct {
	Configuration assessapi.Configuration // that the update sends
	Send          bool                    // whether the planned configuration differs from the service
	discards      bool                    // whether it would discard the profile that a supervisor has completed
	decides       bool                    // whether onChange decides what happens to that profile
	onChange      OnChange
	was           *string // the ID of the profile in the state
}

// ChangeOf returns the change from the configuration in the state to the planned configuration. supervised is whether a
// supervisor has completed the profile. The service then no longer returns the ID of the profile.
func ChangeOf(has, wants assessapi.Configuration, supervised bool, onChange OnChange) Change {
	c := Change{Configuration: wants, onChange: onChange, was: has.Profile}
	if supervised {
		has.Profile = nil
		c.decides = wants.Profile != nil && (c.was == nil || *c.was == *wants.Profile)
		c.discards = wants.Profile != nil && (onChange == Reattach || c.was == nil || *c.was != *wants.Profile)
		if !c.discards {
			wants.Profile = nil // keep the supervisor's work
		}
	}
	c.Send = !Equal(has, wants)
	return c
}

const completed = "A supervisor has completed the profile of this position assessment."

// MayReattach reports whether the value of on_supervisor_change is not known yet, and decides whether the update
// discards a supervisor's work.
func (c Change) MayReattach() bool { return c.decides && c.onChange == Undecided }

// Supervised returns a finding if an update discards or may discard a supervisor's work. If the configuration has a
// profile and the state has none, the finding is an error, unless on_supervisor_change is or may be "reattach".
// Otherwise, it is a warning. label returns the name of a profile.
func (c Change) Supervised(label func(id string) assessapi.Label) []messages.Finding {
	path := []string{"profile"}
	switch {
	case c.MayReattach():
		keeps := ""
		if c.was != nil {
			keeps = "the apply keeps the work"
		}
		return maybeReattached(fmt.Sprintf("profile %s", label(*c.Configuration.Profile)), keeps)
	case !c.discards:
		return nil
	case c.onChange == Reattach:
		keep := "remove on_supervisor_change"
		if c.was == nil {
			keep = "remove the block \"profile\""
		} else if *c.was != *c.Configuration.Profile {
			keep += fmt.Sprintf(", and set the ID back to %s", label(*c.was))
		}
		return messages.Warn(ProfileReplaced, append(path, "on_supervisor_change"), "%s Because on_supervisor_change is "+
			"\"reattach\", the apply attaches profile %s. This discards that work permanently.\n\nTo fix this: if you want to "+
			"keep the work, %s.", completed, label(*c.Configuration.Profile), keep)
	case c.was == nil:
		return messages.Reject(ProfileCompleted, path, "%s The configuration attaches another profile, %s. That would "+
			"discard the supervisor's work.\n\nTo fix this: if you want to keep the work, remove the block \"profile\". "+
			"To discard the work, set on_supervisor_change = \"reattach\" in the block. To replace the position "+
			"assessment instead, run "+messages.Taint+", and plan again. The option -replace does not work here.",
			completed, label(*c.Configuration.Profile))
	}
	return messages.Warn(ProfileReplaced, append(path, "id"), "%s Attaching profile %s discards that work "+
		"permanently.\n\nTo fix this: if you want to keep the work, set the ID back to %s.",
		completed, label(*c.Configuration.Profile), label(*c.was))
}

// MaybeSupervised is [Change.Supervised] for a profile whose ID is not known yet. was is the profile that the
// supervisor has replaced, or nil.
func MaybeSupervised(was *assessapi.Label, onChange OnChange) []messages.Finding {
	path := []string{"profile", "id"}
	switch {
	case onChange == Undecided && was == nil:
		return maybeReattached("the configured profile", "")
	case onChange == Undecided:
		return maybeReattached("the configured profile", fmt.Sprintf(
			"the apply keeps the work only if the ID of the configured profile is %s", *was))
	case onChange == Reattach:
		return messages.Warn(ProfileReplaced, path, "%s Because on_supervisor_change is \"reattach\", the apply attaches "+
			"the configured profile, whose ID is not known yet. This discards that work permanently.\n\nTo fix this: if you "+
			"want to keep the work, remove on_supervisor_change.", completed)
	case was == nil:
		return messages.Reject(ProfileCompleted, path[:1], "%s The configuration attaches another profile, whose ID is not "+
			"known yet. That would discard the supervisor's work.\n\nTo fix this: if you want to keep the work, remove the "+
			"block \"profile\". To discard the work, set on_supervisor_change = \"reattach\" in the block.", completed)
	}
	return messages.Warn(ProfileMaybeReplaced, path, "%s The ID of the configured profile is not known yet. If it is not "+
		"%s, the apply discards that work permanently.\n\nTo fix this: use an ID that is known when you "+
		"plan.", completed, *was)
}

// maybeReattached warns that the value of on_supervisor_change is not known yet. keeps says what happens if the value
// is not "reattach". It is empty if the apply then fails.
func maybeReattached(profile, keeps string) []messages.Finding {
	fix := "set on_supervisor_change to \"keep\" or \"reattach\", without a reference to another resource."
	if keeps == "" {
		keeps = "the apply fails, because the new block \"profile\" would discard the work"
		fix = "if you want to keep the work, remove the block \"profile\". To discard the work, set " +
			"on_supervisor_change = \"reattach\" in the block."
	}
	return messages.Warn(ProfileMaybeReplaced, []string{"profile", "on_supervisor_change"}, "%s The value of "+
		"on_supervisor_change is not known yet. If it is \"reattach\", the apply attaches %s, and permanently discards the "+
		"supervisor's work. Otherwise, %s.\n\nTo fix this: %s", completed, profile, keeps, fix)
}
