// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Row 21: the refusal of a firewall forgets nothing. That of the service does, and so does any refusal if
// candidates have been invited.
func TestOnlyTheServiceRefusesRemoval(t *testing.T) {
	t.Parallel()
	neither := sandboxtest.Assumptions{NoConversationID: true, Errors: "none"}
	const invitedTo, results = "asm-lumen", sandbox.DemoResultsPosition
	own := `{"conversationId":"conv-1","code":"REFUSED","message":"candidates have been invited"}`
	for name, row := range map[string]struct {
		assume   sandboxtest.Assumptions
		answer   sandboxtest.Fault
		position string
		want     bool
	}{
		"firewall":                {answer: answer(403, "<html>Access denied by rule 949110</html>")},
		"firewall, JSON":          {answer: answer(403, `{"code":"403","message":"Forbidden"}`)},
		"firewall, 409":           {answer: answer(409, "conflict with policy")},
		"firewall, 400":           {answer: answer(400, "<html>400 Bad Request</html>")},
		"firewall, no signatures": {assume: neither, answer: answer(403, "<html>blocked</html>")},
		"firewall, invited":       {answer: answer(403, "<html>blocked</html>"), position: results, want: true},
		"firewall, its format": {
			assume: sandboxtest.Assumptions{NoConversationID: true},
			answer: answer(403, `{"code":"900908","message":"Resource forbidden"}`),
		},
		"the service":              {answer: answer(409, own), want: true},
		"the service, 403":         {answer: answer(403, own), want: true},
		"the service, by a header": {answer: answer(409, "no", "Conversation-Id", "conv-1"), want: true},
		"no signatures, invited":   {assume: neither, answer: answer(409, ""), position: results, want: true},
		"no signatures":            {assume: neither, answer: answer(409, "")},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			if row.position == "" {
				row.position = somePosition
			}
			service := newService(t, row.assume)
			row.answer.Method = http.MethodDelete
			service.Inject(row.answer)
			client := newClient(t, service, time.Second, time.Minute)
			c := catalog.New(client, func(string, error) {})
			removals := sender(c, client)
			// Now the run knows whether the service signs.
			if _, err := c.List(t.Context(), assessapi.Assessments, ""); err != nil {
				t.Fatal(err)
			}
			refused := client.PositionAssessments().Remove(t.Context(), row.position, "pas-1")
			o := ManagedObject{Ref: Ref{row.position, "pas-1"}, Assessment: invitedTo}
			if got := removals.refusesRemoval(t.Context(), o, refused); got != row.want {
				t.Errorf("%v forgets: %t, want %t", refused, got, row.want)
			}
		})
	}
}
