// SPDX-License-Identifier: MPL-2.0

package adopt

import "testing"

// Names keep letters of all alphabets with their vowel signs, and contain only what the language of configurations
// accepts. One name that it does not accept would make the whole file unusable.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Backend Engineer, London":  "backend_engineer_london_16pf",
		"École – Łódź, Straße":      "ecole_lodz_strasse_16pf",
		"2x":                        "position_2x_16pf",
		"":                          "position_16pf",
		"😀 —":                       "position_16pf",
		"_x":                        "x_16pf",
		"İstanbul":                  "istanbul_16pf",
		"हिन्दी अंक १२":             "हिन्दी_अंक_१२_16pf",
		"ก็ไทย":                     "ก็ไทย_16pf",
		"مُهندس":                    "مُهندس_16pf",
		"한국어":                       "한국어_16pf",
		"ガラス":                       "ガラス_16pf",
		"\u2e2fa\u9fd6b\U00030000c": "a_b_c_16pf", // letters, but not of this language
	} {
		if got := identifier(title, "16PF"); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
	if got := identifier("Engineer", "★"); got != "engineer_assessment" {
		t.Errorf("a code without letters becomes %q", got)
	}
}

// A comment is one line, and does not change the order of what follows it.
func TestCommentsAreOneLine(t *testing.T) {
	t.Parallel()
	if got := oneLine("a\n\u2028b \x1b\u202ec\u2066"); got != "a b c" {
		t.Errorf("the text becomes %q", got)
	}
}
