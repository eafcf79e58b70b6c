// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// showProfile describes the questions that a supervisor would answer (listProfiles). It
// asks none of them, because clients of the service see only the status of a profile.
func showProfile(v *visit) error {
	return v.look(func(st *State) error {
		position, attached, kind := st.twoSided(v.ids["position"], v.ids["id"])
		if attached == nil {
			return notFoundError("profile at this address")
		}
		task := "a ranking of twenty values of your organization"
		if kind == WorkPreferencesProfile {
			task = "your answers to a questionnaire about the work tasks of the role"
		}
		assessment := st.Assessment(attached.Assessment)
		profile := attached.Metadata.Profile
		if found := assessment.Profile(profile); found != nil {
			profile = cmp.Or(found.Name, profile)
		}
		return v.render("profile", struct {
			Position, Assessment, Status, Profile, Task string
		}{
			cmp.Or(position.Title, position.ID), cmp.Or(assessment.Name, assessment.ID),
			attached.Metadata.ProfileStatus, profile, task,
		})
	})
}

// twoSided returns a position assessment that has a profile, or nil.
func (st *State) twoSided(positionID, id string) (*Position, *PositionAssessment, AssessmentKind) {
	position := st.Position(positionID)
	if position == nil {
		return nil, nil, ""
	}
	attached := position.Assessment(id)
	if attached == nil || attached.Metadata.ProfileStatus == "" {
		return nil, nil, ""
	}
	assessment := st.Assessment(attached.Assessment)
	if assessment == nil {
		return nil, nil, ""
	}
	return position, attached, assessment.Kind
}

func completeProfile(v *visit) error {
	if _, err := v.form(); err != nil {
		return err
	}
	err := v.service.update(v.ctx, func(st *State) error {
		if _, attached, _ := st.twoSided(v.ids["position"], v.ids["id"]); attached == nil {
			return notFoundError("profile at this address")
		}
		return st.CompleteProfile(v.ids["position"], v.ids["id"])
	})
	if err == nil {
		v.redirect(v.request.URL.EscapedPath())
	}
	return err
}

func showSitting(v *visit) error {
	return v.look(func(st *State) error {
		at := st.invitation(v.ids["invitation"])
		if at == nil {
			return notFoundError("invitation at this address")
		}
		completed := ""
		if at.invitation.Completed != nil {
			completed = timestamp(*at.invitation.Completed)
		}
		status := at.invitation.statusAt(time.Now())
		return v.render("sit", struct {
			Candidate, Assessment, Position, Status, Type, Expiry, Completed, Button string
		}{
			cmp.Or(at.candidate.Name, at.candidate.ID), st.assessmentName(at.result.Assessment),
			cmp.Or(at.position.Title, at.position.ID),
			status, at.invitation.Type, at.invitation.Expiry, completed,
			map[string]string{Invited: "Start the assessment", InProgress: "Submit the answers"}[status],
		})
	})
}

// sit moves the invitation to its next status. The form contains the status that the
// page showed. So a second click on an old page does not submit an assessment that was
// just started.
func sit(v *visit) error {
	form, err := v.form()
	if err != nil {
		return err
	}
	from := form.Get("from")
	err = v.service.update(v.ctx, func(st *State) error {
		at := st.invitation(v.ids["invitation"])
		if at == nil {
			return notFoundError("invitation at this address")
		}
		status := at.invitation.statusAt(time.Now())
		if from != "" && from != status || status != Invited && status != InProgress {
			return nil // the page shows the current status
		}
		return st.Sit(at.invitation.ID)
	})
	if err == nil {
		v.redirect(v.request.URL.EscapedPath())
	}
	return err
}

// shownCandidate is a candidate on the report.
type shownCandidate struct {
	ID, Name, Suitability, Path string
	Results                     []shownResult
}

type shownResult struct {
	Assessment, Percentile, Classification, Validity string
	Sittings                                         []shownSitting
}

type shownSitting struct{ Type, Status, Path string }

// showReport shows a position, one of its candidates, or one result.
func showReport(v *visit) error {
	return v.look(func(st *State) error {
		position := st.Position(v.ids["position"])
		if position == nil {
			return notFoundError("report at this address")
		}
		query, positionPath := url.Values{}, ""
		if candidate, ok := v.ids["candidate"]; ok {
			query.Set("candidate", candidate)
			positionPath = joinPath("report", position.ID)
		}
		candidates := []shownCandidate{}
		for _, candidate := range st.rank(position, position.selected(nil), query) {
			candidates = append(candidates, st.candidateView(position, candidate, v.ids["assessment"]))
		}
		if len(candidates) == 0 && positionPath != "" {
			return notFoundError("report at this address")
		}
		return v.render("report", struct {
			Position, PositionPath string
			Candidates             []shownCandidate
		}{cmp.Or(position.Title, position.ID), positionPath, candidates})
	})
}

// candidateView returns all results of a candidate, or only the one for an assessment.
func (st *State) candidateView(position *Position, candidate ranked, assessment string) shownCandidate {
	view := shownCandidate{
		ID: candidate.ID, Name: cmp.Or(candidate.Name, candidate.ID), Suitability: decimal(candidate.suitability),
		Path: joinPath("report", position.ID, candidate.ID),
	}
	for _, result := range candidate.Results {
		if assessment != "" && assessment != result.Assessment {
			continue
		}
		shown := shownResult{
			Assessment:     st.assessmentName(result.Assessment),
			Percentile:     cmp.Or(decimal(result.Percentile), "–"),
			Classification: cmp.Or(result.Classification, "–"), Validity: cmp.Or(result.Validity, "–"),
		}
		for _, invitation := range result.Invitations {
			shown.Sittings = append(shown.Sittings, shownSitting{
				strings.ToLower(invitation.Type), invitation.statusAt(time.Now()), joinPath("sit", invitation.ID),
			})
		}
		view.Results = append(view.Results, shown)
	}
	return view
}

// decimal formats a number, or returns "" for nil.
func decimal(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}
