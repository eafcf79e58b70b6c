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
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/throttle/redis"
)

const (
	coordinationHost = "host"
	coordinationNone = "none"

	fallbackFail = "fail"
	fallbackHost = "host"

	defaultRequestTimeout = 30 * time.Second
	defaultRetryTimeout   = 5 * time.Minute
	defaultStateFile      = "assess-sandbox.json"
)

type providerModel struct {
	BaseURL        types.String `tfsdk:"base_url"`
	ClientID       types.String `tfsdk:"client_id"`
	APIKey         types.String `tfsdk:"api_key"`
	RequestTimeout types.String `tfsdk:"request_timeout"`
	RetryTimeout   types.String `tfsdk:"retry_timeout"`
	PlanChecks     types.Bool   `tfsdk:"plan_checks"`
	RateLimit      types.Object `tfsdk:"rate_limit"`
	Sandbox        types.Object `tfsdk:"sandbox"`
}

// settings are what the configuration and the environment say, checked.
type settings struct {
	unknown string // the first setting that is not known yet; empty if there is none

	baseURL          *url.URL
	clientID, apiKey string
	sandbox          *sandbox.Options // nil: the service at baseURL

	requestTimeout, retryTimeout time.Duration
	planChecks                   bool
	share                        float64
	coordination                 string // coordinationHost, coordinationNone or the URL of a Redis
	fallback                     string
	unthrottled                  bool

	userAgent string
	cacheDir  string // of what runs on this machine share; empty: there is none
	place     string // where a plan and its apply both run
}

// budgetKey names the budget that the run counts in: an origin, a client and a
// key, or the file of the embedded service.
func (s settings) budgetKey() string {
	if s.sandbox != nil {
		return "sandbox\x00" + s.sandbox.StateFile
	}
	return assessapi.Origin(s.baseURL) + "\x00" + s.clientID + "\x00" + s.apiKey
}

// ValidateConfig refuses settings that exclude each other.
func (p *Provider) ValidateConfig(ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	p.validated.Store(true)
	var m providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() || m.Sandbox.IsNull() {
		return
	}
	if isRedis(stringIn(m.RateLimit, "coordination").ValueString()) {
		resp.Diagnostics.AddAttributeError(path.Root("sandbox"), "Cannot share a budget that is this machine's own",
			"The setting \"coordination\" in the block \"rate_limit\" names a server for runs on many machines, and the block \"sandbox\" uses the embedded service, "+
				"which nobody else can reach. Remove one of the two.")
	}
	for name, value := range map[string]types.String{"base_url": m.BaseURL, "client_id": m.ClientID, "api_key": m.APIKey} {
		if !value.IsNull() {
			resp.Diagnostics.AddAttributeError(path.Root(name), "Cannot use two services at once",
				fmt.Sprintf("%q is set, and so is the block \"sandbox\", which uses the embedded service instead. Remove one of the two.", name))
		}
	}
}

func readSettings(ctx context.Context, config tfsdk.Config, getenv func(string) string, diags *diag.Diagnostics) settings {
	var m providerModel
	diags.Append(config.Get(ctx, &m)...)
	s := settings{
		requestTimeout: defaultRequestTimeout, retryTimeout: defaultRetryTimeout,
		planChecks: true, share: 1, coordination: coordinationHost, fallback: fallbackFail,
		unthrottled: getenv("ASSESS_UNTHROTTLED") == "1",
	}
	if diags.HasError() {
		return s
	}
	if s.unknown = firstUnknown(config.Raw); s.unknown != "" {
		diags.AddWarning("Cannot look anything up yet",
			fmt.Sprintf("The provider's setting %q is not known before other resources have been applied. This plan therefore checks nothing "+
				"against the service and shows resources as they were last seen. Data sources cannot be read.", s.unknown))
		return s
	}
	s.requestTimeout = durationOr(m.RequestTimeout, s.requestTimeout)
	s.retryTimeout = durationOr(m.RetryTimeout, s.retryTimeout)
	if !m.PlanChecks.IsNull() {
		s.planChecks = m.PlanChecks.ValueBool()
	}
	if share := float64In(m.RateLimit, "share"); !share.IsNull() {
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

// readCoordination finds with whom the run shares the limits: the attribute
// first, then the environment. The embedded service ignores the environment.
func (s *settings) readCoordination(m providerModel, getenv func(string) string, diags *diag.Diagnostics) {
	if fallback := stringIn(m.RateLimit, "fallback"); !fallback.IsNull() {
		s.fallback = fallback.ValueString()
	}
	if coordination := stringIn(m.RateLimit, "coordination"); !coordination.IsNull() {
		s.coordination = coordination.ValueString()
	} else if address := getenv("ASSESS_RATE_LIMIT_URL"); address != "" && m.Sandbox.IsNull() {
		s.coordination = address
		if _, err := redis.Address(address); err != nil {
			diags.AddError("Malformed address of the shared budget",
				fmt.Sprintf("The value of the environment variable ASSESS_RATE_LIMIT_URL, which is not repeated here, cannot be used: %s.", err))
		}
	}
}

// coordinates accepts what coordination may be. A message never repeats an
// address, nor points to its line: it may hold a password.
type coordinates struct{}

func (coordinates) Description(context.Context) string {
	return "must be host, none, or an address such as redis://host:6379/0"
}

func (v coordinates) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (coordinates) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	value := req.ConfigValue.ValueString()
	if req.ConfigValue.IsUnknown() || req.ConfigValue.IsNull() || value == coordinationHost || value == coordinationNone {
		return
	}
	if !strings.ContainsAny(value, ":/@") {
		resp.Diagnostics.AddAttributeError(req.Path, "Unknown coordination",
			fmt.Sprintf("The setting \"coordination\" in the provider's block \"rate_limit\" is %q. It can be \"host\", \"none\", or an address such as \"redis://host:6379/0\".", value))
	} else if _, err := redis.Address(value); err != nil {
		resp.Diagnostics.AddError("Malformed address of the shared budget",
			fmt.Sprintf("The value of the setting \"coordination\" in the provider's block \"rate_limit\", which is not repeated here, cannot be used: %s.", err))
	}
}

func isRedis(coordination string) bool { return strings.Contains(coordination, "://") }

// readSandbox prepares the embedded service.
func (s *settings) readSandbox(block types.Object, diags *diag.Diagnostics) {
	file := defaultStateFile
	if f := stringIn(block, "state_file"); !f.IsNull() && f.ValueString() != "" {
		file = f.ValueString()
	}
	file, err := filepath.Abs(file)
	if err != nil {
		diags.AddAttributeError(path.Root("sandbox").AtName("state_file"), "Cannot use the embedded service", "Its state file has no absolute path: "+err.Error())
		return
	}
	limits := boolIn(block, "limits")
	s.sandbox = &sandbox.Options{StateFile: file, NoLimits: !limits.IsNull() && !limits.ValueBool()}
	s.baseURL, err = url.Parse(sandbox.BaseURL)
	if err != nil {
		diags.AddError("Cannot use the embedded service", err.Error())
	}
	s.clientID, s.apiKey = sandbox.ClientID, sandbox.APIKey
}

// readService finds the address and the credentials of the real service:
// attributes first, then the environment.
func (s *settings) readService(m providerModel, getenv func(string) string, diags *diag.Diagnostics) {
	setting := func(value types.String, name, variable, what string) string {
		v := value.ValueString()
		if value.IsNull() {
			v = getenv(variable)
		}
		if v == "" {
			diags.AddAttributeError(path.Root(name), "Missing "+what,
				fmt.Sprintf("Set %q in the provider's configuration, or the environment variable %s.\n\n"+
					"To try everything without an account, configure the provider with an empty block \"sandbox {}\" instead.", name, variable))
		}
		return v
	}
	address := setting(m.BaseURL, "base_url", "ASSESS_BASE_URL", "address of the service")
	s.clientID = setting(m.ClientID, "client_id", "ASSESS_CLIENT_ID", "Client Identifier")
	s.apiKey = setting(m.APIKey, "api_key", "ASSESS_API_KEY", "API key")
	if diags.HasError() {
		return
	}
	if !isHeaderSafe(s.clientID) || strings.Contains(s.clientID, ":") {
		diags.AddAttributeError(path.Root("client_id"), "Malformed Client Identifier",
			"It holds a colon, white space, or a character outside printable ASCII. Copy it again, without quotes or a line's end "+
				"(attribute client_id, environment variable ASSESS_CLIENT_ID).")
	}
	if !isHeaderSafe(s.apiKey) {
		diags.AddAttributeError(path.Root("api_key"), "Malformed API key",
			"It holds white space or a character outside printable ASCII. Copy it again, without quotes or a line's end "+
				"(attribute api_key, environment variable ASSESS_API_KEY). Its value is not repeated here.")
	}
	var err error
	if s.baseURL, err = assessapi.ParseBaseURL(address); err != nil {
		diags.AddAttributeError(path.Root("base_url"), "Unusable address of the service",
			fmt.Sprintf("The address cannot be used: %s. One looks like https://assess.example.com/v1 (attribute base_url, environment variable ASSESS_BASE_URL).", err))
	}
}

// firstUnknown names the first setting that is not known at plan, such as
// "base_url" or "sandbox.state_file".
func firstUnknown(config tftypes.Value) string {
	var unknown string
	_ = tftypes.Walk(config, func(p *tftypes.AttributePath, v tftypes.Value) (bool, error) { // the callback never fails
		if unknown == "" && !v.IsKnown() {
			var names []string
			for _, step := range p.Steps() {
				names = append(names, fmt.Sprint(step))
			}
			unknown = strings.Join(names, ".")
		}
		return unknown == "", nil
	})
	return unknown
}

func durationOr(value types.String, otherwise time.Duration) time.Duration {
	if d, err := time.ParseDuration(value.ValueString()); err == nil {
		return d
	}
	return otherwise
}

// isHeaderSafe reports whether a credential survives its way to the service:
// printable ASCII without spaces.
func isHeaderSafe(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
