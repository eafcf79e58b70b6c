// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

// The secrets of the tests have characters that JSON, HTML and addresses escape.
const (
	escapedKey  = `q/7+w=Z&x"R<4%2Ft`
	headerToken = "gw-T0ken/93+xyz=="
)

func secretConfig(cfg *Config) {
	cfg.APIKey = escapedKey
	cfg.Headers = map[string]string{
		"X-Gateway-Token": "Bearer " + headerToken, "Proxy-Login": "Basic " + base64.StdEncoding.EncodeToString([]byte("u:basic-pass-word")),
		"X-Short": "s3cr", "X-Version": "2",
	}
}

// echoes are the ways in which a service or a gateway repeats a text.
var echoes = map[string]func(string) string{
	"as it is":             func(s string) string { return s },
	"its tail":             func(s string) string { return s[len(s)-8:] },
	"its beginning":        func(s string) string { return s[:8] },
	"its middle":           func(s string) string { return s[4:12] },
	"in an address":        url.QueryEscape,
	"in a path":            url.PathEscape,
	"in lower hexadecimal": func(s string) string { return strings.ToLower(hexed(s)) },
	"in JSON":              func(s string) string { return strings.Trim(string(marshalHTML(s)), `"`) },
	"with JSON slashes":    func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
	"in HTML":              html.EscapeString,
	"in HTML numbers":      func(s string) string { return numbered(s, "&#%d;") },
	"in HTML hexadecimal":  func(s string) string { return numbered(s, "&#x%X;") },
	"in Unicode escapes":   func(s string) string { return numbered(s, `\u%04x`) },
	"twice in an address":  func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"address in HTML":      func(s string) string { return html.EscapeString(url.QueryEscape(s)) },
	"address in JSON in HTML": func(s string) string {
		return html.EscapeString(strings.Trim(string(marshalHTML(url.QueryEscape(s)+"/")), `"`))
	},
	"its escaped tail": func(s string) string { return url.QueryEscape(s)[3:] },
	"its tail, without escapes": func(s string) string {
		plain := unescaped(s)
		return plain[len(plain)-8:]
	},
}

func hexed(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

func numbered(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func marshalHTML(s string) []byte {
	return []byte(strings.ReplaceAll(string(marshal(s)), "<", `\u003c`))
}

// secretTexts are what must not be shown.
func secretTexts() map[string]string {
	return map[string]string{
		"key":     escapedKey,
		"basic":   base64.StdEncoding.EncodeToString([]byte(clientID + ":" + escapedKey)),
		"header":  headerToken,
		"in base": "basic-pass-word",
	}
}

// TestSecretsAreNotShown checks F2: a text that contains eight consecutive characters of a secret, as it is or escaped,
// is not shown at all, wherever it is in a response.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	for how, echo := range echoes {
		for what, secret := range secretTexts() {
			text := "you sent " + echo(secret) + " to us"
			for where, step := range map[string]step{
				"text":            responds(400, text),
				"a page":          responds(400, "<p>"+text+"</p>"),
				"message":         responds(400, `{"message":`+string(marshal(text))+`}`),
				"code":            responds(400, `{"code":`+string(marshal(text))+`,"message":"no"}`),
				"conversation ID": unsigned(400, "", "Conversation-Id", text),
				"far behind":      responds(400, strings.Repeat("x", 10_000)+text),
			} {
				_, err := newClient(t, newStub(step), secretConfig).PositionAssessment(t.Context(), "p", "a")
				e := as[*Error](t, err)
				shown := e.Message + "|" + e.Code + "|" + e.ConversationID + "|" + err.Error()
				if strings.Contains(shown, "you sent") || !strings.Contains(shown, repeatsSecret) {
					t.Errorf("%s %s in %s: %s", what, how, where, shown)
				}
			}
		}
	}
}

// Secrets of fewer than eight characters count as a whole, and a value of fewer than four is no secret.
func TestShortSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"the header was s3cr, sorry": repeatsSecret, "s%33cr": repeatsSecret, "s3c r": "s3c r", "version 2": "version 2",
		"Bearer Basic Token": "Bearer Basic Token", "gw-T0ke": "gw-T0ke", clientID: clientID,
	} {
		_, err := newClient(t, newStub(responds(400, text)), secretConfig).Assessments(t.Context())
		if e := as[*Error](t, err); e.Message != want {
			t.Errorf("%q is shown as %q, want %q", text, e.Message, want)
		}
	}
}

// TestSecretsElsewhere checks texts that are no error bodies: a redirect, an error of the network, an error about the
// shape, a link, and members that the client does not model.
func TestSecretsElsewhere(t *testing.T) {
	t.Parallel()
	const echo = `q/7+w=Z&x`
	for name, step := range map[string]step{
		"redirect":  responds(302, "", "Location", "https://login.example/?key="+url.QueryEscape(echo)),
		"network":   breaks(errors.New("malformed HTTP response \"" + echo + "\"")),
		"shape":     responds(200, `{"q/7+w=Z&x":[],"b":[]}`),
		"envelope":  responds(200, `{"error":"`+echo+`"}`),
		"two IDs":   responds(200, `[{"id":"`+echo+`"},{"id":"`+echo+`"}]`),
		"next page": responds(200, `[{"id":"a"}]`, "Link", "<?x="+url.QueryEscape(echo)+">; rel=next"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, err := newClient(t, newStub(step), secretConfig).Assessments(t.Context())
				if err == nil || strings.Contains(err.Error(), "w=Z") || strings.Contains(err.Error(), "w%3DZ") {
					t.Error(err)
				}
			})
		})
	}
	body := `[{"id":"a","name":"kept","n":12.50,"x":{"echo":["Basic q/7+w=Z&x","fine"],"q/7+w=Z&x":1}}]`
	list, err := newClient(t, newStub(responds(200, body)), secretConfig).Assessments(t.Context())
	const want = `{"n":12.50,"x":{"echo":["the response repeats a secret","fine"],"the response repeats a secret":1}}`
	if err != nil || *list.Elements[0].Extra != want || *list.Elements[0].Name != "kept" {
		t.Errorf("%s %v", *list.Elements[0].Extra, err)
	}
	results, err := newClient(t, newStub(responds(200, `[{"id":"c","x":"q/7+w=Z&x"},{"id":"d", "y":1.0}]`)), secretConfig).Results(t.Context(), "p", nil, nil)
	if err != nil || results.Raw != `[{"id":"c","x":"the response repeats a secret"},{"id":"d","y":1.0}]` {
		t.Errorf("%s %v", results.Raw, err)
	}
}

// An error of the network keeps its kind, although its text is not shown.
func TestHiddenErrorsKeepTheirKind(t *testing.T) {
	t.Parallel()
	s := newSecrets(Config{APIKey: apiKey})
	hidden := s.showError(fmt.Errorf("line %q: %w", apiKey, http.ErrSchemeMismatch))
	if !errors.Is(hidden, http.ErrSchemeMismatch) || hidden.Error() != repeatsSecret {
		t.Errorf("%v", hidden)
	}
}

// TestPipelineCommands checks F6: no text of a response can be a command of a pipeline, whatever the CLI does with its
// lines.
func TestPipelineCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"::error::pwned":             ": :error: :pwned",
		"a\n::set-output name=x::y":  "a : :set-output name=x: :y",
		":::":                        ": : :",
		"::::":                       ": : : :",
		":\u0000:error":              ": :error",
		"##vso[task.setvariable]x":   "# #vso[task.setvariable]x",
		"##[error]x ###teamcity[y]":  "# #[error]x # # #teamcity[y]",
		"12:30, a:b, #1, std\x1b[0m": "12:30, a:b, #1, std [0m",
	} {
		_, err := newClient(t, newStub(responds(400, text))).Assessments(t.Context())
		if e := as[*Error](t, err); e.Message != want {
			t.Errorf("%q is shown as %q, want %q", text, e.Message, want)
		}
	}
	for name, step := range map[string]step{
		"code":            responds(400, `{"code":"::error::x","message":"no"}`),
		"conversation ID": unsigned(400, "", "Conversation-Id", "::error::x"),
		"shape":           responds(200, `{"::error::x":[],"b":[]}`),
		"IDs":             responds(200, `[{"id":"::error::x"},{"id":"::error::x"}]`),
		"network":         breaks(errors.New("malformed HTTP status code ::error::x")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, err := newClient(t, newStub(step)).Assessments(t.Context())
				e, _ := errors.AsType[*Error](err)
				if strings.Contains(err.Error(), "::") || e != nil && strings.Contains(e.Code+e.ConversationID, "::") {
					t.Error(err)
				}
			})
		})
	}
}

// A long text is cut, in characters, and costs little.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	_, err := newClient(t, newStub(responds(400, strings.Repeat("é ", 500_000)))).Assessments(t.Context())
	e := as[*Error](t, err)
	if n := len([]rune(e.Message)); n != 301 || !strings.HasSuffix(e.Message, "…") {
		t.Errorf("%d characters", n)
	}
}
