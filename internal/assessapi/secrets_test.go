// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"
)

// The secrets of the tests have characters that JSON, HTML and addresses escape.
const (
	escapedKey  = `q/7+w=Z&x"R<4%2Ft`
	headerToken = "gw-T0ken/93+xyz=="
)

// withSecrets sets the secrets of the tests.
func withSecrets(cfg *Config) { *cfg = secretConfig(*cfg) }

func secretConfig(cfg Config) Config {
	cfg.ClientID, cfg.APIKey = clientID, escapedKey
	cfg.Headers = map[string]string{
		"X-Gateway-Token": "Bearer " + headerToken, "Proxy-Login": "Basic " + base64.StdEncoding.EncodeToString([]byte("u:basic-pass-word")),
		"X-Short": "s3cr", "X-Version": "2", "X-Tab": "tabs\tbed\tin",
	}
	return cfg
}

// TestSecretsAreNotShown checks F2: a text that contains eight consecutive characters of a secret, as it is or escaped,
// is not shown at all, wherever it is in a response.
func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	for _, echo := range []string{
		escapedKey, `q/7+w=Z&`, `"R<4%2Ft`, // its beginning, and its end
		`q%2F7%2Bw%3DZ%26x%22R%3C4%252Ft`, `q%2f7%2bw%3dZ%26x`, // in an address
		`q%252F7%252Bw%253DZ%2526x%2522R%253C4%25252Ft`,                                     // in an address in an address
		`q\/7+w=Z\u0026x\"R\u003c4%2Ft`, `\u0071\u002f\u0037\u002b\u0077\u003d\u005a\u0026`, // in JSON
		`w=Z&amp;x&#34;R&lt;4%2Ft`, `&#x71;&#x2F;&#x37;&#x2B;&#x77;&#x3D;&#x5A;&#x26;`, // in HTML
		`w%3DZ%26amp%3Bx%26%2334%3BR%26lt%3B4`, // in HTML in an address
		`q/7+w=Z&x"R<4/t`,                      // without the escape that it contains
		base64.StdEncoding.EncodeToString([]byte(clientID + ":" + escapedKey)), headerToken, "basic-pass-word", `tabs\tbed\tin`,
	} {
		if got := newSecrets(secretConfig(Config{})).show("you sent "+echo+" to us", 300); got != repeatsSecret {
			t.Errorf("%s is shown as %s", echo, got)
		}
	}
	if got := unescaped(`\ud83d\ude00\u0041`); got != "😀A" { // a password of a proxy can have such characters
		t.Errorf("the text is %q", got)
	}
	text := "you sent " + escapedKey + " to us"
	for where, step := range map[string]step{
		"text":            responds(400, text),
		"a page":          responds(400, "<p>"+text+"</p>"),
		"message":         responds(400, `{"message":`+string(marshal(text))+`}`),
		"code":            responds(400, `{"code":`+string(marshal(text))+`,"message":"no"}`),
		"conversation ID": unsigned(400, "", "Conversation-Id", text),
		"far behind":      responds(400, strings.Repeat("x", 10_000)+text),
	} {
		_, err := newClient(t, newStub(step), withSecrets).PositionAssessment(t.Context(), "p", "a")
		e := as[*Error](t, err)
		shown := e.Message + "|" + e.Code + "|" + e.ConversationID + "|" + err.Error()
		if strings.Contains(shown, "you sent") || !strings.Contains(shown, repeatsSecret) {
			t.Errorf("in %s: %s", where, shown)
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
		"next page": responds(200, `[{"id":"a"}]`, "Link", "<?x="+url.QueryEscape(echo)+">; rel=next"),
	} {
		virtual(t, name, func(t *testing.T) {
			_, err := newClient(t, newStub(step), withSecrets).Assessments(t.Context())
			if err == nil || strings.Contains(err.Error(), "w=Z") || strings.Contains(err.Error(), "w%3DZ") {
				t.Error(err)
			}
		})
	}
	body := `[{"id":"a","name":"kept","n":12.50,"x":{"echo":["Basic q/7+w=Z&x","fine"],"q/7+w=Z&x":1}}]`
	list, err := newClient(t, newStub(responds(200, body)), withSecrets).Assessments(t.Context())
	const want = `{"n":12.50,"x":{"echo":["the response repeats a secret","fine"],"the response repeats a secret":1}}`
	if err != nil || *list.Elements[0].Extra != want || *list.Elements[0].Name != "kept" {
		t.Errorf("%s %v", *list.Elements[0].Extra, err)
	}
	for range 20 { // extra_json must not depend on the order of a map
		if got := newSecrets(secretConfig(Config{})).hideIn(`{"q/7+w=Z&b":2,"q/7+w=Z&a":1}`); got != `{"the response repeats a secret":2}` {
			t.Fatal(got)
		}
	}
	results, err := newClient(t, newStub(responds(200, `[{"id":"c","x":"q/7+w=Z&x"},{"id":"d", "y":1.0}]`)), withSecrets).Results(t.Context(), "p", nil, nil)
	if err != nil || results.Raw != `[{"id":"c","x":"the response repeats a secret"},{"id":"d","y":1.0}]` {
		t.Errorf("%s %v", results.Raw, err)
	}
}

// Secrets of fewer than eight characters count as a whole, and a value of fewer than four is no secret. No text of a
// response can be a command of a pipeline (F6), whatever the CLI does with its lines. A long text is cut, in characters.
func TestShownTexts(t *testing.T) {
	t.Parallel()
	s := newSecrets(secretConfig(Config{}))
	for text, want := range map[string]string{
		"the header was s3cr, sorry": repeatsSecret,
		"s%33cr":                     repeatsSecret,
		"version 2":                  "version 2",
		"gw-T0ke":                    "gw-T0ke",
		clientID:                     clientID,
		"a\n::set-output name=x::y":  "a : :set-output name=x: :y",
		":\u0000:error":              ": :error",
		"##vso[task.setvariable]x":   "# #vso[task.setvariable]x",
		"##[error]x ###teamcity[y]":  "# #[error]x # # #teamcity[y]",
		"12:30, a:b, #1, std\x1b[0m": "12:30, a:b, #1, std [0m",
		strings.Repeat("é ", 50_000): strings.Repeat("é ", 150) + "…",
	} {
		if got := s.show(text, 300); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
