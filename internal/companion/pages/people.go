// SPDX-License-Identifier: MPL-2.0

package pages

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// overview shows all positions. Positions with the most candidates come first, then positions with the most
// assessments.
func (s site) overview(*http.Request) (page, error) {
	return s.look(func(st *sandbox.State) (page, error) {
		slices.SortStableFunc(st.Positions, func(a, b sandbox.Position) int {
			return cmp.Or(
				cmp.Compare(len(b.Candidates), len(a.Candidates)), cmp.Compare(len(b.Assessments), len(a.Assessments)))
		})
		return page{"overview", st}, nil
	})
}

// profile shows the page on which a supervisor completes a profile. The page describes the questions (listProfiles),
// but asks none of them, because clients of the service get only the status of a profile.
func (s site) profile(r *http.Request) (page, error) {
	return s.look(func(st *sandbox.State) (page, error) {
		position, attached := profileOf(r, st)
		if attached == nil {
			return page{}, notFound("profile at this address")
		}
		return page{"profile", struct {
			Position   *sandbox.Position
			Assessment *sandbox.Assessment
			Attached   sandbox.Metadata
		}{position, st.Assessment(attached.Assessment), attached.Metadata}}, nil
	})
}

// profileOf returns the position assessment that a request names, and its position. It returns nil if one of them does
// not exist, if the position assessment has no profile status, or if the organization does not have its assessment.
func profileOf(r *http.Request, st *sandbox.State) (*sandbox.Position, *sandbox.PositionAssessment) {
	position, attached := st.Attached(r.PathValue("position"), r.PathValue("id"))
	if attached == nil || attached.Metadata.ProfileStatus == "" || st.Assessment(attached.Assessment) == nil {
		return nil, nil
	}
	return position, attached
}

func completeProfile(r *http.Request, st *sandbox.State) (next string, err error) {
	if _, attached := profileOf(r, st); attached == nil {
		return "", notFound("profile at this address")
	}
	return r.URL.EscapedPath(), st.CompleteProfile(r.PathValue("position"), r.PathValue("id"))
}

func (s site) sitting(r *http.Request) (page, error) {
	return s.look(func(st *sandbox.State) (page, error) {
		at := st.Invitation(r.PathValue("invitation"))
		if at == nil {
			return page{}, notFound("invitation at this address")
		}
		return page{"sit", struct {
			*sandbox.Sitting
			Assessment, Status string
		}{at, st.AssessmentName(at.Result.Assessment), at.Invitation.StatusAt(time.Now())}}, nil
	})
}

// isOpen reports whether a candidate can continue an invitation.
func isOpen(i sandbox.Invitation) bool {
	return slices.Contains([]string{sandbox.Invited, sandbox.InProgress}, i.StatusAt(time.Now()))
}

// sit moves the invitation to its next status. The form contains the status that the page showed. If the invitation no
// longer has this status, sit changes nothing, so that a second click on an old page does not submit an assessment that
// was just started.
func sit(r *http.Request, st *sandbox.State) (next string, err error) {
	at := st.Invitation(r.PathValue("invitation"))
	if at == nil {
		return "", notFound("invitation at this address")
	}
	if isOpen(*at.Invitation) && r.PostForm.Get("from") == at.Invitation.StatusAt(time.Now()) {
		err = st.Sit(at.Invitation.ID)
	}
	return r.URL.EscapedPath(), err // the page shows the current status
}

// report shows the ranking of a position. If the address names a candidate, report shows only this candidate. If it
// also names an assessment, report shows only the candidate's result for it. It returns a problem with status 404 if
// the position, the candidate or the result does not exist.
func (s site) report(r *http.Request) (page, error) {
	return s.look(func(st *sandbox.State) (page, error) {
		candidate, assessment := r.PathValue("candidate"), r.PathValue("assessment")
		position := st.Position(r.PathValue("position"))
		if position == nil {
			return page{}, notFound("report at this address")
		}
		shown := st.Rank(position)
		if candidate != "" {
			shown = slices.DeleteFunc(shown, func(c sandbox.Ranked) bool { return c.ID != candidate })
		}
		if assessment != "" {
			shown = slices.DeleteFunc(shown, func(c sandbox.Ranked) bool { return c.Result(assessment) == nil })
			for _, c := range shown { // c points into st, which is a copy of the state
				c.Results = []sandbox.Result{*c.Result(assessment)}
			}
		}
		if candidate != "" && len(shown) == 0 {
			return page{}, notFound("report at this address")
		}
		return page{"report", struct {
			*sandbox.State
			Position   *sandbox.Position
			Candidates []sandbox.Ranked
			IsOne      bool
		}{st, position, shown, candidate != ""}}, nil
	})
}
