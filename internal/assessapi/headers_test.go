// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"net/http"
	"net/url"
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
		"none":                   {nil, ""},
		"one":                    {map[string]string{"X-Gateway-Token": value}, ""},
		"all characters":         {map[string]string{"a!#$%&'*+-.^_`|~0": "! \t~" + value}, ""},
		"an empty value":         {map[string]string{"X-Gateway-Token": ""}, ""},
		"a cookie":               {map[string]string{"Cookie": "session=" + value}, ""},
		"a line break":           {map[string]string{"X-A": value + "\r\nX-B: c"}, `"X-A" contains a line break`},
		"a final line break":     {map[string]string{"X-A": value + "\n"}, `"X-A" contains a line break`},
		"a carriage return":      {map[string]string{"X-A": value + "\r"}, `"X-A" contains a line break`},
		"a NUL":                  {map[string]string{"X-A": value + "\x00"}, `"X-A" contains a line break`},
		"a DEL":                  {map[string]string{"X-A": value + "\x7f"}, `"X-A" contains a line break`},
		"a letter outside ASCII": {map[string]string{"X-A": value + "é"}, `"X-A" contains a line break`},
		"a space before":         {map[string]string{"X-A": " " + value}, `"X-A" begins or ends with white space`},
		"a tab after":            {map[string]string{"X-A": value + "\t"}, `"X-A" begins or ends with white space`},
		"an empty name":          {map[string]string{"": value}, "a name is empty"},
		"a space in a name":      {map[string]string{"Bearer " + value: "X-A"}, "a name contains a character"},
		"a colon in a name":      {map[string]string{"X-A:" + value: "b"}, "a name contains a character"},
		"a line break in a name": {map[string]string{"X-A\r\n" + value: "b"}, "a name contains a character"},
		"an HTTP/2 name":         {map[string]string{":authority": value}, "a name contains a character"},
		"a name outside ASCII":   {map[string]string{"X-Ä" + value: "b"}, "a name contains a character"},
		"twice":                  {map[string]string{"X-Token": value, "x-token": value}, `"X-Token" and "x-token" are the same`},
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
	for _, name := range []string{
		"Authorization", "Host", "Content-Type", "Content-Length", "Accept", "User-Agent", "Accept-Encoding", "Connection",
		"Content-Encoding", "Expect", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "TE",
		"Trailer", "Transfer-Encoding", "Upgrade",
	} {
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			err := CheckHeaders(map[string]string{spelling: value})
			if err == nil || !strings.Contains(err.Error(), `"`+spelling+`" is set by the provider`) {
				t.Errorf("%s: %v", spelling, err)
			}
		}
	}
}

// TestHeadersAreSentToTheServiceOnly checks that each request has the headers, and that they
// replace none of the client's own. A redirect or a next link to another server gets none.
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
		for where, step := range map[string]step{
			"redirect":   answers(307, "", "Location", "https://elsewhere.example/v1/assessments"),
			"other port": answers(307, "", "Location", "https://sandbox.assess.invalid:444/v1/assessments"),
			"next link":  answers(200, "[]", "Link", "<https://elsewhere.example/v1>; rel=next"),
		} {
			network := newStub(step, answers(200, "[]"))
			_, err := newClient(t, network, with).Assessments(t.Context())
			if arrivals := network.arrivals(); err == nil || len(arrivals) != 1 {
				t.Errorf("%s: %v, %d requests", where, err, len(arrivals))
			}
		}
		network := newStub(answers(307, "", "Location", "/v1/moved"), answers(200, "[]"))
		_, err := newClient(t, network, with).Assessments(t.Context())
		if arrivals := network.arrivals(); err != nil || len(arrivals) != 2 ||
			arrivals[1].header.Get("X-Gateway-Token") != "t0ken" {
			t.Errorf("within the origin: %v, %v", err, arrivals)
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
				_, err := c.Assessments(t.Context())
				if err == nil || !strings.Contains(errorText(err), "(secret)") || strings.Contains(errorText(err), repeated) {
					t.Errorf("%s in a %s: %v", name, where, errorText(err))
				}
			})
		}
	}
}

// TestShortHeadersAreNotMasked checks that a short value, which cannot be secret, does not make
// messages unreadable.
func TestShortHeadersAreNotMasked(t *testing.T) {
	t.Parallel()
	c := newClient(t, newStub(answers(403, `{"message":"tenant 1 is closed"}`)), func(cfg *Config) {
		cfg.Headers = map[string]string{"X-Tenant": "1"}
	})
	if _, err := c.Assessments(t.Context()); err == nil || !strings.Contains(err.Error(), "tenant 1 is closed") {
		t.Error(err)
	}
}

// TestSecretsAreMaskedInUnmodeledMembers checks what the client returns as JSON: the members
// that it does not model, and the results.
func TestSecretsAreMaskedInUnmodeledMembers(t *testing.T) {
	t.Parallel()
	for name, secret := range spellings() {
		quoted := string(marshal(secret))
		with := func(cfg *Config) { cfg.ClientID, cfg.APIKey = "client", awkwardKey }
		element := `{"id":"a","organizationAssessment":"b","debug":{"sent":[` + quoted + `],` + quoted + `:1,"n":1.50}}`
		all, err := newClient(t, newStub(answers(200, "["+element+"]")), with).Assessments(t.Context())
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
			if _, err := normalize(
				[]byte(text),
			); err != nil || !strings.Contains(text, "(secret)") ||
				!strings.Contains(text, "1.50") {
				t.Errorf("%s: %s, %v", name, text, err)
			}
		}
	}
}

// TestNumericSecretsAreMasked checks that JSON stays valid if a key is a number in it.
func TestNumericSecretsAreMasked(t *testing.T) {
	t.Parallel()
	c := newClient(t, newStub(answers(200, `[{"id":"a","key":12345678}]`)), func(cfg *Config) { cfg.APIKey = "12345678" })
	all, err := c.Assessments(t.Context())
	if err != nil || *all[0].Extra != `{"key":"(secret)"}` {
		t.Errorf("%v, %v", all, err)
	}
}

// TestResultsWithoutSecretsStayAsTheyAre checks that JSON without a secret is not encoded again.
func TestResultsWithoutSecretsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	const body = `[{"name": "Z\u00f6e",  "b":1e2, "a": 1.0 }]`
	c := newClient(t, newStub(answers(http.StatusOK, body)))
	results, err := c.Results(t.Context(), "p", nil, nil)
	if want := regexp.MustCompile(`^\[(.*)\]$`).FindStringSubmatch(body)[1]; err != nil || results.Raw != "["+want+"]" {
		t.Errorf("%s, %v", results.Raw, err)
	}
}
