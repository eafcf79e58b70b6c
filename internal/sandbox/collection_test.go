// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestPagesLinkToEachOther(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	address, found, pages := server.URL+"/assessments?fields=code&limit=1000", []string{}, 0
	for ; address != ""; pages++ {
		if !strings.HasPrefix(address, server.URL+"/assessments?") {
			t.Fatalf("a page has a link to %s", address)
		}
		page := fetch(t, address)
		elements := page.array(t)
		if len(elements) > 5 || elements[0]["code"] == nil {
			t.Fatalf("page %d: %s", pages, page.Body)
		}
		found = append(found, ids(elements)...)
		address = page.nextPage()
	}
	want := []string{}
	for _, assessment := range sandbox.Demo().Assessments {
		want = append(want, assessment.ID)
	}
	if pages != 3 || !slices.Equal(found, want) {
		t.Errorf("%d pages contained %q, want %q", pages, found, want)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{NoLimits: true, Seed: func() *sandbox.State {
		st := &sandbox.State{}
		for i := range 1234 {
			st.Positions = append(st.Positions, sandbox.Position{ID: fmt.Sprint("pos-", i)})
		}
		return st
	}})
	for query, want := range map[string]int{
		"": 100, "?limit=1": 1, "?limit=1000": 1000, "?limit=0": 0, "?limit=1000&offset=1000": 234, "?offset=9999": 0,
	} {
		got := get(t, service, "/positions"+query)
		if n := len(got.array(t)); n != want {
			t.Errorf("%s: %d items, want %d", query, n, want)
		}
		if more := got.nextPage() != ""; more != (want > 0 && want != 234) {
			t.Errorf("%s: Link %q", query, got.Header.Get("Link"))
		}
	}
	for _, query := range []string{"limit=-1", "limit=1001", "limit=ten", "limit=", "limit=1.0", "limit=1&limit=2", "limit=99999999999999999999", "offset=-1", "unknown=1", "limit=%zz"} {
		get(t, service, "/positions?"+query).Want(t, http.StatusBadRequest, "INVALID_PARAMETER")
	}
}

func TestCollectionsGiveIDAndLinksUnlessAsked(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	server.Change(t, func(st *sandbox.State) {
		st.Position("pos-support-leeds").Extra = sandbox.Object{{Name: "team", Value: []byte(`"red"`)}}
		if _, err := st.Attach("pos-support-leeds", "asm-facet", sandbox.Metadata{}); err != nil {
			t.Error(err)
		}
	})
	for path, fields := range map[string][]string{
		"/assessments":                             {"code", "name"},
		"/positions":                               {"title", "locale"},
		"/assessments/asm-quartet/packages":        {"name", "mandatory"},
		"/assessments/asm-lumen/benchmarks":        {"name", "locale"},
		"/assessments/asm-terrain/profiles":        {"name"},
		"/assessments/asm-workbench/skills":        {"title", "description", "category", "timeToComplete", "numberOfQuestions", "active"},
		"/positions/pos-support-leeds/assessments": {"organizationAssessment", "metadata"},
	} {
		for asked := range len(fields) + 1 {
			query := "?fields=" + url.QueryEscape(strings.Join(fields[:asked], ","))
			for _, element := range get(t, server, path+query).array(t) {
				want := append([]string{"_links", "id"}, fields[:asked]...)
				if element["team"] != nil && asked > 0 {
					want = append(want, "team")
				}
				got := []string{}
				for name := range element {
					got = append(got, name)
				}
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s%s: members %q, want %q", path, query, got, want)
				}
				links := jsonText(t, element["_links"])
				if !strings.HasPrefix(links, `[{"href":"`+server.URL) || !strings.Contains(links, `"rel":"self"`) {
					t.Errorf("%s: _links %s", path, links)
				}
			}
		}
		get(t, server, path+"?fields=id,nonsense").Want(t, http.StatusBadRequest, "nonsense", fields[0])
	}
}

func TestPositionsByTitle(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t)
	got := get(t, server, "/positions?title="+url.QueryEscape("Chargé de clientèle, Lyon"))
	if found := ids(got.array(t)); !slices.Equal(found, []string{"pos-clientele-lyon"}) {
		t.Errorf("found %q", found)
	}
	if n := len(get(t, server, "/positions?title=Charg%C3%A9").array(t)); n != 0 {
		t.Errorf("a search for a part of a title found %d positions", n)
	}
}
