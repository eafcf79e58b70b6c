// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/http"
	"slices"
)

// The routes of positions, their assessments and their results.
const (
	RoutePositions           = "/positions"
	RoutePositionAssessments = "/positions/{position}/assessments"
	RoutePositionAssessment  = "/positions/{position}/assessments/{id}"
	RouteResults             = "/positions/{position}/results"
)

var positionRoutes = []route{
	{http.MethodGet, RoutePositions, "title,locale", listPositions},
	{http.MethodGet, RoutePositionAssessments, "organizationAssessment,metadata", ofPosition(listPositionAssessments)},
	{http.MethodPost, RoutePositionAssessments, "", ofPosition(attachPositionAssessment)},
	{http.MethodGet, RoutePositionAssessment, "", ofPosition(getPositionAssessment)},
	{http.MethodPut, RoutePositionAssessment, "", ofPosition(updatePositionAssessment)},
	{http.MethodDelete, RoutePositionAssessment, "", ofPosition(removePositionAssessment)},
	{http.MethodGet, RouteResults, "", ofPosition(listResults)},
}

// listPositions implements the operation of this name. The title filter matches exactly.
func listPositions(c *incomingCall) (response, error) {
	query, err := c.listQuery("title")
	if err != nil {
		return response{}, err
	}
	positions := c.state.Positions
	if query.Has("title") {
		positions = slices.DeleteFunc(slices.Clone(positions), func(p Position) bool { return p.Title != query.Get("title") })
	}
	return list(c, query, positions, func(p Position) Object {
		return objectOf(p.Extra, "id", p.ID, "title", present(p.Title), "locale", present(p.Locale))
	})
}

// ofPosition returns a handler for requests about the position that the path names.
func ofPosition(handle func(*incomingCall, *Position) (response, error)) handler {
	return ofOwner("position", (*State).Position, handle)
}
