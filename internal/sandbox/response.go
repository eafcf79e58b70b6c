// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// response is a response of the service that the transport has not sent yet.
type response struct {
	status int
	header http.Header
	body   []byte
}

// reply returns a response whose body is JSON.
func reply(status int, value any) response {
	body, err := encodeJSON(value)
	if err != nil {
		panic(err) // impossible: all bodies are objects or arrays of objects, whose members are JSON
	}
	return response{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: body}
}

// problem is the rejection of a request. Its response has the format that all errors of the service have.
type problem struct {
	status  int
	code    string
	message string
	header  http.Header
}

func (p *problem) Error() string { return p.message }

// rejection returns a problem without additional headers.
func rejection(status int, code, format string, values ...any) *problem {
	return &problem{status: status, code: code, message: fmt.Sprintf(format, values...)}
}

func badRequest(code, format string, values ...any) *problem {
	return rejection(http.StatusBadRequest, code, format, values...)
}

func notFound(what, id string) *problem {
	return rejection(http.StatusNotFound, "NOT_FOUND", "there is no %s %q", what, id)
}

// methodNotAllowed returns the rejection of a request because of its method. It lists the other methods of the path as
// allowed. The path has the request's own method if [Deviations.NoPositionList] is the reason for the rejection.
func methodNotAllowed(c *incomingCall) *problem {
	isRejected := func(method string) bool { return method == c.Method }
	allowed := strings.Join(slices.DeleteFunc(slices.Sorted(maps.Keys(c.methods)), isRejected), ", ")
	p := rejection(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED",
		"%s is not allowed on %s. Allowed methods: %s", c.Method, c.URL.EscapedPath(), allowed)
	p.header = http.Header{"Allow": {allowed}}
	return p
}

// responseTo turns an error into a response. The response to a [problem] has its status. Every other error is a failure
// of the service itself, and its response has status 500. The body contains conversation unless it is empty.
func responseTo(err error, conversation string) response {
	var p *problem
	if !errors.As(err, &p) {
		p = rejection(http.StatusInternalServerError, "INTERNAL_ERROR", "%v", err)
	}
	rejected := reply(p.status,
		objectOf(nil, "conversationId", present(conversation), "code", p.code, "message", p.message))
	for name, values := range p.header {
		rejected.header[name] = values
	}
	return rejected
}
