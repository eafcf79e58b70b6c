// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// literalSecret is written into the configurations of the tests in this file.
const literalSecret = "s3cr3t-literal-0815"

// withSecret is a configuration with a provider block, in which SECRET stands for a secret.
func withSecret(block string) string {
	return strings.ReplaceAll(block, "SECRET", literalSecret) + "\n" + anyAssessment
}

const (
	realService = "\n  base_url  = \"https://assess.example.com\"\n  client_id = \"x\"\n"
	keyIsSet    = "\n  client_id = \"x\"\n  api_key   = \"y\"\n"
)

// No output of a mistake in the provider block contains a secret that is literally in the
// configuration, although CLIs print the line to which an error points.
func TestSecretSettingsAreNotPrinted(t *testing.T) {
	t.Parallel()
	for name, mistake := range map[string]struct {
		settings string
		says     []string
	}{
		"a key beside the sandbox": {
			"api_key = \"SECRET\"\n  sandbox {}", []string{"Two services configured", `"api_key"`, `"sandbox"`},
		},
		"a key with a line break": {
			realService + `api_key = "SECRET\n"`, []string{"Invalid API key", "white space", "not shown here"},
		},
		"a key in the Client Identifier": {
			"base_url  = \"https://assess.example.com\"\n  client_id = \"x:SECRET\"\n  api_key   = \"y\"",
			[]string{"Invalid Client Identifier", "colon"},
		},
		"an address with credentials": {
			keyIsSet + `base_url = "https://someone:SECRET@assess.example.com"`,
			[]string{"Invalid address of the service", "set client_id and api_key instead"},
		},
		"a key in the query of the address": {
			keyIsSet + `base_url = "https://assess.example.com/?key=SECRET"`,
			[]string{"Invalid address of the service", "a query or a fragment"},
		},
		"a reserved header": {
			`headers = { "Authorization" = "SECRET" }`, []string{"Invalid headers", `"Authorization" is reserved`, "To fix this"},
		},
		"a header with a line break": {
			`headers = { "X-Gateway-Token" = "SECRET\n" }`, []string{"Invalid headers", "contains a line break"},
		},
		"a value as the name of a header": {
			`headers = { "SECRET" = "X-Gateway-Token\n" }`, []string{"Invalid headers", "contains a line break"},
		},
		"a password instead of the address of the budget": {
			"sandbox {}\n  rate_limit { coordination = \"SECRET\" }",
			[]string{
				`Unknown coordination`, `setting "coordination" in the block "rate_limit" is neither "host" nor "none" nor an address`,
				`use "host", "none", or an address such as "redis://`,
			},
		},
		"an address of the budget beside the sandbox": {
			"sandbox {}\n  rate_limit { coordination = \"rediss://:SECRET@cache.example.com\" }",
			[]string{"No shared budget with the sandbox", `"coordination"`, `"sandbox"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clitest.NewBare(t)
			c.UseText(withSecret("provider \"assess\" {\n  " + mistake.settings + "\n}"))
			forPrograms := c.Plan().Fails(mistake.says...).Output
			forPeople := c.Human("plan", "-no-color", "-input=false").Output
			if output := forPrograms + forPeople; strings.Contains(output, literalSecret) {
				t.Errorf("the secret is printed:\n%s", output)
			}
		})
	}
}
