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
	// Configuration is what the update sends. It has no profile if the update keeps a supervisor's work.
	Configuration assessapi.Configuration
	Send          bool    // whether Configuration differs from what the service has
	was, wants    *string // the IDs of the profile in the state and in the plan
	supervised    bool    // whether a supervisor has completed the profile
	onChange      OnChange
}

// ChangeOf returns the change from the configuration in the state to the planned configuration. supervised is whether a
// supervisor has completed the profile. The service then no longer returns the ID of the profile.
func ChangeOf(has, wants assessapi.Configuration, supervised bool, onChange OnChange) Change {
	c := Change{
		Configuration: wants, was: has.Profile, wants: wants.Profile, supervised: supervised, onChange: onChange,
	}
	if supervised {
		has.Profile = nil
	}
	if supervised && !c.discards() {
		c.Configuration.Profile = nil // a request without a profile keeps the supervisor's work
	}
	c.Send = !Equal(has, c.Configuration)
	return c
}

const completed = "A supervisor has completed the profile of this position assessment."

// hasSameProfile reports whether the plan has the profile of the state.
func (c Change) hasSameProfile() bool { return c.was != nil && c.wants != nil && *c.was == *c.wants }

// discards reports whether the update replaces the profile that a supervisor has completed.
func (c Change) discards() bool {
	return c.supervised && c.wants != nil && (c.onChange == Reattach || !c.hasSameProfile())
}

// MayReattach reports whether the value of on_supervisor_change is not known yet and decides whether the update
// discards a supervisor's work. The value decides this if the plan has the same profile as the state, or if the state
// has no profile. A profile that differs from the profile in the state always discards the work.
func (c Change) MayReattach() bool {
	return c.supervised && c.onChange == Undecided && c.wants != nil && (c.was == nil || c.hasSameProfile())
}

// CheckProfile returns a finding if an update discards or may discard a supervisor's work. If the configuration has a
// profile and the state has none, the finding is an error, unless on_supervisor_change is or may be "reattach". All
// other findings are warnings. label returns the name of a profile.
func (c Change) CheckProfile(label func(id string) assessapi.Label) []messages.Finding {
	switch {
	case c.MayReattach() && c.was == nil:
		return maybeReattached(fmt.Sprintf("profile %s", label(*c.wants)), "")
	case c.MayReattach():
		return maybeReattached(fmt.Sprintf("profile %s", label(*c.wants)), "the apply keeps the work")
	case !c.discards():
		return nil
	case c.onChange == Reattach:
		return messages.Warn(ProfileReplaced, []string{"profile", "on_supervisor_change"}, "%s Because "+
			"on_supervisor_change is \"reattach\", the apply attaches profile %s. This discards that work "+
			"permanently.\n\nTo fix this: if you want to keep the work, %s.", completed, label(*c.wants), c.undoReattach(label))
	case c.was == nil:
		return messages.Reject(ProfileCompleted, []string{"profile"}, "%s The configuration attaches another profile, %s. "+
			"That would discard the supervisor's work.\n\nTo fix this: if you want to keep the work, remove the block "+
			"\"profile\". To discard the work, set on_supervisor_change = \"reattach\" in the block. To replace the position "+
			"assessment instead, run "+messages.Taint+", and plan again. The option -replace does not work here.",
			completed, label(*c.wants))
	}
	return messages.Warn(ProfileReplaced, []string{"profile", "id"}, "%s Attaching profile %s discards that work "+
		"permanently.\n\nTo fix this: if you want to keep the work, set the ID back to %s.",
		completed, label(*c.wants), label(*c.was))
}

// undoReattach says how to keep a supervisor's work if on_supervisor_change is "reattach".
func (c Change) undoReattach(label func(id string) assessapi.Label) string {
	switch {
	case c.was == nil:
		return "remove the block \"profile\""
	case c.hasSameProfile():
		return "remove on_supervisor_change"
	}
	return fmt.Sprintf("remove on_supervisor_change, and set the ID back to %s", label(*c.was))
}

// CheckUnknownProfile does what [Change.CheckProfile] does, for an update to a profile whose ID is not known yet. A
// supervisor must have completed the present profile. was is the profile in the state, or nil if the state has none.
func CheckUnknownProfile(was *assessapi.Label, onChange OnChange) []messages.Finding {
	switch {
	case onChange == Undecided && was == nil:
		return maybeReattached("the configured profile", "")
	case onChange == Undecided:
		return maybeReattached("the configured profile", fmt.Sprintf(
			"the apply keeps the work only if the ID of the configured profile is %s", *was))
	case onChange == Reattach:
		keep := "remove the block \"profile\""
		if was != nil {
			keep = fmt.Sprintf("remove on_supervisor_change, and set the ID back to %s", *was)
		}
		path := []string{"profile", "on_supervisor_change"}
		return messages.Warn(ProfileReplaced, path, "%s Because on_supervisor_change is \"reattach\", the apply attaches "+
			"the configured profile, whose ID is not known yet. This discards that work permanently.\n\nTo fix this: if you "+
			"want to keep the work, %s.", completed, keep)
	case was == nil:
		return messages.Reject(ProfileCompleted, []string{"profile"}, "%s The configuration attaches another profile, "+
			"whose ID is not known yet. That would discard the supervisor's work.\n\nTo fix this: if you want to keep the "+
			"work, remove the block \"profile\". To discard the work, set on_supervisor_change = \"reattach\" in the block.", completed)
	}
	path := []string{"profile", "id"}
	return messages.Warn(ProfileMaybeReplaced, path, "%s The ID of the configured profile is not known yet. If it is not "+
		"%s, the apply discards that work permanently.\n\nTo fix this: use an ID that is known when you "+
		"plan.", completed, *was)
}

// maybeReattached warns that the value of on_supervisor_change is not known yet. keeps says what happens if the value
// is not "reattach". keeps is empty if the apply then fails.
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
