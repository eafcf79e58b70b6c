// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/url"
	"slices"
	"time"
)

// showProfile describes the questions that a supervisor would answer (listProfiles). It
// asks none of them, because clients of the service see only the status of a profile.
func showProfile(v *visit) error {
	return v.look(func(st *State) error {
		position, attached, assessment := st.twoSided(v.ids["position"], v.ids["id"])
		if attached == nil {
			return notFoundPage("profile at this address")
		}
		return v.render("profile", struct {
			Position   *Position
			Assessment *Assessment
			Attached   Metadata
		}{position, assessment, attached.Metadata})
	})
}

// twoSided returns a position assessment that has a profile, or nil.
func (st *State) twoSided(positionID, id string) (*Position, *PositionAssessment, *Assessment) {
	position := st.Position(positionID)
	if position == nil {
		return nil, nil, nil
	}
	attached := position.Assessment(id)
	if attached == nil || attached.Metadata.ProfileStatus == "" || st.Assessment(attached.Assessment) == nil {
		return nil, nil, nil
	}
	return position, attached, st.Assessment(attached.Assessment)
}

func completeProfile(v *visit) error {
	return v.submit(v.request.URL.EscapedPath(), func(st *State, _ url.Values) error {
		if _, attached, _ := st.twoSided(v.ids["position"], v.ids["id"]); attached == nil {
			return notFoundPage("profile at this address")
		}
		return st.CompleteProfile(v.ids["position"], v.ids["id"])
	})
}

func showSitting(v *visit) error {
	return v.look(func(st *State) error {
		at := st.invitation(v.ids["invitation"])
		if at == nil {
			return notFoundPage("invitation at this address")
		}
		return v.render("sit", struct {
			sitting
			Assessment, Status string
		}{*at, st.AssessmentName(at.Result.Assessment), at.Invitation.statusAt(time.Now())})
	})
}

// sit moves the invitation to its next status. The form contains the status that the
// page showed. So a second click on an old page does not submit an assessment that was
// just started.
func sit(v *visit) error {
	return v.submit(v.request.URL.EscapedPath(), func(st *State, form url.Values) error {
		at := st.invitation(v.ids["invitation"])
		if at == nil {
			return notFoundPage("invitation at this address")
		}
		from, status := form.Get("from"), at.Invitation.statusAt(time.Now())
		if from != "" && from != status || status != Invited && status != InProgress {
			return nil // the page shows the current status
		}
		return st.Sit(at.Invitation.ID)
	})
}

// showReport shows a position, one of its candidates, or one result.
func showReport(v *visit) error {
	return v.look(func(st *State) error {
		position, query := st.Position(v.ids["position"]), url.Values{}
		if position == nil {
			return notFoundPage("report at this address")
		}
		candidate, isOne := v.ids["candidate"]
		if isOne {
			query.Set("candidate", candidate)
		}
		candidates := st.rank(position, position.selected(nil), query)
		if isOne && len(candidates) == 0 {
			return notFoundPage("report at this address")
		}
		if assessment, isOne := v.ids["assessment"]; isOne {
			for _, c := range candidates {
				c.Results = slices.DeleteFunc(c.Results, func(r Result) bool { return r.Assessment != assessment })
			}
		}
		return v.render("report", struct {
			*State
			Position   *Position
			Candidates []ranked
			IsOne      bool
		}{st, position, candidates, isOne})
	})
}
