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
	done    string                    // what the page says afterwards
	shows   string                    // which plan of a configuration shows it
	choices func(*State) []formChoice // what the form can change now
}{
	"add-position": {
		"A colleague added the position.", "Your configuration can use its title now.", (*State).newPosition,
	},
	"rename-position": {
		"A colleague renamed the position.",
		"The next plan fails if your configuration contains the old title.",
		ofPositions(renamePosition),
	},
	"delete-position": {
		"A colleague deleted the position.",
		"The next plan says so if your configuration uses the position.",
		ofPositions(deletePosition),
	},
	"attach-assessment": {
		"A colleague attached the assessment.",
		"The next plan says so only if it attaches the same assessment, or if a check looks for it.",
		ofPositions(attachAssessment),
	},
	"remove-assessment": {
		"A colleague removed the assessment.",
		"The next plan adds it again if your configuration contains it.", ofAttached(isAttached, removeAssessment),
	},
	"invite": {
		"A recruiter invited the candidate.",
		"From now on, a plan that removes the assessment fails.", ofAttached(isAttached, inviteCandidate),
	},
	"complete": {
		"The candidate completed the assessment.",
		"From now on, a plan that changes the assessment warns about the scores.", (*State).openInvitations,
	},
	"complete-profile": {
		"The supervisor completed the profile.",
		"The option -refresh-only of a plan shows the new status. From now on, a plan that would discard the profile " +
			"warns or fails.",
		ofAttached(awaitsSupervisor, superviseProfile),
	},
	"disable-test": {
		"The vendor disabled the test.",
		"The next plan enables it again if your configuration contains its activation.", (*State).enabledTests,
	},
	"mandate-package": {
		"The vendor made the package mandatory.",
		"The next plan adds it wherever your configuration selects the mandatory packages.", (*State).optionalPackages,
	},
}

// formChoice is one of several changes that a form can make.
type formChoice struct {
	Value, Text string
	change      func(form url.Values) error
}

// choiceOf returns a choice whose value contains the ids.
func choiceOf(text string, change func(url.Values) error, ids ...string) formChoice {
	return formChoice{joinPath(ids...), text, change}
}

// choose makes the change that a field of the form selects. A form can select only what the page offers now.
func choose(choices []formChoice, form url.Values, field string) error {
	for _, c := range choices {
		if c.Value == form.Get(field) {
			return c.change(form)
		}
	}
	return notFoundPage("such choice any more")
}

func showPractice(v *visit) error {
	done := practices[v.request.URL.Query().Get("done")]
	return v.look(func(st *State) error {
		choices := map[string][]formChoice{}
		for name, p := range practices {
			choices[name] = p.choices(st)
		}
		return v.render("practice", struct {
			Done, Shows string
			Choices     map[string][]formChoice // by practice
			Attachable  []formChoice
		}{done.done, done.shows, choices, st.attachable(&Position{})})
	})
}

// practice does what a form asks for, and shows the page again.
func practice(v *visit) error {
	name := v.ids["practice"]
	p, known := practices[name]
	if !known {
		return notFoundPage("page at this address")
	}
	return v.submit("/practice?done="+url.QueryEscape(name), func(st *State, form url.Values) error {
		return choose(p.choices(st), form, "choice")
	})
}

// required returns the value of a field that must not be empty.
func required(form url.Values, field string) (string, error) {
	if text := strings.TrimSpace(form.Get(field)); text != "" {
		return text, nil
	}
	return "", pageError{http.StatusBadRequest, "The " + field + " is empty."}
}

// newPosition is the only choice of a form that has no list of choices.
func (st *State) newPosition() []formChoice {
	return []formChoice{{change: func(form url.Values) error {
		title, err := required(form, "title")
		if err == nil {
			st.Positions = append(st.Positions, Position{
				ID: st.NextID("pos"), Title: title, Locale: strings.TrimSpace(form.Get("locale")),
			})
		}
		return err
	}}}
}

// ofPositions offers a change of each position.
func ofPositions(change func(*State, *Position, url.Values) error) func(*State) []formChoice {
	return func(st *State) (choices []formChoice) {
		for i := range st.Positions {
			p := &st.Positions[i]
			text := cmp.Or(p.Title, p.ID) + " (" + p.ID + ")"
			choices = append(choices, choiceOf(text, func(form url.Values) error { return change(st, p, form) }, p.ID))
		}
		return choices
	}
}

func renamePosition(_ *State, p *Position, form url.Values) (err error) {
	p.Title, err = required(form, "title")
	return err
}

func deletePosition(st *State, p *Position, _ url.Values) error {
	id := p.ID
	st.Positions = slices.DeleteFunc(st.Positions, func(p Position) bool { return p.ID == id })
	return nil
}

func attachAssessment(st *State, p *Position, form url.Values) error {
	return choose(st.attachable(p), form, "what")
}

// attachable offers to attach each assessment in each configuration.
func (st *State) attachable(position *Position) (choices []formChoice) {
	for i := range st.Assessments {
		a := &st.Assessments[i]
		a.configurations(func(text string, metadata Metadata, ids ...string) {
			attach := func(url.Values) error {
				if err := metadata.check(a, position, Metadata{}); err != nil {
					return pageError{http.StatusConflict, "The service refuses the assessment: " + err.Error() + "."}
				}
				_, err := st.Attach(position.ID, a.ID, metadata)
				return err
			}
			choices = append(choices, choiceOf(cmp.Or(a.Name, a.ID)+text, attach, append([]string{a.ID}, ids...)...))
		})
	}
	return choices
}

// configurations offers what an assessment can be configured with: all packages, and at most one benchmark, profile or
// test. The text comes after the name of the assessment.
func (a *Assessment) configurations(offer func(text string, metadata Metadata, ids ...string)) {
	var packages []string
	if a.Kind == MultiGameCognitive {
		for _, p := range a.Packages {
			packages = append(packages, p.ID)
		}
	}
	if a.Kind != Skills {
		offer("", Metadata{Packages: packages})
	}
	for _, key := range a.keys() {
		switch key {
		case keyBenchmark:
			for _, b := range a.Benchmarks {
				text := ", benchmark " + cmp.Or(b.Name, b.ID)
				if b.Locale != "" {
					text += " (" + b.Locale + ")"
				}
				offer(text, Metadata{Packages: packages, Benchmark: b.ID}, key, b.ID)
			}
		case keyProfile:
			for _, p := range a.Profiles {
				offer(", profile "+cmp.Or(p.Name, p.ID), Metadata{Profile: p.ID}, key, p.ID)
			}
		case keyTests:
			for _, t := range a.SkillsTests {
				if t.Active() {
					offer(", "+cmp.Or(t.Text("title"), t.ID()), Metadata{Tests: []string{t.ID()}}, key, t.ID())
				}
			}
		}
	}
}

// ofAttached offers a change of each position assessment that accept returns true for.
func ofAttached(
	accept func(*PositionAssessment) bool, change func(*State, *Position, *PositionAssessment, url.Values) error,
) func(*State) []formChoice {
	return func(st *State) (choices []formChoice) {
		for i := range st.Positions {
			p := &st.Positions[i]
			for j := range p.Assessments {
				if a := &p.Assessments[j]; accept(a) {
					text := cmp.Or(p.Title, p.ID) + ": " + st.AssessmentName(a.Assessment) + " (" + a.ID + ")"
					change := func(form url.Values) error { return change(st, p, a, form) }
					choices = append(choices, choiceOf(text, change, p.ID, a.ID))
				}
			}
		}
		return choices
	}
}

func isAttached(*PositionAssessment) bool { return true }

func awaitsSupervisor(a *PositionAssessment) bool {
	return a.Metadata.ProfileStatus != "" && a.Metadata.ProfileStatus != SupervisorCompleted
}

// removeAssessment removes a position assessment, unless candidates have been invited to it (removePositionAssessment
// of the contract).
func removeAssessment(_ *State, p *Position, a *PositionAssessment, _ url.Values) error {
	if p.invited(a.Assessment) > 0 {
		return pageError{http.StatusConflict, "Candidates have been invited, so the service refuses the removal."}
	}
	id := a.ID
	p.Assessments = slices.DeleteFunc(p.Assessments, func(a PositionAssessment) bool { return a.ID == id })
	return nil
}

// inviteCandidate invites a candidate of the position with this name, or a new one.
func inviteCandidate(st *State, p *Position, a *PositionAssessment, form url.Values) error {
	name, err := required(form, "name")
	if err != nil {
		return err
	}
	candidate := findElement(p.Candidates, name, func(c *Candidate) string { return c.Name })
	if candidate == nil {
		p.Candidates = append(p.Candidates, Candidate{ID: st.NextID("cnd"), Name: name})
		candidate = &p.Candidates[len(p.Candidates)-1]
	}
	_, err = st.Invite(p.ID, candidate.ID, a.Assessment, Remote)
	return err
}

func superviseProfile(st *State, p *Position, a *PositionAssessment, _ url.Values) error {
	return st.CompleteProfile(p.ID, a.ID)
}

// openInvitations offers to complete each open assessment.
func (st *State) openInvitations() (choices []formChoice) {
	for s := range st.Sittings() {
		id, status := s.Invitation.ID, s.Invitation.statusAt(time.Now())
		if status != Invited && status != InProgress {
			continue
		}
		complete := func(url.Values) error { return st.Complete(id) }
		text := cmp.Or(s.Candidate.Name, s.Candidate.ID) + ": " + st.AssessmentName(s.Result.Assessment) + ", " +
			cmp.Or(s.Position.Title, s.Position.ID)
		choices = append(choices, choiceOf(text, complete, id))
	}
	return choices
}

func (st *State) enabledTests() (choices []formChoice) {
	for _, a := range st.Assessments {
		for i, t := range a.SkillsTests {
			if t.Active() {
				text := cmp.Or(t.Text("title"), t.ID()) + ", " + cmp.Or(a.Name, a.ID)
				disable := func(url.Values) error { a.SkillsTests[i].Set("active", false); return nil }
				choices = append(choices, choiceOf(text, disable, a.ID, t.ID()))
			}
		}
	}
	return choices
}

func (st *State) optionalPackages() (choices []formChoice) {
	for _, a := range st.Assessments {
		for i, p := range a.Packages {
			if !p.Mandatory {
				text := cmp.Or(p.Name, p.ID) + ", " + cmp.Or(a.Name, a.ID)
				mandate := func(url.Values) error { a.Packages[i].Mandatory = true; return nil }
				choices = append(choices, choiceOf(text, mandate, a.ID, p.ID))
			}
		}
	}
	return choices
}
