// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestNextOfLinkHeader checks every spelling of the next link in RFC 8288.
func TestNextOfLinkHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`<https://a/2>; rel="next"`:                                    "https://a/2",
		`<https://a/2>; rel=next`:                                      "https://a/2",
		`<https://a/2>;rel=next`:                                       "https://a/2",
		`< https://a/2 > ; REL = "Next"`:                               "https://a/2",
		`</v1/x?a=1,2;3>; rel="next"`:                                  "/v1/x?a=1,2;3",
		`<https://a/0>; rel="previous", <https://a/2>; rel="next"`:     "https://a/2",
		`<https://a/2>; rel="next",<https://a/0>; rel=previous`:        "https://a/2",
		`<https://a/9>; rel="last next"`:                               "https://a/9",
		`<https://a/2>; title="a, b; rel=\"x\""; rel=next`:             "https://a/2",
		`<https://a/2>; title="<https://evil/>; rel=next"; rel="next"`: "https://a/2",
		`<https://a/0>; title="rel=next"; rel=prev`:                    "",
		`<https://a/1>; rel=prev; rel=next`:                            "", // RFC 8288: only the first counts
		`<https://a/1>; rel="nextish"`:                                 "",
		`<https://a/1>`:                                                "",
		`<>; rel=next`:                                                 "",
		`https://a/1; rel=next`:                                        "",
		`<https://a/1; rel=next`:                                       "",
		``:                                                             "",
		`,,;<>`:                                                        "",
	} {
		if got := nextOfHeader([]string{header}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if got := nextOfHeader([]string{`</1>; rel=first`, `</2>; rel=next`}); got != "/2" {
		t.Errorf("the second Link header was ignored: %q", got)
	}
}

// TestPages reads three pages with each kind of link.
func TestPages(t *testing.T) {
	t.Parallel()
	const (
		here  = sandbox.BaseURL + "/positions"
		next2 = "/positions?page=2&fields=title%2Clocale&limit=1000"
		next3 = "/positions?page=3&fields=title%2Clocale&limit=1000"
	)
	inBody := func(id, next string) step {
		return answers(http.StatusOK,
			fmt.Sprintf(`{"_links":[{"rel":"self","href":"/"},{"rel":"next","href":%q}],"items":[{"id":%q}]}`, next, id))
	}
	inHeader := func(id, next string) step {
		return answers(http.StatusOK, fmt.Sprintf(`[{"id":%q}]`, id), "Link", "</>; rel=previous", "Link",
			"<"+next+">; rel=\"next\"")
	}
	last := answers(http.StatusOK, `{"_links":[{"rel":"previous","href":"/"}],"items":[{"id":"3"}]}`)
	for name, tc := range map[string]struct {
		steps []step
		want  string // the addresses of the pages after the first
	}{
		"absolute links in the header": {[]step{inHeader("1", here+"?page=2"), inHeader("2", here+"?page=3"), last}, next2 + " " + next3},
		"absolute links in the body":   {[]step{inBody("1", here+"?page=2"), inBody("2", here+"?page=3"), last}, next2 + " " + next3},
		"relative links in the header": {[]step{inHeader("1", "?page=2"), inHeader("2", "/v1/other?cursor=%2F3"), last}, next2 + " /other?cursor=%2F3"},
		"relative links in the body": {[]step{inBody("1", "positions/2"), inBody("2", "3#top"), last}, "/positions/2 " +
			"/positions/3"},
		"the origin with its port":      {[]step{inBody("1", "https://SANDBOX.assess.invalid:443/v1/b"), inHeader("2", "//sandbox.assess.invalid/v1/c"), last}, "https://SANDBOX.assess.invalid:443/v1/b /c"},
		"the header before the body":    {[]step{answers(http.StatusOK, `{"_links":[{"rel":"next","href":"/no"}],"items":[{"id":"1"}]}`, "Link", "<?page=2>; rel=next"), inHeader("2", "?page=3"), last}, next2 + " " + next3},
		"an empty page on the way":      {[]step{inBody("1", "?page=2"), answers(http.StatusOK, `[]`, "Link", "<?page=3>; rel=next"), answers(http.StatusOK, `[{"id":"2"},{"id":"3"}]`)}, next2 + " " + next3},
		"links without an address":      {[]step{answers(http.StatusOK, `{"_links":[{"rel":"next","href":""},{"rel":"next","href":null}],"items":[{"id":"1"},{"id":"2"},{"id":"3"}]}`)}, ""},
		"links that are null or absent": {[]step{answers(http.StatusOK, `{"_links":null,"items":[{"id":"1"},{"id":"2"},{"id":"3"}]}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := newStub(tc.steps...)
			all, err := newClient(t, network).Positions(nil).All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ids := ""
			for _, p := range all {
				ids += p.ID
			}
			addresses := network.addresses()
			if ids != "123" || addresses[0] != "/positions?fields=title%2Clocale&limit=1000" ||
				strings.Join(addresses[1:], " ") != tc.want {
				t.Errorf("ids %s from %v", ids, addresses)
			}
		})
	}
}

// TestPagesThatNeverEnd checks that endless pages return an error.
func TestPagesThatNeverEnd(t *testing.T) {
	t.Parallel()
	link := func(next string) step { return answers(http.StatusOK, `[]`, "Link", "<"+next+">; rel=next") }
	moved := answers(http.StatusFound, "", "Location", sandbox.BaseURL+"/positions?page=2&fields=title%2Clocale&limit=1000")
	const circle = "the links to the next page form a loop"
	for name, tc := range map[string]struct {
		steps    []step
		requests int
		problem  string
	}{
		"a page that links to itself":     {[]step{link("?fields=title%2Clocale&limit=1000")}, 1, circle},
		"a fragment of itself":            {[]step{link("?fields=title%2Clocale&limit=1000#2")}, 1, circle},
		"a second page that does":         {[]step{link("?page=2"), link("?page=2")}, 2, circle},
		"two pages":                       {[]step{link("?page=2"), link("?page=3"), link("?page=2")}, 3, circle},
		"a page after a redirect":         {[]step{link("?page=2"), link("?page=3"), moved, link("?page=3")}, 4, circle},
		"the same elements on every page": {[]step{answers(http.StatusOK, `[{"id":"a"}]`, "Link", "<?page=2>; rel=next")}, 2, circle},
		"a repeated element": {
			slices.Repeat([]step{
				answers(http.StatusOK, `[{"id":"a"}]`, "Link", "<?page=2>; rel=next"), answers(http.StatusOK, `[{"id":"b"},{"id":"a"}]`),
			}, maxPasses+1),
			2 * maxPasses,
			`the list contains the id "a" twice: the list changed while it was read, or the service repeats an element`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			network := newStub(tc.steps...)
			_, err := newClient(t, network).Positions(nil).All(t.Context())
			if shape := as[*ShapeError](t, err); shape.Problem != tc.problem {
				t.Errorf("%q, want %q", shape.Problem, tc.problem)
			}
			if n := len(network.arrivals()); n != tc.requests {
				t.Errorf("%d requests, want %d", n, tc.requests)
			}
		})
	}
}

// TestPagesHaveALimit checks that even new pages end with an error.
func TestPagesHaveALimit(t *testing.T) {
	t.Parallel()
	c := newClient(t, newStub(answers(http.StatusOK, `[]`, "Link", "<?page=next>; rel=next")))
	pager := c.pager(route{template: "/positions", path: "/positions"}, "", nil)
	for i := range maxPages - 1 {
		pager.visited[fmt.Sprint("page ", i)] = true
	}
	if page, err := pager.fetch(t.Context()); err != nil || page.next == "" {
		t.Fatalf("the last page but one: %v", err)
	}
	pager.visited["the last"] = true
	_, err := pager.fetch(t.Context())
	if shape := as[*ShapeError](t, err); shape.Problem != "the list has more than 10000 pages" {
		t.Errorf("%q", shape.Problem)
	}
}

// TestPageIsReadAgain checks that a page that failed can be read again, without
// skipping or repeating elements.
func TestPageIsReadAgain(t *testing.T) {
	t.Parallel()
	good := answers(http.StatusOK, `[{"id":"3"},{"id":"4"}]`)
	network := newStub(
		answers(http.StatusOK, `[{"id":"1"},{"id":"2"}]`, "Link", "<?page=2>; rel=next"),
		answers(http.StatusOK, `[{"id":"3"},{"id":{}}]`),
		answers(http.StatusOK, `[{"id":"3"},{"id":"3"}]`),
		answers(http.StatusOK, `[{"id":"3"},{"id":"4"}]`, "Link", "<https://elsewhere.example/>; rel=next"),
		answers(http.StatusConflict, ""),
		good,
	)
	pages := newClient(t, network).Positions(nil)
	if first, err := pages.Next(t.Context()); err != nil || len(first) != 2 {
		t.Fatalf("%v, %v", first, err)
	}
	for range 4 {
		if got, err := pages.Next(t.Context()); err == nil || pages.Done() {
			t.Fatalf("%v was accepted", got)
		}
	}
	second, err := pages.Next(t.Context())
	if err != nil || len(second) != 2 || second[1].ID != "4" || !pages.Done() {
		t.Errorf("%v, done %t, %v", second, pages.Done(), err)
	}
	for _, address := range network.addresses()[1:] {
		if address != "/positions?page=2&fields=title%2Clocale&limit=1000" {
			t.Errorf("requested %s", address)
		}
	}
}

// TestPagesAreNotReadAhead checks that pages are requested only when they are read.
func TestPagesAreNotReadAhead(t *testing.T) {
	t.Parallel()
	service, c := newSandbox(t, sandboxtest.Options{Options: sandbox.Options{MaxPage: 3}})
	pages := c.Positions(nil)
	if first, err := pages.Next(t.Context()); err != nil || len(first) != 3 || pages.Done() {
		t.Fatalf("%v, done %t, %v", first, pages.Done(), err)
	}
	if n := service.Count("", ""); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	first, whole, err := c.FirstResults(t.Context(), sandbox.DemoResultsPosition)
	if err != nil || len(first) != 3 || whole || service.Count("", sandbox.RouteResults) != 1 {
		t.Errorf("%d first results, which are all: %t, %v", len(first), whole, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pages.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted read ended with %v", err)
	}
	if rest, err := pages.All(t.Context()); err != nil || len(rest) == 0 || !pages.Done() {
		t.Errorf("%d more, done %t, %v", len(rest), pages.Done(), err)
	}
}

// TestPagesChangeWhileTheyAreRead inserts an element between two pages, which moves
// another element to the next page. The list must be read again, three times at most.
func TestPagesChangeWhileTheyAreRead(t *testing.T) {
	t.Parallel()
	first := answers(http.StatusOK, `[{"id":"1"},{"id":"2"}]`, "Link", "<?page=2>; rel=next")
	moved := answers(http.StatusOK, `[{"id":"2"},{"id":"3"}]`)
	again := answers(http.StatusOK, `[{"id":"0"},{"id":"1"}]`, "Link", "<?page=2>; rel=next")
	ids := func(positions []Item) (ids string) {
		for _, p := range positions {
			ids += p.ID
		}
		return ids
	}
	all, err := newClient(t, newStub(first, moved, again, moved)).Positions(nil).All(t.Context())
	if err != nil || ids(all) != "0123" {
		t.Errorf("all pages: %q, error %v", ids(all), err)
	}

	pages := newClient(t, newStub(first, moved, again, moved)).Positions(nil)
	var got []Item
	for !pages.Done() {
		page, err := pages.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
	}
	if ids(got) != "1203" {
		t.Errorf("page by page: %q, want each once", ids(got))
	}

	network := newStub(first, moved, first, moved, first, moved, first, moved)
	_, err = newClient(t, network).Positions(nil).All(t.Context())
	if shape := as[*ShapeError](t, err); !shape.Changed || len(network.arrivals()) != 6 {
		t.Errorf("error %v after %d requests, want the error that the list changes after 6 requests", err,
			len(network.arrivals()))
	}
}

// TestPagesFromAnotherOrigin checks that no credentials are sent to another origin.
func TestPagesFromAnotherOrigin(t *testing.T) {
	t.Parallel()
	for address, reason := range map[string]string{
		"https://elsewhere.example/positions":           "form a loop", // the same route, so our own address
		"https://elsewhere.example/position":            "another origin, https://elsewhere.example:443",
		"https://elsewhere.example/v1/assessments":      "another origin, https://elsewhere.example:443",
		"https://sandbox.assess.invalid/v1/assessments": "another list of https://sandbox.assess.invalid/v1, /assessments",
		"https://sandbox.assess.invalid/v1/%2e%2e/x":    "a segment such as",
		"https://elsewhere.example/positions/2":         "another origin, https://elsewhere.example:443",
		"https://sandbox.assess.invalid/v2/other":       "points outside of the path of https://sandbox.assess.invalid/v1",
		"//elsewhere.example/":                          "another origin, https://elsewhere.example:443",
		"http://sandbox.assess.invalid/v1/positions":    "form a loop",
		"http://sandbox.assess.invalid/v1/other":        "another origin, http://sandbox.assess.invalid:80",
		"https://sandbox.assess.invalid:444/v1":         "another origin, https://sandbox.assess.invalid:444",
		"https://user:pw@sandbox.assess.invalid/v1":     "contains credentials",
		"https://sandbox.assess.invalid@evil.example":   "contains credentials, for https://evil.example:443",
		"file:///etc/passwd":                            "another origin, file://",
		"javascript:alert(1)":                           "another origin, javascript://",
		"https://[::1":                                  "is not an address",
		"%zz":                                           "is not an address",
	} {
		for where, page := range map[string]step{
			"the header": answers(http.StatusOK, "[]", "Link", "<"+address+">; rel=next"),
			"the body":   answers(http.StatusOK, fmt.Sprintf(`{"items":[],"_links":[{"rel":"next","href":%q}]}`, address)),
		} {
			network := newStub(page)
			_, err := newClient(t, network).Positions(nil).All(t.Context())
			if shape := as[*ShapeError](t, err); !strings.Contains(shape.Problem, reason) {
				t.Errorf("%s in %s: %q, want %q", address, where, shape.Problem, reason)
			}
			if n := len(network.arrivals()); n != 1 {
				t.Errorf("%s in %s: %d requests, want 1", address, where, n)
			}
		}
	}
}
