// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Links lead from page to page in both directions. No element is missing or repeated.
func TestPagesLinkToEachOther(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	all, found, last := []string{}, []string{}, ""
	for _, assessment := range sandbox.Demo().Assessments {
		all = append(all, assessment.ID)
	}
	for address := server.URL + "/assessments?fields=code&limit=1000"; address != ""; {
		page := fetch(t, address)
		elements := page.Array(t)
		if !strings.HasPrefix(address, server.URL+"/assessments?") || len(elements) > 5 || elements[0]["code"] == nil {
			t.Fatalf("%s: %s", address, page.Body)
		}
		found = append(found, ids(elements)...)
		last, address = address, page.Page("next")
	}
	if !slices.Equal(found, all) || !strings.Contains(last, "offset=10") {
		t.Errorf("the pages contain %q, want %q", found, all)
	}
	for query, want := range map[string][]string{
		"offset=3": all[:5], "offset=9&limit=4": all[5:9],
	} {
		previous := fetch(t, get(t, server, "/assessments?"+query).Page("previous"))
		if got := ids(previous.Array(t)); !slices.Equal(got, want) {
			t.Errorf("%s: the previous page is %q, want %q", query, got, want)
		}
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
		"": 100, "?limit=1": 1, "?limit=1000": 1000, "?limit=0": 0, "?limit=1000&offset=1000": 234, "?offset=9999": 0, "?offset=3000000000": 0,
	} {
		got := get(t, service, "/positions"+query)
		if n := len(got.Array(t)); n != want {
			t.Errorf("%s: %d items, want %d", query, n, want)
		}
		if more := got.Page("next") != ""; more != (want > 0 && want != 234) {
			t.Errorf("%s: Link %q", query, got.Header.Get("Link"))
		}
	}
	get(t, service, "/positions?limit=3000000000").Want(t, http.StatusBadRequest, "limit is more than the maximum")
	for _, query := range []string{"limit=-1", "limit=1001", "limit=ten", "limit=", "limit=1.0", "limit=1&limit=2", "limit=99999999999999999999", "offset=-1", "unknown=1", "limit=%zz"} {
		get(t, service, "/positions?"+query).Want(t, http.StatusBadRequest, "INVALID_PARAMETER")
		get(t, service, "/positions/pos-graduates-2026/assessments/pas-graduates-lumen?"+query).Want(t, http.StatusBadRequest, "INVALID_PARAMETER")
	}
}

// A list contains only the ID, the links, and the fields that a client asks for.
func TestLists(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{NoLimits: true})
	for path, fields := range map[string][]string{
		"/assessments?":                              {"code", "name"},
		"/positions?":                                {"title", "locale"},
		"/assessments/asm-quartet/packages?":         {"name", "mandatory"},
		"/assessments/asm-lumen/benchmarks?":         {"name", "locale"},
		"/assessments/asm-terrain/profiles?":         {"name"},
		"/assessments/asm-workbench/skills?":         strings.Split(strings.TrimPrefix(allFields, "fields="), ","),
		"/positions/pos-graduates-2026/assessments?": {"organizationAssessment", "metadata"},
	} {
		for asked := range len(fields) + 1 {
			query := "fields=" + url.QueryEscape(strings.Join(fields[:asked], ","))
			want := append([]string{"_links", "id"}, fields[:asked]...)
			slices.Sort(want)
			for _, element := range get(t, service, path+query).Array(t) {
				if got := slices.Sorted(maps.Keys(element)); !slices.Equal(got, want) {
					t.Errorf("%s%s: members %q, want %q", path, query, got, want)
				}
			}
		}
		get(t, service, path+"fields=id,nonsense").Want(t, http.StatusBadRequest, "nonsense", fields[0])
	}
	for _, path := range []string{"/assessments/none/packages", "/assessments/none/skills", "/positions/none/assessments", london + "/none"} {
		get(t, service, path).Want(t, http.StatusNotFound, "NOT_FOUND")
	}
}
