// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Each mistake in the settings has an error that names the attribute or its variable, and never the key.
func TestSettings(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	const key = "a-very-secret-key"
	with := func(address, clientID string, others ...string) []string {
		return append(others, "ASSESS_BASE_URL="+address, "ASSESS_CLIENT_ID="+clientID, "ASSESS_API_KEY="+key)
	}
	const environment, attributes, durations = "environment", "attributes", "durations"
	for name, row := range map[string]struct {
		step string
		env  []string
		says []string
	}{
		"nothing set": {environment, nil, []string{
			`Missing (address of the service|Client Identifier|API key)`, `"(base_url|client_id|api_key)"`,
			`ASSESS_(BASE_URL|CLIENT_ID|API_KEY)`, `sandbox \{\}`,
		}},
		"key missing": {environment, []string{"ASSESS_BASE_URL=" + service.URL, "ASSESS_CLIENT_ID=x"}, []string{
			"Missing API key", `"api_key"`, "ASSESS_API_KEY",
		}},
		"wrong key": {environment, with(service.URL, sandbox.ClientID), []string{
			"Could not list the assessments", "GET " + service.URL + "/assessments with 401 Unauthorized", "Conversation-Id",
			"check the credentials", "ASSESS_CLIENT_ID, ASSESS_API_KEY",
		}},
		"reserved header": {environment, with(service.URL, "x", `ASSESS_HEADERS={"Host": "`+key+`"}`), []string{
			"Invalid headers", "ASSESS_HEADERS", `"Host" is reserved`,
		}},
		"plain http": {environment, with("http://assess.example.com/v1", "x"), []string{
			"Invalid address of the service", "plain http", `"assess.example.com"`, "use https", "ASSESS_BASE_URL",
		}},
		"no scheme before a loopback address": {
			attributes, []string{"TF_VAR_address=" + strings.TrimPrefix(service.URL, "http://")}, []string{
				"Could not list the assessments",
				"GET " + strings.Replace(service.URL, "http:", "https:", 1) + "/assessments received no usable answer",
				"HTTP response to HTTPS client", "without a scheme means https",
				"For a server on this machine, write http://", "ASSESS_BASE_URL",
			},
		},
		"connection refused": {attributes, []string{"TF_VAR_address=" + closed.URL}, []string{
			"Could not list the assessments",
			"GET " + closed.URL + "/assessments received no usable answer: .*connection refused",
			`last of \d+ attempts within`, "ASSESS_BASE_URL", "network",
		}},
		"empty attribute": {attributes, []string{"TF_VAR_address=", "ASSESS_BASE_URL=" + service.URL}, []string{
			"Missing address of the service", "An empty attribute hides the variable, so remove it",
		}},
		"wrong path": {attributes, []string{"TF_VAR_address=" + service.URL + "/wrong"}, []string{
			"Could not list the assessments", "GET " + service.URL + "/wrong/assessments with 404 Not Found", "ASSESS_BASE_URL",
		}},
		"durations": {durations, nil, []string{"Not a duration", `request_timeout is "soon"`, "30s"}},
		"negative":  {durations, nil, []string{"Not a duration", `retry_timeout is "-1s"`, "above zero"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clitest.NewBare(t, row.env...)
			c.UseFrom("TestSettings", row.step)
			r := c.Plan().Fails(row.says...)
			if strings.Contains(r.Output, key) {
				t.Errorf("the output contains the key:\n%s", r.Output)
			}
		})
	}
}

// Attributes take precedence over environment variables.
func TestAttributesBeforeEnvironment(t *testing.T) {
	t.Parallel()
	for attribute, sent := range map[string]string{"null": "variable", `{"X-Token": "attribute"}`: "attribute"} {
		service := sandboxtest.New(t)
		c := clitest.NewBare(t, "TF_VAR_address="+service.URL, "TF_VAR_headers="+attribute,
			"ASSESS_BASE_URL=https://unused.invalid", "ASSESS_API_KEY=wrong", `ASSESS_HEADERS={"X-Token": "variable"}`)
		c.UseFrom("TestSettings", "attributes")
		c.Plan().OK().Quiet()
		for _, entry := range service.Journal() {
			if got := entry.Header.Get("X-Token"); got != sent {
				t.Errorf("headers is %s: sent %q, want %q", attribute, got, sent)
			}
		}
	}
}

// The embedded service requires no port and no credentials, and keeps its state between
// runs.
func TestSandboxBlock(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t, "ASSESS_BASE_URL=http://unused.invalid", "ASSESS_API_KEY=unused")
	c.UseFrom("TestSandboxBlock", "1")
	c.Apply().OK().Quiet()
	c.Plan().Empty().Quiet()
	c.Add("estate.json", "{broken")
	c.Plan().Fails("Could not use the embedded service", "estate.json")
}

// What was copied together with a credential or an address is named, but no secret is printed. Package connection tests
// what is found.
func TestSettingsThatWereCopiedBadly(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ variable, value, summary, says string }{
		"a key and a line break": {"ASSESS_API_KEY", "SECRET\r\n", "Invalid API key", "it contains white space or a character outside printable ASCII. It is not shown"},
		"a client and a tab":     {"ASSESS_CLIENT_ID", "\tx", "Invalid Client Identifier", "it contains a colon, white space"},
		"a key and a space":      {"ASSESS_API_KEY", "SECRET ", "Invalid API key", "it contains white space"},
		"a client in quotes":     {"ASSESS_CLIENT_ID", "'x'", "Invalid Client Identifier", "is enclosed in quotation marks"},
		"an address and a space": {
			"ASSESS_BASE_URL", "https://x.example\u00a0", "Invalid address of the service", "it contains white space",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{
				"ASSESS_BASE_URL": "https://x.example", "ASSESS_CLIENT_ID": "x", "ASSESS_API_KEY": "SECRET", row.variable: row.value,
			}
			w := clientOf(t, env, nil)
			said := w.configure(fields{})
			said.fails(t, regexp.QuoteMeta(row.summary), regexp.QuoteMeta(row.says))
			if strings.Contains(fmt.Sprint(said), "SECRET") {
				t.Errorf("the secret is shown: %q", said)
			}
		})
	}
}

// literalSecret is written into the configurations of the tests in this file.
const literalSecret = "s3cr3t-literal-0815" //nolint:gosec // it is not a secret

// withSecret is a configuration with a provider block, in which SECRET stands for a secret.
func withSecret(block string) string {
	return strings.ReplaceAll(block, "SECRET", literalSecret) + "\n\ndata \"assess_assessment\" \"any\" { code = \"LMN\" }\n"
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
		"an address with credentials beside the sandbox": {
			"base_url = \"https://someone:SECRET@assess.example.com\"\n  sandbox {}",
			[]string{"Two services configured", `"base_url"`},
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
		"an address with credentials and without a scheme": {
			keyIsSet + `base_url = "someone:SECRET@assess.example.com/v1"`,
			[]string{"Invalid address of the service", "set client_id and api_key instead"},
		},
		"a malformed address with credentials": {
			keyIsSet + `base_url = "https://someone:SECRET@[::1/v1"`,
			[]string{"Invalid address of the service", "not an address"},
		},
		"a key in the query of the address": {
			keyIsSet + `base_url = "https://assess.example.com/?key=SECRET"`,
			[]string{"Invalid address of the service", "a query or a fragment"},
		},
		"a key without an address": {
			`api_key = "SECRET"`, []string{"Missing address of the service", `"base_url"`, "ASSESS_BASE_URL", `sandbox \{\}`},
		},
		"a reserved header": {
			`headers = { "Authorization" = "SECRET" }`, []string{"Invalid headers", `"Authorization" is reserved`, "To fix this"},
		},
		"a header with a line break": {
			`headers = { "X-Gateway-Token" = "SECRET\n" }`, []string{"Invalid headers", "contains a line break"},
		},
		"a header twice": {
			"headers = {\n    \"X-Gateway-Token\" = \"SECRET\"\n    \"x-gateway-token\" = \"SECRET\"\n  }",
			[]string{"Invalid headers", "two names are the same"},
		},
		"a header that is null": {
			`headers = { "X-Gateway-Token" = null, "X-Tenant" = "SECRET" }`, []string{"Invalid headers", "a value is null"},
		},
		"a value instead of the name of a header": {
			`headers = { "Bearer SECRET" = "X-Gateway-Token" }`, []string{"Invalid headers", "a name contains a character"},
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
		"a malformed address of the budget": {
			"sandbox {}\n  rate_limit { coordination = \"redis://:SECRET@/x/y\" }",
			[]string{"Invalid address of the shared budget", `"coordination"`, "not shown here", "%2F"},
		},
		"an address of the budget beside the sandbox": {
			"sandbox {}\n  rate_limit { coordination = \"rediss://:SECRET@cache.example.com\" }",
			[]string{"No shared budget with the embedded service", `"coordination"`, `"sandbox"`},
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

// The same holds for the warning about a setting that is not known yet. It does not contain the
// name of a header, because name and value may have been confused.
func TestSecretSettingsAreNotInWarnings(t *testing.T) {
	t.Parallel()
	for unknown, settings := range map[string]string{
		"base_url": `base_url = terraform_data.late.output
  client_id = "x"
  api_key = "SECRET"
  headers = { "X-Gateway-Token" = "SECRET" }`,
		"headers": realService + `api_key = "SECRET"
  headers = { "SECRET" = terraform_data.late.output }`,
	} {
		c := clitest.NewBare(t)
		c.UseText(strings.ReplaceAll(`resource "terraform_data" "late" { input = timestamp() }

resource "assess_skills_test_activation" "any" {
  assessment_id = "a"
  test_id       = "b"
}

provider "assess" {
  `+settings+"\n}\n", "SECRET", literalSecret))
		forPrograms := c.Plan().OK().Warns("Provider setting not known yet", `setting "`+unknown+`"`).Output
		forPeople := c.Human("plan", "-no-color", "-input=false").OK().Output
		if output := forPrograms + forPeople; strings.Contains(output, literalSecret) {
			t.Errorf("the secret is printed:\n%s", output)
		}
	}
}

// A provider cannot change what the CLI itself prints. It prints lines of the configuration with its own
// errors, and the whole provider block with each error if the block is one line. The guides say so.
// If a CLI no longer prints them, the guides can promise more.
func TestCLIPrintsLiteralSecrets(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]string{
		"one line":           `provider "assess" { api_key = "SECRET" }`,
		"a list":             "provider \"assess\" {\n  api_key = [\"SECRET\"]\n}",
		"a text, not a map":  "provider \"assess\" {\n  headers = \"X-Gateway-Token: SECRET\"\n}",
		"an unknown setting": "provider \"assess\" {\n  apikey = \"SECRET\"\n}",
		"a setting twice":    "provider \"assess\" {\n  api_key = \"a\"\n  api_key = \"SECRET\"\n}",
		"no closing quote":   "provider \"assess\" {\n  api_key = \"SECRET\n}",
		"no comma":           "provider \"assess\" {\n  headers = { \"X-A\" = \"a\" \"X-B\" = \"SECRET\" }\n}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clitest.NewBare(t)
			c.UseText(withSecret(block))
			r := c.Plan()
			for _, d := range r.Errors {
				if strings.Contains(d.String(), literalSecret) {
					t.Errorf("the message itself contains the secret: %s", d)
				}
				if strings.Contains(d.Snippet.Code, literalSecret) {
					return
				}
			}
			text, _ := json.Marshal(r.Errors)
			t.Errorf("the CLI no longer prints the line: %s", text)
		})
	}
}

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
		w := clientOf(t, nil, nil)
		config := coretest.Encode(w.schema.Provider.ValueType(), fields{"sandbox": row.sandbox, "base_url": row.baseURL})
		resp, err := w.server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: config})
		w.mustCall(err)
		if refused := len(saidIn(resp.Diagnostics).errors) > 0; refused != row.refused {
			t.Errorf("%s: refused %t, want %t", name, refused, row.refused)
		}
	}
}

// A read-only provider plans and sends only GET requests. An apply that would write
// fails, names the setting, and does not change the state.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		first := simulatedConfig(
			activation("go", "skt-go"),
			positionAssessment("a", "pos-backend-london", "asm-northlight", "profile",
				coretest.Body{"id": "prf-curious-builders"}),
		)
		s.apply(first)
		s.env["ASSESS_READ_ONLY"] = "true"
		s.network.Decide = func(_ int, r *http.Request) coretest.Event {
			if r.Method != http.MethodGet {
				s.t.Errorf("%s %s was sent", r.Method, r.URL.Path)
			}
			return coretest.Pass
		}
		s.stays(first)
		for name, config := range map[string]coretest.Config{
			"create":  simulatedConfig(append(first.Resources, positionAssessment("b", "pos-support-leeds", "asm-facet"))...),
			"update":  simulatedConfig(first.Resources[0], positionAssessment("a", "pos-backend-london", "asm-northlight")),
			"replace": simulatedConfig(first.Resources[0], positionAssessment("a", "pos-support-leeds", "asm-northlight")),
			"enable":  simulatedConfig(append(first.Resources, activation("rust", "skt-rust"))...),
			"destroy": simulatedConfig(),
		} {
			before := s.core.State.Addresses()
			plan := s.succeeds(s.core.Plan(s.t.Context(), config, s.options))
			r := s.core.ApplyPlan(s.t.Context(), plan.Plan, s.options)
			if r.Err() == nil || !r.Says("ASSESS_READ_ONLY") {
				s.t.Errorf("%s: the error does not name the setting: %v", name, r.Diagnostics)
			}
			if after := s.core.State.Addresses(); len(after) != len(before) {
				s.t.Errorf("%s: the state had %v and has %v", name, before, after)
			}
		}
		delete(s.env, "ASSESS_READ_ONLY")
		s.network.Decide = nil
		s.stays(first)
	})
}
