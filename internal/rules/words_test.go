// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"strings"
	"testing"
)

// A message lists at most ten valid values, in the order of the service. If there
// are more, those with the most similar spelling come first.
func TestNear(t *testing.T) {
	t.Parallel()
	if got, want := Near("x", []string{"b", "a"}), `"b", "a"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var many []string
	for n := range 20 {
		many = append(many, fmt.Sprintf("skt-%c%c%c", 'a'+n, 'a'+n, 'a'+n))
	}
	many = append(many, "skt-telephone")
	if got := Near(
		"skt-telefone",
		many,
	); !strings.HasPrefix(got, `"skt-telephone", `) ||
		!strings.HasSuffix(got, " and 11 more") {
		t.Errorf("got %s", got)
	}
}
