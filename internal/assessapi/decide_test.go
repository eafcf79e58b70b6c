// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// row is what the table says about one response: the number of requests, and the outcome for GET, PUT, DELETE and POST.
// A second request gets a success.
type row struct {
	step step
	want [4]Outcome
	sent [4]int
}

var (
	toAll     = func(o Outcome) [4]Outcome { return [4]Outcome{o, o, o, o} }
	sentOnce  = [4]int{1, 1, 1, 1}
	sentTwice = [4]int{2, 2, 2, 2}
	// onlyPostFails is what happens after a response that says nothing about the effect.
	onlyPostFails = [4]Outcome{Succeeded, Succeeded, Succeeded, Unknown}
	notThePost    = [4]int{2, 2, 2, 1}
	// onlyReadAgain is what happens after a 2xx or 3xx of something in between.
	onlyReadAgain = [4]Outcome{Succeeded, Unknown, Unknown, Unknown}
	theRead       = [4]int{2, 1, 1, 1}
)

// table has each line of the table of [decide]. The service has responded before, with a Conversation-Id.
func table() map[string]row {
	rows := map[string]row{
		"refused connection":         {rejectsConnection(), toAll(Succeeded), sentTwice},
		"no connection in time":      {connects(), toAll(Succeeded), sentTwice},
		"reset":                      {breaks(errReset), onlyPostFails, notThePost},
		"no response in time":        {takes(time.Hour, nil), onlyPostFails, notThePost},
		"body is cut":                {cuts(200, attached[:20]), toAll(Succeeded), theRead},
		"429":                        {responds(429, ""), toAll(Succeeded), sentTwice},
		"429 of a gateway":           {unsigned(429, ""), toAll(Succeeded), sentTwice},
		"401":                        {responds(401, ""), toAll(Rejected), sentOnce},
		"401 of a gateway":           {unsigned(401, ""), toAll(Rejected), sentOnce},
		"501":                        {responds(501, ""), toAll(NotFound), sentOnce},
		"501 of a gateway":           {unsigned(501, ""), onlyPostFails, notThePost},
		"302":                        {responds(302, "", "Location", "/login"), toAll(Unknown), sentOnce},
		"302 of a gateway":           {unsigned(302, "", "Location", "/login"), onlyReadAgain, theRead},
		"201":                        {responds(201, attached), [4]Outcome{Succeeded, Unknown, Unknown, Succeeded}, theRead},
		"202":                        {responds(202, attached), [4]Outcome{Succeeded, Unknown, Succeeded, Unknown}, theRead},
		"203":                        {responds(203, attached), onlyReadAgain, theRead},
		"204":                        {responds(204, ""), [4]Outcome{Succeeded, Succeeded, Succeeded, Unknown}, theRead},
		"206":                        {responds(206, attached), onlyReadAgain, theRead},
		"200 of a gateway":           {unsigned(200, attached), onlyReadAgain, theRead},
		"200 of a gateway, empty":    {unsigned(200, ""), onlyReadAgain, theRead},
		"200 that is not JSON":       {responds(200, `{"id":"pas-1",`), toAll(Succeeded), theRead},
		"200 that reports a failure": {responds(200, `{"success":false}`), toAll(Unknown), sentOnce},
		"200 of a cache":             {responds(200, attached, "Age", "7"), toAll(Succeeded), theRead},
		"404 of a cache":             {responds(404, "", "Age", "7"), [4]Outcome{Succeeded, NotFound, NotFound, NotFound}, theRead},
	}
	for _, status := range []int{404, 405, 410} {
		rows[fmt.Sprint(status)] = row{responds(status, ""), toAll(NotFound), sentOnce}
		rows[fmt.Sprint(status, " of a gateway")] = row{unsigned(status, ""), toAll(NotFound), sentOnce}
	}
	for _, status := range []int{400, 402, 403, 407, 409, 418, 451} {
		rows[fmt.Sprint(status)] = row{responds(status, ""), toAll(Rejected), sentOnce}
		rows[fmt.Sprint(status, " of a gateway")] = row{unsigned(status, ""), toAll(Rejected), sentOnce}
	}
	for _, status := range []int{408, 425, 499, 500, 502, 503, 504, 520, 599} {
		rows[fmt.Sprint(status)] = row{responds(status, ""), onlyPostFails, notThePost}
		rows[fmt.Sprint(status, " of a gateway")] = row{unsigned(status, ""), onlyPostFails, notThePost}
	}
	return rows
}

func TestTable(t *testing.T) {
	t.Parallel()
	for name, row := range table() {
		for i, op := range operations {
			virtual(t, name+"/"+op.method, func(t *testing.T) {
				network := newStub(responds(200, "[]"), row.step, responds(200, attached))
				c := newClient(t, network)
				if _, err := c.Assessments(t.Context()); err != nil {
					t.Fatal(err)
				}
				err := op.run(t.Context(), c)
				if name == "200 that reports a failure" && op.method == http.MethodGet {
					wantProblem(t, err, `the response reports a failure in the member "success": false`)
					return
				}
				sent := len(network.arrivals()) - 1
				if got := OutcomeOf(err); got != row.want[i] || sent != row.sent[i] {
					t.Errorf("outcome %d after %d requests, want %d after %d: %v", got, sent, row.want[i], row.sent[i], err)
				}
			})
		}
	}
}

// Only a 401 of the service ends a run, and any 401 before the first success.
func TestUnauthorized(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		isOwn, succeeded bool
		want             action
	}{{true, true, endRun}, {true, false, endRun}, {false, false, endRun}, {false, true, fail}} {
		unauthorized := attempt{response: &response{status: 401, isOwn: row.isOwn}}
		got := decide(http.MethodGet, unauthorized, history{succeeded: row.succeeded})
		if got.action != row.want || got.outcome != Rejected {
			t.Errorf("%+v: %+v", row, got)
		}
	}
}

// Only a response of the service itself shows that something is not found, not offered, or of another kind.
func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  *Error
		want string // IsNotFound, IsNotOffered, IsNoList, IsOtherKind
	}{
		{&Error{Status: 404, Own: true}, "[true false true true]"},
		{&Error{Status: 410, Own: true}, "[true false true true]"},
		{&Error{Status: 405, Own: true}, "[false true true true]"},
		{&Error{Status: 501, Own: true}, "[false true true false]"},
		{&Error{Status: 400, Own: true}, "[false false false true]"},
		{&Error{Status: 403, Own: true}, "[false false false false]"},
		{&Error{Status: 404}, "[false false false false]"},
		{&Error{Status: 404, Own: true, Cached: true}, "[false false false false]"},
	} {
		err := fmt.Errorf("wrapped: %w", row.err)
		if got := fmt.Sprint([]bool{IsNotFound(err), IsNotOffered(err), IsNoList(err), IsOtherKind(err)}); got != row.want {
			t.Errorf("%v: %s, want %s", row.err, got, row.want)
		}
	}
}
