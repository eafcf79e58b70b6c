// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// awkwardKey and awkwardToken have a different spelling in JSON, in HTML, and in addresses.
const (
	awkwardKey   = `k3y/"&<x>+=%?~`
	awkwardToken = `gateway/t0ken+1&<x>`
)

// spellings returns the forms in which the credentials, or a header, may be repeated.
var spellings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	escapeAll := func(text, format string) string {
		var escaped strings.Builder
		for _, r := range text {
			fmt.Fprintf(&escaped, format, r)
		}
		return escaped.String()
	}
	percents := regexp.MustCompile("%..")
	for name, secret := range map[string]string{
		"key": awkwardKey, "credentials": base64.StdEncoding.EncodeToString([]byte("client:" + awkwardKey)), "token": awkwardToken,
	} {
		quoted := string(marshal(secret))
		quoted = quoted[1 : len(quoted)-1]
		all[name] = secret
		all[name+" in a query"] = url.QueryEscape(secret)
		all[name+" in a path"] = url.PathEscape(secret)
		all[name+" in HTML"] = html.EscapeString(secret)
		all[name+" in JSON"] = quoted
		all[name+" in JSON with escaped slashes"] = strings.ReplaceAll(quoted, "/", `\/`)
		all[name+" in JSON in ASCII"] = string(asciiJSON([]byte(quoted)))
		all[name+" in a query, in lower case"] = percents.ReplaceAllStringFunc(url.QueryEscape(secret), strings.ToLower)
		all[name+" in JSON, every character escaped"] = escapeAll(secret, `\u%04x`)
		all[name+" in JSON, in upper case"] = escapeAll(secret, `\u%04X`)
		all[name+" in HTML, every character escaped"] = escapeAll(secret, "&#%d;")
		all[name+" in HTML, with zeros"] = escapeAll(secret, "&#x%06x;")
		all[name+" in a query in JSON in HTML"] = html.EscapeString(escapeAll(url.QueryEscape(secret), `\u%04x`))
	}
	return all
})

// awkward configures the credentials and the header.
func awkward(cfg *Config) {
	cfg.ClientID, cfg.APIKey, cfg.RetryTimeout = "client", awkwardKey, time.Second
	cfg.Headers = map[string]string{"X-Token": "Bearer " + awkwardToken}
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
	text := fmt.Sprint(err)
	for _, kind := range []any{new(*Error), new(*CallError), new(*ShapeError), new(*RedirectError), new(*LostError)} {
		if errors.As(err, kind) {
			text += fmt.Sprintf("\n%v", reflect.ValueOf(kind).Elem().Elem())
		}
	}
	return text
}

// TestSecretsAreMasked checks that credentials that a gateway repeats, in any part of a
// response, do not appear in an error, a log, or a notice.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	for name, secret := range spellings() {
		location, quoted := url.PathEscape(secret), string(marshal(secret))
		for where, step := range map[string]step{
			"text":                 answers(403, "Authorization: Basic "+secret),
			"HTML":                 answers(502, "<html><body><pre>Authorization: <b>Basic "+html.EscapeString(secret)+"</b></pre>"),
			"a message":            answers(400, `{"message":`+string(marshal("you sent "+secret))+`}`),
			"a code":               answers(401, `{"code":`+quoted+`,"message":"no"}`),
			"raw JSON":             answers(403, `{"headers":{"authorization":`+quoted+`}}`),
			"a number":             answers(403, `{"message":"no","conversationId":`+quoted+`}`),
			"a header":             answers(403, "", "Conversation-Id", secret),
			"after 290 characters": answers(403, strings.Repeat("x", 290)+" "+secret),
			"a page":               answers(200, "<html><p>"+secret),
			"a page of a proxy":    answers(407, "<p>"+secret),
			"garbage":              answers(200, secret),
			"a member":             answers(200, `{`+quoted+`:1}`),
			"an id":                answers(200, `[{"id":`+quoted+`},{"id":`+quoted+`}]`),
			"another one":          answers(200, `{"organizationAssessment":"a","id":`+quoted+`}`),
			"a redirect":           answers(302, "", "Location", "https://elsewhere.example/"+location),
			"a redirect's host":    answers(302, "", "Location", "https://"+location+".example/"),
			"no address":           answers(302, secret, "Location", "http://[::1/"+secret),
			"a next link":          answers(200, "[]", "Link", "<https://"+location+".example/>; rel=next"),
			"an error":             breaks(fmt.Errorf("malformed HTTP header %q", secret)),
			"a bare error":         breaks(errors.New("malformed HTTP header " + secret)),
		} {
			sandboxtest.Virtual(t, name+"/"+where, func(t *testing.T) { checkNoSecret(t, step) })
		}
	}
}

func checkNoSecret(t *testing.T, network step) {
	t.Helper()
	c := newClient(t, nil, awkward, func(cfg *Config) {
		cfg.Refused = func(parameters string, err error) { assertNoSecret(t, "a notice", parameters+errorText(err)) }
		cfg.Transport = &Attempt{
			Next: newStub(network), Timeout: requestTimeout,
			Observe: func(_ context.Context, o Observation) { assertNoSecret(t, "a log", fmt.Sprintf("%v %+v", o, o.Err)) },
		}
	})
	for _, op := range operations {
		err := op.run(t.Context(), c)
		assertNoSecret(t, op.method, errorText(err))
		if err == nil && op.method == http.MethodGet {
			t.Error("the read succeeded")
		}
	}
	_, err := c.List(t.Context(), Assessments, "")
	assertNoSecret(t, "a list", errorText(err))
}

// TestMask checks what is hidden in a message and in data. A short secret would hide parts of ordinary words, and
// change data. Some pages repeat a header and cut it.
func TestMask(t *testing.T) {
	t.Parallel()
	key := func(key string) *mask { return newMask(Config{ClientID: "client", APIKey: key}) }
	header := func(value string) *mask { return newMask(Config{Headers: map[string]string{"X-Token": value}}) }
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	const long, cookie = "k3y-7f9a1c2e4b6d8091", `session=c00kie-01; theme="d4rk-t0ken",k3y-12345`
	for _, row := range []struct {
		mask                *mask
		text, message, data string // data is "" if it is the text itself
	}{
		{key(""), "it was open sesame", "it was open sesame", ""},
		{key("abc"), "-abc-", "-abc-", ""},
		{header("abc"), "-abc-", "-abc-", ""},
		{key("abcd"), "-abcd-", "-(secret)-", ""},
		{header("abcdefg"), "-abcdefg-", "-(secret)-", ""},
		{key("abcdefgh"), "-abcdefgh-", "-(secret)-", "-(secret)-"},
		{header("abcdefgh"), "-abcdefgh-", "-(secret)-", "-(secret)-"},
		{key("open sesame"), "it was open\n sesame", "it was (secret)", ""},
		{header("Bearer t0ken-0123"), "it was t0ken-0123.", "it was (secret).", "it was (secret)."},
		{header(cookie), "c00kie-01 d4rk-t0ken k3y-12345", "(secret) (secret) (secret)", "(secret) (secret) (secret)"},
		{header("Basic " + encoded("proxy:passw0rd")), "passw0rd cHJveHk6cGFzc3cwcmQ", "(secret) (secret)", "(secret) (secret)"},
		{header("basic " + encoded("a:p:w0rd")), "p:w0rd", "(secret)", ""},
		{header("Basic " + encoded("us3r-t0ken:")), "us3r-t0ken", "(secret)", "(secret)"},
		{header("pin 0815"), "pin+0815, pin%200815", "(secret), (secret)", "(secret), (secret)"},
		{key(long), "Authorization: " + basic("client", long)[:34], "Authorization: Basic (secret)", ""},
		{key(long), "denied for " + basic("client", long)[6:30] + "...", "denied for (secret)...", ""},
		{key(long), "key " + long[:8] + "\u2026 and " + long[:12], "key (secret)\u2026 and (secret)", ""},
		{key(long), `key k3y\u002d7f9a1c2 is not valid`, "key (secret) is not valid", ""},
		{key(long), long[:10] + " " + long, "(secret) (secret)", long[:10] + " (secret)"},
		{header("Bearer " + long), long[:15] + "[truncated]", "(secret)[truncated]", ""},
		{header("Bearer " + long), "Bearer authentication is required", "Bearer authentication is required", ""},
	} {
		if got := excerpt(row.text, row.mask, 300); got != row.message {
			t.Errorf("%s in a message is %s, want %s", row.text, got, row.message)
		}
		want := row.data
		if want == "" {
			want = row.text
		}
		if got := row.mask.JSON(string(marshal(row.text))); got != string(marshal(want)) {
			t.Errorf("%s in data is %s, want %s", row.text, got, want)
		}
	}
}

// TestMaskedData checks that no name of a member changes, so that none is lost, that a number changes only as a whole,
// and that data is never cut. Attributes of their own, such as the ID, stay as they are.
func TestMaskedData(t *testing.T) {
	t.Parallel()
	const data = `{"12345678":1,"a12345678":2,"n":[12345678,123456780,0.12345678],"north-recruiting":{"team":"north-recruiting 1"}}`
	const want = `{"12345678":1,"a12345678":2,"n":["(secret)",123456780,0.12345678],"north-recruiting":{"team":"(secret) 1"}}`
	answer := `{"id":"12345678","organizationAssessment":"north-recruiting",` + data[1:]
	with := func(cfg *Config) {
		cfg.APIKey, cfg.Headers = "12345678", map[string]string{"X-Tenant": "north-recruiting"}
	}
	one, err := newClient(t, newStub(answers(200, answer)), with).PositionAssessments().Read(t.Context(), "p", "12345678")
	if err != nil || *one.Extra != want || one.AssessmentID != "north-recruiting" {
		t.Errorf("%+v with %s, %v", one, *one.Extra, err)
	}
	made, err := newClient(t, newStub(answers(200, answer)), with).PositionAssessments().
		Create(t.Context(), "p", PositionAssessment{AssessmentID: "north-recruiting"})
	if err != nil || *made.Extra != want {
		t.Errorf("created %+v with %s, %v", made, *made.Extra, err)
	}
	all, err := newClient(t, newStub(answers(200, "["+answer+"]")), with).PositionAssessments().List(t.Context(), "p")
	if err != nil || *all[0].Extra != want || all[0].ID != "12345678" {
		t.Errorf("%+v, %v", all, err)
	}
	results, err := newClient(t, newStub(answers(200, "["+data+"]")), with).Results(t.Context(), "p", nil, nil)
	if err != nil || results.Raw != "["+want+"]" {
		t.Errorf("%s, %v", results.Raw, err)
	}
	var cfg Config
	awkward(&cfg)
	for name, secret := range spellings() {
		long := strings.Repeat("a", 100<<10)
		masked := newMask(cfg).JSON(`{"sent":[` + string(marshal(long+secret+long)) + `,1.50]}`)
		assertNoSecret(t, "data", masked)
		if !json.Valid([]byte(masked)) || masked != `{"sent":["`+long+`(secret)`+long+`",1.50]}` {
			t.Errorf("%s: %d bytes became %d", name, 2*len(long), len(masked))
		}
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
		_, err := newClient(t, newStub(breaks(dns)), awkward).List(t.Context(), Assessments, "")
		if !errors.Is(err, dns) || strings.Contains(err.Error(), awkwardKey) {
			t.Error(err)
		}
	})
}
