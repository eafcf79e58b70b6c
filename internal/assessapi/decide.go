// SPDX-License-Identifier: MPL-2.0

package assessapi

import "net/http"

// attempt is the result of sending a request once.
type attempt struct {
	response *response // nil without a usable response
	err      error     // why there is no usable response
	sent     bool      // whether the request may have reached the service, also if there is no response
}

// history describes the call and the run before an attempt.
type history struct {
	repeated  bool // the call has sent the request once more, because of a cache or an unusable 2xx
	succeeded bool // a request of the run has succeeded
}

// verdict says how a call goes on after an attempt.
type verdict struct {
	action  action
	outcome Outcome // of the call, if it ends now, for example because there is no time for another attempt
}

// action is how a call goes on.
type action int

const (
	done   action = iota // the call has succeeded
	fail                 // the call has failed
	again                // the request is sent again after a pause, until the time of the call is over
	once                 // the read is sent again, but only one more time, even if the time of the call is over
	endRun               // the call has failed, and nothing more is sent in this run
)

// decide returns what a call does after an attempt. In this table, a cell is the next action, or the outcome of the
// call. The first row that matches decides. A row with a dash does not apply to the method:
//
//	response                               GET              PUT, DELETE      POST
//	none, and the request was not sent     again            again            again
//	none, after the request was sent       again            again            unknown
//	401 (the service's own, or before      end of the run   end of the run   end of the run
//	     the first success of the run)
//	429                                    again            again            again
//	408, 425, 499, 5xx except the
//	     service's own 501                 again            again            unknown
//	any other of a cache                   once more        -                -
//	404, 405, 410, 501                     not found        not found        not found
//	other 4xx                              rejected         rejected         rejected
//	not the service's own                  again            unknown          unknown
//	3xx                                    unknown          unknown          unknown
//	2xx that is not documented             once more        unknown          unknown
//	2xx that reports a failure in its body -                unknown          unknown
//	2xx without usable JSON                once more        -                -
//	other 2xx                              succeeded        succeeded        succeeded
func decide(method string, a attempt, h history) verdict {
	r := a.response
	switch {
	case r == nil:
		return decideWithoutResponse(method, a.sent)
	case r.status == http.StatusUnauthorized && (r.isOwn || !h.succeeded):
		return verdict{endRun, Rejected}
	case method == http.MethodGet:
		return decideRead(r, h)
	default:
		return decideWrite(method, r)
	}
}

func decideWithoutResponse(method string, sent bool) verdict {
	switch {
	case method == http.MethodGet:
		return verdict{again, Unknown}
	case !sent:
		return verdict{again, Stopped}
	default:
		return verdict{againUnlessPost(method), Unknown}
	}
}

// decideRead returns the verdict from the column GET of the table at [decide], for a response that does not end the
// run. If the call has already sent the request once more, a cache's response counts like any other response, and an
// unusable 2xx fails.
func decideRead(r *response, h history) verdict {
	switch {
	case r.status == http.StatusTooManyRequests, isTransient(r):
		return verdict{again, Unknown}
	case r.isCached && !h.repeated:
		return verdict{once, Unknown}
	case isUnknownRoute(r):
		return verdict{fail, NotFound}
	case r.status/100 == 4:
		return verdict{fail, Rejected}
	case !r.isOwn:
		return verdict{again, Unknown}
	case r.status/100 != 2:
		return verdict{fail, Unknown}
	case r.problem == nil:
		return verdict{done, Succeeded}
	case h.repeated:
		return verdict{fail, Unknown}
	default:
		return verdict{once, Unknown}
	}
}

// decideWrite returns the verdict from the columns PUT, DELETE and POST of the table at [decide], for a response that
// does not end the run.
func decideWrite(method string, r *response) verdict {
	switch {
	case r.status == http.StatusTooManyRequests:
		return verdict{again, Rejected}
	case isTransient(r):
		return verdict{againUnlessPost(method), Unknown}
	case isUnknownRoute(r):
		return verdict{fail, NotFound}
	case r.status/100 == 4:
		return verdict{fail, Rejected}
	case !r.isOwn, !isDocumented(method, r.status), failureOf(r.body) != nil:
		return verdict{fail, Unknown}
	default:
		return verdict{done, Succeeded}
	}
}

// againUnlessPost returns the action for a request that may have had an effect. A POST fails, because a second POST
// could attach the assessment a second time.
func againUnlessPost(method string) action {
	if method == http.MethodPost {
		return fail
	}
	return again
}

// isUnknownRoute reports whether a response says that the address or the method does not exist.
func isUnknownRoute(r *response) bool {
	switch r.status {
	case http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed:
		return true
	case http.StatusNotImplemented:
		return r.isOwn
	}
	return false
}

// isDocumented reports whether a 2xx is a success of a method (assumptions A4 to A6). After any other 2xx, only reads
// can tell whether the request had an effect.
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

// isTransient reports whether another attempt may get another response. After such a response, the service may still be
// processing the request, because a gateway may have stopped waiting for the service. Some gateways then send 499.
func isTransient(r *response) bool {
	switch r.status {
	case http.StatusRequestTimeout, http.StatusTooEarly, 499:
		return true
	case http.StatusNotImplemented:
		return !r.isOwn
	}
	return r.status >= 500
}

// isSuccess reports whether a response shows that the service works and accepts the credentials.
func isSuccess(r *response) bool {
	return r != nil && r.isOwn && !r.isCached && !isTransient(r) &&
		r.status != http.StatusUnauthorized && r.status != http.StatusTooManyRequests
}
