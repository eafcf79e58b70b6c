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
func deviating(t *testing.T, d sandbox.Deviations) *sandboxtest.Service {
	t.Helper()
	return sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{Deviations: d}})
}

func TestBareLists(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{BareLists: true})
	for _, path := range []string{
		"/assessments?fields=code,name", "/positions?fields=title,locale", "/assessments/asm-workbench/skills?fields=active",
		"/positions/pos-graduates-2026/assessments?fields=metadata",
	} {
		elements := sandboxtest.Ask(t, service, http.MethodGet, path, "").Array(t)
		if len(elements) == 0 || slices.ContainsFunc(elements, func(e map[string]any) bool { return len(e) != 2 }) {
			t.Errorf("%s: %v", path, elements)
		}
	}
	sandboxtest.Ask(t, service, http.MethodGet, "/positions/pos-graduates-2026/assessments/pas-graduates-lumen", "").
		Want(t, http.StatusOK, `"organizationAssessment":"asm-lumen"`, `"benchmark":"bmk-lumen-graduates-en-gb"`)
}

func TestUnsigned(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{Unsigned: true})
	for path, status := range map[string]int{
		"/positions": http.StatusOK, "/nowhere": http.StatusNotFound, "/positions/none/results": http.StatusNotFound,
	} {
		given := sandboxtest.Ask(t, service, http.MethodGet, path, "")
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
	sandboxtest.Ask(t, service, http.MethodGet, path, "").Want(t, http.StatusMethodNotAllowed)
	sandboxtest.Ask(t, service, http.MethodGet, path+"/pas-graduates-lumen", "").Want(t, http.StatusOK)
	sandboxtest.Ask(t, service, http.MethodPost, path, `{"organizationAssessment":"asm-tideline"}`).
		Want(t, http.StatusCreated)
}

func TestMuteKeys(t *testing.T) {
	t.Parallel()
	service := deviating(t, sandbox.Deviations{Mute: []string{"packages"}})
	path := "/positions/pos-backend-london/assessments"
	created := sandboxtest.Ask(t, service, http.MethodPost, path, `{"organizationAssessment":"asm-quartet","metadata":{
		"packages":["pkg-problem-solving","pkg-numerical-reasoning"],"benchmark":"bmk-quartet-graduates-en-gb"}}`)
	created.Want(t, http.StatusCreated)
	id, _ := created.Object(t)["id"].(string)
	for _, given := range []sandboxtest.Response{
		created, sandboxtest.Ask(t, service, http.MethodGet, path+"/"+id, ""),
		sandboxtest.Ask(t, service, http.MethodGet, path+"?fields=metadata", ""),
	} {
		if strings.Contains(given.Body, "packages") || !strings.Contains(given.Body, "bmk-quartet-graduates-en-gb") {
			t.Errorf("the body shows packages, or no benchmark: %s", given.Body)
		}
	}
}
