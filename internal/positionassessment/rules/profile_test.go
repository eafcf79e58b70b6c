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
		was, wants           string // profile in the state, and in the configuration
		supervised, reattach bool
		sends                bool
		want, says           string
		undecided            string // what the plan says while on_supervisor_change is not known
	}{
		"the same":                       {was: "a", wants: "a"},
		"another":                        {was: "a", wants: "b", sends: true},
		"none any more":                  {was: "a", sends: true},
		"completed, the same":            {was: "a", wants: "a", supervised: true, undecided: maybe},
		"completed, none any more":       {was: "a", supervised: true},
		"completed, another":             {was: "a", wants: "b", supervised: true, sends: true, want: replaced, says: `set the ID back to "a"`},
		"completed, none before":         {wants: "b", supervised: true, sends: true, want: "error", says: `on_supervisor_change = "reattach"`, undecided: maybe},
		"reattach, not completed":        {was: "a", wants: "a", reattach: true},
		"reattach, completed":            {was: "a", wants: "a", supervised: true, reattach: true, sends: true, want: replaced, says: "remove on_supervisor_change.", undecided: maybe},
		"reattach, completed, another":   {was: "a", wants: "b", supervised: true, reattach: true, sends: true, want: replaced, says: `and set the ID back to "a"`},
		"reattach, completed, new block": {wants: "b", supervised: true, reattach: true, sends: true, want: replaced, says: `remove the block "profile"`, undecided: maybe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := rules.ChangeOf(withProfile(row.was), withProfile(row.wants), row.supervised, row.reattach)
			if change.Send != row.sends {
				t.Errorf("sends %t, want %t", change.Send, row.sends)
			}
			assertProfileFinding(t, change.Supervised(label), row.want, row.says)
			assertProfileFinding(t, change.MaybeReattached(label), row.undecided, `If it is "reattach"`)
		})
	}
}

// The same for a profile whose ID is not known yet.
func TestUnknownProfileOfSupervisor(t *testing.T) {
	t.Parallel()
	attached := label("a")
	const replaced, maybe = "Supervisor's profile will be replaced", "Supervisor's profile may be replaced"
	for _, row := range []struct {
		was                 *assessapi.Label
		reattach, undecided bool
		want, says          string
	}{
		{&attached, false, false, maybe, `If it is not "a"`},
		{nil, false, false, "error", "whose ID is not known yet"},
		{&attached, true, false, replaced, "remove on_supervisor_change"},
		{&attached, false, true, maybe, `only if the ID of the configured profile is "a"`},
		{nil, false, true, maybe, "the apply fails"},
	} {
		assertProfileFinding(t, rules.MaybeSupervised(row.was, row.reattach, row.undecided), row.want, row.says)
	}
}
