// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/callctx"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Provider implements [provider.Provider]. It must not store data of a run, because tests
// and debug mode serve several runs from one process.
type Provider struct {
	// Version is the version of the release, for the User-Agent.
	Version string
	// Getenv reads an environment variable. Nil means [os.Getenv].
	Getenv func(string) string
	// CacheDir is the directory in which runs on this machine share budgets. Empty
	// means a directory in the user's cache directory.
	CacheDir string
	// Transport sends requests after the throttle has admitted them. Nil means the network or
	// the embedded service.
	Transport connection.Transport
	// Calls are the calls of the CLI. Nil means that nothing stops them.
	Calls *callctx.Calls

	validated  atomic.Bool                // whether settings were validated after the last Configure
	configured atomic.Pointer[configured] // the result of the latest Configure
}

var (
	_ provider.Provider                   = (*Provider)(nil)
	_ provider.ProviderWithValidateConfig = (*Provider)(nil)
)

// Metadata names the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "assess"
	resp.Version = p.Version
}

// Schema describes the provider configuration.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manage recruiting assessments as code: attach assessments to positions, configure them, " +
			"enable skills tests, and read results.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service, such as `https://assess.example.com/v1`. If you omit " +
					"`https://`, the provider adds it. `http://` works only for a service on the same machine. " +
					"Environment variable: `ASSESS_BASE_URL`.",
			},
			"client_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Client Identifier that you get from the operator of the service. Environment " +
					"variable: `ASSESS_CLIENT_ID`.",
			},
			"api_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Secret API key that you get from the operator of the service. Environment variable: " +
					"`ASSESS_API_KEY`. To set the key in the configuration, use a variable with `ephemeral = true`: a saved plan " +
					"contains the values of all other variables.",
			},
			"headers": headersAttribute(),
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{positiveDuration{}},
				MarkdownDescription: "How long the provider waits for the complete response each time it sends a request. " +
					"A duration such as `45s` or `2m`. Default `30s`.",
			},
			"retry_timeout": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{positiveDuration{}},
				MarkdownDescription: "How long the provider repeats a request that fails, for example because the service " +
					"answers 429 or 503. A duration such as `90s` or `10m`. Default `5m`. Time spent waiting for the rate " +
					"limits is not counted.",
			},
			"plan_checks": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a plan compares the configuration with the service, and refuses what the service " +
					"would refuse. Default `true`. With `false`, a plan checks only rules that need no data from the service. " +
					"Environment variable: `ASSESS_PLAN_CHECKS` (`true` or `false`). The attribute takes precedence. The apply " +
					"of a saved plan repeats some checks. Set the variable for the apply to turn these off too.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "What to do if a position already has an assessment with exactly the configuration of a " +
					"new resource. `true`: the apply adds the existing position assessment to the state. It then also refuses to " +
					"attach an assessment that the position has with a different configuration. `false` (default): the apply " +
					"refuses to attach a second one. The plan warns in both cases. Use `true` after an interrupted apply, or if a " +
					"state was lost. Environment variable: `ASSESS_ADOPT_EXISTING`. It is enough to set the attribute or the " +
					"variable to `true`.",
			},
			"read_only": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether the provider refuses to change anything in the service. Default `false`. With " +
					"`true`, plans work, and an apply fails instead of changing anything. Environment variable: `ASSESS_READ_ONLY`. " +
					"It is enough to set the attribute or the variable to `true`.",
			},
			"privacy": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{oneOf{string(privacyStandard), string(privacyStrict)}},
				MarkdownDescription: "`standard` (default) or `strict`. With `strict`, plans and states contain no name, " +
					"address, score or link of a person: the data source `assess_position_results` fails, the attributes " +
					"`profile_url`, `extra_json` and `raw_json` are null, and the address in `self_link` has no query (the part " +
					"after `?`). Environment variable: `ASSESS_PRIVACY`. The provider is strict if the attribute or " +
					"the variable is `strict`.",
			},
		},
		Blocks: map[string]schema.Block{
			"rate_limit": schema.SingleNestedBlock{
				MarkdownDescription: "How this run shares the rate limits of the API key with other runs.",
				Attributes: map[string]schema.Attribute{
					"share": schema.Float64Attribute{
						Optional:   true,
						Validators: []validator.Float64{share{}},
						MarkdownDescription: "Part of the limits that this run may use. A number from `0.000001` to `1`, such as " +
							"`0.5` for half of each limit. Default `1`. One request at a time is always allowed.",
					},
					"coordination": schema.StringAttribute{
						Optional:   true,
						Sensitive:  true,
						Validators: []validator.String{coordinates{}},
						MarkdownDescription: "Which runs share the limits of the API key. `host` (default): all runs of one user on " +
							"this machine. `none`: only this run. `redis://[user:password@]host:port/db`: all runs that use this Redis or " +
							"Valkey server, on any machine. Use `rediss://` for TLS. If you set a user, also set a password. Write " +
							"`% / ? # @ :` in both as `%25 %2F %3F %23 %40 %3A`. You cannot combine such an address with `sandbox`. " +
							"Environment variable for it: `ASSESS_RATE_LIMIT_URL`. The attribute takes precedence.",
					},
					"fallback": schema.StringAttribute{
						Optional:   true,
						Validators: []validator.String{oneOf{fallbackFail, fallbackHost}},
						MarkdownDescription: "What a run does if it cannot reach the server in `coordination`. `fail` (default): the " +
							"run ends with an error. `host`: the run warns, and shares the limits only with other runs on this machine " +
							"until it ends. A run tries to reach the server for ten seconds at its start. If it loses the server " +
							"later, it tries again: with `fail` for up to `retry_timeout`, and with `host` for half of " +
							"`retry_timeout` or 90 seconds, whichever is longer.",
					},
				},
			},
			"sandbox": schema.SingleNestedBlock{
				MarkdownDescription: "Use the embedded service instead of a real one. It contains invented data, and requires no " +
					"account and no network. Use it instead of `base_url`, `client_id` and `api_key`. The provider then ignores " +
					"their environment variables.",
				Attributes: map[string]schema.Attribute{
					"state_file": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "Path of the file that contains the data of the embedded service. The provider creates " +
							"it on first use. Default: `assess-sandbox.json` in the working directory.",
					},
					"limits": schema.BoolAttribute{
						Optional:            true,
						MarkdownDescription: "Whether the embedded service has the rate limits of a real one. Default `true`.",
					},
				},
			},
		},
	}
}

// Configure creates the engine of a run. It sends nothing to the service.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	getenv := p.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	s := readSettings(ctx, req.Config, getenv, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	c := &configured{unknown: s.unknown, privacy: s.privacy}
	cfg := engine.Config{}
	switch {
	case s.unknown != "" && req.ClientCapabilities.DeferralAllowed:
		// The framework defers every resource and data source, without calling it.
		resp.Deferred = &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	case s.unknown != "":
		resp.Diagnostics.Append(c.unknownWarning())
	default:
		cfg = s.engineConfig()
		cfg.UserAgent = "terraform-provider-assess/" + p.Version + " Terraform/" + req.TerraformVersion
		cfg.OnAttempt, cfg.OnWait = logAttempt, logWait
		cfg.Transport = p.Transport
		if cfg.Transport == nil && s.sandbox != nil {
			service, err := sandbox.Open(ctx, *s.sandbox)
			if err != nil {
				resp.Diagnostics.Append(newError(embeddedService, capitalized(err)+".\n\nTo fix this: "+
					"correct the file, or delete it to start again. Or set state_file to another file."))
				return
			}
			cfg.Transport = service
		}
	}
	cfg.CacheDir, cfg.Reused = p.cacheDir(), !p.takeValidation()
	var err error
	if c.Engine, err = engine.New(ctx, cfg); err != nil {
		resp.Diagnostics.Append(noSharedBudget(err))
		return
	}
	p.configured.Store(c)
	resp.ResourceData = c
	resp.DataSourceData = c
	resp.EphemeralResourceData = c
	resp.ListResourceData = c
	resp.ActionData = c
}

const embeddedService = "Could not use the embedded service"

// takeValidation reports whether the CLI has validated settings before this Configure. The
// CLI does so at the start of each run, with one exception: for a provider in a test file,
// "terraform test" configures once, and then plans and applies several times.
func (p *Provider) takeValidation() bool { return p.validated.Swap(false) }

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

// logWait logs that a request had to wait for the rate limits.
func logWait(ctx context.Context, waited time.Duration, window string) {
	if waited > time.Second {
		fields := map[string]any{"waited_ms": waited.Milliseconds(), "limit": window}
		tflog.Info(ctx, "waited for a slot within the rate limits", fields)
	}
}

// cacheDir is the directory in which runs on this machine share files. It is empty if there
// is no such directory.
func (p *Provider) cacheDir() string {
	if p.CacheDir != "" {
		return p.CacheDir
	}
	return connection.DefaultCacheDir()
}

// Resources returns the resources.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return newPositionAssessment() },
		func() resource.Resource { return newSkillsTestActivation() },
	}
}

// DataSources returns the data sources.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return slices.Concat(
		assessmentLookup.dataSources(),
		benchmarkLookup.dataSources(),
		packageLookup.dataSources(),
		positionLookup.dataSources(),
		profileLookup.dataSources(),
		skillsTestLookup.dataSources(),
		[]func() datasource.DataSource{
			func() datasource.DataSource {
				return &assessmentOptionsDataSource{dataSourceBase{name: "assessment_options"}}
			},
			func() datasource.DataSource {
				return &positionAssessmentDataSource{dataSourceBase{name: "position_assessment"}}
			},
			func() datasource.DataSource {
				return &positionAssessmentsDataSource{dataSourceBase{name: "position_assessments"}}
			},
			func() datasource.DataSource {
				return &positionResultsDataSource{dataSourceBase{name: "position_results"}}
			},
		},
	)
}
