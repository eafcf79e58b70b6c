// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

const (
	fallbackFail = "fail"
	fallbackHost = "host"

	defaultStateFile = "assess-sandbox.json"
)

type providerModel struct {
	BaseURL        types.String `tfsdk:"base_url"`
	ClientID       types.String `tfsdk:"client_id"`
	APIKey         types.String `tfsdk:"api_key"`
	Headers        types.Map    `tfsdk:"headers"`
	RequestTimeout types.String `tfsdk:"request_timeout"`
	RetryTimeout   types.String `tfsdk:"retry_timeout"`
	PlanChecks     types.Bool   `tfsdk:"plan_checks"`
	ReadOnly       types.Bool   `tfsdk:"read_only"`
	AdoptExisting  types.Bool   `tfsdk:"adopt_existing"`
	Privacy        types.String `tfsdk:"privacy"`
	RateLimit      types.Object `tfsdk:"rate_limit"`
	Sandbox        types.Object `tfsdk:"sandbox"`
}

// settings are the validated settings of the configuration and the environment.
type settings struct {
	unknown string // the name of the first setting that is not known yet, or empty

	baseURL          *url.URL
	clientID, apiKey string
	headers          map[string]string
	sandbox          *sandbox.Options // nil: the service at baseURL

	requestTimeout, retryTimeout time.Duration
	planChecks, readOnly, adopts bool
	privacy                      tf.Privacy
	share                        float64
	coordination                 string // connection.CoordinationHost, connection.CoordinationNone or the URL of a Redis
	fallback                     string
	unthrottled                  bool
}

// budgetKey identifies the budget of rate limits: by origin, client and API key, or by the
// file of the embedded service.
func (s settings) budgetKey() string {
	if s.sandbox != nil {
		return connection.EmbeddedBudgetKey(s.sandbox.StateFile)
	}
	return connection.BudgetKey(s.baseURL, s.clientID, s.apiKey)
}

// runConfig returns the configuration of the run.
func (s settings) runConfig() run.Config {
	return run.Config{PlanChecks: s.planChecks, AdoptExisting: s.adopts, Config: connection.Config{
		BaseURL: s.baseURL, ClientID: s.clientID, APIKey: s.apiKey, Headers: s.headers,
		RequestTimeout: s.requestTimeout, RetryTimeout: s.retryTimeout, ReadOnly: s.readOnly,
		Budget: connection.Budget{
			Key: s.budgetKey(), Share: s.share, Coordination: s.coordination, FallBack: s.fallback == fallbackHost,
			Unthrottled: s.unthrottled || s.sandbox != nil && s.sandbox.NoLimits, Embedded: s.sandbox != nil,
		},
	}}
}

// ValidateConfig refuses settings that exclude each other.
func (p *Provider) ValidateConfig(
	ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse,
) {
	p.validated.Store(true)
	var m providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if set, _ := tf.BlockIn(m.Sandbox); !set || resp.Diagnostics.HasError() {
		return
	}
	if isRedis(tf.StringIn(m.RateLimit, "coordination").ValueString()) {
		resp.Diagnostics.Append(tf.AttributeError(path.Root("sandbox"), "No shared budget with the embedded service",
			"The setting \"coordination\" in the block \"rate_limit\" names a server for runs on several machines. But the "+
				"block \"sandbox\" uses the embedded service, which other machines cannot reach.\n\nTo fix this: remove "+
				"\"coordination\", or remove the block \"sandbox\"."))
	}
	for _, attribute := range []struct {
		name  string
		value types.String
	}{{"base_url", m.BaseURL}, {"client_id", m.ClientID}, {"api_key", m.APIKey}} {
		if !attribute.value.IsNull() && !attribute.value.IsUnknown() {
			resp.Diagnostics.Append(tf.Error("Two services configured", fmt.Sprintf(
				"Both %[1]q and the block \"sandbox\" are set. %[1]q belongs to a real service, and the block uses the simulated "+
					"service in the provider.\n\nTo fix this: remove %[1]q or the block.", attribute.name)))
		}
	}
}

// The CLI prints the line of the configuration to which an error points. So errors about
// credentials, or about an address that can contain them, point to no attribute.

func readSettings(
	ctx context.Context, config tfsdk.Config, getenv func(string) string, diags *diag.Diagnostics,
) settings {
	var m providerModel
	diags.Append(config.Get(ctx, &m)...)
	s := settings{
		requestTimeout: connection.DefaultRequestTimeout, retryTimeout: connection.DefaultRetryTimeout,
		planChecks: true, share: 1, coordination: connection.CoordinationHost, fallback: fallbackFail,
		unthrottled: getenv("ASSESS_UNTHROTTLED") == "1",
	}
	if diags.HasError() {
		return s
	}
	s.readPrivacy(m.Privacy, getenv("ASSESS_PRIVACY"), diags)
	if s.unknown = firstUnknown(config.Raw); s.unknown != "" {
		return s
	}
	s.requestTimeout = tf.DurationOr(m.RequestTimeout, s.requestTimeout)
	s.retryTimeout = tf.DurationOr(m.RetryTimeout, s.retryTimeout)
	checks := readSwitch("ASSESS_PLAN_CHECKS", getenv, diags)
	s.planChecks = m.PlanChecks.ValueBool() || m.PlanChecks.IsNull() && checks != "false"
	s.adopts = m.AdoptExisting.ValueBool() || readSwitch("ASSESS_ADOPT_EXISTING", getenv, diags) == "true"
	s.readOnly = m.ReadOnly.ValueBool() || readSwitch("ASSESS_READ_ONLY", getenv, diags) == "true"
	if share := tf.Float64In(m.RateLimit, "share"); !share.IsNull() {
		s.share = share.ValueFloat64()
	}
	s.readCoordination(m, getenv, diags)
	if m.Sandbox.IsNull() {
		s.readService(m, getenv, diags)
	} else {
		s.readSandbox(m.Sandbox, diags)
	}
	return s
}

const invalidVariable = "Invalid environment variable"

// readSwitch reads an environment variable that is true, false or empty. A saved plan
// contains the configuration but not the environment, so a variable also has an effect on
// the apply of a saved plan.
func readSwitch(variable string, getenv func(string) string, diags *diag.Diagnostics) string {
	value := getenv(variable)
	if value != "" && value != "true" && value != "false" {
		diags.Append(
			tf.Error(invalidVariable, fmt.Sprintf("The environment variable %s is %q.\n\nTo fix this: set it to true or "+
				"false.", variable, value)),
		)
	}
	return value
}

// readPrivacy sets strict mode if the attribute or the variable is "strict", or if the
// attribute is not known yet.
func (s *settings) readPrivacy(attribute types.String, variable string, diags *diag.Diagnostics) {
	switch tf.Privacy(variable) {
	case "", tf.Standard, tf.Strict:
	default:
		diags.Append(
			tf.Error(invalidVariable, fmt.Sprintf("The environment variable ASSESS_PRIVACY is %q.\n\nTo fix this: set it "+
				"to %q or %q.", variable, tf.Standard, tf.Strict)),
		)
	}
	s.privacy = tf.Standard
	if attribute.IsUnknown() || tf.Privacy(attribute.ValueString()) == tf.Strict || tf.Privacy(variable) == tf.Strict {
		s.privacy = tf.Strict
	}
}

// readCoordination reads with which other runs this run shares the limits. The attribute
// takes precedence over the environment variable, which "sandbox" ignores.
func (s *settings) readCoordination(m providerModel, getenv func(string) string, diags *diag.Diagnostics) {
	if fallback := tf.StringIn(m.RateLimit, "fallback"); !fallback.IsNull() {
		s.fallback = fallback.ValueString()
	}
	if coordination := tf.StringIn(m.RateLimit, "coordination"); !coordination.IsNull() {
		s.coordination = coordination.ValueString()
	} else if address := getenv("ASSESS_RATE_LIMIT_URL"); address != "" && m.Sandbox.IsNull() {
		s.coordination = address
		if err := connection.CheckBudgetURL(address); err != nil {
			diags.Append(
				tf.Error(invalidBudget, fmt.Sprintf("The value of the environment variable ASSESS_RATE_LIMIT_URL is not valid. "+
					"It is not shown here, because it can contain a password.\n\nTo fix this: correct it. "+
					"%s", words.Sentence(err.Error()))),
			)
		}
	}
}

const invalidBudget = "Invalid address of the shared budget"

// coordinates validates the setting coordination. No message contains an address or points
// to its line of the configuration, because the address can contain a password.
var coordinates = tf.RuleOf("must be host, none, or an address such as redis://host:6379/0",
	func(_ path.Path, setting types.String) diag.Diagnostic {
		value := setting.ValueString()
		if value == connection.CoordinationHost || value == connection.CoordinationNone {
			return nil
		}
		if !strings.ContainsAny(value, ":/@") {
			return tf.Error("Unknown coordination", "The setting \"coordination\" in the block \"rate_limit\" is "+
				"neither \"host\" nor \"none\" nor an address. It is not shown here, because it can contain a password.\n\n"+
				"To fix this: use \"host\", \"none\", or an address such as \"redis://host:6379/0\".")
		}
		if err := connection.CheckBudgetURL(value); err != nil {
			return tf.Error(invalidBudget, fmt.Sprintf("The value of the setting \"coordination\" in the block "+
				"\"rate_limit\" is not valid. It is not shown here, "+
				"because it can contain a password.\n\nTo fix this: correct it. %s", words.Sentence(err.Error())))
		}
		return nil
	})

const smallestShare = 0.000001

// share accepts a part of the rate limits.
var share = tf.RuleOf(fmt.Sprintf("must be from %f to 1", smallestShare),
	func(at path.Path, value types.Float64) diag.Diagnostic {
		if f := value.ValueFloat64(); smallestShare <= f && f <= 1 {
			return nil
		}
		return tf.InvalidValue(at, fmt.Sprintf("is %g", value.ValueFloat64()),
			fmt.Sprintf("use a number from %f to 1, such as 0.5 for half of each limit", smallestShare))
	})

func isRedis(coordination string) bool { return strings.Contains(coordination, "://") }

// readSandbox reads the settings of the embedded service.
func (s *settings) readSandbox(block types.Object, diags *diag.Diagnostics) {
	file := defaultStateFile
	if f := tf.StringIn(block, "state_file"); !f.IsNull() && f.ValueString() != "" {
		file = f.ValueString()
	}
	file, err := filepath.Abs(file)
	if err != nil {
		diags.Append(tf.AttributeError(path.Root("sandbox").AtName("state_file"), embeddedService, "Could not find the "+
			"absolute path of its file: "+err.Error()+".\n\nTo fix this: set state_file to an absolute path."))
		return
	}
	limits := tf.BoolIn(block, "limits")
	s.sandbox = &sandbox.Options{StateFile: file, NoLimits: !limits.IsNull() && !limits.ValueBool()}
	s.baseURL, err = url.Parse(sandbox.BaseURL)
	if err != nil {
		diags.Append(tf.Error(embeddedService, words.Capitalized(err)+".\n\nTo fix this: report this bug in the provider."))
	}
	s.clientID, s.apiKey = sandbox.ClientID, sandbox.APIKey
}

// readService reads the address and the credentials of the real service. Attributes take
// precedence over environment variables.
func (s *settings) readService(m providerModel, getenv func(string) string, diags *diag.Diagnostics) {
	setting := func(value types.String, name, variable, what string) string {
		v := value.ValueString()
		if value.IsNull() {
			v = getenv(variable)
		}
		if v == "" {
			diags.Append(tf.Error("Missing "+what, fmt.Sprintf(
				"The provider requires the setting %q.\n\nTo fix this: set it in the provider configuration, or set the "+
					"environment variable %s. To try the provider without an account, add the block \"sandbox {}\" instead.",
				name, variable)))
		}
		return v
	}
	address := setting(m.BaseURL, "base_url", "ASSESS_BASE_URL", "address of the service")
	s.clientID = setting(m.ClientID, "client_id", "ASSESS_CLIENT_ID", "Client Identifier")
	s.apiKey = setting(m.APIKey, "api_key", "ASSESS_API_KEY", "API key")
	if diags.HasError() {
		return
	}
	var problem diag.Diagnostic
	if s.headers, problem = headersOf(m.Headers, getenv("ASSESS_HEADERS")); problem != nil {
		diags.Append(problem)
	}
	if err := assessapi.CheckClientID(s.clientID); err != nil {
		diags.Append(tf.Error("Invalid Client Identifier", fmt.Sprintf("The Client Identifier cannot be sent: %s.\n\nTo fix "+
			"this: copy it again, without quotes or a line break (attribute client_id, environment variable "+
			"ASSESS_CLIENT_ID).", err)))
	}
	if err := assessapi.CheckAPIKey(s.apiKey); err != nil {
		diags.Append(tf.Error("Invalid API key", fmt.Sprintf("The API key cannot be sent: %s. It is not shown here.\n\nTo "+
			"fix this: copy it again, without quotes or a line break (attribute api_key, environment variable "+
			"ASSESS_API_KEY).", err)))
	}
	var err error
	if s.baseURL, err = assessapi.ParseBaseURL(address); err != nil {
		diags.Append(tf.Error("Invalid address of the service", fmt.Sprintf(
			"The address cannot be used: %s.\n\nTo fix this: use an address such as https://assess.example.com/v1, without "+
				"quotes or spaces (attribute base_url, environment variable ASSESS_BASE_URL).", err)))
	}
}

// firstUnknown returns the name of a setting that is not known yet, such as "base_url" or
// "sandbox.state_file". If there are several, it returns the first one in alphabetical order. It
// does not return the name of a header, because a name and its value may have been confused.
func firstUnknown(config tftypes.Value) string {
	var unknown string
	_ = tftypes.Walk(config, func(p *tftypes.AttributePath, v tftypes.Value) (bool, error) { // the callback never fails
		if v.IsKnown() {
			return true, nil
		}
		var names []string
		for _, step := range p.Steps() {
			if name, isSetting := step.(tftypes.AttributeName); isSetting {
				names = append(names, string(name))
			}
		}
		if name := strings.Join(names, "."); unknown == "" || name < unknown {
			unknown = name
		}
		return false, nil
	})
	return unknown
}
