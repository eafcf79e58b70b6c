// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// createdID returns the id of the object that a POST to r has created: that of the body, or the
// last segment of the Location header or of the self link. Without an id, the error is a
// [LostError], because the object exists.
func (c *Client) createdID(r route, a *answer, id string, self *string) (string, error) {
	if isSegment(id) {
		return id, nil
	}
	addresses := []string{a.header.Get("Location")}
	if self != nil {
		addresses = append(addresses, *self)
	}
	for _, address := range addresses {
		// It may be the address of the collection or of its parent.
		if id := lastSegment(address); isSegment(id) && !slices.Contains(strings.Split(r.path, "/"), url.PathEscape(id)) {
			return id, nil
		}
	}
	if unsure := c.unsure(request{method: http.MethodPost, route: r}, a, ""); unsure != nil && isWebPage(a.body) {
		return "", &LostError{Refused: true, Err: unsure}
	}
	return "", &LostError{Accepted: true, Err: c.shapeError(http.MethodPost, r,
		fmt.Sprintf("status %d, but neither the body nor the Location header contains the new ID", a.status))}
}

// lastSegment returns the last segment of the path of an address, decoded.
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return ""
	}
	id, err := url.PathUnescape(path.Base(strings.TrimRight(u.EscapedPath(), "/")))
	if err != nil || id == "/" {
		return ""
	}
	return id
}

// lost returns a [LostError] if a request may have had an effect. It returns err itself
// if the service refused the request, or if the request was never sent.
func (c *Client) lost(err error) error {
	var (
		refused *Error
		call    *CallError
	)
	switch {
	case errors.As(err, new(*RepeatedError)):
		return err // not sent
	case errors.As(err, &refused):
		switch status := refused.Status; {
		case status >= 500, isTimeout(status):
			// Nothing in the answer of a gateway that gave up proves that the service did, too.
			return &LostError{Err: err, Settles: c.cfg.RequestTimeout}
		case status == http.StatusUnauthorized, status == http.StatusTooManyRequests, status < 400, refused.IsOwn():
			return err
		}
		return &LostError{Err: err, Refused: true} // a firewall can also withhold the service's answer
	case errors.As(err, &call) && call.Sent:
		return &LostError{Err: err, Settles: c.cfg.RequestTimeout}
	}
	return err
}

// isTimeout reports whether a status below 500 says that something gave up waiting, so that the service may
// still work on the request. Some gateways use 499 for that.
func isTimeout(status int) bool { return status == http.StatusRequestTimeout || status == 499 }
