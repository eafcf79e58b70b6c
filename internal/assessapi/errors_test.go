// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestErrorBodies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body, header                string
		code, message, conversation string
	}{
		"service error":          {wireFile(t, "error.json"), "", "NOT_CHANGEABLE", "only active may be changed", "conv-9"},
		"Conversation-Id header": {wireFile(t, "error.json"), "conv-1", "NOT_CHANGEABLE", "only active may be changed", "conv-1"},
		"numeric code":           {wireFile(t, "error-number-code.json"), "", "12345678901234567890", "no", ""},
		"another shape":          {wireFile(t, "error-other-shape.json"), "", "E1", `{"error": {"reason": "no"}, "code": "E1"}`, ""},
		"gateway page": {wireFile(t, "error-page.html"), "conv-2", "", "502 Bad Gateway The upstream <api> is " +
			"down.", "conv-2"},
		"heading with the status": {"<h1>403 Forbidden</h1><hr>nginx", "", "", "nginx", ""},
		"heading with its name":   {"<h1>\nForbidden </h1>", "", "", "", ""},
		"heading that begins so":  {"<h1>Forbidden by Ada</h1>", "", "", "Forbidden by Ada", ""},
		"text with the status":    {"Forbidden", "", "", "Forbidden", ""},
		"text": {wireFile(t, "error.txt"), "", "", "upstream connect error or disconnect/reset before " +
			"headers", ""},
		"nothing":           {"", "", "", "", ""},
		"white space":       {" \r\n\t", "", "", "", ""},
		"a list":            {`["no"]`, "", "", `["no"]`, ""},
		"an empty message":  {`{"code":"C","message":""}`, "", "C", `{"code":"C","message":""}`, ""},
		"object as message": {`{"message":{"en":"no"}}`, "", "", `{"message":{"en":"no"}}`, ""},
		"Latin1":            {"Zugriff verweigert f\xfcr alle", "", "", "Zugriff verweigert für alle", ""},
		"terminal escapes":  {"\x1b[2Jgone\u009b2J\u202eback\x00", "", "", "[2Jgone 2J back", ""},
		"three hundred":     {strings.Repeat("é", 301), "", "", strings.Repeat("é", 300) + "…", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := newStub(answers(http.StatusForbidden, tc.body, "Conversation-Id", tc.header))
			_, err := newClient(t, network).List(t.Context(), Assessments, "")
			refused := as[*Error](t, err)
			if refused.Code != tc.code || refused.Message != tc.message || refused.ConversationID != tc.conversation {
				t.Errorf("read code %q, message %q, conversation %q\nwant %q, %q, %q",
					refused.Code, refused.Message, refused.ConversationID, tc.code, tc.message, tc.conversation)
			}
			if refused.Method != http.MethodGet || refused.Route != "/assessments" || refused.Status != http.StatusForbidden ||
				refused.Attempts != 1 {
				t.Errorf("the error says %+v", refused)
			}
		})
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
		"after a redirect":       {[]step{answers(http.StatusFound, "", "Location", "/v1/other/?candidate=c"), answers(http.StatusUnauthorized, "")}, "https://sandbox.assess.invalid/v1/other/"},
		"with credentials":       {[]step{answers(http.StatusFound, "", "Location", "https://me:mine@sandbox.assess.invalid/v1/x"), answers(http.StatusUnauthorized, "")}, "https://sandbox.assess.invalid/v1/x"},
		"the key":                {[]step{answers(http.StatusFound, "", "Location", "/v1/"+sandbox.APIKey), answers(http.StatusUnauthorized, "")}, "https://sandbox.assess.invalid/v1/(secret)"},
		"the key as path":        {[]step{answers(http.StatusFound, "", "Location", "/v1/"+sandbox.APIKey), breaks(errTooLarge)}, "https://sandbox.assess.invalid/v1/(secret)"},
		"to another origin":      {[]step{answers(http.StatusFound, "", "Location", "https://elsewhere.example/v2?candidate=c")}, results},
		"until the next attempt": {[]step{answers(http.StatusServiceUnavailable, ""), breaks(errors.New("never"))}, results},
		"no connection":          {[]step{breaks(&net.DNSError{IsNotFound: true})}, results},
		"not JSON until timeout": {[]step{answers(http.StatusOK, "<html>")}, results},
		"another shape":          {[]step{answers(http.StatusOK, "{}")}, results},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				short := func(cfg *Config) { cfg.RetryTimeout = 10 * time.Millisecond }
				_, err := newClient(t, newStub(tc.steps...), short).Results(t.Context(), "p/1", []string{"c"}, nil)
				var (
					refused *Error
					broken  *CallError
					shape   *ShapeError
					got     string
				)
				switch {
				case errors.As(err, &refused):
					got = refused.Address
				case errors.As(err, &broken):
					got = broken.Address
				case errors.As(err, &shape):
					got = shape.Address
				}
				if got != tc.want {
					t.Errorf("%v has the address %q, want %q", err, got, tc.want)
				}
			})
		})
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status                    int
		notFound, noRoute, noList bool
	}{
		{400, false, false, true},
		{401, false, false, false},
		{403, false, false, false},
		{404, true, false, true},
		{405, false, true, true},
		{409, false, false, false},
		{410, true, false, true},
		{500, false, false, false},
		{501, false, true, true},
		{503, false, false, false},
	} {
		var err error = &LostError{Err: &Error{Status: tc.status}} // wrapped, as callers do
		if IsNotFound(err) != tc.notFound || IsNoRoute(err) != tc.noRoute || IsNoList(err) != tc.noList {
			t.Errorf("%d: not found %t, no route %t, no list %t", tc.status, IsNotFound(err), IsNoRoute(err), IsNoList(err))
		}
	}
	if IsNoList(nil) || IsNotFound(errors.New("404")) {
		t.Error("an error without a status is classified by status")
	}
}

// If it is not known how long the service may work on a request, the wait grows with each
// attempt, up to a limit.
func TestLostErrorSettles(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		settles     time.Duration
		attempts    int
		least, most time.Duration
	}{
		{requestTimeout, 1, requestTimeout, requestTimeout},
		{0, 1, firstPause, 2 * firstPause},
		{0, 1000, longestPause / 2, longestPause},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := (&LostError{Settles: row.settles}).Settle(t.Context(), row.attempts)
			if took := time.Since(start); err != nil || took < row.least || took > row.most {
				t.Errorf("%+v: it took %s, error %v", row, took, err)
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
