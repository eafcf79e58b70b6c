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

// CheckProfile returns a finding if an update discards or may discard a supervisor's work. If the plan has a profile
// and the state has none, the finding is an error, unless on_supervisor_change is or may be "reattach". All other
// findings are warnings. label returns a profile's ID with its name.
func (c Change) CheckProfile(label func(id string) assessapi.Label) []messages.Finding {
	if !c.supervised || c.wants == nil {
		return nil
	}
	wants := fmt.Sprintf("profile %s", label(*c.wants))
	if c.was == nil {
		return checkAdded(wants, c.onChange)
	}
	was := label(*c.was)
	switch {
	case c.MayReattach():
		return maybeReattached(wants, "the apply keeps the work", decideChange)
	case !c.discards():
		return nil
	case c.onChange == Reattach && c.hasSameProfile():
		return reattached(wants, "remove on_supervisor_change")
	case c.onChange == Reattach:
		return reattached(wants, fmt.Sprintf(restore, was))
	}
	keep := fmt.Sprintf("set the ID back to %s", was)
	if c.onChange == Undecided { // perhaps "reattach"
		keep = fmt.Sprintf(restore, was)
	}
	return messages.Warn(ProfileReplaced, []string{"profile", "id"}, "%s Attaching %s discards that work permanently.\n\n"+
		"To fix this: if you want to keep the work, %s.", completed, wants, keep)
}

// CheckUnknownProfile does what [Change.CheckProfile] does, for an update to a profile whose ID is not known yet. A
// supervisor must have completed the present profile. was is the profile in the state, or nil if the state has none.
func CheckUnknownProfile(was *assessapi.Label, onChange OnChange) []messages.Finding {
	const wants = "the configured profile, whose ID is not known yet"
	switch {
	case was == nil:
		return checkAdded(wants, onChange)
	case onChange == Undecided:
		return maybeReattached(wants, fmt.Sprintf(
			"the apply keeps the work only if the ID of the configured profile is %s", *was), decideChange)
	case onChange == Reattach:
		return reattached(wants, fmt.Sprintf(restore, *was))
	}
	return messages.Warn(ProfileMaybeReplaced, []string{"profile", "id"}, "%s The ID of the configured profile is not "+
		"known yet. If it is not %s, the apply discards that work permanently.\n\nTo fix this: use an ID that is known "+
		"when you plan.", completed, *was)
}

// checkAdded rejects a profile if the state has none and a supervisor has completed the profile. If
// on_supervisor_change is or may be "reattach", it warns instead.
func checkAdded(profile string, onChange OnChange) []messages.Finding {
	const choose = "if you want to keep the work, remove the block \"profile\". To discard the work, set " +
		"on_supervisor_change = \"reattach\" in the block."
	if onChange == Undecided {
		return maybeReattached(profile, "the apply fails, because the new block \"profile\" would discard the work", choose)
	}
	if onChange == Reattach {
		return reattached(profile, "remove the block \"profile\"")
	}
	return messages.Reject(ProfileCompleted, []string{"profile"}, "%s The new block \"profile\" would discard that work, "+
		"and attach %s.\n\nTo fix this: "+choose+" To replace the position assessment instead, run "+messages.Taint+", and "+
		"plan again. The option -replace does not work here.", completed, profile)
}

// reattached warns that the update attaches a profile, because on_supervisor_change is "reattach". keep says how to
// keep the supervisor's work.
func reattached(profile, keep string) []messages.Finding {
	return messages.Warn(ProfileReplaced, []string{"profile", "on_supervisor_change"}, "%s Because "+
		"on_supervisor_change is \"reattach\", the apply attaches %s. This discards that work permanently.\n\nTo fix this: "+
		"if you want to keep the work, %s.", completed, profile, keep)
}

// Fixes in messages.
const (
	decideChange = "set on_supervisor_change to \"keep\" or \"reattach\", without a reference to another resource."
	restore      = "remove on_supervisor_change, and set the ID back to %s"
)

// maybeReattached warns that the value of on_supervisor_change is not known yet. otherwise says what happens if the
// value is not "reattach".
func maybeReattached(profile, otherwise, fix string) []messages.Finding {
	return messages.Warn(ProfileMaybeReplaced, []string{"profile", "on_supervisor_change"}, "%s The value of "+
		"on_supervisor_change is not known yet. If it is \"reattach\", the apply attaches %s, and permanently discards the "+
		"supervisor's work. Otherwise, %s.\n\nTo fix this: %s", completed, profile, otherwise, fix)
}
