// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// conversationHeader is the header whose value identifies a response to the service operator (assumption A3).
const conversationHeader = "Conversation-Id"

// response is a response whose body has been read.
type response struct {
	status   int
	header   http.Header
	body     []byte // in UTF-8
	problem  error  // why a read cannot use the response, or nil
	isOwn    bool   // the response is the service's own, see [Client.isOwn]
	isCached bool   // a cache has answered instead of the service (RFC 9111, section 5.1)
}

func (c *Client) newResponse(resp *http.Response, body []byte) *response {
	r := &response{status: resp.StatusCode, header: resp.Header}
	r.body, r.problem = asJSON(body, resp.Header)
	if r.status/100 == 2 && !isDocumented(http.MethodGet, r.status) {
		r.problem = fmt.Errorf("expected the status 200 OK, got %s", statusLine(r.status))
	}
	r.isOwn = c.isOwn(r)
	age, err := strconv.Atoi(strings.TrimSpace(resp.Header.Get("Age")))
	r.isCached = err == nil && age > 0
	return r
}

// isOwn reports whether a response is the service's own. A gateway or a firewall can answer in place of the service,
// and such a response must not change a state. A response is the service's own if it has a Conversation-Id, in its
// header or in the body of an error. isOwn then sets c.signs. As long as no response has had a Conversation-Id, it is
// enough that the body begins like JSON, or that the body of a 2xx is empty.
func (c *Client) isOwn(r *response) bool {
	if r.conversationID() != "" {
		c.signs.Store(true)
		return true
	}
	if c.signs.Load() {
		return false
	}
	text := bytes.TrimSpace(r.body)
	if len(text) == 0 {
		return r.status/100 == 2
	}
	return text[0] == '{' || text[0] == '[' || json.Valid(text)
}

// conversationID returns the ID in the header, or in the body of an error, or "".
func (r *response) conversationID() string {
	if id := r.header.Get(conversationHeader); id != "" || r.status < 400 {
		return id
	}
	o, err := parseObject(r.body)
	if err != nil {
		return ""
	}
	return o.anyText("conversationId")
}

// warnCached warns if a cache has answered although it was asked not to.
func (c *Client) warnCached(r *response) {
	if r == nil || !r.isCached {
		return
	}
	c.cfg.Warn(Warning{
		Key:     "cache",
		Summary: "Response from a cache",
		Detail: "A cache between the provider and the service has answered a request, although the request asks for no " +
			"cached response (Cache-Control: no-cache). The response has the header Age, so it may be out of date.",
	})
}
