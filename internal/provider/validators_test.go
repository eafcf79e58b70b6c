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
	attached := &instance{protocolClient: w, name: "assess_position_assessment"}
	resource := func(block string, value map[string]any) []*tfprotov6.Diagnostic {
		return attached.validate(map[string]any{"position_id": "p", "assessment_id": "a", block: value})
	}
	limits := func(name string, value any) map[string]any {
		return map[string]any{"rate_limit": map[string]any{name: value}}
	}
	for want, got := range map[string][]*tfprotov6.Diagnostic{
		`The value of privacy is "Strict", which it does not accept.

To fix this: use "standard" or "strict".`: provider(map[string]any{"privacy": "Strict"}),
		`The value of rate_limit.share is 2.

To fix this: use a number from 0.000001 to 1, such as 0.5 for half of each limit.`: provider(limits("share", 2)),
		`The value of rate_limit.share is 0.

To fix this: use a number from 0.000001 to 1, such as 0.5 for half of each limit.`: provider(limits("share", 0)),
		`The value of rate_limit.fallback is "none", which it does not accept.

To fix this: use "fail" or "host".`: provider(limits("fallback", "none")),
		`The value of packages.select is "everything", which it does not accept.

To fix this: use "all" or "mandatory".`: resource("packages", map[string]any{"select": "everything"}),
		`The value of tests.ids is empty.

To fix this: set at least one ID, or remove the block if it is optional.`: resource("tests", map[string]any{"ids": []string{}}),
	} {
		want += "\n\nhttps://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/"
		if len(got) != 1 || got[0].Summary != "Invalid value" || !strings.HasPrefix(got[0].Detail, want) ||
			!strings.HasSuffix(got[0].Detail, "#invalid-value") {
			t.Errorf("%v, want\n%s", got, want)
		}
	}
	for _, share := range []float64{0.000001, 1} {
		if got := provider(limits("share", share)); len(got) > 0 {
			t.Errorf("share %v: %v", share, got)
		}
	}
}
