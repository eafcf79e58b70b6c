// SPDX-License-Identifier: MPL-2.0

package export

import "testing"

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
