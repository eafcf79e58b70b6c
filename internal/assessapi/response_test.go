// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// An empty success counts as the service's own while the service is not known to sign, and not later, also in a new run.
// A page in another charset is not empty.
func TestEmptySuccess(t *testing.T) {
	t.Parallel()
	page := unsigned(200, "<p>\x83\x81", "Content-Type", "text/html; charset=Shift_JIS")
	c := newClient(t, newStub(page, unsigned(204, ""), responds(200, "[]"), unsigned(204, "")))
	if _, err := c.Remove(t.Context(), "p", "pas-1", nil); OutcomeOf(err) != Unknown {
		t.Error(err)
	}
	if got, err := c.Remove(t.Context(), "p", "pas-1", nil); err != nil || got != Unconfirmed {
		t.Errorf("removal %d, %v", got, err)
	}
	if _, err := c.Assessments(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Reset()
	if _, err := c.Remove(t.Context(), "p", "pas-1", nil); OutcomeOf(err) != Unknown {
		t.Error(err)
	}
}

// TestErrorBodies checks what an error shows of a body (assumption A3).
func TestErrorBodies(t *testing.T) {
	t.Parallel()
	const headerID = "conv-1"
	for name, row := range map[string]struct {
		step                step
		message, code, conv string
	}{
		"the contract":      {responds(400, wireFile(t, "error.json")), "only active may be changed", "NOT_CHANGEABLE", headerID},
		"an ID in the body": {unsigned(400, `{"conversationId":"conv-3","code":"X","message":"no"}`), "no", "X", "conv-3"},
		"a code of digits":  {responds(400, wireFile(t, "error-number-code.json")), "no", "12345678901234567890", headerID},
		"another shape":     {responds(400, wireFile(t, "error-other-shape.json")), `{"error": {"reason": "no"}, "code": "E1"}`, "E1", headerID},
		"a page":            {responds(400, "<head><title>x</title></head><h1>400 Bad Request</h1><p>Too&nbsp;long &lt;b&gt;"), "400 Bad Request Too long <b>", "", headerID},
		"text":              {responds(400, "  no\n\tway\x1b[31m "), "no way [31m", "", headerID},
		"compressed": {responds(400, "\x1f\x8b\b\x00no", "Content-Encoding", "gzip"), "the response is compressed (gzip), " +
			"although the provider did not ask for that", "", headerID},
		"a wrong header":     {responds(400, "no", "Content-Encoding", "gzip"), "no", "", headerID},
		"nothing":            {responds(400, ""), "", "", headerID},
		"an object as words": {responds(400, `{"message":{"a":1},"code":["x"]}`), `{"message":{"a":1},"code":["x"]}`, "", headerID},
	} {
		_, err := newClient(t, newStub(row.step)).Assessments(t.Context())
		if e := as[*Error](t, err); e.Message != row.message || e.Code != row.code || e.ConversationID != row.conv ||
			e.Address != baseURL+"/assessments" || e.Route != "/assessments" || e.Method != http.MethodGet {
			t.Errorf("%s: %+v", name, e)
		}
	}
	// A 2xx that is no error can contain personal data, so a gateway that drops the Conversation-Id must not show them.
	c := newClient(t, newStub(unsigned(200, `[{"id":"c-1","name":"Ann"}]`)), func(cfg *Config) { cfg.RetryTimeout = 0 })
	c.signs.Store(true)
	if _, err := c.Results(t.Context(), "p", nil, nil); as[*Error](t, err).Message != "" {
		t.Error(err)
	}
}

// A response counts as the service's own if it is signed with a Conversation-Id or, while the service is not known to
// sign its responses, if it is JSON.
func TestWhoAnswers(t *testing.T) {
	t.Parallel()
	const never, unlessSigned, always = "[false false]", "[true false]", "[true true]"
	for name, row := range map[string]struct {
		step step
		want string // whether it counts before and after a signed response
	}{
		"a signed response":        {responds(404, "gone"), always},
		"signed in the body":       {unsigned(404, `{"conversationId":"conv-2","message":"gone"}`), always},
		"a signed number":          {unsigned(404, `{"conversationId":17}`), always},
		"JSON":                     {unsigned(404, `{"message":"no route"}`), unlessSigned},
		"an empty Conversation-Id": {unsigned(404, `{"conversationId":null,"message":"x"}`, "Conversation-Id", ""), unlessSigned},
		"an empty body":            {unsigned(404, ""), never},
		"text":                     {unsigned(404, "404 page not found"), never},
	} {
		var own []bool
		for _, isSigned := range []bool{false, true} {
			c := newClient(t, newStub(row.step))
			c.signs.Store(isSigned)
			_, err := c.PositionAssessment(t.Context(), "p", "pas-1")
			own = append(own, as[*Error](t, err).Own)
		}
		if fmt.Sprint(own) != row.want {
			t.Errorf("%s: %v, want %s", name, own, row.want)
		}
	}
}

// A response of a cache is asked for once more, at once, even if no time is left, and then says that it is one. It does
// not show that the service works.
func TestCache(t *testing.T) {
	t.Parallel()
	for age, want := range map[string]bool{"": false, "0": false, "59": true, " 3 ": true, "-1": false, "soon": false} {
		r := newClient(t, nil).newResponse(&http.Response{StatusCode: 200, Header: http.Header{"Age": {age}}}, []byte("[]"))
		if r.isCached != want {
			t.Errorf("%q: cached %t", age, r.isCached)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var warned []string
		start, network := time.Now(), newStub(responds(200, `[{"id":"pas-1"}]`, "Age", "9"))
		c := newClient(t, network, warningsTo(&warned), func(cfg *Config) { cfg.RetryTimeout = 0 })
		list, err := c.PositionAssessments(t.Context(), "p")
		if err != nil || !list.Cached || len(network.arrivals()) != 2 || !slices.Equal(warned, []string{"cache"}) {
			t.Errorf("cached %t after %d requests, warned of %v: %v", list.Cached, len(network.arrivals()), warned, err)
		}
		page1, page2 := responds(200, `[{"id":"a"}]`, "Link", "<?offset=1>; rel=next"), responds(200, `[{"id":"b"}]`)
		seam := newClient(t, newStub(page1, page2, responds(200, `[{"id":"a"}]`, "Age", "9")))
		if results, err := seam.Results(t.Context(), "p", nil, nil); err != nil || !results.Cached {
			t.Errorf("the first page was read again from a cache: cached %t, %v", results.Cached, err)
		}
		if _, complete, err := c.FirstResults(t.Context(), "p"); err != nil || complete {
			t.Errorf("the results of a cache are complete: %v", err)
		}
		if n := c.run.Load().breaker.successes.Load(); n != 0 {
			t.Errorf("%d successes of the service", n)
		}
		since(t, start, 0)
	})
}
