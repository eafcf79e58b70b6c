// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// awkwardKey has a different spelling in JSON, in HTML, and in addresses.
const awkwardKey = `k3y/"&<x>+=%?~`

// spellings returns the forms in which the credentials may be repeated.
var spellings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for name, secret := range map[string]string{"key": awkwardKey, "header": base64.StdEncoding.EncodeToString([]byte("client:" + awkwardKey))} {
		quoted := string(marshal(secret))
		quoted = quoted[1 : len(quoted)-1]
		all[name] = secret
		all[name+" in a query"] = url.QueryEscape(secret)
		all[name+" in a path"] = url.PathEscape(secret)
		all[name+" in HTML"] = html.EscapeString(secret)
		all[name+" in JSON"] = quoted
		all[name+" in JSON with escaped slashes"] = strings.ReplaceAll(quoted, "/", `\/`)
		all[name+" in JSON in ASCII"] = string(asciiJSON([]byte(quoted)))
		all[name+" in a query, in lower case"] = lowerEscapes(url.QueryEscape(secret))
		all[name+" in JSON, every character escaped"] = escapeAll(secret, `\u%04x`)
		all[name+" in JSON, in upper case"] = escapeAll(secret, `\u%04X`)
		all[name+" in HTML, every character escaped"] = escapeAll(secret, "&#%d;")
		all[name+" in HTML, with zeros"] = escapeAll(secret, "&#x%06x;")
		all[name+" in a query in JSON in HTML"] = html.EscapeString(escapeAll(url.QueryEscape(secret), `\u%04x`))
	}
	return all
})

// lowerEscapes changes percent escapes to lower case.
func lowerEscapes(text string) string {
	return regexp.MustCompile("%..").ReplaceAllStringFunc(text, strings.ToLower)
}

// escapeAll escapes every character.
func escapeAll(text, format string) string {
	var escaped strings.Builder
	for _, r := range text {
		fmt.Fprintf(&escaped, format, r)
	}
	return escaped.String()
}

// assertNoSecret fails the test if a text repeats the credentials.
func assertNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for name, spelling := range spellings() {
		if strings.Contains(strings.ToLower(text), strings.ToLower(spelling)) { // names of hosts are in lower case
			t.Errorf("%s contains the %s: %s", where, name, text)
			return
		}
	}
}

// errorText returns all texts and fields of an error that a caller can show.
func errorText(err error) string {
	var (
		refused  *Error
		broken   *CallError
		shape    *ShapeError
		redirect *RedirectError
		lost     *LostError
	)
	all := []any{err}
	if errors.As(err, &refused) {
		all = append(all, *refused)
	}
	if errors.As(err, &broken) {
		all = append(all, broken.Err, broken.Address)
	}
	if errors.As(err, &shape) {
		all = append(all, *shape)
	}
	if errors.As(err, &redirect) {
		all = append(all, *redirect)
	}
	if errors.As(err, &lost) {
		all = append(all, lost.Err)
	}
	return fmt.Sprintf("%v", all)
}

// TestSecretsAreMasked checks that credentials that a gateway repeats, in any part of a
// response, do not appear in an error, a log, or a notice.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	for name, secret := range spellings() {
		location := url.PathEscape(secret)
		steps := map[string]step{
			"text":                 answers(403, "Authorization: Basic "+secret),
			"HTML":                 answers(502, "<html><body><pre>Authorization: <b>Basic "+html.EscapeString(secret)+"</b></pre>"),
			"a message":            answers(400, `{"message":`+string(marshal("you sent "+secret))+`}`),
			"a code":               answers(401, `{"code":`+string(marshal(secret))+`,"message":"no"}`),
			"raw JSON":             answers(403, `{"headers":{"authorization":`+string(marshal(secret))+`}}`),
			"a number":             answers(403, `{"message":"no","conversationId":`+string(marshal(secret))+`}`),
			"a header":             answers(403, "", "Conversation-Id", secret),
			"after 290 characters": answers(403, strings.Repeat("x", 290)+" "+secret),
			"a page":               answers(200, "<html><p>"+secret),
			"garbage":              answers(200, secret),
			"a member":             answers(200, `{`+string(marshal(secret))+`:1}`),
			"an id":                answers(200, `[{"id":`+string(marshal(secret))+`},{"id":`+string(marshal(secret))+`}]`),
			"another one":          answers(200, `{"organizationAssessment":"a","id":`+string(marshal(secret))+`}`),
			"a redirect":           answers(302, "", "Location", "https://elsewhere.example/"+location),
			"a redirect's host":    answers(302, "", "Location", "https://"+location+".example/"),
			"no address":           answers(302, secret, "Location", "http://[::1/"+secret),
			"a next link":          answers(200, "[]", "Link", "<https://"+location+".example/>; rel=next"),
			"an error":             breaks(fmt.Errorf("malformed HTTP header %q", secret)),
			"a bare error":         breaks(errors.New("malformed HTTP header " + secret)),
		}
		for where, step := range steps {
			t.Run(name+"/"+where, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { checkNoSecret(t, step) })
			})
		}
	}
}

func checkNoSecret(t *testing.T, network step) {
	t.Helper()
	c := newClient(t, nil, func(cfg *Config) {
		cfg.ClientID, cfg.APIKey, cfg.RetryTimeout = "client", awkwardKey, time.Second
		cfg.Refused = func(parameters string, err error) { assertNoSecret(t, "a notice", parameters+errorText(err)) }
		cfg.Transport = &Attempt{
			Next:    newStub(network),
			Timeout: requestTimeout,
			Observe: func(_ context.Context, o Observation) {
				assertNoSecret(t, "a log", fmt.Sprintf("%v %+v", o, o.Err))
			},
		}
	})
	for _, op := range operations {
		err := op.run(t.Context(), c)
		if err != nil {
			assertNoSecret(t, op.method, errorText(err))
		}
		if err == nil && op.method == http.MethodGet {
			t.Error("the read succeeded")
		}
	}
	if _, err := c.List(t.Context(), Assessments, ""); err != nil {
		assertNoSecret(t, "a list", errorText(err))
	}
}

// TestLongSecretsAreNotCut checks that no part of a key is shown when a text is
// truncated.
func TestLongSecretsAreNotCut(t *testing.T) {
	t.Parallel()
	key := ""
	for i := range 200 {
		key += fmt.Sprint(i)
	}
	for where, text := range map[string]string{
		"a message": `{"message":"` + strings.Repeat("x", 280) + key + `"}`, "text": strings.Repeat("x ", 140) + key,
		"a member": `{"` + key + `":1}`, "an id": `[{"id":"` + key + `"},{"id":"` + key + `"}]`, "a page": "<p>" + strings.Repeat("x", 290) + key,
	} {
		for _, status := range []int{http.StatusOK, http.StatusForbidden} {
			c := newClient(t, newStub(answers(status, text)),
				func(cfg *Config) { cfg.APIKey, cfg.RetryTimeout = key, time.Millisecond })
			_, err := c.List(t.Context(), Assessments, "")
			if err == nil || strings.Contains(errorText(err), key[:8]) {
				t.Errorf("%s with %d: %v", where, status, err)
			}
		}
	}
}

// TestMaskedErrorsKeepTheirKind checks that errors.Is still works for masked errors.
func TestMaskedErrorsKeepTheirKind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dns := &net.DNSError{Err: "no such host", Name: awkwardKey, IsNotFound: true}
		network := newStub(breaks(dns))
		c := newClient(t, network, func(cfg *Config) { cfg.APIKey = awkwardKey })
		_, err := c.List(t.Context(), Assessments, "")
		if !errors.Is(err, dns) || strings.Contains(err.Error(), awkwardKey) {
			t.Errorf("%v after %d attempts", err, len(network.arrivals()))
		}
	})
}

// Secrets are hidden where other white space is in the text. Without a key, nothing is hidden.
func TestMaskOfWhiteSpace(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"open sesame": "it was (secret)", "": "it was open sesame", "sesame": "it was open (secret)",
	} {
		if got := excerpt("it was open\n sesame", newMask(Config{APIKey: key}), 300); got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
}

// Data is never cut, whatever its length. Only messages are.
func TestLongDataIsMaskedAsAWhole(t *testing.T) {
	t.Parallel()
	m, long := newMask(Config{ClientID: "client", APIKey: "the-api-key"}), strings.Repeat("a", 100<<10)
	if got := m.JSON(`{"note":"` + long + "the-api-key" + long + `"}`); got != `{"note":"`+long+`(secret)`+long+`"}` {
		t.Errorf("%d bytes became %d, or the secret is in them", 2*len(long), len(got))
	}
}

// Row 27: a page that repeats a header and cuts it shows no part of a secret.
func TestCutSecretsAreHidden(t *testing.T) {
	t.Parallel()
	const key, token = "k3y-7f9a1c2e4b6d8091", "t0k3n-abcdefghijklmnop"
	header := basic("client", key)
	for name, page := range map[string]string{
		"40 characters of Authorization": "<p>Authorization: " + header[:34] + "</p>",
		"without Basic":                  "denied for " + header[6:30] + "...",
		"the beginning of the key":       `{"message":"key ` + key[:12] + `... is not valid"}`,
		"the shortest beginning":         "key " + key[:8] + "\u2026",
		"escaped":                        `{"message":"key k3y\u002d7f9a1c2 is not valid"}`,
		"a header":                       "X-Token: " + token[:15] + "[truncated]",
		"twice":                          key[:10] + " " + key[:11] + " " + key,
	} {
		network := newStub(answers(403, page))
		c := newClient(t, network, func(cfg *Config) {
			cfg.ClientID, cfg.APIKey = "client", key
			cfg.Headers = map[string]string{"X-Token": "Bearer " + token}
		})
		_, err := c.List(t.Context(), Assessments, "")
		text := err.Error()
		for _, part := range []string{key[:8], token[:8], header[6:14], "7f9a1c"} {
			if strings.Contains(text, part) || !strings.Contains(text, "(secret)") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	// Ordinary words that begin like a header stay.
	c := newClient(t, newStub(answers(400, "Bearer authentication is required")), func(cfg *Config) {
		cfg.Headers = map[string]string{"X-Token": "Bearer " + token}
	})
	if _, err := c.PositionAssessment(t.Context(), "p", "x"); !strings.Contains(err.Error(), "Bearer authentication") {
		t.Error(err)
	}
}
