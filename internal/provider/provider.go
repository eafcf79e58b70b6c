// SPDX-License-Identifier: MPL-2.0

// Package provider contains the provider block, its settings, and the protocol server. It registers the resources, data
// sources, functions and actions, which are in other packages. Configure starts a run, which is one plan or one apply.
package provider

import (
	"context"
	"net/http"
	"os"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/lookup"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment"
	"github.com/assessascode/terraform-provider-assess/internal/results"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/skillstest"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Provider implements [provider.Provider]. It must not store data of a run, because tests
// and debug mode serve several runs from one process.
type Provider struct {
	// Version is the version of the release, for the User-Agent.
	Version string
	// Getenv reads an environment variable. Nil means [os.Getenv].
	Getenv func(string) string
	// CacheDir is the directory of the budgets that runs share. Empty means a directory in the user's cache directory.
	CacheDir string
	// Transport sends requests after the throttle has admitted them. Nil means the network or the sandbox.
	Transport http.RoundTripper
}

var (
	_ provider.Provider                       = (*Provider)(nil)
	_ provider.ProviderWithValidateConfig     = (*Provider)(nil)
	_ provider.ProviderWithListResources      = (*Provider)(nil)
	_ provider.ProviderWithEphemeralResources = (*Provider)(nil)
	_ provider.ProviderWithActions            = (*Provider)(nil)
	_ provider.ProviderWithFunctions          = (*Provider)(nil)
)

func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "assess"
	resp.Version = p.Version
}

func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manage recruiting assessments as code: attach assessments to positions, configure them, " +
			"enable skills tests, and read results.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Required, here or as `ASSESS_BASE_URL`. Address of the service, such as " +
					"`https://assess.example.com/v1`. `http://` works only for a service on the same machine.",
			},
			"client_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Required, here or as `ASSESS_CLIENT_ID`. Client Identifier from the service " +
					"operator.",
			},
			"api_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Required, here or as `ASSESS_API_KEY`. API key from the service operator. In the " +
					"configuration, use a variable with `ephemeral = true`, because a saved plan contains all other variables.",
			},
			"headers": headersAttribute(),
			"request_timeout": schema.StringAttribute{
				Optional: true, Validators: []validator.String{requestTimeout},
				MarkdownDescription: "How long to wait for the complete response to a request, such as `45s`. Default `30s`, at " +
					"most `90s`.",
			},
			"retry_timeout": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.PositiveDuration},
				MarkdownDescription: "How long to repeat a request that fails, for example with 429 or 503. Default `5m`. " +
					"Waiting for the rate limits is not counted.",
			},
			"plan_checks": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a plan looks things up in the service, and rejects most of what the service would " +
					"reject. Default `true`. With `false`, it rejects only what it finds without these look-ups. If the attribute " +
					"is not set, `ASSESS_PLAN_CHECKS=false` does the same. If the variable is set for the apply of a saved plan, it " +
					"also turns off the checks that the apply repeats.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "What to do if a new resource would attach an assessment that the position already has. " +
					"`false` (default): the apply fails and shows an `import` block. `true`: the apply " +
					"[adopts it](guides/adopt-and-recover.md#after-a-lost-state). If the existing position assessment is " +
					"configured differently, the apply also updates it, or fails if a candidate has been invited or a " +
					"supervisor has completed the profile. `ASSESS_ADOPT_EXISTING=true` does the same.",
			},
			"read_only": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "`true`: the provider sends only GET requests, so plans work, and an apply that would " +
					"change the service fails. Default `false`. `ASSESS_READ_ONLY=true` does the same.",
			},
			"privacy": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.OneOf(string(tf.Standard), string(tf.Strict))},
				MarkdownDescription: "`standard` (default), or `strict`: plans and states contain [no personal " +
					"data](guides/privacy.md). `ASSESS_PRIVACY=strict` does the same.",
			},
		},
		Blocks: map[string]schema.Block{
			"rate_limit": schema.SingleNestedBlock{
				MarkdownDescription: "How this run shares the rate limits of the API key with other runs.",
				Attributes: map[string]schema.Attribute{
					"share": schema.Float64Attribute{
						Optional: true, Validators: []validator.Float64{share},
						MarkdownDescription: "Part of the limits that this run may use, from `0.000001` to `1`. Default `1`. If a " +
							"part is less than one request, the run sends one request in a longer time. For example, with `0.01`, it " +
							"sends one request for results in 200 seconds.",
					},
					"coordination": schema.StringAttribute{
						Optional: true, Sensitive: true, Validators: []validator.String{coordinates},
						MarkdownDescription: "Which runs share the limits of the API key. `host` (default): all runs of one user on " +
							"this machine. `none`: only this run. `redis://USER:PASSWORD@HOST:PORT/DB`, or `rediss://` for TLS: all runs " +
							"that use [this server](guides/rate-limits.md#with-redis-or-valkey). Without the attribute, " +
							"`ASSESS_RATE_LIMIT_URL` sets such an address.",
					},
				},
			},
			"sandbox": schema.SingleNestedBlock{
				MarkdownDescription: "Use the [sandbox](guides/sandbox.md), a service inside the provider with invented data, " +
					"instead of `base_url`, `client_id` and `api_key`. The environment variables of these settings are then ignored.",
				Attributes: map[string]schema.Attribute{
					"state_file": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "File with the data of the sandbox, which is created on first use. Default: " +
							"`assess-sandbox.json` in the working directory.",
					},
					"limits": schema.BoolAttribute{
						Optional:            true,
						MarkdownDescription: "Whether the sandbox has the rate limits of a real service. Default `true`.",
					},
				},
			},
		},
	}
}

// Configure starts a run, and gives it to everything that the provider serves except functions. It sends nothing to the
// service, but may create the file of the sandbox and connect to a Redis server. While a setting is not known yet, the
// run has no client. Configure then returns a deferral if the CLI allows it. Otherwise, it adds a warning, resources
// keep their state, and data sources fail. After an error, which Configure adds to resp, there is no run.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	cli := "Terraform/" + req.TerraformVersion
	s := readSettings(ctx, req.Config, p.runOptions(), cli, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	s.config.OnAttempt = logAttempt
	r, err := run.New(ctx, s.config)
	if err != nil { // the Redis server of the shared budget cannot be used, or the run was interrupted
		resp.Diagnostics.Append(tf.Error("Could not reach the shared budget of the API key",
			run.Explain("A Redis or Valkey server counts the requests of the API key.", err)))
		return
	}
	data := &tf.Run{Run: r, Unknown: s.unknown, Privacy: s.privacy}
	resp.ResourceData = data
	resp.DataSourceData = data
	resp.EphemeralResourceData = data
	resp.ListResourceData = data
	resp.ActionData = data
	switch {
	case s.unknown == "": // all settings are known
	case req.ClientCapabilities.DeferralAllowed:
		// The framework defers every resource and data source, without calling it.
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	default:
		resp.Diagnostics.Append(data.UnknownWarning())
	}
}

// runOptions returns the options of a run that do not depend on the configuration.
func (p *Provider) runOptions() run.Options {
	getenv := p.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	return run.Options{Version: p.Version, Getenv: getenv, CacheDir: p.CacheDir, Transport: p.Transport}
}

// logAttempt logs a request without ids, headers and bodies, which can be confidential.
func logAttempt(ctx context.Context, o assessapi.Observation) {
	fields := map[string]any{
		"method": o.Method, "route": o.Route, "status": o.Status, "attempt": o.Attempt, "duration_ms": o.Took.Milliseconds(),
	}
	if o.Err != nil {
		fields["error"] = o.Err.Error()
	}
	tflog.Debug(ctx, "request to the assessment service", fields)
}

func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{positionassessment.New, skillstest.New}
}

// ListResources returns the resources whose instances can be listed.
func (p *Provider) ListResources(context.Context) []func() listresource.ListResource {
	return []func() listresource.ListResource{positionassessment.NewList, skillstest.NewList}
}

func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return append(slices.Concat(lookup.DataSources(), positionassessment.DataSources()), results.DataSource)
}

func (p *Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{results.EphemeralResource, positionassessment.NewProfileLink}
}

func (p *Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{results.Action}
}

func (p *Provider) Functions(context.Context) []func() function.Function { return results.Functions() }
