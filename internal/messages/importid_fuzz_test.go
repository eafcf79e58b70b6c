// SPDX-License-Identifier: MPL-2.0

package messages_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// An accepted import ID contains two IDs that can be sent. Joining them gives an import
// ID with the same two IDs. Any two such IDs can be joined.
func FuzzSplitImportID(f *testing.F) {
	for _, seed := range []string{
		"pos-backend-london/pas-0001", "a%2Fb/50%25", "", "/", "a/", "/b", "a/b/c", "./b", "a/..", "%2E%2E/b", "a/%",
		"a/%zz", "a/%FF", "a/\xff", "a/Ł", "a/%C5%81", "a/%00", "a/b?c#d", " / ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if scope, id, err := messages.SplitImportID(s); err == nil {
			for _, part := range []string{scope, id} {
				if !canBeSent(part) {
					t.Errorf("%q gives the id %q, which cannot be sent", s, part)
				}
			}
			checkJoin(t, scope, id)
		}
		if scope, id := s[:len(s)/2], s[len(s)/2:]; canBeSent(scope) && canBeSent(id) {
			checkJoin(t, scope, id)
		}
	})
}

// checkJoin joins two IDs to an import ID and splits it.
func checkJoin(t *testing.T, scope, id string) {
	t.Helper()
	joined := messages.JoinImportID(scope, id)
	if a, b, err := messages.SplitImportID(joined); err != nil || a != scope || b != id {
		t.Errorf("%q and %q make %q, which gives %q and %q: %v", scope, id, joined, a, b, err)
	}
}

func canBeSent(id string) bool {
	return id != "" && id != "." && id != ".." && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, func(r rune) bool { return r > 0xFF })
}
