// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"regexp"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// withProfile returns a configuration with a profile, or without one if the ID is empty.
func withProfile(id string) (c assessapi.Configuration) {
	if id != "" {
		c.Profile = &id
	}
	return c
}

// An update keeps a supervisor's work, unless the plan has warned that it is discarded.
func TestSupervisedProfile(t *testing.T) {
	t.Parallel()
	replaced, maybe, rejected := rules.ProfileReplaced, rules.ProfileMaybeReplaced, rules.ProfileCompleted
	for name, row := range map[string]struct {
		was, wants string // profile in the state, and in the configuration
		supervised bool
		onChange   rules.OnChange
		sends      bool
		want       messages.Rule
		says       string
	}{
		"the same":                {was: "a", wants: "a", onChange: rules.Keep},
		"another":                 {was: "a", wants: "b", onChange: rules.Keep, sends: true},
		"none any more":           {was: "a", onChange: rules.Keep, sends: true},
		"reattach, not completed": {was: "a", wants: "a", onChange: rules.Reattach},

		"completed, the same":      {was: "a", wants: "a", supervised: true, onChange: rules.Keep},
		"completed, none any more": {was: "a", supervised: true, onChange: rules.Keep},
		"completed, another": {
			was: "a", wants: "b", supervised: true, onChange: rules.Keep, sends: true,
			want: replaced, says: `set the ID back to "a"`,
		},
		"completed, none before": {
			wants: "b", supervised: true, onChange: rules.Keep, sends: true,
			want: rejected, says: `on_supervisor_change = "reattach"`,
		},
		"reattach, the same": {
			was: "a", wants: "a", supervised: true, onChange: rules.Reattach, sends: true,
			want: replaced, says: "remove on_supervisor_change.",
		},
		"reattach, another": {
			was: "a", wants: "b", supervised: true, onChange: rules.Reattach, sends: true,
			want: replaced, says: `and set the ID back to "a"`,
		},
		"reattach, none before": {
			wants: "b", supervised: true, onChange: rules.Reattach, sends: true,
			want: replaced, says: `remove the block "profile"`,
		},
		"undecided, the same": {was: "a", wants: "a", supervised: true, want: maybe, says: "the apply keeps the work"},
		"undecided, another": {
			was: "a", wants: "b", supervised: true, sends: true,
			want: replaced, says: `remove on_supervisor_change, and set the ID back to "a"`,
		},
		"undecided, none before": {wants: "b", supervised: true, sends: true, want: maybe, says: "the apply fails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := rules.ChangeOf(withProfile(row.was), withProfile(row.wants), row.supervised, row.onChange)
			if change.Send != row.sends {
				t.Errorf("sends %t, want %t", change.Send, row.sends)
			}
			assertSays(t, change.CheckProfile(label), row.want, row.want != rejected, regexp.QuoteMeta(row.says))
		})
	}
}

// The same for a profile whose ID is not known yet.
func TestUnknownProfileOfSupervisor(t *testing.T) {
	t.Parallel()
	attached := label("a")
	replaced, maybe, rejected := rules.ProfileReplaced, rules.ProfileMaybeReplaced, rules.ProfileCompleted
	for _, row := range []struct {
		was      *assessapi.Label
		onChange rules.OnChange
		want     messages.Rule
		says     string
	}{
		{&attached, rules.Keep, maybe, `If it is not "a"`},
		{nil, rules.Keep, rejected, "whose ID is not known yet"},
		{&attached, rules.Reattach, replaced, `remove on_supervisor_change, and set the ID back to "a"`},
		{nil, rules.Reattach, replaced, `remove the block "profile"`},
		{&attached, rules.Undecided, maybe, `only if the ID of the configured profile is "a"`},
		{nil, rules.Undecided, maybe, "the apply fails"},
	} {
		got := rules.CheckUnknownProfile(row.was, row.onChange)
		assertSays(t, got, row.want, row.want != rejected, regexp.QuoteMeta(row.says))
	}
}
