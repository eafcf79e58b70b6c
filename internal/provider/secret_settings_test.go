// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// literalSecret is written into the configurations of the tests in this file.
const literalSecret = "s3cr3t-literal-0815" //nolint:gosec // it is not a secret

// secretMistakes are mistakes in the provider block whose errors concern a secret.
var secretMistakes = map[string]struct{ block, says string }{
	"a key beside the sandbox": {
		"api_key = \"SECRET\"\n  sandbox {}", "Two services configured",
	},
	"an address with credentials beside the sandbox": {
		"base_url = \"https://someone:SECRET@assess.example.com\"\n  sandbox {}", "Two services configured",
	},
	"a key with a line break": {
		"base_url  = \"https://assess.example.com\"\n  client_id = \"x\"\n  api_key   = \"SECRET\\n\"", "Invalid API key",
	},
	"a key in the Client Identifier": {
		"base_url  = \"https://assess.example.com\"\n  client_id = \"x:SECRET\"\n  api_key   = \"y\"",
		"Invalid Client Identifier",
	},
	"an address with credentials": {
		"base_url  = \"https://someone:SECRET@assess.example.com\"\n  client_id = \"x\"\n  api_key   = \"y\"",
		"Invalid address of the service",
	},
	"a key in the query of the address": {
		"base_url  = \"https://assess.example.com/?key=SECRET\"\n  client_id = \"x\"\n  api_key   = \"y\"",
		"Invalid address of the service",
	},
	"a key without an address": {
		"client_id = \"x\"\n  api_key   = \"SECRET\"", "Missing address of the service",
	},
	"a reserved header": {
		"headers = { \"Authorization\" = \"SECRET\" }", "Invalid headers",
	},
	"a header with a line break": {
		"headers = { \"X-Gateway-Token\" = \"SECRET\\n\" }", "Invalid headers",
	},
	"a header twice": {
		"headers = {\n    \"X-Gateway-Token\" = \"SECRET\"\n    \"x-gateway-token\" = \"SECRET\"\n  }", "Invalid headers",
	},
	"a value instead of the name of a header": {
		"headers = { \"Bearer SECRET\" = \"X-Gateway-Token\" }", "Invalid headers",
	},
	"a value as the name of a header": {
		"headers = { \"SECRET\" = \"X-Gateway-Token\\n\" }", "Invalid headers",
	},
	"a password instead of the address of the budget": {
		"sandbox {}\n  rate_limit { coordination = \"SECRET\" }", "Unknown coordination",
	},
	"a malformed address of the budget": {
		"sandbox {}\n  rate_limit { coordination = \"redis://:SECRET@/x/y\" }", "Invalid address of the shared budget",
	},
}

// No output of a mistake in the provider block contains a secret that is literally in the
// configuration, although CLIs print the line to which an error points.
func TestSecretSettingsAreNotPrinted(t *testing.T) {
	t.Parallel()
	for name, mistake := range secretMistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newBareCLI(t)
			c.add("main.tf", "provider \"assess\" {\n  "+strings.ReplaceAll(mistake.block, "SECRET", literalSecret)+
				"\n}\n\ndata \"assess_assessment\" \"any\" { code = \"LMN\" }\n")
			reported := 0
			for _, args := range [][]string{
				{"validate", "-no-color"},
				{"validate", "-json"},
				{"plan", "-no-color", "-input=false"},
				{"plan", "-json", "-input=false"},
			} {
				r := c.human(args...)
				if strings.Contains(r.output, literalSecret) {
					t.Errorf("%v prints the secret:\n%s", args, r.output)
				}
				if strings.Contains(r.output, mistake.says) {
					reported++
				}
			}
			if reported < 2 { // both forms of plan. Configure reports some mistakes, which validate does not call
				t.Errorf("%d commands report %q", reported, mistake.says)
			}
		})
	}
}

// The same holds for the warning about a setting that is not known yet.
func TestSecretSettingsAreNotInWarnings(t *testing.T) {
	t.Parallel()
	c := newBareCLI(t)
	c.add("main.tf", `resource "terraform_data" "address" { input = timestamp() }

provider "assess" {
  base_url  = "https://${terraform_data.address.output}"
  client_id = "x"
  api_key   = "`+literalSecret+`"
  headers   = { "X-Gateway-Token" = "`+literalSecret+`" }
}

resource "assess_skills_test_activation" "any" {
  assessment_id = "a"
  test_id       = "b"
}
`)
	for _, args := range [][]string{{"plan", "-no-color", "-input=false"}, {"plan", "-json", "-input=false"}} {
		r := c.human(args...).ok()
		if strings.Contains(r.output, literalSecret) || !strings.Contains(r.output, "Provider setting not known yet") {
			t.Errorf("%v prints:\n%s", args, r.output)
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
			c := newBareCLI(t)
			c.add("main.tf", strings.ReplaceAll(block, "SECRET", literalSecret)+
				"\ndata \"assess_assessment\" \"any\" { code = \"LMN\" }\n")
			r := c.do("plan", "-input=false")
			for _, d := range r.errors {
				if strings.Contains(d.String(), literalSecret) {
					t.Errorf("the message itself contains the secret: %s", d)
				}
				if strings.Contains(d.Snippet.Code, literalSecret) {
					return
				}
			}
			text, _ := json.Marshal(r.errors)
			t.Errorf("the CLI no longer prints the line: %s", text)
		})
	}
}

// Headers that HTTP does not allow, and reserved headers, are refused with one error that points to
// no line and contains no value. Nothing is sent.
func TestHostileHeaders(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]map[string]any{
		"":                       {"X-Token": literalSecret}, // is accepted
		"a line break":           {"X-Token": literalSecret + "\r\nX-Injected: yes"},
		"a final line break":     {"X-Token": literalSecret + "\n"},
		"a NUL":                  {"X-Token": literalSecret + "\x00"},
		"a letter outside ASCII": {"X-Token": literalSecret + "ü"},
		"white space":            {"X-Token": literalSecret + " "},
		"null":                   {"X-Other": literalSecret, "X-Token": nil},
		"an unusable value":      {literalSecret: "X-Token\n"},
		"the value twice":        {literalSecret: "X-Token", strings.ToUpper(literalSecret): "X-Token"},
		"a condition":            {"If-None-Match": literalSecret},
		"a method":               {"X-HTTP-Method-Override": literalSecret},
		"Range":                  {"Range": literalSecret},
		"a line break in a name": {"X-Token\r\nX-Injected": literalSecret},
		"a value as a name":      {"Bearer " + literalSecret: "X-Token"},
		"no name":                {"": literalSecret},
		"twice":                  {"X-Token": literalSecret, "x-token": "other"},
		"Authorization":          {"Authorization": literalSecret},
		"Host":                   {"host": literalSecret},
		"Content-Type":           {"Content-Type": literalSecret},
		"Content-Length":         {"content-length": literalSecret},
		"Accept":                 {"ACCEPT": literalSecret},
		"User-Agent":             {"User-Agent": literalSecret},
		"Transfer-Encoding":      {"Transfer-Encoding": literalSecret},
		"Connection":             {"Connection": literalSecret},
		"Proxy-Authorization":    {"Proxy-Authorization": literalSecret},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := sandboxtest.New(t)
			w := newProtocolClient(t, service)
			values := map[string]tftypes.Value{}
			for header, value := range headers {
				values[header] = tftypes.NewValue(tftypes.String, value)
			}
			settings := map[string]any{
				"headers": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, values),
			}
			diagnostics := w.configure(settings)
			if len(diagnostics) == 0 { // a CLI also continues only without an error
				w.deferredData(false)
			}
			sent := len(service.Journal())
			if accepted := name == ""; accepted != (sent > 0) {
				t.Errorf("%d requests were sent, diagnostics: %v", sent, diagnostics)
			}
			if name == "" {
				return
			}
			if len(diagnostics) != 1 || diagnostics[0].Summary != "Invalid headers" {
				t.Fatalf("diagnostics: %v", diagnostics)
			}
			d := diagnostics[0]
			if strings.Contains(strings.ToLower(d.Detail), literalSecret) || strings.ContainsAny(d.Detail, "\r\x00") ||
				len(d.Attribute.Steps()) > 0 || !strings.Contains(d.Detail, "To fix this") {
				t.Errorf("%s at %s: %q", d.Summary, d.Attribute, d.Detail)
			}
		})
	}
}

// A header whose value is known only after an apply is a setting that is not known yet. The message does
// not contain its name, because name and value may have been confused.
func TestUnknownHeader(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	w := newProtocolClient(t, service)
	settings := map[string]any{
		"headers": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{
			literalSecret: tftypes.NewValue(tftypes.String, tftypes.UnknownValue),
		}),
	}
	diagnostics := w.configure(settings)
	if len(errorsOf(diagnostics)) > 0 || len(diagnostics) != 1 ||
		!strings.Contains(diagnostics[0].Detail, `"headers"`) ||
		strings.Contains(diagnostics[0].Detail, literalSecret) {
		t.Errorf("diagnostics: %v", diagnostics)
	}
}

// The environment variable has the same rules as the attribute, which takes precedence.
func TestHeadersOfTheEnvironment(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	attribute := map[string]any{
		"headers": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{
			"X-Token": tftypes.NewValue(tftypes.String, "attribute"),
		}),
	}
	for _, row := range []struct {
		variable string
		settings map[string]any
		sent     string // "" if it is refused
	}{
		{`{"X-Token": "variable"}`, map[string]any{}, "variable"},
		{`{"X-Token": "variable"}`, attribute, "attribute"},
		{`{"Host": "` + literalSecret + `"}`, map[string]any{}, ""},
		{`{"X-Token": null}`, map[string]any{}, ""},
		{`{"X-Token": 1}`, map[string]any{}, ""},
		{`["` + literalSecret + `"]`, map[string]any{}, ""},
		{`null`, map[string]any{}, ""},
		{literalSecret, map[string]any{}, ""},
	} {
		env := map[string]string{
			"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
			"ASSESS_HEADERS": row.variable,
		}
		w := clientOf(t, &provider.Provider{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()})
		diagnostics := w.configure(row.settings)
		if row.sent == "" {
			if len(diagnostics) != 1 || diagnostics[0].Summary != "Invalid headers" ||
				!strings.Contains(
					diagnostics[0].Detail,
					"ASSESS_HEADERS",
				) || strings.Contains(diagnostics[0].Detail, literalSecret) {
				t.Errorf("%s: %v", row.variable, diagnostics)
			}
			continue
		}
		service.ResetJournal()
		if _, errors := w.deferredData(false); len(diagnostics) > 0 || errors > 0 {
			t.Errorf("%s: %v", row.variable, diagnostics)
		}
		for _, entry := range service.Journal() {
			if entry.Header.Get("X-Token") != row.sent {
				t.Errorf("%s: sent %q, want %q", row.variable, entry.Header.Get("X-Token"), row.sent)
			}
		}
	}
}
