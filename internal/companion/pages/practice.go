// SPDX-License-Identifier: MPL-2.0

package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// practices contains, by name, changes that other people make to a real service between two plans. The page "Practice"
// has a form for each change.
var practices = map[string]struct {
	done string                             // what the page says afterward: what has happened, and when a plan shows it
	do   func(*sandbox.State, fields) error // makes the change, or returns a [problem] with the form
}{
	"rename-position": {
		"A colleague renamed the position. The next plan fails if your configuration contains the old title.",
		renamePosition,
	},
	"delete-position": {
		"A colleague deleted the position. The next plan says so if your configuration uses the position.",
		deletePosition,
	},
	"attach-assessment": {
		"A colleague attached the assessment. The next plan says so only if it attaches the same assessment, or if a " +
			"check looks for it.", attachAssessment,
	},
	"remove-assessment": {
		"A colleague removed the assessment. The next plan adds it again if your configuration contains it.",
		removeAssessment,
	},
	"invite": {"A recruiter invited the candidate. From now on, a plan that removes the assessment fails.", invite},
	"disable-test": {
		"The vendor disabled the test. The next plan enables it again if your configuration contains its activation.",
		disableTest,
	},
}

func (s site) practice(r *http.Request) (page, error) {
	return s.look(func(st *sandbox.State) (page, error) {
		return page{"practice", struct {
			*sandbox.State
			Done string
		}{st, practices[r.URL.Query().Get("done")].done}}, nil
	})
}

func doPractice(r *http.Request, st *sandbox.State) (next string, err error) {
	name := r.PathValue("practice")
	p, known := practices[name]
	if !known {
		return "", notFound("page at this address")
	}
	return "/practice?done=" + name, p.do(st, fields(r.PostForm))
}

// fields contains the values in a form that a person has sent.
type fields url.Values

// choice returns the ID in segment i of the field "choice", which is a path. Segment 0 is the ID of a position or of an
// assessment. Segment 1 is the ID of the position's position assessment or of the assessment's skills test. If the path
// has no segment i, choice returns "".
func (f fields) choice(i int) string {
	segments := strings.Split(strings.TrimPrefix(url.Values(f).Get("choice"), "/"), "/")
	if i >= len(segments) {
		return ""
	}
	id, _ := url.PathUnescape(segments[i]) // an error leaves "", which is not the ID of anything
	return id
}

func (f fields) text(name string) string { return strings.TrimSpace(url.Values(f).Get(name)) }

var (
	errNoChoice = notFound("such choice any more")
	errNoText   = problem{http.StatusBadRequest, "Rejected", "A field is empty."}
)

func renamePosition(st *sandbox.State, f fields) error {
	p, title := st.Position(f.choice(0)), f.text("title")
	if p == nil {
		return errNoChoice
	}
	if title == "" {
		return errNoText
	}
	p.Title = title
	return nil
}

func deletePosition(st *sandbox.State, f fields) error {
	if st.Position(f.choice(0)) == nil {
		return errNoChoice
	}
	st.Positions = slices.DeleteFunc(st.Positions, func(p sandbox.Position) bool { return p.ID == f.choice(0) })
	return nil
}

// attachAssessment attaches an assessment with all its packages and, if it has enabled skills tests, with the first of
// them. It rejects an assessment that the position already has.
func attachAssessment(st *sandbox.State, f fields) error {
	position, assessment := st.Position(f.choice(0)), st.Assessment(f.text("what"))
	if position == nil || assessment == nil {
		return errNoChoice
	}
	isSame := func(attached sandbox.PositionAssessment) bool { return attached.Assessment == assessment.ID }
	if slices.ContainsFunc(position.Assessments, isSame) {
		return rejected("The position has this assessment already.")
	}
	var selected sandbox.Metadata
	for _, p := range assessment.Packages {
		selected.Packages = append(selected.Packages, p.ID)
	}
	if i := slices.IndexFunc(assessment.SkillsTests, sandbox.SkillsTest.Active); i >= 0 {
		selected.Tests = []string{assessment.SkillsTests[i].ID()}
	}
	_, err := st.Attach(position.ID, assessment.ID, selected)
	return err
}

// removeAssessment removes a position assessment, unless candidates have been invited to it (removePositionAssessment).
func removeAssessment(st *sandbox.State, f fields) error {
	p, attached := st.Attached(f.choice(0), f.choice(1))
	if attached == nil {
		return errNoChoice
	}
	if p.Invited(attached.Assessment) > 0 {
		return rejected("Candidates have been invited, so the service rejects the removal.")
	}
	id := attached.ID // attached points into the slice, in which DeleteFunc moves elements
	p.Assessments = slices.DeleteFunc(p.Assessments, func(a sandbox.PositionAssessment) bool { return a.ID == id })
	return nil
}

// invite invites a candidate by name to a remote sitting of an assessment of a position. If the position has no
// candidate with this name, invite adds one.
func invite(st *sandbox.State, f fields) error {
	p, attached := st.Attached(f.choice(0), f.choice(1))
	if attached == nil {
		return errNoChoice
	}
	name := f.text("name")
	if name == "" {
		return errNoText
	}
	i := slices.IndexFunc(p.Candidates, func(c sandbox.Candidate) bool { return c.Name == name })
	if i < 0 {
		i = len(p.Candidates)
		p.Candidates = append(p.Candidates, sandbox.Candidate{ID: st.NextID("cnd"), Name: name})
	}
	_, err := st.Invite(p.ID, p.Candidates[i].ID, attached.Assessment, sandbox.Remote)
	return err
}

func disableTest(st *sandbox.State, f fields) error {
	a := st.Assessment(f.choice(0))
	if a == nil || a.SkillsTest(f.choice(1)) == nil {
		return errNoChoice
	}
	a.SkillsTest(f.choice(1)).Set("active", false)
	return nil
}
