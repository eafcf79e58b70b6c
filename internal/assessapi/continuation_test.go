// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// A list never ends silently with its first page. An answer that says in another way than the contract that there are
// more elements is followed if it has an address, and is an error that names the member otherwise.
func TestMorePages(t *testing.T) {
	t.Parallel()
	const next, one, followed, last = sandbox.BaseURL + "/assessments?page=2", `[{"id":"a","name":"A"}]`, "followed", "the last"
	for want, envelopes := range map[string][]string{
		followed: {
			`"count":2,"next":"` + next + `","previous":null`, `"next":"/v1/assessments?page=2"`,
			`"links":{"self":"/x","next":"?page=2"}`, `"links":{"next":{"href":"https://inner.example/assessments?page=2"}}`,
			`"@odata.nextLink":"` + next + `"`, `"meta":{"paging":{"next_url":"` + next + `"}}`,
			`"links":[{"rel":"self","href":"?page=1"},{"rel":"next","href":"?page=2"}]`,
			`"paging":{"links":[{"rel":"next","href":"?page=2"}]}`,
		},
		last: {
			`"has_more":false,"next_cursor":"abc"`, `"links":[{"rel":"self","href":"?page=1"}]`, `"links":[]`,
			`"pagination":{"page":1,"pages":1}`, `"total":1,"next":null,"hasMore":false`,
			`"pageInfo":{"endCursor":"abc","hasNextPage":false}`, `"next":"","cursor":"abc","last":true`,
			`"next":null,"cursor":"abc"`, `"nextUpdate":"2026-01-01T00:00:00Z","context":"a"`,
			`"limit":1000,"page":1,"totalPages":1,"nextPage":0,"owner":{"id":"x"}`,
		},
		`member "hasMore"`:              {`"hasMore":true`, `"hasMore":"true"`, `"nextPage":null,"hasMore":true`},
		`member "nextCursor"`:           {`"hasMore":true,"nextCursor":"abc"`},
		`member "has_next_page"`:        {`"has_next_page":true`},
		`member "page.last"`:            {`"page":{"number":0,"last":false}`},
		`member "isLast"`:               {`"isLast":false`},
		`member "next_page"`:            {`"next_page":2`},
		`member "nextPageToken"`:        {`"nextPageToken":"abc"`},
		`member "meta.pagination.next"`: {`"meta":{"pagination":{"next":2}}`},
		`member "cursor"`:               {`"cursor":"abc"`},
		`member "pageInfo.hasNextPage"`: {`"pageInfo":{"endCursor":"abc","hasNextPage":true}`},
		`member "isTruncated"`:          {`"isTruncated":true`},
		`member "total"`:                {`"total":2`},
		`member "page.totalElements"`:   {`"page":{"size":1,"totalElements":2,"totalPages":2}`},
		`member "totalPages"`:           {`"page":1,"totalPages":2`},
		`member "pagination.pages"`:     {`"pagination":{"page":0,"pages":2}`},
		`member "last_page"`:            {`"current_page":1,"last_page":2`},
		`member "pageCount"`:            {`"pageCount":2`},
		"several of them arrays":        {`"pages":["a"],"page":"intro"`},
		"which is not a page of":        {`"next":"https://elsewhere.example/x"`, `"next":"/admin"`},
	} {
		for _, envelope := range envelopes {
			network := newStub(answers(200, `{`+envelope+`,"items":`+one+`}`), answers(200, `[{"id":"b"}]`))
			all, err := newClient(t, network).List(t.Context(), Assessments, "")
			got := fmt.Sprint(err)
			if err == nil {
				got = map[int]string{1: last, 2: followed}[len(all)]
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s, want %s", envelope, got, want)
			}
		}
	}
	for header, isMore := range map[[2]string]bool{
		{"X-Total-Count", "2"}: true, {"X-Next-Page", "2"}: true, {"Content-Range", "items 0-0/2"}: true, {"X-Has-More", "true"}: true,
		{"X-Total-Count", "1"}: false, {"X-Next-Page", ""}: false, {"Content-Range", "items 0-0/*"}: false, {"X-NextJS-Cache", "HIT"}: false,
	} {
		_, err := newClient(t, newStub(answers(200, one, header[0], header[1]))).List(t.Context(), Assessments, "")
		if named := strings.Contains(fmt.Sprint(err), header[0]); named != isMore || (err != nil) != isMore {
			t.Errorf("%v: %v", header, err)
		}
	}
}

// A total is that of all pages. The number of the last page can be as large as that of the pages, or one less.
func TestTotalOfTwoPages(t *testing.T) {
	t.Parallel()
	for second, isLast := range map[string]bool{
		`{"total":2,"items":[{"id":"b"}]}`:               true,
		`{"page":2,"totalPages":2,"items":[{"id":"b"}]}`: true,
		`{"page":1,"totalPages":2,"items":[{"id":"b"}]}`: true,
		`{"page":2,"totalPages":4,"items":[{"id":"b"}]}`: false,
	} {
		pages := newStub(
			answers(200, `{"total":2,"items":[{"id":"a"}]}`, "Link", "<?page=2>; rel=next"), answers(200, second),
		)
		all, err := newClient(t, pages).Positions(nil).All(t.Context())
		if (err == nil) != isLast || isLast && len(all) != 2 {
			t.Errorf("%s: %v, %v", second, all, err)
		}
	}
}
