// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// practices are what other people do to a real service between two plans. Each one is a form of the page "Practice".
var practices = map[string]struct {
	done  string // what the page says afterwards
	shows string // which plan of a configuration shows it
	do    func(*State, url.Values) error
}{
	"add-position": {
		"A colleague added the position.", "Your configuration can use its title now.", addPosition,
	},
	"rename-position": {
		"A colleague renamed the position.",
		"The next plan fails if your configuration contains the old title.", renamePosition,
	},
	"delete-position": {
		"A colleague deleted the position.",
		"The next plan says so if your configuration uses the position.", deletePosition,
	},
	"attach-assessment": {
		"A colleague attached the assessment.",
		"The next plan says so only if it attaches the same assessment, or if a check looks for it.", attachAssessment,
	},
	"remove-assessment": {
		"A colleague removed the assessment.",
		"The next plan adds it again if your configuration contains it.", removeAssessment,
	},
	"invite": {
		"A recruiter invited the candidate.",
		"From now on, a plan that removes the assessment fails.", inviteCandidate,
	},
	"complete": {
		"The candidate completed the assessment.",
		"From now on, a plan that changes the assessment warns about the scores.", completeSitting,
	},
	"complete-profile": {
		"The supervisor completed the profile.",
		"The option -refresh-only of a plan shows the new status. From now on, a plan that would discard the profile " +
			"warns or fails.", superviseProfile,
	},
	"disable-test": {
		"The vendor disabled the test.",
		"The next plan enables it again if your configuration contains its activation.", disableTest,
	},
	"mandate-package": {
		"The vendor made the package mandatory.",
		"The next plan adds it wherever your configuration selects the mandatory packages.", mandatePackage,
	},
}

// formChoice is one of several things that a form can change.
type formChoice struct{ Value, Text string }

// choiceOf returns a choice whose value contains the ids.
func choiceOf(text string, ids ...string) formChoice { return formChoice{joinPath(ids...), text} }

// chosenIDs returns the ids of a choice.
func chosenIDs(form url.Values, ids ...string) map[string]string {
	found, _ := matchTemplate("/{"+strings.Join(ids, "}/{")+"}", form.Get("choice"))
	return found
}

func showPractice(v *visit) error {
	done := practices[v.request.URL.Query().Get("done")]
	return v.look(func(st *State) error {
		return v.render("practice", struct {
			Done, Shows                                                                   string
			Positions, What, Assessments, Invitations, Supervised, EnabledTests, Optional []formChoice
		}{
			done.done, done.shows,
			st.positionChoices(), st.attachChoices(), st.attachedChoices(func(PositionAssessment) bool { return true }),
			st.invitationChoices(time.Now()),
			st.attachedChoices(func(a PositionAssessment) bool {
				return a.Metadata.ProfileStatus != "" && a.Metadata.ProfileStatus != SupervisorCompleted
			}),
			st.testChoices(), st.packageChoices(),
		})
	})
}

// practice does what a form asks for, and shows the page again.
func practice(v *visit) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	p, known := practices[v.ids["practice"]]
	if !known {
		return notFoundError("page at this address")
	}
	if err = v.service.update(v.ctx, func(st *State) error { return p.do(st, form) }); err == nil {
		v.redirect("/practice?done=" + url.QueryEscape(v.ids["practice"]))
	}
	return err
}

func (st *State) positionChoices() (choices []formChoice) {
	for _, p := range st.Positions {
		choices = append(choices, choiceOf(cmp.Or(p.Title, p.ID)+" ("+p.ID+")", p.ID))
	}
	return choices
}

func (st *State) attachedChoices(accept func(PositionAssessment) bool) (choices []formChoice) {
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			if accept(a) {
				text := cmp.Or(p.Title, p.ID) + ": " + st.assessmentName(a.Assessment) + " (" + a.ID + ")"
				choices = append(choices, choiceOf(text, p.ID, a.ID))
			}
		}
	}
	return choices
}

func (st *State) invitationChoices(now time.Time) (choices []formChoice) {
	for _, p := range st.Positions {
		for _, c := range p.Candidates {
			for _, r := range c.Results {
				for _, i := range r.Invitations {
					if status := i.statusAt(now); status == Invited || status == InProgress {
						text := cmp.Or(c.Name, c.ID) + ": " + st.assessmentName(r.Assessment) + ", " + cmp.Or(p.Title, p.ID)
						choices = append(choices, choiceOf(text, i.ID))
					}
				}
			}
		}
	}
	return choices
}

func (st *State) testChoices() (choices []formChoice) {
	for _, a := range st.Assessments {
		for _, t := range a.SkillsTests {
			if t.Active() {
				text := cmp.Or(t.Text("title"), t.ID()) + ", " + cmp.Or(a.Name, a.ID)
				choices = append(choices, choiceOf(text, a.ID, t.ID()))
			}
		}
	}
	return choices
}

func (st *State) packageChoices() (choices []formChoice) {
	for _, a := range st.Assessments {
		for _, p := range a.Packages {
			if !p.Mandatory {
				choices = append(choices, choiceOf(cmp.Or(p.Name, p.ID)+", "+cmp.Or(a.Name, a.ID), a.ID, p.ID))
			}
		}
	}
	return choices
}

// titleOf returns the title that a form contains.
func titleOf(form url.Values) (string, error) {
	if title := strings.TrimSpace(form.Get("title")); title != "" {
		return title, nil
	}
	return "", formError{http.StatusBadRequest, "The title is empty."}
}

func addPosition(st *State, form url.Values) error {
	title, err := titleOf(form)
	if err == nil {
		st.Positions = append(st.Positions, Position{
			ID: st.NextID("pos"), Title: title, Locale: strings.TrimSpace(form.Get("locale")),
		})
	}
	return err
}

// chosenPosition returns the position that a form names.
func chosenPosition(st *State, form url.Values) (*Position, error) {
	if position := st.Position(chosenIDs(form, "position")["position"]); position != nil {
		return position, nil
	}
	return nil, notFoundError("such position")
}

func renamePosition(st *State, form url.Values) error {
	title, err := titleOf(form)
	if err != nil {
		return err
	}
	position, err := chosenPosition(st, form)
	if err == nil {
		position.Title = title
	}
	return err
}

func deletePosition(st *State, form url.Values) error {
	position, err := chosenPosition(st, form)
	if err == nil {
		id := position.ID
		st.Positions = slices.DeleteFunc(st.Positions, func(p Position) bool { return p.ID == id })
	}
	return err
}

// inviteCandidate invites a candidate of the position with this name, or a new one.
func inviteCandidate(st *State, form url.Values) error {
	ids := chosenIDs(form, "position", "id")
	position := st.Position(ids["position"])
	if position == nil || position.Assessment(ids["id"]) == nil {
		return notFoundError("such position assessment")
	}
	name := strings.TrimSpace(form.Get("name"))
	if name == "" {
		return formError{http.StatusBadRequest, "The name is empty."}
	}
	candidate := findElement(position.Candidates, name, func(c *Candidate) string { return c.Name })
	if candidate == nil {
		position.Candidates = append(position.Candidates, Candidate{ID: st.NextID("cnd"), Name: name})
		candidate = &position.Candidates[len(position.Candidates)-1]
	}
	_, err := st.Invite(position.ID, candidate.ID, position.Assessment(ids["id"]).Assessment, Remote)
	return err
}

// completeSitting takes an assessment to its end, as a candidate does in two steps (sit).
func completeSitting(st *State, form url.Values) error {
	at := st.invitation(chosenIDs(form, "invitation")["invitation"])
	if at == nil {
		return notFoundError("such invitation")
	}
	for at.invitation.statusAt(time.Now()) != TestedWithResults {
		if err := st.Sit(at.invitation.ID); err != nil {
			return formError{http.StatusConflict, "The invitation has expired."}
		}
	}
	return nil
}

func superviseProfile(st *State, form url.Values) error {
	ids := chosenIDs(form, "position", "id")
	if st.CompleteProfile(ids["position"], ids["id"]) != nil {
		return notFoundError("such profile")
	}
	return nil
}

func disableTest(st *State, form url.Values) error {
	ids := chosenIDs(form, "assessment", "test")
	if assessment := st.Assessment(ids["assessment"]); assessment != nil {
		if test := assessment.SkillsTest(ids["test"]); test != nil {
			test.Set("active", false)
			return nil
		}
	}
	return notFoundError("such test")
}

func mandatePackage(st *State, form url.Values) error {
	ids := chosenIDs(form, "assessment", "package")
	if assessment := st.Assessment(ids["assessment"]); assessment != nil {
		if p := assessment.Package(ids["package"]); p != nil {
			p.Mandatory = true
			return nil
		}
	}
	return notFoundError("such package")
}
