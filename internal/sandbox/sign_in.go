// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"net/http"
	"net/url"
)

// tokenParameter is the query parameter of the address that a server prints.
const tokenParameter = "token"

// notSignedIn is shown instead of a page to a browser without the token.
const notSignedIn = "This server shows its pages only to people who know its token. Open the address that the server " +
	"printed when it started, after \"Pages for people\"."

// signedIn reports whether a browser may see the pages. Every user of a machine can reach a
// server on it, but not read its state file. So a server prints an address with a random
// token, and a browser that opens the address gets a cookie. The cookie has another random
// value. Without a token, everyone may see the
// pages.
func (v *visit) signedIn() bool {
	token := v.service.options.Token
	if token == "" {
		return true
	}
	// Browsers send cookies to all ports of a host.
	name := "assess-sandbox-" + (&url.URL{Host: v.request.Host}).Port()
	if same(v.request.URL.Query().Get(tokenParameter), token) == 1 {
		http.SetCookie(v.writer, &http.Cookie{
			Name: name, Value: v.service.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
		return true
	}
	cookie, err := v.request.Cookie(name)
	return err == nil && same(cookie.Value, v.service.session) == 1
}
