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
	"sync"
	"testing"
)

// pagedService lists elements page by page. change is called before each page with its number, from 1.
type pagedService struct {
	size   int
	inBody bool // links are in the body, otherwise in the header Link
	change func(n int, ids []string) []string

	mu   sync.Mutex
	ids  []string
	seen []string
}

func (s *pagedService) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, req.URL.RawQuery)
	if s.change != nil {
		s.ids = s.change(len(s.seen), s.ids)
	}
	start, _ := strconv.Atoi(req.URL.Query().Get("offset"))
	start = min(start, len(s.ids))
	end := min(start+s.size, len(s.ids))
	elements := []map[string]string{}
	for _, id := range s.ids[start:end] {
		elements = append(elements, map[string]string{"id": id})
	}
	next := ""
	if end < len(s.ids) {
		next = fmt.Sprintf("https://inner:8443/other/prefix?offset=%d", end)
	}
	body, header := string(marshal(elements)), []string{}
	switch {
	case next == "":
	case s.inBody:
		body = fmt.Sprintf(`{"_links":[{"rel":"next","href":%q}],"items":%s}`, next, body)
	default:
		header = []string{"Link", "<" + next + `>; rel="next"`}
	}
	return responds(200, body, header...)(req)
}

func idsOf(items []Item) (ids []string) {
	for _, item := range items {
		ids = append(ids, item.ID)
	}
	return ids
}

// TestPages reads five positions from three pages. The last element of each page but the last one is read again, at the
// same address (row 3 of the review: the seam).
func TestPages(t *testing.T) {
	t.Parallel()
	for _, inBody := range []bool{false, true} {
		service := &pagedService{size: 2, inBody: inBody, ids: []string{"a", "b", "c", "d", "e"}}
		list, err := newClient(t, service).Positions(t.Context(), new("Söhne & Co"))
		if err != nil || !slices.Equal(idsOf(list.Elements), []string{"a", "b", "c", "d", "e"}) || list.Cached {
			t.Errorf("%v %v", list, err)
		}
		const ours = "fields=title%2Clocale&limit=1000"
		want := []string{
			ours + "&title=S%C3%B6hne+%26+Co", ours + "&offset=2&title=S%C3%B6hne+%26+Co", ours + "&title=S%C3%B6hne+%26+Co",
			ours + "&offset=4&title=S%C3%B6hne+%26+Co", ours + "&offset=2&title=S%C3%B6hne+%26+Co",
		}
		if !slices.Equal(service.seen, want) {
			t.Errorf("requested\n%s\nwant\n%s", strings.Join(service.seen, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestListChanges deletes and inserts elements while a list is read. No element that exists all the time is missing: the
// list is read once more, or it is an error (row 3).
func TestListChanges(t *testing.T) {
	t.Parallel()
	remove := func(at ...int) func(int, []string) []string {
		return func(n int, ids []string) []string {
			if slices.Contains(at, n) {
				return ids[1:]
			}
			return ids
		}
	}
	insert := func(n int, ids []string) []string {
		if n == 2 {
			return append([]string{"new"}, ids...)
		}
		return ids
	}
	for name, row := range map[string]struct {
		change   func(int, []string) []string
		want     string
		requests int
	}{
		"nothing":                      {nil, "b c d e f", 5},
		"deleted before the first":     {remove(1), "c d e f", 3},
		"deleted on the first page":    {remove(2), "c d e f", 3 + 3},
		"deleted at the second seam":   {remove(4), "c d e f", 5 + 3},
		"deleted in both passes":       {remove(2, 5), "", 3 + 3},
		"inserted on the first page":   {insert, "new b c d e f", 2 + 5},
		"deleted while the seam moves": {remove(3), "c d e f", 3 + 3},
	} {
		service := &pagedService{size: 2, change: row.change, ids: []string{"b", "c", "d", "e", "f"}}
		list, err := newClient(t, service).Positions(t.Context(), nil)
		if row.want == "" {
			wantProblem(t, err, "the list changed while it was read page by page, two times in a row")
		} else if got := strings.Join(idsOf(list.Elements), " "); err != nil || got != row.want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
		if len(service.seen) != row.requests {
			t.Errorf("%s: %d requests, want %d", name, len(service.seen), row.requests)
		}
	}
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
		`<https://a/2>;rel=next`:                                       "https://a/2",
		`< https://a/2 > ; REL = "Next"`:                               "https://a/2",
		`</v1/x?a=1,2;3>; rel="next"`:                                  "/v1/x?a=1,2;3",
		`<https://a/0>; rel="previous", <https://a/2>; rel="next"`:     "https://a/2",
		`<https://a/9>; rel="last next"`:                               "https://a/9",
		`<https://a/2>; title="a, b; rel=\"x\""; rel=next`:             "https://a/2",
		`<https://a/2>; title="<https://evil/>; rel=next"; rel="next"`: "https://a/2",
		`<https://a/0>; title="rel=next"; rel=prev`:                    "",
		`<https://a/1>; rel=prev; rel=next`:                            "", // RFC 8288: only the first counts
		`<https://a/1>; rel="nextish"`:                                 "",
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

// TestPagesThatNeverEnd checks that a repeated page is an error, whatever repeats it.
func TestPagesThatNeverEnd(t *testing.T) {
	t.Parallel()
	const again = "the page behind the link to the next page repeats the page before"
	numbered := func(body string) step { // with another link in each response, and with its number in the body
		n := 0
		return func(req *http.Request) (*http.Response, error) {
			n++
			return responds(200, strings.ReplaceAll(body, "N", strconv.Itoa(n)), "Link", fmt.Sprintf("<?cursor=%d>; rel=next", n))(req)
		}
	}
	for name, row := range map[string]struct {
		step step
		want string
	}{
		"the same link":       {responds(200, `[{"id":"a"}]`, "Link", "<?offset=1>; rel=next"), again},
		"no query":            {responds(200, `[{"id":"a"}]`, "Link", "</v1/positions/page/2>; rel=next"), "the link to the next page points to a page that was read before"},
		"no IDs, other links": {numbered(`[{"name":"Ann"}]`), again},
		"the same IDs":        {numbered(`[{"id":"a","name":"N"}]`), `the list changed while it was read page by page: it contains the ID "a" twice, two times in a row`},
		"empty pages":         {responds(200, `[]`, "Link", "<?offset=1>; rel=next"), "the link to the next page points to a page that was read before"},
	} {
		network := newStub(row.step)
		_, err := newClient(t, network).Results(t.Context(), "p", nil, nil)
		if shape := as[*ShapeError](t, err); shape.Problem != row.want || len(network.arrivals()) > 5 {
			t.Errorf("%s: %v after %d requests", name, err, len(network.arrivals()))
		}
	}
}

// TestIDsInOneList checks IDs that occur twice (row 11: IDs that differ only by case).
func TestIDsInOneList(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[{"id":"asm-1"},{"id":"ASM-1"}]`:  `the list contains the IDs "asm-1" and "ASM-1", which differ only in upper and lower case`,
		`[{"id":"Äb"},{"id":"äB"}]`:        `the list contains the IDs "Äb" and "äB", which differ only in upper and lower case`,
		`[{"id":"asm-1"},{"id":"asm-1"}]`:  `the list contains the ID "asm-1" twice`,
		`[{"id":"asm-1"},{"id":" asm-1"}]`: "",
	} {
		_, err := newClient(t, newStub(responds(200, body))).Assessments(t.Context())
		if want == "" && err == nil {
			continue
		}
		wantProblem(t, err, want)
	}
	// Between two pages, too.
	service := &pagedService{size: 1, ids: []string{"pos-a", "POS-A"}}
	_, err := newClient(t, service).Positions(t.Context(), nil)
	if shape := as[*ShapeError](t, err); !strings.Contains(shape.Problem, `"pos-a" and "POS-A"`) {
		t.Error(err)
	}
}

// TestFailureInEnvelope checks 200 with a failure in the envelope (row 2), whatever else it holds.
func TestFailureInEnvelope(t *testing.T) {
	t.Parallel()
	for body, member := range map[string]string{
		`{"success":false,"data":[]}`:                          `"success": false`,
		`{"ok":false,"items":[{"id":"a"}]}`:                    `"ok": false`,
		`{"items":[],"error":{"code":7,"message":"no shard"}}`: `"error": no shard`,
		`{"items":[],"error":"timeout"}`:                       `"error": "timeout"`,
		`{"errors":[{"detail":"x"}],"data":[]}`:                `"errors": [{"detail":"x"}]`,
		`{"errors":{"a":1},"data":[]}`:                         `"errors": {"a":1}`,
		`{"status":500,"data":[],"message":"db is down"}`:      `"status": db is down`,
		`{"status":"error","data":[]}`:                         `"status": "error"`,
		`{"statusCode":503,"data":[]}`:                         `"statusCode": 503`,
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
		`"page":{"next":2}`: "page.next", `"meta":{"total":17}`: "meta.total", `"page":{"totalPages":2}`: "page.totalPages",
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

// TestFullPages checks the warning about a page that is exactly as large as a page can be, and has no link.
func TestFullPages(t *testing.T) {
	t.Parallel()
	for n, warns := range map[int]bool{0: false, 99: false, 100: true, 101: false, 999: false, 1000: true, 1001: false} {
		var warned warnings
		c := newClient(t, newStub(responds(200, elements(n))), warned.collect)
		for range 2 {
			if list, err := c.Positions(t.Context(), nil); err != nil || len(list.Elements) != n {
				t.Errorf("%d elements: %v", len(list.Elements), err)
			}
		}
		want := []string(nil)
		if warns {
			want = []string{"full page of /positions"}
		}
		if !slices.Equal(warned.keys(), want) {
			t.Errorf("%d elements: warned of %v", n, warned.keys())
		}
	}
}

// A link can ask for another number of elements than the first request, and a service can reject `limit`.
func TestFullPagesOfLinks(t *testing.T) {
	t.Parallel()
	first := func(limit string) step {
		return responds(200, elements(3), "Link", "<?offset=3&limit="+limit+">; rel=next")
	}
	last := func(n int) step { return responds(200, strings.ReplaceAll(elements(n), `"id":"`, `"id":"x`)) }
	for name, row := range map[string]struct {
		steps []step
		warns bool
	}{
		"limit of the link":           {[]step{first("3"), last(3), first("3")}, true},
		"less than that":              {[]step{first("3"), last(2), first("3")}, false},
		"no number":                   {[]step{first("all"), last(3), first("all")}, false},
		"without limit":               {[]step{responds(400, ""), last(3)}, false},
		"without limit, default":      {[]step{responds(400, ""), last(100)}, true},
		"without limit, link with it": {[]step{responds(400, ""), first("3"), last(3), first("3")}, true},
	} {
		var warned warnings
		c := newClient(t, newStub(row.steps...), warned.collect)
		if _, err := c.Positions(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := slices.Contains(warned.keys(), "full page of /positions"); got != row.warns {
			t.Errorf("%s: warned of %v", name, warned.keys())
		}
	}
}

// TestRejectedParameters checks assumption A24: a 400 to parameters that we chose is repeated once without them, and the
// route stays without them for the run.
func TestRejectedParameters(t *testing.T) {
	t.Parallel()
	network := newStub(func(req *http.Request) (*http.Response, error) {
		if req.URL.Query().Has("fields") {
			return responds(400, `{"message":"unknown parameter fields"}`)(req)
		}
		return responds(200, `[{"id":"a"}]`)(req)
	})
	var warned warnings
	c := newClient(t, network, warned.collect)
	for i, title := range []*string{new("A"), new("A"), nil, nil} {
		if i == 3 {
			c.Reset() // a new run sends them again
		}
		if list, err := c.Positions(t.Context(), title); err != nil || len(list.Elements) != 1 {
			t.Error(err)
		}
	}
	want := []string{
		"/positions?fields=title%2Clocale&limit=1000&title=A", "/positions?title=A", "/positions?title=A", "/positions",
		"/positions?fields=title%2Clocale&limit=1000", "/positions",
	}
	if got := network.addresses(); !slices.Equal(got, want) {
		t.Errorf("requested %q", got)
	}
	if !slices.Equal(warned.keys(), []string{"parameters of /positions"}) {
		t.Errorf("warned of %v", warned.keys())
	}
}

// A 400 for another reason is returned, and teaches nothing. Filters are never dropped, and other requests and other
// statuses are not repeated.
func TestRejectedForAnotherReason(t *testing.T) {
	t.Parallel()
	var warned warnings
	skills := func(c *Client) error { _, err := c.SkillsTests(t.Context(), "asm", false); return err }
	fetch := func(c *Client) error { _, err := c.PositionAssessment(t.Context(), "p", "a"); return err }
	for name, row := range map[string]struct {
		status, sent int
		call         func(*Client) error
	}{
		"list": {400, 2, skills}, "403": {403, 1, skills}, "414": {414, 1, skills}, "fetch": {400, 1, fetch},
	} {
		network := newStub(responds(row.status, ""))
		c := newClient(t, network, warned.collect)
		for range 2 {
			if err := row.call(c); OutcomeOf(err) != Rejected {
				t.Errorf("%s: %v", name, err)
			}
		}
		got := network.addresses()
		if len(got) != 2*row.sent || got[0] != got[row.sent] || row.sent == 2 && got[1] != "/assessments/asm/skills?active=false" {
			t.Errorf("%s: requested %v", name, got)
		}
	}
	if warned.keys() != nil {
		t.Errorf("warned of %v", warned.keys())
	}
}
