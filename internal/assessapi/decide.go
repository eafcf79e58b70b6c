// SPDX-License-Identifier: MPL-2.0

package assessapi

import "net/http"

// attempt is what has happened to one attempt of a call.
type attempt struct {
	response *response // nil without a usable response
	err      error     // why there is none
	sent     bool      // whether the request may have reached the service
}

// verdict is what to do after an attempt.
type verdict struct {
	action  action
	outcome Outcome // of the call, if it ends now
}

// action is how a call goes on.
type action int

const (
	done   action = iota // the call has succeeded
	fail                 // the call has failed
	again                // the request is sent again after a pause, until the time of the call is over
	once                 // the request is sent again, but only one more time
	endRun               // the call has failed, and nothing more is sent in this run
)

// decide is the table of what to do after an attempt.
//
//	came back                            GET              PUT, DELETE      POST
//	nothing, and nothing was sent        again            again            again
//	nothing, after it was sent           again            again            unknown
//	429                                  again            again            again
//	401 (the service's own, or before    end of the run   end of the run   end of the run
//	     the first success of the run)
//	404, 410, 405, own 501               not found        not found        not found
//	408, 425, 499, other 5xx             again            again            unknown
//	other 4xx                            rejected         rejected         rejected
//	3xx, not the service's own           again            unknown          unknown
//	3xx of the service                   unknown          unknown          unknown
//	2xx, not the service's own           again            unknown          unknown
//	a documented 2xx of the service      succeeded        succeeded        succeeded
//	another 2xx of the service           once more        unknown          unknown
//	2xx of a write that reports a failure in its body     unknown          unknown
//	2xx that is not JSON                 once more        succeeded        succeeded
//	any response of a cache              once more        -                -
//
// repeated is whether the call has asked once more before, and succeeded whether a request of the run has succeeded.
func decide(method string, t attempt, repeated, succeeded bool) verdict {
	isRead, isPost := method == http.MethodGet, method == http.MethodPost
	retry := verdict{again, Unknown}
	if isPost {
		retry.action = fail
	}
	a := t.response
	switch {
	case a == nil && !t.sent && isRead:
		return verdict{again, Unknown}
	case a == nil && !t.sent:
		return verdict{again, Stopped}
	case a == nil:
		return retry
	case a.status == http.StatusTooManyRequests && isRead:
		return verdict{again, Unknown}
	case a.status == http.StatusTooManyRequests:
		return verdict{again, Rejected}
	case a.status == http.StatusUnauthorized && (a.isOwn || !succeeded):
		return verdict{endRun, Rejected}
	case isRead && a.isCached && !repeated && !isTransient(a):
		return verdict{once, Unknown}
	}
	switch a.status {
	case http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed:
		return verdict{fail, NotFound}
	}
	switch {
	case a.status == http.StatusNotImplemented && a.isOwn:
		return verdict{fail, NotFound}
	case isTransient(a):
		return retry
	case a.status/100 == 4:
		return verdict{fail, Rejected}
	case a.status/100 != 2 && (a.isOwn || !isRead), a.status/100 == 2 && !a.isOwn && !isRead:
		return verdict{fail, Unknown}
	case !a.isOwn:
		return retry
	case isRead && a.problem != nil && !repeated:
		return verdict{once, Unknown}
	case isRead && a.problem != nil:
		return verdict{fail, Unknown}
	case !isRead && (!isDocumented(method, a.status) || failureOf(a.body) != nil):
		return verdict{fail, Unknown}
	}
	return verdict{done, Succeeded}
}

// isDocumented reports whether a 2xx is a success of a method (assumptions A4 to A6). After another one, only reads can
// tell whether the request had an effect.
func isDocumented(method string, status int) bool {
	switch status {
	case http.StatusOK:
		return true
	case http.StatusCreated:
		return method == http.MethodPost
	case http.StatusAccepted:
		return method == http.MethodDelete
	case http.StatusNoContent:
		return method == http.MethodPut || method == http.MethodDelete
	}
	return false
}

// isTransient reports whether another attempt may get another response. The service may still work on the request,
// because only a gateway has given up waiting. Some gateways use 499 for that.
func isTransient(a *response) bool {
	switch a.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, 499:
		return true
	case http.StatusNotImplemented:
		return !a.isOwn
	}
	return a.status >= 500
}

// isSuccess reports whether a response shows that the service works and accepts the credentials.
func isSuccess(a *response) bool {
	return a != nil && a.isOwn && !isTransient(a) &&
		a.status != http.StatusUnauthorized && a.status != http.StatusTooManyRequests
}
