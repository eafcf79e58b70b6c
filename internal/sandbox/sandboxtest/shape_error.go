// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import (
	"fmt"
	"html"
	"net/http"
	"strconv"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// shapeError changes the form of all errors.
func (x Assumptions) shapeError(given response) response {
	if given.status == http.StatusTooManyRequests {
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
		at := time.Now().Add(time.Duration(seconds+1) * time.Second)
		header.Set("Retry-After", at.UTC().Format(http.TimeFormat))
	}
}
