// SPDX-License-Identifier: MPL-2.0

package export

import "testing"

// Names contain only what the language of configurations accepts. One name that it does not accept would make the whole
// file unusable.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Backend Engineer, London": "backend_engineer_london_16pf",
		"École – Łódź, Straße":     "ecole_lodz_strasse_16pf",
		"2x":                       "position_2x_16pf",
		"İstanbul":                 "istanbul_16pf",
		"한국어 Engineer":             "engineer_16pf",
		"":                         "pos_7_16pf",
		"हिन्दी अंक १२":            "pos_7_16pf",
		"مُهندس":                   "pos_7_16pf",
	} {
		if got := identifier(title, "pos-7", "16PF"); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
	if got := identifier("😀", "★", "★"); got != "position_assessment" {
		t.Errorf("an ID and a code without letters become %q", got)
	}
}

// A literal has only the escapes that the language of configurations knows: \n, \r, \t, \", \\, \uNNNN and \UNNNNNNNN.
func TestQuoteUsesKnownEscapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      `""`,
		`a"b\c`:                 `"a\"b\\c"`,
		"a\x00b\a\v\x7f":        `"a\u0000b\u0007\u000b\u007f"`,
		"a\nb\r\tc":             `"a\u000ab\u000d\u0009c"`,
		"soft\u00adhyphen":      `"soft\u00adhyphen"`,
		"後端\U000e0001":          `"後端\U000e0001"`,
		"${a} %{b} $${c} $$ %1": `"$${a} %%{b} $$${c} $$ %1"`,
	} {
		if got := quoteHCL(text); got != want {
			t.Errorf("%q is written as %s, want %s", text, got, want)
		}
	}
}
