// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	const service, other = "NOT_CHANGEABLE", `{"error": {"reason": "no"}, "code": "E1"}`
	for _, row := range []struct{ body, header, code, message, conversation string }{
		{wireFile(t, "error.json"), "", service, "only active may be changed", "conv-9"},
		{wireFile(t, "error.json"), "conv-1", service, "only active may be changed", "conv-1"},
		{wireFile(t, "error-number-code.json"), "", "12345678901234567890", "no", ""},
		{wireFile(t, "error-other-shape.json"), "", "E1", other, ""},
		{wireFile(t, "error-page.html"), "conv-2", "", "502 Bad Gateway The upstream <api> is down.", "conv-2"},
		{"<h1>403 Forbidden</h1><hr>nginx", "", "", "nginx", ""},
		{"<h1>\nForbidden </h1>", "", "", "", ""},
		{"<h1>Forbidden by Ada</h1>", "", "", "Forbidden by Ada", ""},
		{"Forbidden", "", "", "Forbidden", ""},
		{wireFile(t, "error.txt"), "", "", "upstream connect error or disconnect/reset before headers", ""},
		{" \r\n\t", "", "", "", ""},
		{`["no"]`, "", "", `["no"]`, ""},
		{`{"code":"C","message":""}`, "", "C", `{"code":"C","message":""}`, ""},
		{`{"message":{"en":"no"}}`, "", "", `{"message":{"en":"no"}}`, ""},
		{"Zugriff verweigert f\xfcr alle", "", "", "Zugriff verweigert für alle", ""},
		{"\x1b[2Jgone\u009b2J\u202eback\x00", "", "", "[2Jgone 2J back", ""},
		{strings.Repeat("é", 301), "", "", strings.Repeat("é", 300) + "…", ""},
	} {
		network := newStub(answers(http.StatusForbidden, row.body, "Conversation-Id", row.header))
		_, err := newClient(t, network).List(t.Context(), Assessments, "")
		got := as[*Error](t, err)
		if got.Code != row.code || got.Message != row.message || got.ConversationID != row.conversation ||
			got.Method != http.MethodGet || got.Route != "/assessments" || got.Status != 403 || got.Attempts != 1 {
			t.Errorf("read %+v\nwant %+v", got, row)
		}
	}
}

// TestErrorAddress checks the address in errors: the requested one, or the one that
// answered after a redirect. It never has the query, because the query names
// candidates.
func TestErrorAddress(t *testing.T) {
	t.Parallel()
	const results = sandbox.BaseURL + "/positions/p%2F1/results"
	for name, tc := range map[string]struct {
		steps []step
		want  string
	}{
		"a refusal":              {[]step{answers(http.StatusForbidden, "")}, results},
		"after a redirect":       {[]step{answers(http.StatusFound, "", "Location", "/other/positions/p%2F1/results/?candidate=c"), answers(http.StatusUnauthorized, "")}, "https://sandbox.assess.invalid/other/positions/p%2F1/results/"},
		"with credentials":       {[]step{answers(http.StatusFound, "", "Location", "https://me:mine@sandbox.assess.invalid/x/positions/p%2F1/results"), answers(http.StatusUnauthorized, "")}, "https://sandbox.assess.invalid/x/positions/p%2F1/results"},
		"the key":                {[]step{answers(http.StatusFound, "", "Location", "/"+sandbox.APIKey+"/positions/p%2F1/results"), answers(http.StatusUnauthorized, "")}, "https://sandbox.assess.invalid/(secret)/positions/p%2F1/results"},
		"the key as path":        {[]step{answers(http.StatusFound, "", "Location", "/"+sandbox.APIKey+"/positions/p%2F1/results"), breaks(errTooLarge)}, "https://sandbox.assess.invalid/(secret)/positions/p%2F1/results"},
		"to another origin":      {[]step{answers(http.StatusFound, "", "Location", "https://elsewhere.example/v2?candidate=c")}, results},
		"until the next attempt": {[]step{answers(http.StatusServiceUnavailable, ""), breaks(errors.New("never"))}, results},
		"no connection":          {[]step{breaks(&net.DNSError{IsNotFound: true})}, results},
		"not JSON until timeout": {[]step{answers(http.StatusOK, "<html>")}, results},
		"another shape":          {[]step{answers(http.StatusOK, "{}")}, results},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			short := func(cfg *Config) { cfg.RetryTimeout = 10 * time.Millisecond }
			_, err := newClient(t, newStub(tc.steps...), short).Results(t.Context(), "p/1", []string{"c"}, nil)
			got := ""
			if refused, ok := errors.AsType[*Error](err); ok {
				got = refused.Address
			} else if broken, ok := errors.AsType[*CallError](err); ok {
				got = broken.Address
			} else {
				got = as[*ShapeError](t, err).Address
			}
			if got != tc.want {
				t.Errorf("%v has the address %q, want %q", err, got, tc.want)
			}
		})
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for kind, row := range map[string]struct {
		is   func(error) bool
		only []int
	}{
		"not found": {IsNotFound, []int{404, 410}},
		"no route":  {IsNoRoute, []int{405, 501}},
		"no list":   {IsNoList, []int{400, 404, 405, 410, 501}},
	} {
		for _, status := range []int{400, 401, 403, 404, 405, 409, 410, 500, 501, 503} {
			err := &LostError{Err: &Error{Status: status}} // wrapped, as callers do
			if got := row.is(err); got != slices.Contains(row.only, status) {
				t.Errorf("%d is %s: %t", status, kind, got)
			}
		}
		if row.is(nil) || row.is(errors.New("404")) {
			t.Errorf("an error without a status is %s", kind)
		}
	}
}

// If it is not known how long the service may work on a request, the wait grows with each
// attempt, up to a limit.
func TestLostErrorSettles(t *testing.T) {
	t.Parallel()
	for attempts, most := range map[int]time.Duration{0: requestTimeout, 1: 2 * firstPause, 1000: longestPause} {
		synctest.Test(t, func(t *testing.T) {
			least, lost := most/2, &LostError{}
			if attempts == 0 {
				least, lost.Settles = most, requestTimeout
			}
			start := time.Now()
			err := lost.Settle(t.Context(), attempts)
			if took := time.Since(start); err != nil || took < least || took > most {
				t.Errorf("after %d attempts: it took %s, error %v", attempts, took, err)
			}
		})
	}
}

// TestLongMessage checks that a message costs little, however long it is. A gateway can
// send 64 MiB in 64 kB on the network. A credential is not shown in part.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	const key = "a-key-of-a-service-0123456789"
	long := strings.Repeat("the message of a gateway ", 32<<20/25)
	for name, body := range map[string]string{
		"JSON":              `{"message":"` + long + `","code":"` + long + `"}`,
		"text":              long,
		"HTML":              "<html>" + long,
		"white space":       strings.Repeat(" ", longestText-60) + key + long,
		"a key at each end": strings.Repeat(key, 1<<20),
		"a page":            "<p>x" + strings.Repeat("<br>", (longestText-60)/4) + key + long,
	} {
		left := strings.NewReader(body)
		network := newStub(func(req *http.Request) (*http.Response, error) {
			resp, err := answers(http.StatusConflict, "")(req)
			resp.Body = io.NopCloser(left)
			return resp, err
		})
		_, err := newClient(t, network, func(cfg *Config) { cfg.APIKey = key }).List(t.Context(), Assessments, "")
		refused := as[*Error](t, err)
		if len(refused.Message) > 320 || strings.Contains(refused.Message, key[:9]) ||
			name != "white space" && name != "a page" && len(refused.Message) < 300 {
			t.Errorf("%s: the message is %q", name, refused.Message)
		}
		if read := len(body) - left.Len(); read > 2*maxRefusal {
			t.Errorf("%s: read %d bytes, want at most 2 MiB", name, read)
		}
	}
}
