// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// A message lists at most ten valid values, in the order of the service. If there are
// more values, the most similar spellings come first.
func TestNear(t *testing.T) {
	t.Parallel()
	if got, want := Near(
		"x",
		[]assessapi.Label{{ID: "b", Name: "Name of b"}, {ID: "a"}},
	), `"Name of b" (b), "a"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var many []assessapi.Label
	for n := range 20 {
		many = append(many, assessapi.Label{ID: fmt.Sprintf("skt-%c%c%c", 'a'+n, 'a'+n, 'a'+n), Name: "Another test"})
	}
	many = append(many, assessapi.Label{ID: "skt-telephone", Name: "Telephone Etiquette"})
	for _, wrong := range []string{"skt-telefone", "Telephone Etikette"} {
		got := Near(wrong, many)
		if !strings.HasPrefix(got, `"Telephone Etiquette" (skt-telephone), `) || !strings.HasSuffix(got, " and 11 more") {
			t.Errorf("near %s: got %s", wrong, got)
		}
	}
}
