// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pagedService lists IDs page by page. A change is made before the request with its number, from 1.
type pagedService struct {
	size    int
	changes map[int]func(ids []string) []string
	ids     []string
	seen    []string // the queries
}

func (s *pagedService) RoundTrip(req *http.Request) (*http.Response, error) {
	s.seen = append(s.seen, req.URL.RawQuery)
	if change := s.changes[len(s.seen)]; change != nil {
		s.ids = change(s.ids)
	}
	start, _ := strconv.Atoi(req.URL.Query().Get("offset"))
	start = min(start, len(s.ids))
	end := min(start+s.size, len(s.ids))
	page := []map[string]string{}
	for _, id := range s.ids[start:end] {
		page = append(page, map[string]string{"id": id})
	}
	var header []string
	if end < len(s.ids) {
		header = []string{"Link", fmt.Sprintf(`<https://inner:8443/other/prefix?offset=%d>; rel="next"`, end)}
	}
	return responds(200, string(marshal(page)), header...)(req)
}

// TestNextQuery checks the query with which the page behind a link is requested. The rest of a link does not matter. A
// gateway may keep only one of several values of a filter, or change what was asked for.
func TestNextQuery(t *testing.T) {
	t.Parallel()
	const ours = "&candidate=c-1&candidate=c-2&fields=name&limit=1000"
	for link, want := range map[string]string{
		"":                                       ours[1:],
		"https://elsewhere.example/x/y?after=5#": "after=5" + ours,
		"https://[::1?after=5":                   "after=5" + ours,
		"/positions/no#1/results?after=5#top":    "after=5" + ours,
		"?after=5&limit=10":                      "after=5&candidate=c-1&candidate=c-2&fields=name&limit=10",
		"?after=5&fields=id&candidate=c-1":       "after=5" + ours,
		"?after=é€":                              "after=%C3%A9%E2%82%AC" + ours,
		"?after=a+b/c==&candidate=donn\xe9es":    "after=a+b%2Fc%3D%3D" + ours,
		`?after={"a":1}|x^`:                      "after=%7B%22a%22%3A1%7D%7Cx%5E" + ours,
		"?after=100%&after[offset]=5":            "after=100%25&after%5Boffset%5D=5" + ours,
		"?after=1&after=2":                       "after=1&after=2" + ours,
	} {
		own := url.Values{"candidate": {"c-1", "c-2"}, "fields": {"name"}, "limit": {"1000"}}
		if got := nextQuery(own, link).Encode(); got != want {
			t.Errorf("%s: %s, want %s", link, got, want)
		}
	}
}

// TestNextOfLinkHeader checks every spelling of the next link in RFC 8288.
func TestNextOfLinkHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`<https://a/2>; rel="next"`:                                    "https://a/2",
		`< https://a/2 > ; REL = "Next"`:                               "https://a/2",
		`<https://a/0>; rel="previous", <https://a/2>; rel="next"`:     "https://a/2",
		`<https://a/9>; rel="last next"`:                               "https://a/9",
		`<https://a/2>; title="a, b; rel=\"x\""; rel=next`:             "https://a/2",
		`<https://a/2>; title="<https://evil/>; rel=next"; rel="next"`: "https://a/2",
		`<https://a/1>; rel=prev; rel=next`:                            "", // RFC 8288: only the first counts
		`<https://a/1>`:                                                "",
		`https://a/1; rel=next`:                                        "",
	} {
		if got := nextOfHeader([]string{header}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if got := nextOfHeader([]string{`</1>; rel=first`, `</2>; rel=next`}); got != "/2" {
		t.Errorf("the second Link header was ignored: %q", got)
	}
}

// A page that is repeated is an error, whatever repeats it.
func TestPagesThatNeverEnd(t *testing.T) {
	t.Parallel()
	const repeats = "the page behind the link to the next page repeats the page before"
	const readBefore = "the link to the next page points to a page that was read before"
	n := 0
	otherLinks := func(req *http.Request) (*http.Response, error) {
		n++
		return responds(200, `[{"name":"Ann"}]`, "Link", fmt.Sprintf("<?cursor=%d>; rel=next", n))(req)
	}
	for name, row := range map[string]struct {
		step step
		want string
	}{
		"the same link":           {responds(200, `[{"id":"a"}]`, "Link", "<?offset=1>; rel=next"), repeats},
		"the same link, no query": {responds(200, `[{"id":"a"}]`, "Link", "</v1/positions/page/2>; rel=next"), readBefore},
		"the same link, empty":    {responds(200, `[]`, "Link", "<?offset=1>; rel=next"), readBefore},
		"no IDs, other links":     {otherLinks, repeats},
	} {
		network := newStub(row.step)
		_, err := newClient(t, network).Results(t.Context(), "p", nil, nil)
		if shape := as[*ShapeError](t, err); shape.Problem != row.want || len(network.arrivals()) > 5 {
			t.Errorf("%s: %v after %d requests", name, err, len(network.arrivals()))
		}
	}
}

// TestFailureInEnvelope checks 200 with a failure in the envelope (row 2), whatever else it holds.
func TestFailureInEnvelope(t *testing.T) {
	t.Parallel()
	for body, member := range map[string]string{
		`{"success":false,"data":[]}`:                          `"success": false`,
		`{"items":[],"error":{"code":7,"message":"no shard"}}`: `"error": no shard`,
		`{"items":[],"error":"timeout"}`:                       `"error": "timeout"`,
		`{"errors":[{"detail":"x"}],"data":[]}`:                `"errors": [{"detail":"x"}]`,
		`{"status":500,"data":[],"message":"db is down"}`:      `"status": db is down`,
		`{"status":"error","data":[]}`:                         `"status": "error"`,
		`{"data":[],"meta":{"success":false}}`:                 `"meta.success": false`,
	} {
		_, err := newClient(t, newStub(responds(200, body))).Positions(t.Context(), nil)
		wantProblem(t, err, "the response reports a failure in the member "+member)
		// A resource could have a status that is a word, and members of an inner object.
		isOfList := strings.Contains(body, `"status":"error"`) || strings.Contains(body, `"meta"`)
		if failure := failureOf([]byte(body)); (failure == nil) != isOfList {
			t.Errorf("%s of a resource: %v", body, failure)
		}
	}
	for _, body := range []string{
		`{"success":true,"error":null,"errors":[],"data":[]}`, `{"ok":true,"error":"","status":200,"data":[]}`,
		`{"error":false,"errors":{},"status":"ok","data":[]}`, `{"error":0,"status":"200","statusCode":200,"data":[]}`,
	} {
		list, err := newClient(t, newStub(responds(200, body))).Positions(t.Context(), nil)
		if err != nil || len(list.Elements) != 0 {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestMore checks lists that say there is more in a way that the client does not follow (assumption A1).
func TestMore(t *testing.T) {
	t.Parallel()
	const list = `"items":[{"id":"a"},{"id":"b"}]`
	for beside, member := range map[string]string{
		`"total":3`: "total", `"count":3`: "count", `"total":"3"`: "total", `"totalCount":3`: "totalCount", `"total_items":250`: "total_items",
		`"next":"abc"`: "next", `"nextPage":2`: "nextPage", `"next_page_url":"/x?page=2"`: "next_page_url", `"next":{"href":"/x"}`: "next",
		`"cursor":"abc"`: "cursor", `"pageToken":"abc"`: "pageToken", `"continuation_token":"x"`: "continuation_token",
		`"hasMore":true`: "hasMore", `"has_more":"true"`: "has_more", `"more":1`: "more", `"hasNextPage":true`: "hasNextPage",
		`"page":{"next":2}`: "page.next", `"meta":{"total":17}`: "meta.total", `"page":{"totalPages":2}`: "page.totalPages", `"total_page":2`: "total_page", `"page":{"total_pages_count":2}`: "page.total_pages_count",
	} {
		_, err := newClient(t, newStub(responds(200, "{"+list+","+beside+"}"))).Positions(t.Context(), nil)
		want := fmt.Sprintf("the member %q says that there are more elements than the 2 that were read, but there is no link to the next page", member)
		wantProblem(t, err, want)
	}
	for _, beside := range []string{
		`"total":2`, `"count":2`, `"total":0`, `"total":null`, `"next":null`, `"next":""`, `"next":false`, `"nextPage":0`, `"next":{}`,
		`"cursor":""`, `"hasMore":false`, `"more":"false"`, `"page":{"totalPages":1,"total":2}`, `"previousPageToken":"abc"`,
		`"limit":1000`, `"_links":[{"rel":"self","href":"/x"}]`, `"title":"next"`,
	} {
		if _, err := newClient(t, newStub(responds(200, "{"+list+","+beside+"}"))).Positions(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", beside, err)
		}
	}
	// With a link, the total counts all pages.
	first := responds(200, `{"total":3,"next":"abc","items":[{"id":"a"},{"id":"b"}]}`, "Link", "<?offset=2>; rel=next")
	for last, ok := range map[string]bool{`{"total":3,"items":[{"id":"c"}]}`: true, `{"total":4,"items":[{"id":"c"}]}`: false} {
		_, err := newClient(t, newStub(first, responds(200, last), first)).Positions(t.Context(), nil)
		if (err == nil) != ok {
			t.Errorf("%s: %v", last, err)
		}
	}
}

// elements returns a JSON array of n elements.
func elements(n int) string {
	all := make([]json.RawMessage, n)
	for i := range all {
		all[i] = json.RawMessage(fmt.Sprintf(`{"id":"%d"}`, i))
	}
	return string(marshal(all))
}

// Elements are deleted and inserted while a list is read. No element that exists all the time is missing: the list is
// read once more, or it is an error (row 3).
func TestListChanges(t *testing.T) {
	t.Parallel()
	removed := func(ids []string) []string { return ids[1:] }
	inserted := func(ids []string) []string { return append([]string{"new"}, ids...) }
	type changes = map[int]func(ids []string) []string // before the request with this number
	for name, row := range map[string]struct {
		changes  changes
		want     string
		requests int
	}{
		"nothing":                      {nil, "b c d e f", 5},
		"deleted on the first page":    {changes{2: removed}, "c d e f", 3 + 3},
		"deleted while the seam moves": {changes{3: removed}, "c d e f", 3 + 3},
		"deleted at the second seam":   {changes{4: removed}, "c d e f", 5 + 3},
		"deleted in both passes":       {changes{2: removed, 5: removed}, "", 3 + 3},
		"inserted on the first page":   {changes{2: inserted}, "new b c d e f", 2 + 5},
	} {
		service := &pagedService{size: 2, changes: row.changes, ids: []string{"b", "c", "d", "e", "f"}}
		list, err := newClient(t, service).Positions(t.Context(), nil)
		var ids []string
		for _, item := range list.Elements {
			ids = append(ids, item.ID)
		}
		if row.want == "" {
			wantProblem(t, err, "the list changed while it was read page by page, two times in a row")
		} else if got := strings.Join(ids, " "); err != nil || got != row.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if len(service.seen) != row.requests {
			t.Errorf("%s: %d requests, want %d", name, len(service.seen), row.requests)
		}
	}
}

// A page without a link that is exactly as large as a page can be makes a warning.
func TestFullPages(t *testing.T) {
	t.Parallel()
	for n, warns := range map[int]bool{0: false, 99: false, 100: true, 101: false, 1000: true} {
		var warned []string
		c := newClient(t, newStub(responds(200, elements(n))), warningsTo(&warned))
		if list, err := c.Positions(t.Context(), nil); err != nil || len(list.Elements) != n {
			t.Errorf("%d elements: %v", len(list.Elements), err)
		}
		if slices.Equal(warned, []string{"full page of /positions"}) != warns || !warns && warned != nil {
			t.Errorf("%d elements: warned of %v", n, warned)
		}
	}
	var warned []string // a service that rejects our limit may have its own
	c := newClient(t, newStub(responds(400, ""), responds(200, elements(1000))), warningsTo(&warned))
	_, err := c.Positions(t.Context(), nil)
	if want := []string{"parameters of /positions", "full page of /positions"}; err != nil || !slices.Equal(warned, want) {
		t.Errorf("error %v, warned of %v", err, warned)
	}
	warned = nil // but a list that says that there is more is an error
	c = newClient(t, newStub(responds(200, `{"total":250,"items":`+elements(100)+`}`)), warningsTo(&warned))
	if _, err := c.Positions(t.Context(), nil); err == nil || warned != nil {
		t.Errorf("error %v, warned of %v", err, warned)
	}
}

// A 400 to parameters that we chose is repeated once without them, and the route stays without them for the run
// (assumption A24). A 400 for another reason is returned, and teaches nothing. Filters are never dropped.
func TestRejectedParameters(t *testing.T) {
	t.Parallel()
	const ours, filter = "/assessments/asm/skills?active=false&" + skillsQuery, "/assessments/asm/skills?active=false"
	for _, row := range []struct {
		steps     []step
		requested []string // by two lists
		warned    []string
		want      Outcome
	}{
		{[]step{responds(400, ""), responds(200, "[]")}, []string{ours, filter, filter}, []string{"parameters of /assessments/{assessment}/skills"}, Succeeded},
		{[]step{responds(400, "")}, []string{ours, filter, ours, filter}, nil, Rejected},
	} {
		var warned []string
		network := newStub(row.steps...)
		c := newClient(t, network, warningsTo(&warned))
		_, first := c.SkillsTests(t.Context(), "asm", false)
		_, second := c.SkillsTests(t.Context(), "asm", false)
		if OutcomeOf(first) != row.want || OutcomeOf(second) != row.want {
			t.Errorf("%v, %v", first, second)
		}
		if got := network.addresses(); !slices.Equal(got, row.requested) || !slices.Equal(warned, row.warned) {
			t.Errorf("requested %q, warned of %v", got, warned)
		}
	}
}

// If the link to the next page has the parameters, the request without ours would be the same, so it is not sent.
func TestRejectedPage(t *testing.T) {
	t.Parallel()
	const first, next = "/assessments/asm/skills?active=false&", "/assessments/asm/skills?active=false&cursor=2&"
	var warned []string
	network := newStub(
		responds(200, `[{"id":"a","title":"A"}]`, "Link", "<?active=false&cursor=2&"+skillsQuery+">; rel=next"), responds(400, ""),
	)
	_, err := newClient(t, network, warningsTo(&warned)).SkillsTests(t.Context(), "asm", false)
	got, want := network.addresses(), []string{first + skillsQuery, next + skillsQuery}
	if OutcomeOf(err) != Rejected || !slices.Equal(got, want) || warned != nil {
		t.Errorf("%v, requested %q, warned of %q", err, got, warned)
	}
}
