// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value"
	for name, row := range map[string]struct {
		headers map[string]string
		says    string // "" if the headers are accepted
	}{
		"the last of four":       {map[string]string{"c": value, "B": value, "a-" + value: value, "d": value + "\n"}, "header 4"},
		"a condition":            {map[string]string{"If-None-Match": value}, `begin with "If-"`},
		"none":                   {nil, ""},
		"one":                    {map[string]string{"X-Gateway-Token": value}, ""},
		"all characters":         {map[string]string{"a!#$%&'*+-.^_`|~0": "! \t~" + value}, ""},
		"an empty value":         {map[string]string{"X-Gateway-Token": ""}, ""},
		"a cookie":               {map[string]string{"Cookie": "session=" + value}, ""},
		"a line break":           {map[string]string{"X-A": value + "\r\nX-B: c"}, "the value contains a line break"},
		"a final line break":     {map[string]string{"X-A": value + "\n"}, "the value contains a line break"},
		"a carriage return":      {map[string]string{"X-A": value + "\r"}, "the value contains a line break"},
		"a NUL":                  {map[string]string{"X-A": value + "\x00"}, "the value contains a line break"},
		"a DEL":                  {map[string]string{"X-A": value + "\x7f"}, "the value contains a line break"},
		"a letter outside ASCII": {map[string]string{"X-A": value + "é"}, "the value contains a line break"},
		"a space before":         {map[string]string{"X-A": " " + value}, "the value begins or ends with white space"},
		"a tab after":            {map[string]string{"X-A": value + "\t"}, "the value begins or ends with white space"},
		"an empty name":          {map[string]string{"": value}, "a name is empty"},
		"a space in a name":      {map[string]string{"Bearer " + value: "X-A"}, "a name contains a character"},
		"a colon in a name":      {map[string]string{"X-A:" + value: "b"}, "a name contains a character"},
		"a line break in a name": {map[string]string{"X-A\r\n" + value: "b"}, "a name contains a character"},
		"an HTTP/2 name":         {map[string]string{":authority": value}, "a name contains a character"},
		"a name outside ASCII":   {map[string]string{"X-Ä" + value: "b"}, "a name contains a character"},
		"twice":                  {map[string]string{"X-Token": value, "a": "b", "x-token": value}, "two names are the same"},
		"a value as a name":      {map[string]string{value: "X-Token\n"}, "the value contains a line break"},
		"a value as two names":   {map[string]string{value: "X-Token", "S" + value[1:]: "X-Token"}, "two names are the same"},
	} {
		err := CheckHeaders(row.headers)
		switch {
		case row.says == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)):
			t.Errorf("%s: %v, want %q", name, err, row.says)
		case err != nil && strings.Contains(err.Error(), value):
			t.Errorf("%s: the error contains the value: %v", name, err)
		}
	}
	// With one of these two, net/http takes a POST as repeatable, and sends it twice by itself.
	for _, name := range append(documentedHeaders(t), "Idempotency-Key", "X-Idempotency-Key") {
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			err := CheckHeaders(map[string]string{spelling: value})
			if err == nil || !strings.Contains(err.Error(), `"`+spelling+`" is reserved`) {
				t.Errorf("%s: %v", spelling, err)
			}
		}
	}
}

// documentedHeaders returns the reserved headers that the guide about gateways names.
func documentedHeaders(t *testing.T) []string {
	t.Helper()
	guide, err := os.ReadFile("../../templates/guides/organizations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(guide), "The provider refuses the following headers")
	list, _, _ = strings.Cut(list, ", and all that begin with `If-`")
	var names []string
	for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		names = append(names, match[1])
	}
	if len(names) != len(reservedHeaders) {
		t.Errorf("the guide names %q, but %d headers are reserved", names, len(reservedHeaders))
	}
	return names
}

// TestHeadersAreSentToTheServiceOnly checks that each request has the headers, and that they
// replace none of the client's own. TestRedirects and TestPagesFromAnotherOrigin check that no
// other server gets a request.
func TestHeadersAreSentToTheServiceOnly(t *testing.T) {
	t.Parallel()
	with := func(cfg *Config) { cfg.Headers = map[string]string{"x-gateway-token": "t0ken", "X-Tenant": "north"} }
	synctest.Test(t, func(t *testing.T) {
		for _, op := range operations {
			network := newStub(answers(503, ""), answers(403, ""))
			_ = op.run(t.Context(), newClient(t, network, with))
			for _, a := range network.arrivals() {
				if a.header.Get("X-Gateway-Token") != "t0ken" || a.header.Get("X-Tenant") != "north" ||
					!strings.HasPrefix(a.header.Get("Authorization"), "Basic ") || a.header.Get("Accept") != "application/json" {
					t.Errorf("%s was sent with %v", op.method, a.header)
				}
			}
			if len(network.arrivals()) == 0 {
				t.Errorf("%s was not sent", op.method)
			}
		}
	})
}

// TestHeadersAreMasked checks that values of headers that a gateway repeats do not
// appear in an error, also if it repeats only the token after "Bearer".
func TestHeadersAreMasked(t *testing.T) {
	t.Parallel()
	const token = "gateway/t0ken+1=="
	for name, repeated := range map[string]string{
		"whole": "Bearer " + token, "part": token, "in a query": url.QueryEscape(token), "in JSON": strings.ReplaceAll(token, "/", `\/`),
	} {
		for where, step := range map[string]step{
			"message": answers(403, `{"message":"no `+repeated+`"}`), "page": answers(407, "<p>"+repeated),
			"header": answers(401, "", "Conversation-Id", repeated),
		} {
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, newStub(step), func(cfg *Config) {
					cfg.Headers, cfg.RetryTimeout = map[string]string{"X-Token": "Bearer " + token}, time.Second
				})
				_, err := c.List(t.Context(), Assessments, "")
				if err == nil || !strings.Contains(errorText(err), "(secret)") || strings.Contains(errorText(err), repeated) {
					t.Errorf("%s in a %s: %v", name, where, errorText(err))
				}
			})
		}
	}
}

// TestPartsOfHeadersAreMasked checks the parts of a value that are secret themselves.
func TestPartsOfHeadersAreMasked(t *testing.T) {
	t.Parallel()
	for value, parts := range map[string][]string{
		"Bearer t0ken-0123": {"t0ken-0123"},
		`session=c00kie-01; theme="d4rk-t0ken",k3y-12345`:                      {"c00kie-01", "d4rk-t0ken", "k3y-12345"},
		"Basic " + base64.StdEncoding.EncodeToString([]byte("proxy:passw0rd")): {"cHJveHk6cGFzc3cwcmQ", "passw0rd"},
		"basic " + base64.StdEncoding.EncodeToString([]byte("a:p:w0rd")):       {"p:w0rd"},
		"Basic " + base64.StdEncoding.EncodeToString([]byte("us3r-t0ken:")):    {"us3r-t0ken"},
		"pin 0815": {"pin 0815", "pin+0815", "pin%200815"},
	} {
		m := newMask(Config{Headers: map[string]string{"X-Token": value}})
		for _, part := range parts {
			if got := m.Message("it was " + part + "."); strings.Contains(got, part) || !strings.Contains(got, "(secret)") {
				t.Errorf("%s, of which %s is repeated: %s", value, part, got)
			}
		}
	}
}

// TestShortSecretsAreNotMasked checks from which length a secret is hidden. A shorter one would
// hide parts of ordinary words, and change data.
func TestShortSecretsAreNotMasked(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		secret        string
		message, data string // of a text that contains it as a part of a word
	}{
		{"abc", "-abc-", "-abc-"},
		{"abcd", "-(secret)-", "-abcd-"},
		{"abcdefg", "-(secret)-", "-abcdefg-"},
		{"abcdefgh", "-(secret)-", "-(secret)-"},
	} {
		for setting, change := range map[string]func(*Config){
			"header": func(cfg *Config) { cfg.Headers = map[string]string{"X-Tenant": row.secret} },
			"key":    func(cfg *Config) { cfg.APIKey = row.secret },
		} {
			text := "-" + row.secret + "-"
			refused := newClient(t, newStub(answers(403, `{"message":"`+text+`"}`)), change)
			if _, err := refused.List(t.Context(), Assessments, ""); err == nil || !strings.HasSuffix(err.Error(), ": "+row.message) {
				t.Errorf("%s %s in a message: %v", setting, row.secret, err)
			}
			client := newClient(t, newStub(answers(200, `[{"id":"a","note":"`+text+`"}]`)), change)
			all, err := client.List(t.Context(), Assessments, "")
			if err != nil || *all[0].Extra != `{"note":"`+row.data+`"}` {
				t.Errorf("%s %s in data: %v, %v", setting, row.secret, all, err)
			}
		}
	}
}

// TestMaskedDataKeepsItsMembers checks that no name of a member changes, so that none is lost, and that a
// number changes only as a whole. Members with attributes stay as they are.
func TestMaskedDataKeepsItsMembers(t *testing.T) {
	t.Parallel()
	const data = `{"12345678":1,"a12345678":2,"n":[12345678,123456780,0.12345678],"north-recruiting":{"team":"north-recruiting 1"}}`
	const want = `{"12345678":1,"a12345678":2,"n":["(secret)",123456780,0.12345678],"north-recruiting":{"team":"(secret) 1"}}`
	answer := `[{"id":"12345678","name":"north-recruiting",` + data[1:] + `]`
	c := newClient(t, newStub(answers(200, answer)), func(cfg *Config) {
		cfg.APIKey, cfg.Headers = "12345678", map[string]string{"X-Tenant": "north-recruiting"}
	})
	all, err := c.List(t.Context(), Assessments, "")
	if err != nil || *all[0].Extra != want || all[0].ID != "12345678" || *all[0].Name != "north-recruiting" {
		t.Errorf("%+v with %s, %v", all[0], *all[0].Extra, err)
	}
}

// TestSecretsAreMaskedInUnmodeledMembers checks what the client returns as JSON: the members
// that it does not model, and the results.
func TestSecretsAreMaskedInUnmodeledMembers(t *testing.T) {
	t.Parallel()
	for name, secret := range spellings() {
		quoted := string(marshal(secret))
		with := func(cfg *Config) { cfg.ClientID, cfg.APIKey = "client", awkwardKey }
		element := `{"id":"a","organizationAssessment":"b","debug":{"sent":[` + quoted + `,1.50]}}`
		all, err := newClient(t, newStub(answers(200, "["+element+"]")), with).List(t.Context(), Assessments, "")
		if err != nil || len(all) != 1 || all[0].Extra == nil {
			t.Fatalf("%s: %v, %v", name, all, err)
		}
		one, err := newClient(t, newStub(answers(200, element)), with).PositionAssessment(t.Context(), "p", "a")
		if err != nil || one.Extra == nil {
			t.Fatalf("%s: %v, %v", name, one, err)
		}
		results, err := newClient(t, newStub(answers(200, "["+element+"]")), with).Results(t.Context(), "p", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{*all[0].Extra, *one.Extra, results.Raw} {
			assertNoSecret(t, "a member", text)
			if !json.Valid([]byte(text)) || !strings.Contains(text, "(secret)") || !strings.Contains(text, "1.50") {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

// TestParseHeaders checks the text of the environment variable.
func TestParseHeaders(t *testing.T) {
	t.Parallel()
	const value = "s3cr3t-value"
	for text, says := range map[string]string{
		``:                                      "",
		`{}`:                                    "",
		` {"X-Token": "` + value + `"} `:        "",
		`{"X-Token": "a", "X-Tenant": "b"}`:     "",
		`{"X-Token": "a", "X-Token": "b"}`:      "two names are the same",
		`{"X-Token": "a", "X-T\u006fken": "b"}`: "two names are the same",
		`{"X-Token": "a", "x-token": "b"}`:      "two names are the same",
		`{"X-Token": null}`:                     "a value is null",
		`{"X-Token": 1}`:                        "must be a JSON object",
		`{"X-Token": ["` + value + `"]}`:        "must be a JSON object",
		`{"X-Token": {"` + value + `": "a"}}`:   "must be a JSON object",
		`{"X-Token": "` + value + `"`:           "must be a JSON object",
		`{"X-Token": "` + value + `"} {}`:       "must be a JSON object",
		`["` + value + `"]`:                     "must be a JSON object",
		`null`:                                  "must be a JSON object",
		value:                                   "must be a JSON object",
		`{"Host": "` + value + `"}`:             `"Host" is reserved`,
	} {
		headers, err := ParseHeaders(text)
		switch {
		case says == "" && (err != nil || len(headers) != strings.Count(text, ":")):
			t.Errorf("%s: %v, %v", text, headers, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), value)):
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
