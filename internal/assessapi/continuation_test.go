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
	const next, one = sandbox.BaseURL + "/assessments?page=2", `[{"id":"a","name":"A"}]`
	for body, want := range map[string]string{ // "": two elements; "1": one element; otherwise the error
		`{"count":2,"next":"` + next + `","previous":null,"results":` + one + `}`:                        "",
		`{"next":"/v1/assessments?page=2","items":` + one + `}`:                                          "",
		`{"links":{"self":"/x","next":"?page=2"},"data":` + one + `}`:                                    "",
		`{"links":{"next":{"href":"https://inner.example/assessments?page=2"}},"data":` + one + `}`:      "",
		`{"@odata.nextLink":"` + next + `","value":` + one + `}`:                                         "",
		`{"meta":{"paging":{"next_url":"` + next + `"}},"value":` + one + `}`:                            "",
		`{"hasMore":true,"nextCursor":"abc","items":` + one + `}`:                                        `member "nextCursor"`,
		`{"hasMore":true,"items":` + one + `}`:                                                           `member "hasMore"`,
		`{"hasMore":"true","items":` + one + `}`:                                                         `member "hasMore"`,
		`{"has_next_page":true,"items":` + one + `}`:                                                     `member "has_next_page"`,
		`{"page":{"number":0,"last":false},"content":` + one + `}`:                                       `member "page.last"`,
		`{"isLast":false,"values":` + one + `}`:                                                          `member "isLast"`,
		`{"next_page":2,"items":` + one + `}`:                                                            `member "next_page"`,
		`{"nextPageToken":"abc","items":` + one + `}`:                                                    `member "nextPageToken"`,
		`{"meta":{"pagination":{"next":2}},"items":` + one + `}`:                                         `member "meta.pagination.next"`,
		`{"cursor":"abc","items":` + one + `}`:                                                           `member "cursor"`,
		`{"pageInfo":{"endCursor":"abc","hasNextPage":true},"items":` + one + `}`:                        `member "pageInfo.hasNextPage"`,
		`{"isTruncated":true,"items":` + one + `}`:                                                       `member "isTruncated"`,
		`{"total":2,"items":` + one + `}`:                                                                `member "total"`,
		`{"page":{"size":1,"totalElements":2,"totalPages":2},"content":` + one + `}`:                     `member "page.totalElements"`,
		`{"links":[{"rel":"self","href":"?page=1"},{"rel":"next","href":"?page=2"}],"data":` + one + `}`: "",
		`{"paging":{"links":[{"rel":"next","href":"?page=2"}]},"data":` + one + `}`:                      "",
		`{"page":1,"totalPages":2,"items":` + one + `}`:                                                  `member "totalPages"`,
		`{"pagination":{"page":0,"pages":2},"items":` + one + `}`:                                        `member "pagination.pages"`,
		`{"current_page":1,"last_page":2,"items":` + one + `}`:                                           `member "last_page"`,
		`{"pageCount":2,"items":` + one + `}`:                                                            `member "pageCount"`,
		`{"nextPage":null,"hasMore":true,"items":` + one + `}`:                                           `member "hasMore"`,
		`{"has_more":false,"next_cursor":"abc","items":` + one + `}`:                                     "1",
		`{"links":[{"rel":"self","href":"?page=1"}],"items":` + one + `}`:                                "1",
		`{"links":[],"items":` + one + `}`:                                                               "1",
		`{"pagination":{"page":1,"pages":1},"items":` + one + `}`:                                        "1",
		`{"pages":["a"],"page":"intro","data":` + one + `}`:                                              "several of them arrays",
		`{"next":"https://elsewhere.example/x","items":` + one + `}`:                                     "another origin",
		`{"next":"/admin","items":` + one + `}`:                                                          "outside of the path",
		`{"total":1,"next":null,"hasMore":false,"items":` + one + `}`:                                    "1",
		`{"pageInfo":{"endCursor":"abc","hasNextPage":false},"items":` + one + `}`:                       "1",
		`{"next":"","cursor":"abc","last":true,"items":` + one + `}`:                                     "1",
		`{"next":null,"cursor":"abc","items":` + one + `}`:                                               "1",
		`{"nextUpdate":"2026-01-01T00:00:00Z","context":"a","items":` + one + `}`:                        "1",
		`{"limit":1000,"page":1,"totalPages":1,"nextPage":0,"owner":{"id":"x"},"items":` + one + `}`:     "1",
	} {
		network := newStub(answers(200, body), answers(200, `[{"id":"b"}]`))
		all, err := newClient(t, network).List(t.Context(), Assessments, "")
		switch {
		case want == "" && (err != nil || len(all) != 2), want == "1" && (err != nil || len(all) != 1):
			t.Errorf("%s: %d elements, %v", body, len(all), err)
		case len(want) > 1 && !strings.Contains(fmt.Sprint(err), want):
			t.Errorf("%s: %d elements, %v, want %s", body, len(all), err, want)
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
