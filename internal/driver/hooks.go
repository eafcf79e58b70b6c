// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// AsDocumented is the mode of a service that answers as the specification and the sandbox do.
func AsDocumented(_ *Request, next func() Response) (Response, error) { return next(), nil }

// LinksOnly is the mode of a service whose list of a position's assessments shows only id and _links (A7).
func LinksOnly(r *Request, next func() Response) (Response, error) {
	response := next()
	if r.Is(http.MethodGet, sandbox.RoutePositionAssessments) && response.Status == http.StatusOK {
		response.Body = rewrite(response.Body, func(element map[string]any) {
			for name := range element {
				if name != "id" && name != "_links" {
					delete(element, name)
				}
			}
		})
	}
	return response, nil
}

// rewrite changes an object, or each object of an array.
func rewrite(body []byte, change func(map[string]any)) []byte {
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return body
	}
	elements, isArray := value.([]any)
	if !isArray {
		elements = []any{value}
	}
	for _, element := range elements {
		if object, ok := element.(map[string]any); ok {
			change(object)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return body
	}
	return text
}

// At returns a hook that applies another one to the request that is the nth, from 0, of those that match, and passes on
// all others.
func At(n int, matches func(*Request) bool, hook Hook) Hook {
	var seen atomic.Int64
	return func(r *Request, next func() Response) (Response, error) {
		if matches(r) && seen.Add(1) == int64(n)+1 {
			return hook(r, next)
		}
		return next(), nil
	}
}

// LoseRequest closes the connection before the service receives the request.
func LoseRequest(*Request, func() Response) (Response, error) { return Response{}, ErrReset }

// LoseResponse closes the connection after the service has handled the request.
func LoseResponse(_ *Request, next func() Response) (Response, error) {
	next()
	return Response{}, ErrReset
}

// Foreign answers in place of the service, as a gateway does, without a sign of the service.
func Foreign(status int, contentType, body string) Hook {
	return func(*Request, func() Response) (Response, error) {
		return Response{status, http.Header{"Content-Type": {contentType}}, []byte(body)}, nil
	}
}

// Delay passes a request on later, or its response.
func Delay(before, after time.Duration) Hook {
	return func(_ *Request, next func() Response) (Response, error) {
		time.Sleep(before)
		response := next()
		time.Sleep(after)
		return response, nil
	}
}

// Before lets a rival act before the service receives the request.
func Before(act func()) Hook {
	return func(_ *Request, next func() Response) (Response, error) {
		act()
		return next(), nil
	}
}

// After lets a rival act after the service has handled the request.
func After(act func()) Hook {
	return func(_ *Request, next func() Response) (Response, error) {
		response := next()
		act()
		return response, nil
	}
}

// Methods returns a function that matches requests with one of some methods.
func Methods(methods ...string) func(*Request) bool {
	return func(r *Request) bool { return slices.Contains(methods, r.Method) }
}
