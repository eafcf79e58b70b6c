// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// linked returns a page with a link to the next one in its header.
func linked(elements, next string) step {
	return answers(http.StatusOK, elements, "Link", `</>; rel=previous, <`+next+`>; rel="next"`)
}

// TestPages reads three positions from pages whose links are in the header, in the body, or in both.
func TestPages(t *testing.T) {
	t.Parallel()
	inBody := answers(http.StatusOK,
		`{"_links":[{"rel":"self","href":"/"},{"rel":"next","href":"positions?page=3"}],"items":[{"id":"2"}]}`)
	last := answers(http.StatusOK, `{"_links":[{"rel":"previous","href":"/"}],"items":[{"id":"3"}]}`)
	const three = `"items":[{"id":"1"},{"id":"2"},{"id":"3"}]}`
	for name, steps := range map[string][]step{
		"header, body": {linked(`[{"id":"1"}]`, "?page=2"), inBody, last},
		"both": {
			linked(`{"_links":[{"rel":"next","href":"/no"}],"items":[{"id":"1"}]}`, sandbox.BaseURL+"/positions?page=2"), inBody, last,
		},
		"header, body as in HAL": {
			linked(`[{"id":"1"}]`, "?page=2"),
			answers(200, `{"_links":{"curies":[],"next":{"href":"positions?page=3"},"up":null},"items":[{"id":"2"}]}`),
			answers(200, `{"_links":{"previous":[{"href":"/"}]},"items":[{"id":"3"}]}`),
		},
		"an empty page": {linked(`[{"id":"1"}]`, "?page=2"), linked(`[]`, "?page=3"), answers(200, `[{"id":"2"},{"id":"3"}]`)},
		"no address":    {answers(200, `{"_links":[{"rel":"next","href":""},{"rel":"next","href":null}],`+three)},
		"null":          {answers(200, `{"_links":null,`+three)},
	} {
		network := newStub(steps...)
		all, err := newClient(t, network).Positions(nil).All(t.Context())
		want := []string{"/positions?", "/positions?page=2&", "/positions?page=3&"}[:len(steps)]
		for i := range want {
			want[i] += "fields=title%2Clocale&limit=1000"
		}
		if err != nil || idsOf(all) != "123" || !slices.Equal(network.addresses(), want) {
			t.Errorf("%s: %s from %v, %v", name, idsOf(all), network.addresses(), err)
		}
	}
}

func idsOf[T Listed](list []T) (ids string) {
	for _, label := range Labels(list) {
		ids += label.ID
	}
	return ids
}

// TestPagesThatNeverEnd checks that endless pages return an error.
func TestPagesThatNeverEnd(t *testing.T) {
	t.Parallel()
	moved := answers(http.StatusFound, "", "Location", sandbox.BaseURL+"/positions?page=2&fields=title%2Clocale&limit=1000")
	const circle = "the links to the next page form a loop"
	for name, tc := range map[string]struct {
		steps    []step
		requests int
		problem  string
	}{
		"a fragment of itself":            {[]step{linked("[]", "?fields=title%2Clocale&limit=1000#2")}, 1, circle},
		"two pages":                       {[]step{linked("[]", "?page=2"), linked("[]", "?page=3"), linked("[]", "?page=2")}, 3, circle},
		"a page after a redirect":         {[]step{linked("[]", "?page=2"), linked("[]", "?page=3"), moved, linked("[]", "?page=3")}, 4, circle},
		"the same elements on every page": {[]step{linked(`[{"id":"a"}]`, "?page=2")}, 2, circle},
		"a repeated element": {
			slices.Repeat([]step{
				linked(`[{"id":"a"}]`, "?page=2"), answers(http.StatusOK, `[{"id":"b"},{"id":"a"}]`),
			}, maxPasses+1),
			2 * maxPasses,
			`the list contains the id "a" twice: the list changed while it was read, or the service repeats an element`,
		},
	} {
		network := newStub(tc.steps...)
		_, err := newClient(t, network).Positions(nil).All(t.Context())
		n := len(network.arrivals())
		if shape := as[*ShapeError](t, err); shape.Problem != tc.problem || n != tc.requests {
			t.Errorf("%s: %q after %d requests, want %q after %d", name, shape.Problem, n, tc.problem, tc.requests)
		}
	}
}

// TestPagesHaveALimit checks that even new pages end with an error.
func TestPagesHaveALimit(t *testing.T) {
	t.Parallel()
	c := newClient(t, newStub(linked("[]", "?page=next"), linked("[]", "?page=other")))
	pages := c.Positions(nil)
	for i := range maxPages - 2 {
		pages.visited[fmt.Sprint("page ", i)] = true
	}
	if _, err := pages.Next(t.Context()); err != nil || pages.Done() {
		t.Fatalf("the last page but one: %v", err)
	}
	_, err := pages.Next(t.Context())
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
		linked(`[{"id":"1"},{"id":"2"}]`, "?page=2"),
		answers(http.StatusOK, `[{"id":"3"},{"id":{}}]`),
		answers(http.StatusOK, `[{"id":"3"},{"id":"3"}]`),
		linked(`[{"id":"3"},{"id":"4"}]`, "https://elsewhere.example/"),
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
	first := linked(`[{"id":"1"},{"id":"2"}]`, "?page=2")
	moved := answers(http.StatusOK, `[{"id":"2"},{"id":"3"}]`)
	again := linked(`[{"id":"0"},{"id":"1"}]`, "?page=2")
	all, err := newClient(t, newStub(first, moved, again, moved)).Positions(nil).All(t.Context())
	if err != nil || idsOf(all) != "0123" {
		t.Errorf("all pages: %q, error %v", idsOf(all), err)
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
	if idsOf(got) != "120123" {
		t.Errorf("page by page: %q, want the first page, and then all", idsOf(got))
	}

	network := newStub(first, moved, first, moved, first, moved, first, moved)
	_, err = newClient(t, network).Positions(nil).All(t.Context())
	if shape := as[*ShapeError](t, err); !shape.Changed || len(network.arrivals()) != 6 {
		t.Errorf("error %v after %d requests, want the error that the list changes after 6 requests", err,
			len(network.arrivals()))
	}
}
