// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"strings"
	"testing"
)

// What was copied together with a credential or an address is named, but no secret is printed.
func TestEnvironmentThatWasCopiedBadly(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ variable, value, says string }{
		"a key in quotes":        {KeyVariable, `"SECRET"`, "is enclosed in quotation marks"},
		"a key in other quotes":  {KeyVariable, "“SECRET”", "is enclosed in quotation marks"},
		"a client and a space":   {ClientVariable, "x ", "contains a colon, white space"},
		"an address and a break": {AddressVariable, "https://x.example\n", "contains white space"},
		"a key with an umlaut":   {KeyVariable, "SECRETÄ", "outside printable ASCII"},
		"headers in quotes":      {HeadersVariable, `"SECRET"`, "it must be a JSON object"},
		"another budget":         {BudgetVariable, "https://SECRET", "ASSESS_RATE_LIMIT_URL) is not valid"},
		"no key":                 {KeyVariable, "", "environment variable ASSESS_API_KEY"},
	} {
		env := map[string]string{
			AddressVariable: "https://x.example", ClientVariable: "x", KeyVariable: "SECRET",
			row.variable: row.value,
		}
		_, err := Environment(func(name string) string { return env[name] })
		if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}
