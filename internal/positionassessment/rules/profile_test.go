// SPDX-License-Identifier: MPL-2.0

package rules_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

func label(id string) assessapi.Label { return assessapi.Label{ID: id} }

// withProfile returns a configuration with a profile, or without one if the ID is empty.
func withProfile(id string) (c assessapi.Configuration) {
	if id != "" {
		c.Profile = &id
	}
	return c
}

// assertProfileFinding checks the only finding about a profile. want is the summary of a warning, "error" or "".
func assertProfileFinding(t *testing.T, got []messages.Finding, want, says string) {
	t.Helper()
	switch {
	case want == "" && len(got) == 0:
	case len(got) != 1:
		t.Errorf("%d findings, want %q: %v", len(got), want, got)
	case want == "error" && got[0].Warning, want != "error" && (!got[0].Warning || got[0].Summary != want):
		t.Errorf("got %+v, want %q", got[0], want)
	case !strings.Contains(got[0].Detail, says):
		t.Errorf("%q does not contain %q", got[0].Detail, says)
	}
}

// An update keeps a supervisor's work, unless the plan has warned that it is discarded.
func TestSupervisedProfile(t *testing.T) {
	t.Parallel()
	const replaced, maybe = "Supervisor's profile will be replaced", "Supervisor's profile may be replaced"
	for name, row := range map[string]struct {
		was, wants string // profile in the state, and in the configuration
		supervised bool
		onChange   rules.OnChange
		sends      bool
		want, says string
	}{
		"the same":                 {was: "a", wants: "a", onChange: rules.Keep},
		"another":                  {was: "a", wants: "b", onChange: rules.Keep, sends: true},
		"none any more":            {was: "a", onChange: rules.Keep, sends: true},
		"reattach, not completed":  {was: "a", wants: "a", onChange: rules.Reattach},
		"undecided, not completed": {was: "a", wants: "a", onChange: rules.Undecided},

		"completed, the same":      {was: "a", wants: "a", supervised: true, onChange: rules.Keep},
		"completed, none any more": {was: "a", supervised: true, onChange: rules.Keep},
		"completed, another": {
			was: "a", wants: "b", supervised: true, onChange: rules.Keep, sends: true,
			want: replaced, says: `set the ID back to "a"`,
		},
		"completed, none before": {
			wants: "b", supervised: true, onChange: rules.Keep, sends: true,
			want: "error", says: `on_supervisor_change = "reattach"`,
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
			was: "a", wants: "b", supervised: true, sends: true, want: replaced, says: `set the ID back to "a"`,
		},
		"undecided, none before": {wants: "b", supervised: true, sends: true, want: maybe, says: "the apply fails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := rules.ChangeOf(withProfile(row.was), withProfile(row.wants), row.supervised, row.onChange)
			if change.Send != row.sends {
				t.Errorf("sends %t, want %t", change.Send, row.sends)
			}
			assertProfileFinding(t, change.CheckProfile(label), row.want, row.says)
		})
	}
}

// The same for a profile whose ID is not known yet.
func TestUnknownProfileOfSupervisor(t *testing.T) {
	t.Parallel()
	attached := label("a")
	const replaced, maybe = "Supervisor's profile will be replaced", "Supervisor's profile may be replaced"
	for _, row := range []struct {
		was        *assessapi.Label
		onChange   rules.OnChange
		want, says string
	}{
		{&attached, rules.Keep, maybe, `If it is not "a"`},
		{nil, rules.Keep, "error", "whose ID is not known yet"},
		{&attached, rules.Reattach, replaced, "remove on_supervisor_change"},
		{&attached, rules.Undecided, maybe, `only if the ID of the configured profile is "a"`},
		{nil, rules.Undecided, maybe, "the apply fails"},
	} {
		assertProfileFinding(t, rules.CheckUnknownProfile(row.was, row.onChange), row.want, row.says)
	}
}
