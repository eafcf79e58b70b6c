// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A value that an attribute does not accept gets one message, with its fix and a link to
// the guide.
func TestInvalidValues(t *testing.T) {
	t.Parallel()
	w := newProtocolClient(t, unlimited(t))
	provider := func(settings map[string]any) []*tfprotov6.Diagnostic {
		resp, err := w.server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{
			Config: dynamic(t, w.schema.Provider.ValueType(), settings),
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	resource := func(block string, value map[string]any) []*tfprotov6.Diagnostic {
		const name = "assess_position_assessment"
		config := map[string]any{"position_id": "p", "assessment_id": "a", block: value}
		resp, err := w.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
			TypeName: name, Config: dynamic(t, w.typ(name), config),
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	limits := func(name string, value any) map[string]any {
		return map[string]any{"rate_limit": map[string]any{name: value}}
	}
	const share = "To fix this: use a number from 0.000001 to 1, such as 0.5 for half of each limit."
	for _, row := range []struct {
		got     []*tfprotov6.Diagnostic
		is, fix string
	}{
		{
			provider(fields{"privacy": "Strict"}), `privacy is "Strict", which it does not accept.`,
			`To fix this: use "standard" or "strict".`,
		},
		{provider(limits("share", 2)), "rate_limit.share is 2.", share},
		{provider(limits("share", 0)), "rate_limit.share is 0.", share},
		{
			provider(limits("fallback", "none")), `rate_limit.fallback is "none", which it does not accept.`,
			`To fix this: use "fail" or "host".`,
		},
		{
			resource("packages", fields{"select": "everything"}), `packages.select is "everything", which it does not accept.`,
			`To fix this: use "all" or "mandatory".`,
		},
		{
			resource("tests", fields{"ids": []string{}}), "tests.ids is empty.",
			"To fix this: set at least one ID, or remove the block if it is optional.",
		},
	} {
		want := "The value of " + row.is + "\n\n" + row.fix +
			"\n\nhttps://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/"
		if len(row.got) != 1 || row.got[0].Summary != "Invalid value" || !strings.HasPrefix(row.got[0].Detail, want) ||
			!strings.HasSuffix(row.got[0].Detail, "#invalid-value") {
			t.Errorf("%v, want\n%s", row.got, want)
		}
	}
	for _, share := range []float64{0.000001, 1} {
		if got := provider(limits("share", share)); len(got) > 0 {
			t.Errorf("share %v: %v", share, got)
		}
	}
}
