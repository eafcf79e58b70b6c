// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"fmt"
	"html"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// shapeMetadata changes the metadata of a position assessment.
func (x Assumptions) shapeMetadata(o *sandbox.Object, mute bool) {
	if mute {
		deleteMetadata(o, "packages", "benchmark", "tests")
	}
}

// deleteMetadata removes keys of the metadata.
func deleteMetadata(o *sandbox.Object, keys ...string) {
	metadata := member[sandbox.Object](*o, "metadata")
	if metadata == nil {
		return
	}
	for _, key := range keys {
		metadata.Delete(key)
	}
	o.Set("metadata", metadata)
}

// shapeWritten changes the resource in the answer to a write.
func (x Assumptions) shapeWritten(o *sandbox.Object) {
	x.shapeMetadata(o, x.MuteWrites)
	switch x.Writes {
	case "no status":
		deleteMetadata(o, "profileStatus", "profileUrl")
	case "no metadata":
		o.Delete("metadata")
	}
}

// shapeCreated changes the answer to a creation.
func (x Assumptions) shapeCreated(given *response) {
	if x.CreatedStatus != 0 {
		given.status = x.CreatedStatus
	}
	if x.Created == "location" {
		given.body = nil
		given.header.Del("Content-Type")
		return
	}
	given.changeObject(func(o *sandbox.Object) {
		x.shapeWritten(o)
		switch x.Created {
		case "no id":
			o.Delete("id")
			o.Delete("_links")
		case "self link":
			o.Delete("id")
			given.header.Del("Location")
		case "id":
			o.Delete("_links")
			given.header.Del("Location")
		case "position":
			*o = positionObject(given.header.Get("Location"))
		}
	})
}

// positionObject returns the position in the address of what a POST has created below it.
func positionObject(location string) sandbox.Object {
	position := parsedURL(location).JoinPath("..", "..")
	o := sandbox.Object{}
	o.Set("id", path.Base(position.Path))
	o.Set("_links", []pageLink{{"self", position.String()}})
	return o
}

// shapeUpdated changes the answer to an update.
func (x Assumptions) shapeUpdated(given *response) {
	switch x.Updated {
	case "no content":
		given.status = http.StatusNoContent
		fallthrough
	case "empty":
		given.body = nil
		given.header.Del("Content-Type")
		return
	}
	given.changeObject(x.shapeWritten)
}

// shapeError changes the form of all errors.
func (x Assumptions) shapeError(a *arrival, given response) response {
	removal := a.method == http.MethodDelete && a.route == sandbox.RoutePositionAssessment
	switch {
	case removal && given.status == http.StatusConflict && x.RefusedStatus != 0:
		given.status = x.RefusedStatus
	case removal && given.status == http.StatusNotFound && x.GoneStatus != 0:
		given.status = x.GoneStatus
	case given.status == http.StatusTooManyRequests:
		x.shapeRetryAfter(given.header)
	}
	if x.NoConversationID {
		given.header.Del("Conversation-Id")
	}
	if given.status < http.StatusBadRequest {
		return given
	}
	body := parsed[sandbox.Object](given.body)
	message := body.Text("message")
	if x.NoConversationID {
		body.Delete("conversationId")
		given.body = encode(body)
	}
	switch x.Errors {
	case "text":
		given.header.Set("Content-Type", "text/plain; charset=utf-8")
		given.body = []byte(message + "\n")
	case "html":
		given.header.Set("Content-Type", "text/html; charset=utf-8")
		given.body = fmt.Appendf(nil, "<html><head><title>%d %s</title><style>h1 { color: red }</style></head>"+
			"<body><h1>%[2]s</h1><p>%[3]s</p></body></html>",
			given.status, http.StatusText(given.status), html.EscapeString(message))
	case "none":
		given.header.Del("Content-Type")
		given.body = nil
	}
	return given
}

// shapeRetryAfter changes the header of a 429.
func (x Assumptions) shapeRetryAfter(header http.Header) {
	switch x.RetryAfter {
	case "none":
		header.Del("Retry-After")
	case "hour":
		header.Set("Retry-After", "3600")
	case "date":
		seconds, _ := strconv.Atoi(header.Get("Retry-After"))
		// A date has no fractions of a second. Round up, so that it is not too early.
		// real time: the clock of the service
		at := time.Now().Add(time.Duration(seconds+1) * time.Second)
		header.Set("Retry-After", at.UTC().Format(http.TimeFormat))
	}
}
