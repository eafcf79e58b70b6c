// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
)

// A message lists at most ten right values: all in the service's order where
// that is all, else those first that are spelt like the wrong one.
func TestNear(t *testing.T) {
	t.Parallel()
	if got, want := near("x", []string{"b", "a"}), `"b", "a"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var many []string
	for n := range 20 {
		many = append(many, fmt.Sprintf("skt-%c%c%c", 'a'+n, 'a'+n, 'a'+n))
	}
	many = append(many, "skt-telephone")
	if got := near("skt-telefone", many); !strings.HasPrefix(got, `"skt-telephone", `) || !strings.HasSuffix(got, " and 11 more") {
		t.Errorf("got %s", got)
	}
	for _, pair := range [][2]string{{"Customer Support Adviser, Leeds", "customer support adviser leeds"}, {"asm-quartet", "Quartet"}} {
		if !isNear(pair[0], pair[1]) {
			t.Errorf("%q is not near %q", pair[0], pair[1])
		}
	}
	if isNear("asm-lumen", "asm-facet") {
		t.Error("ids that have only their prefix in common are near")
	}
}
