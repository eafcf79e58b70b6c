// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

// literalSecret is written into the configurations of the tests in this file.
const literalSecret = "s3cr3t-literal-0815"

// rejects plans with settings of the provider, in which SECRET stands for a secret. The plan fails with these texts, and
// neither its output nor a log contains the secret, although CLIs print the line to which an error points.
func rejects(t *testing.T, c *clitest.CLI, settings string, says ...string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	c = c.With("TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+log)
	c.UseText("provider \"assess\" {\n  " + strings.ReplaceAll(settings, "SECRET", literalSecret) + "\n}\n" + anyAssessment)
	all := searched{
		"the output for programs": c.Plan().Fails(says...).Output,
		"the output for people":   c.Human("plan", "-no-color", "-input=false").Output,
		"the log":                 clitest.ReadFile(t, log),
	}
	if places := all.containing(literalSecret); len(places) > 0 {
		t.Errorf("the secret is in %q", places)
	}
}

// The message about a mistake in the provider block does not name the line of a secret.
func TestSecretSettingsAreNotPrinted(t *testing.T) {
	t.Parallel()
	const (
		service  = "\n  base_url  = \"https://assess.example.com\"\n  client_id = \"x\"\n"
		keyIsSet = "\n  client_id = \"x\"\n  api_key   = \"y\"\n"
	)
	for name, mistake := range map[string]struct {
		settings string
		says     []string
	}{
		"a key beside the sandbox": {
			"api_key = \"SECRET\"\n  sandbox {}", []string{"Two services configured", `"api_key"`, `"sandbox"`},
		},
		"a key with a line break": {
			service + `api_key = "SECRET\n"`, []string{"Invalid API key", "white space", "not shown here"},
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
		"a header with a line break": {
			`headers = { "X-Gateway-Token" = "SECRET\n" }`, []string{"Invalid headers", "contains a line break"},
		},
		"a value as the name of a header": {
			`headers = { "SECRET" = "X-Gateway-Token\n" }`, []string{"Invalid headers", "contains a line break"},
		},
		"a password instead of the address of the budget": {
			"sandbox {}\n  rate_limit { coordination = \"SECRET\" }", []string{
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
			rejects(t, clitest.NewBare(t), mistake.settings, mistake.says...)
		})
	}
}

// A run that cannot reach the server of its shared budget fails before it sends anything, and never shows the password.
// Attributes take precedence over the variable, which the sandbox ignores.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	const noRedis = "redis://someone:SECRET@127.0.0.1:1/2"
	unreachable := []string{
		"Could not reach the shared budget of the API key", "redis://127.0.0.1:1/2", "connection refused",
		`"coordination"`, "ASSESS_RATE_LIMIT_URL", "Nothing was sent to the service", `set coordination = "host"`,
	}
	service := unlimited(t)
	with := func(variable string) *clitest.CLI {
		return clitest.New(t, service).With("ASSESS_RATE_LIMIT_URL=" + strings.ReplaceAll(variable, "SECRET", literalSecret))
	}
	rejects(t, with(""), `rate_limit { coordination = "`+noRedis+`" }`, unreachable...)
	rejects(t, with(noRedis), "", unreachable...)
	rejects(t, with("https://:SECRET@localhost"), "", "Invalid address of the shared budget", "ASSESS_RATE_LIMIT_URL",
		"not shown here", "rediss://")
	if sent := len(service.Journal()); sent != 0 {
		t.Errorf("%d requests were sent", sent)
	}
	for _, settings := range []string{`rate_limit { coordination = "none" }`, "sandbox {}"} {
		c := with(noRedis)
		c.UseText("provider \"assess\" {\n  " + settings + "\n}\n" + anyAssessment)
		c.Plan().OK().Quiet()
	}
}
