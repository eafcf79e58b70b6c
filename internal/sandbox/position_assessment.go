// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"net/http"
	"slices"
)

// assessmentMember is the member that contains the id of the assessment (attachAssessment).
const assessmentMember = "organizationAssessment"

// listPositionAssessments lists the assessments of a position (assumption A7).
func listPositionAssessments(c *incomingCall, position *Position) (response, error) {
	return listAll(c, position.Assessments, func(a PositionAssessment) Object {
		return c.positionAssessment(position, &a)
	})
}

// getPositionAssessment implements the operation of this name.
func getPositionAssessment(c *incomingCall, position *Position) (response, error) {
	attached, err := c.attached(position)
	if err != nil {
		return response{}, err
	}
	return reply(http.StatusOK, c.positionAssessment(position, attached)), nil
}

// attachPositionAssessment implements attachAssessment. A position may have the same assessment twice.
func attachPositionAssessment(c *incomingCall, position *Position) (response, error) {
	assessment, metadata, err := c.configuration(position, Metadata{})
	if err != nil {
		return response{}, err
	}
	return c.created(c.positionAssessment(position, c.state.attach(position, assessment, metadata))), nil
}

// updatePositionAssessment replaces the metadata of a position assessment (assumption A5), and responds with the
// position assessment. The request has the body of attachAssessment, and must name the same assessment as before. A key
// that a client can send is removed if the body omits it. The profile status can change (profileStatus). All other
// metadata stay.
func updatePositionAssessment(c *incomingCall, position *Position) (response, error) {
	attached, err := c.attached(position)
	if err != nil {
		return response{}, err
	}
	assessment, metadata, err := c.configuration(position, attached.Metadata)
	if err != nil {
		return response{}, err
	}
	if assessment.ID != attached.Assessment {
		return response{}, badRequest("NOT_CHANGEABLE",
			"%s cannot be changed from %q to %q", assessmentMember, attached.Assessment, assessment.ID)
	}
	metadata.ProfileStatus = profileStatus(assessment, metadata.Profile, attached.Metadata.ProfileStatus)
	metadata.Extra = attached.Metadata.Extra
	attached.Metadata = metadata
	return reply(http.StatusOK, c.positionAssessment(position, attached)), nil
}

// removePositionAssessment removes a position assessment, and responds with 204. It rejects the request with 409 if
// candidates have been invited ([Position.Invited]).
func removePositionAssessment(c *incomingCall, position *Position) (response, error) {
	attached, err := c.attached(position)
	if err != nil {
		return response{}, err
	}
	if n := position.Invited(attached.Assessment); n > 0 {
		return response{}, rejection(http.StatusConflict, "CANDIDATES_INVITED",
			"%s been invited to %q on position %q. Only an assessment without invited candidates can be removed",
			candidatesHave(n), attached.Assessment, position.ID)
	}
	id := attached.ID // attached points into the slice, in which DeleteFunc moves elements
	position.Assessments = slices.DeleteFunc(position.Assessments, func(a PositionAssessment) bool { return a.ID == id })
	return response{status: http.StatusNoContent, header: http.Header{}}, nil
}

func candidatesHave(n int) string {
	if n == 1 {
		return "1 candidate has"
	}
	return fmt.Sprintf("%d candidates have", n)
}

// Invited counts the candidates who have been invited to an assessment. These are the candidates who have a result for
// it, because the first invitation adds the result.
func (p *Position) Invited(assessment string) int {
	n := 0
	for i := range p.Candidates {
		if p.Candidates[i].Result(assessment) != nil {
			n++
		}
	}
	return n
}

// attached returns the position assessment that the path names.
func (c *incomingCall) attached(position *Position) (*PositionAssessment, error) {
	attached := position.Assessment(c.ids["id"])
	if attached == nil {
		return nil, notFound("position assessment", c.ids["id"])
	}
	return attached, nil
}

// positionAssessment returns the whole resource of a position assessment, with its link, but without the metadata that
// [Deviations.Mute] names. Only a position assessment with a profile status has a profileUrl.
func (c *incomingCall) positionAssessment(position *Position, attached *PositionAssessment) Object {
	stored := attached.Metadata
	profileURL := absent
	if stored.ProfileStatus != "" {
		profileURL = c.origin + JoinPath("profile", position.ID, attached.ID)
	}
	metadata := objectOf(stored.Extra,
		keyPackages, present(stored.Packages), keyBenchmark, present(stored.Benchmark), keyTests, present(stored.Tests),
		keyProfile, present(stored.Profile), "profileUrl", profileURL, "profileStatus", present(stored.ProfileStatus))
	for _, key := range c.options.Mute {
		metadata.Delete(key)
	}
	return c.linked(
		objectOf(attached.Extra, "id", attached.ID, assessmentMember, attached.Assessment, "metadata", metadata))
}
