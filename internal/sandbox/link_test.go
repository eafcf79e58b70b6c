// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// selfOf returns the self link of a resource.
func selfOf(t *testing.T, resource map[string]any) string {
	t.Helper()
	links, _ := resource["_links"].([]any)
	for _, link := range links {
		if link, _ := link.(map[string]any); link["rel"] == "self" {
			href, _ := link["href"].(string)
			return href
		}
	}
	t.Fatalf("no self link: %v", resource)
	return ""
}

// TestSelfLinksLeadToTheirResource follows the links of all lists.
func TestSelfLinksLeadToTheirResource(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	for _, path := range []string{
		"/assessments?fields=code,name",
		"/positions?fields=title,locale",
		"/assessments/asm-quartet/packages?fields=name,mandatory",
		"/assessments/asm-lumen/benchmarks?fields=name,locale",
		"/assessments/asm-terrain/profiles?fields=name",
		"/assessments/asm-workbench/skills?" + allFields,
		"/assessments/asm-workbench/skills?active=false&" + allFields,
		"/positions/" + sandbox.DemoResultsPosition + "/assessments?fields=organizationAssessment,metadata",
	} {
		for _, element := range get(t, server, path).array(t) {
			got := fetch(t, selfOf(t, element))
			if got.Status != http.StatusOK || jsonText(t, got.object(t)) != jsonText(t, element) {
				t.Errorf("%s: %d %s, listed as %s", path, got.Status, got.Body, jsonText(t, element))
			}
		}
	}
	for _, path := range []string{"/positions/none", "/assessments/none", "/assessments/asm-quartet/packages/none", "/assessments/none/skills/none"} {
		get(t, server, path).Want(t, http.StatusNotFound, "NOT_FOUND")
	}
}

// A client may list a skills test under one name of the service, and send it back under
// another name (enableSkillsTest).
func TestSkillsTestPutUnderAnotherName(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits, withOddTest(t))
	listed := get(t, server, skills+"?active=false&"+allFields).Body
	resource := strings.TrimSuffix(strings.TrimPrefix(listed, "["), "]")
	other := strings.Replace(resource, "127.0.0.1", "localhost", 1)
	if other == resource {
		t.Fatalf("no address in %s", resource)
	}
	put(t, server, skills+"/skt-odd", other).Want(t, http.StatusOK)
	moved := strings.Replace(resource, "/skills/skt-odd", "/skills/skt-sql", 1)
	put(t, server, skills+"/skt-odd", moved).Want(t, http.StatusBadRequest, "_links")
}

// TestPreviousPagesRepeatNothing follows the links to other pages.
func TestPreviousPagesRepeatNothing(t *testing.T) {
	t.Parallel()
	server := sandboxtest.New(t, noLimits)
	all := append(ids(get(t, server, "/assessments").array(t)), ids(get(t, server, "/assessments?offset=5").array(t))...)
	for query, want := range map[string][]string{
		"offset=3": all[:3], "offset=3&limit=4": all[:3], "offset=9&limit=4": all[5:9],
	} {
		page := get(t, server, "/assessments?"+query)
		previous := fetch(t, page.page("previous"))
		if got := ids(previous.array(t)); !slices.Equal(got, want) {
			t.Errorf("%s: the previous page is %q, want %q", query, got, want)
		}
	}
}
