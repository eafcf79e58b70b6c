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

// TestLatin1 tests rule 13.
func TestLatin1(t *testing.T) {
	t.Parallel()
	for text, rejected := range map[string]string{
		"": "", "pos-Züri": "", "ÿ": "", "pos-Łódź": `'Ł' (U+0141)`, "日": `'日' (U+65E5)`,
	} {
		problem := Latin1(text)
		if (problem != "") != (rejected != "") || !strings.Contains(problem, rejected) {
			t.Errorf("%q: %q, want %q", text, problem, rejected)
		}
	}
}

func TestSameLocale(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		same bool
	}{{"en-GB", "en_gb", true}, {"EN-gb", "en-GB", true}, {"en-GB", "en-US", false}, {"en", "en-GB", false}} {
		if SameLocale(row.a, row.b) != row.same {
			t.Errorf("%q and %q: want %t", row.a, row.b, row.same)
		}
	}
}

// An import ID contains two IDs that can be sent.
func TestImportIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"pos-backend-london/pas-0001": {"pos-backend-london", "pas-0001"},
		"a%2Fb/50%25":                 {"a/b", "50%"},
		"%C3%A9%20/%00":               {"é ", "\x00"},
	} {
		scope, id, err := SplitImportID(text)
		if err != nil || scope != want[0] || id != want[1] || JoinImportID(scope, id) != text {
			t.Errorf("%s contains %q and %q, and they are joined as %s: %v", text, scope, id, JoinImportID(scope, id), err)
		}
	}
	for text, want := range map[string]string{
		"": "exactly one slash", "a/b/c": "exactly one slash", "a/%": "write a percent sign as %25", "/b": `"" is not an ID`,
		"%2E%2E/b": `".." is not an ID`, "a/Ł": "outside Latin1", "a/%FF": "outside Latin1",
	} {
		if _, _, err := SplitImportID(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
