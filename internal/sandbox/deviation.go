// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"net/http"
)

// Deviations are the ways in which a sandbox can differ from the specification and the assumptions. The zero value does
// not differ. Tests use other values.
type Deviations struct {
	BareLists      bool     // elements of lists have only id and _links, whatever the request names (section 2.1)
	Unsigned       bool     // responses have no Conversation-Id (assumption A3)
	NoPositionList bool     // the list of a position's assessments gets 405 (assumption A7)
	Mute           []string // keys of metadata that no response shows, such as "packages" (assumption A22)
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
