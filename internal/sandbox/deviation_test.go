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

// deviating returns a service that differs from the documents.
func deviating(t *testing.T, d sandbox.Deviations) *sandbox.Service {
	t.Helper()
	return memory(t, sandbox.Options{Deviations: d})
}

func TestBareLists(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{BareLists: true})
	for _, path := range []string{
		"/assessments?fields=code,name", "/positions?fields=title,locale", "/assessments/asm-workbench/skills?fields=active",
		"/positions/pos-graduates-2026/assessments?fields=metadata",
	} {
		elements := get(t, service, path).Array(t)
		if len(elements) == 0 || slices.ContainsFunc(elements, func(e map[string]any) bool { return len(e) != 2 }) {
			t.Errorf("%s: %v", path, elements)
		}
	}
	get(t, service, "/positions/pos-graduates-2026/assessments/pas-graduates-lumen").
		Want(t, http.StatusOK, `"organizationAssessment":"asm-lumen"`, `"benchmark":"bmk-lumen-graduates-en-gb"`)
}

func TestUnsigned(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{Unsigned: true})
	for path, status := range map[string]int{"/positions": http.StatusOK, "/nowhere": http.StatusNotFound} {
		given := get(t, service, path)
		given.Want(t, status)
		if given.Header.Get("Conversation-Id") != "" || strings.Contains(given.Body, "conversationId") {
			t.Errorf("%s has a conversation: %v %s", path, given.Header, given.Body)
		}
	}
}

func TestNoPositionList(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{NoPositionList: true})
	path := "/positions/pos-graduates-2026/assessments"
	get(t, service, path).Want(t, http.StatusMethodNotAllowed)
	get(t, service, path+"/pas-graduates-lumen").Want(t, http.StatusOK)
	post(t, service, path, body("asm-tideline", "{}")).Want(t, http.StatusCreated)
}

func TestMuteKeys(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{Mute: []string{"packages"}})
	created := post(t, service, london, body("asm-quartet",
		`{"packages":["pkg-problem-solving","pkg-numerical-reasoning"],"benchmark":"bmk-quartet-graduates-en-gb"}`))
	created.Want(t, http.StatusCreated)
	for _, given := range []sandboxtest.Response{
		created, get(t, service, london+"/pas-0001"), get(t, service, london+"?fields=metadata"),
	} {
		if strings.Contains(given.Body, "packages") || !strings.Contains(given.Body, "bmk-quartet-graduates-en-gb") {
			t.Errorf("the body shows packages, or no benchmark: %s", given.Body)
		}
	}
}
