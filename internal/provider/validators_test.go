// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
)

// A value that an attribute does not accept gets one message, with its fix and a link to
// the guide.
func TestInvalidValues(t *testing.T) {
	t.Parallel()
	const atLeastOne = "To fix this: set at least one ID, or remove the block if it is optional."
	const shareBetween = "To fix this: use a number from 0.000001 to 1, such as 0.5 for half of each limit."
	for _, row := range []struct {
		block, attribute string
		value            any
		is, fix          string // "" if the value is accepted
	}{
		{"", "privacy", "Strict", `privacy is "Strict", which is not one of its possible values.`, `To fix this: use "standard" or "strict".`},
		{"rate_limit", "share", 2, "rate_limit.share is 2.", shareBetween},
		{"rate_limit", "share", 0, "rate_limit.share is 0.", shareBetween},
		{"rate_limit", "share", 0.000001, "", ""},
		{"rate_limit", "share", 1, "", ""},
		{
			"rate_limit", "fallback", "none",
			`rate_limit.fallback is "none", which is not one of its possible values.`, `To fix this: use "fail" or "host".`,
		},
		{
			"packages", "select", "everything",
			`packages.select is "everything", which is not one of its possible values.`, `To fix this: use "all" or "mandatory".`,
		},
		{"tests", "ids", []string{}, "tests.ids is empty.", atLeastOne},
	} {
		once(t, func(s *simulation) {
			s.env["ASSESS_PLAN_CHECKS"] = "false" // this plan sends nothing, whatever its share
			setting := coretest.Body{row.attribute: row.value}
			config := simulatedConfig(activation("go", "skt-go"))
			switch row.block {
			case "":
				config.Providers[""][row.attribute] = row.value
			case "rate_limit":
				config.Providers[""][row.block] = setting
			default:
				config = simulatedConfig(positionAssessment("a", "p", "a", row.block, setting))
			}
			got := s.plan(config).Diagnostics
			if row.is == "" && len(got) == 0 {
				return
			}
			want := "The value of " + row.is + "\n\n" + row.fix +
				"\n\nhttps://registry.terraform.io/providers/assessascode/assess/latest/docs/guides/"
			if len(got) != 1 || got[0].Summary != "Invalid value" || !strings.HasPrefix(got[0].Detail, want) ||
				!strings.HasSuffix(got[0].Detail, "#invalid-value") {
				s.t.Errorf("%s is %v: %v, want\n%s", row.attribute, row.value, got, want)
			}
		})
	}
}

// Each setting of a real service is refused beside the embedded service, in the same order each time.
func TestTwoServices(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := simulatedConfig(activation("go", "skt-go"))
		config.Providers[""]["sandbox"] = coretest.Body{}
		names := []string{"base_url", "client_id", "api_key"}
		for _, name := range names {
			config.Providers[""][name] = "https://assess.example.com"
		}
		refused := s.plan(config).Diagnostics
		for i, name := range names {
			if len(refused) != len(names) || refused[i].Summary != "Two services configured" ||
				!strings.Contains(refused[i].Detail, `"`+name+`"`) {
				s.t.Fatalf("diagnostics: %v, want one about each of %q", refused, names)
			}
		}
	})
}

// A dynamic block "sandbox" may turn out to be absent, and a setting beside it may turn out to be null.
func TestMaybeTwoServices(t *testing.T) {
	t.Parallel()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	const address = "https://assess.example.com"
	for name, row := range map[string]struct {
		sandbox map[string]any
		baseURL any
		refused bool
	}{
		"both known":                  {map[string]any{}, address, true},
		"only part of the block":      {map[string]any{"state_file": unknown, "limits": true}, address, true},
		"the block not known yet":     {map[string]any{"state_file": unknown}, address, false},
		"the address not known yet":   {map[string]any{}, unknown, false},
		"neither of the two is known": {map[string]any{"state_file": unknown}, unknown, false},
	} {
		w := clientOf(t, &provider.Provider{Version: "test"})
		config := dynamic(t, w.schema.Provider.ValueType(), map[string]any{"sandbox": row.sandbox, "base_url": row.baseURL})
		resp, err := w.server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
		if err != nil {
			t.Fatal(err)
		}
		if refused := len(errorsOf(resp.Diagnostics)) > 0; refused != row.refused {
			t.Errorf("%s: refused %t, want %t", name, refused, row.refused)
		}
	}
}
