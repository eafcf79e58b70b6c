// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"fmt"
	"net/http"
)

// Deviations make a service differ from the documents. The zero value is the service that they describe. Tests use the
// others.
type Deviations struct {
	BareLists      bool     // elements of lists have only id and _links, whatever the request names (section 2.1)
	Unsigned       bool     // responses have no Conversation-Id (assumption A3)
	NoPositionList bool     // the list of a position's assessments gets 405 (assumption A7)
	Mute           []string // keys of metadata that no response shows, such as "packages" (assumption A22)
}

// missing reports whether the service has no such route, although this program implements it.
func (d Deviations) missing(c *incomingCall) bool {
	return d.NoPositionList && c.template == RoutePositionAssessments && c.Method == http.MethodGet
}

// conversation returns the number of a conversation, which is empty if responses have none.
func (d Deviations) conversation(format string, values ...any) string {
	if d.Unsigned {
		return ""
	}
	return "conv-" + fmt.Sprintf(format, values...)
}
