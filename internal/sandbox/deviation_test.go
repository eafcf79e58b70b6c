// SPDX-License-Identifier: MPL-2.0

package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestBareLists(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{Deviations: sandbox.Deviations{BareLists: true}})
	for _, path := range []string{"/positions?fields=title,locale", "/positions/pos-graduates-2026/assessments?fields=metadata"} {
		for _, element := range get(t, service, path).Array(t) {
			if len(element) != 2 { // id and _links
				t.Errorf("%s: %v", path, element)
			}
		}
	}
	get(t, service, "/positions/pos-graduates-2026/assessments/pas-graduates-lumen").
		Want(t, http.StatusOK, `"benchmark":"bmk-lumen-graduates-en-gb"`)
}

func TestUnsignedWithoutPositionList(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{Deviations: sandbox.Deviations{Unsigned: true, NoPositionList: true}})
	for path, status := range map[string]int{"/positions": 200, "/nowhere": 404, london: 405} {
		given := get(t, service, path)
		given.Want(t, status)
		if given.Header.Get("Conversation-Id") != "" || strings.Contains(given.Body, "conversationId") {
			t.Errorf("%s has a conversation: %v %s", path, given.Header, given.Body)
		}
		if status == http.StatusMethodNotAllowed && given.Header.Get("Allow") != "POST" {
			t.Errorf("%s: Allow: %q, want POST", path, given.Header.Get("Allow"))
		}
	}
	get(t, service, "/positions/pos-graduates-2026/assessments/pas-graduates-lumen").Want(t, http.StatusOK)
}

func TestMuteKeys(t *testing.T) {
	t.Parallel()
	service := memory(t, sandbox.Options{Deviations: sandbox.Deviations{Mute: []string{"packages"}}})
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
