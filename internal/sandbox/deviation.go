// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"net/http"
)

// Deviations are the ways in which a sandbox can differ from the specification and the assumptions. A sandbox with the
// zero value does not differ. Only tests use other values.
type Deviations struct {
	BareLists      bool     // elements of lists have only id and _links, even if the request names fields (section 2.1)
	Unsigned       bool     // responses have no Conversation-Id (assumption A3)
	NoPositionList bool     // reading the list of a position's assessments returns status 405 (assumption A7)
	Mute           []string // metadata keys that all responses omit, such as "packages" (assumption A22)
}

// missing reports whether the service must respond as if it did not have the route of a request.
func (d Deviations) missing(c *incomingCall) bool {
	return d.NoPositionList && c.template == RoutePositionAssessments && c.Method == http.MethodGet
}

// conversation returns a Conversation-Id, or "" if responses have no Conversation-Id.
func (d Deviations) conversation(format string, values ...any) string {
	if d.Unsigned {
		return ""
	}
	return "conv-" + fmt.Sprintf(format, values...)
}
