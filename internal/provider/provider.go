// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Provider implements [provider.Provider]. It knows nothing about a run: tests and
// debug mode serve several from one process.
type Provider struct {
	// Version of the release, for the User-Agent.
	Version string
	// Getenv reads the environment; nil means [os.Getenv].
	Getenv func(string) string
	// CacheDir is where runs on this machine share budgets and notes. Empty means
	// a directory below the user's cache directory.
	CacheDir string
	// Transport carries the requests below the throttle instead of the network or
	// the embedded service. Nil means one of these two.
	Transport engine.Transport

	validations atomic.Int64               // of settings, that no Configure has followed yet
	configured  atomic.Pointer[configured] // by the latest Configure
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

// Schema describes the settings.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Recruiting assessments as code: which assessments a position has, how they are configured, " +
			"which skills tests are enabled, and what the results are.\n\nThe service allows 20 requests a second and 500 a " +
			"minute per API key. The provider keeps within both, across plan, apply and every other run on the machine, or of " +
			"a fleet that shares a Redis.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Address of the service, such as `https://assess.example.com/v1`. Without a scheme, " +
					"`https` is used. Plain `http` is accepted only for the same machine, and requires the scheme. " +
					"Environment variable: `ASSESS_BASE_URL`.",
			},
			"client_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Client Identifier from the operator of the service. Environment variable: " +
					"`ASSESS_CLIENT_ID`.",
			},
			"api_key": schema.StringAttribute{
				Optional: true, Sensitive: true,
				MarkdownDescription: "Secret API key that belongs to the Client Identifier. Environment variable: " +
					"`ASSESS_API_KEY`.",
			},
			"request_timeout": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{positiveDuration{}},
				MarkdownDescription: "How long one attempt of a request may take, including the whole response. A duration such " +
					"as `30s`, the default.",
			},
			"retry_timeout": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{positiveDuration{}},
				MarkdownDescription: "How long one request may be retried. A duration such as `5m`, the default. Waiting " +
					"for a slot within the rate limits does not count. Waiting after the service has answered 429 counts. A refused " +
					"connection is retried for as long.",
			},
			"plan_checks": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether plans read lists from the service, to refuse what the service would refuse. " +
					"Default `true`. Rules that need only the configuration always apply. Environment variable: " +
					"`ASSESS_PLAN_CHECKS` (`true` or `false`). The variable also works when you apply a saved plan, because a saved " +
					"plan freezes the configuration but not the environment. If the attribute is set, the variable has no effect.",
			},
			"read_only": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether the provider refuses to change anything in the service. Plans work. An apply that " +
					"would write fails before anything is sent. Default `false`. Environment variable: `ASSESS_READ_ONLY`. Setting " +
					"either one to `true` is enough.",
			},
			"privacy": schema.StringAttribute{
				Optional: true, Validators: []validator.String{stringvalidator.OneOf(privacyStandard, privacyStrict)},
				MarkdownDescription: "`standard` (default) or `strict`. With `strict`, no name, address, score or link of a " +
					"person reaches a plan or a state: the data source `assess_position_results` is refused, and `profile_url`, " +
					"`extra_json` and `raw_json` are null. Environment variable: `ASSESS_PRIVACY`. Setting either one to `strict` " +
					"is enough.",
			},
		},
		Blocks: map[string]schema.Block{
			"rate_limit": schema.SingleNestedBlock{
				MarkdownDescription: "How this run shares the limits of the API key with other runs. The limits themselves " +
					"belong to the service and cannot be changed.",
				Attributes: map[string]schema.Attribute{
					"share": schema.Float64Attribute{
						Optional:   true,
						Validators: []validator.Float64{float64validator.Between(0.000001, 1)},
						MarkdownDescription: "Part of the limits that this run may use, above 0 and at most 1, the default. At least " +
							"one request at a time is always allowed.",
					},
					"coordination": schema.StringAttribute{
						Optional: true, Sensitive: true,
						Validators: []validator.String{coordinates{}},
						MarkdownDescription: "`host`, the default: all runs of one user on this machine share one budget per API key. " +
							"`none`: this run counts only its own requests. `redis://[user:password@]host:port/db`, or `rediss://` for " +
							"TLS: all runs that name the same Redis or Valkey server share one budget, on any machine. A user requires a " +
							"password. In both, write `% / ? # @` as `%25 %2F %3F %23 %40`. Not with `sandbox`. Environment variable, for " +
							"an address: `ASSESS_RATE_LIMIT_URL`. The attribute takes precedence.",
					},
					"fallback": schema.StringAttribute{
						Optional:   true,
						Validators: []validator.String{stringvalidator.OneOf(fallbackFail, fallbackHost)},
						MarkdownDescription: "What to do if the server of `coordination` cannot be reached at the start of a run, " +
							"or later for longer than `retry_timeout`. " +
							"`fail`, the default: end with an error. `host`: warn, and use the budget of this machine until the run ends.",
					},
				},
			},
			"sandbox": schema.SingleNestedBlock{
				MarkdownDescription: "Use the embedded service instead of a real one: no account, no network. The block replaces " +
					"`base_url`, `client_id` and `api_key`. Their environment variables are ignored.",
				Attributes: map[string]schema.Attribute{
					"state_file": schema.StringAttribute{
						Optional: true,
						MarkdownDescription: "File in which the embedded service keeps its data. It is created on first use. Default " +
							"`assess-sandbox.json` in the working directory.",
					},
					"limits": schema.BoolAttribute{
						Optional:            true,
						MarkdownDescription: "Whether the embedded service enforces the rate limits of the real one. Default `true`.",
					},
				},
			},
		},
	}
}

// Configure makes the engine of a run. It sends nothing to the service.
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
	if s.unknown == "" {
		cfg := s.engineConfig()
		cfg.CacheDir, cfg.Place = p.cacheDir(), engine.Place(getenv)
		cfg.UserAgent = "terraform-provider-assess/" + p.Version + " Terraform/" + req.TerraformVersion
		cfg.Reused = !p.takeValidation()
		cfg.OnAttempt, cfg.OnWait = logAttempt, logWait
		cfg.Transport = p.Transport
		if cfg.Transport == nil && s.sandbox != nil {
			service, err := sandbox.New(*s.sandbox) //nolint:contextcheck // it opens one small local file
			if err != nil {
				resp.Diagnostics.Append(newError(embeddedService, err.Error()))
				return
			}
			cfg.Transport = service
			if origin := service.Snapshot(); origin != nil {
				cfg.Snapshot = true
				resp.Diagnostics.Append(onSnapshot(s.sandbox.StateFile, origin))
			}
		}
		var err error
		if c.Engine, err = engine.New(ctx, cfg); err != nil {
			resp.Diagnostics.Append(noSharedBudget(err))
			return
		}
	}
	p.configured.Store(c)
	resp.ResourceData = c
	resp.DataSourceData = c
	resp.EphemeralResourceData = c
	resp.ListResourceData = c
	resp.ActionData = c
}

const embeddedService = "Could not use the embedded service"

// takeValidation reports whether the CLI has had settings validated for this
// Configure. It does so at the start of each run, with one exception: for a
// provider in a test file, "terraform test" configures once and then plans and
// applies several times.
func (p *Provider) takeValidation() bool {
	for {
		n := p.validations.Load()
		if n == 0 {
			return false
		}
		if p.validations.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// logAttempt logs what may be logged of a request: no id, no header, no body.
func logAttempt(ctx context.Context, o assessapi.Observation) {
	fields := map[string]any{
		"method": o.Method, "route": o.Route, "status": o.Status, "attempt": o.Attempt, "duration_ms": o.Took.Milliseconds(),
	}
	if o.Err != nil {
		fields["error"] = o.Err.Error()
	}
	tflog.Debug(ctx, "request to the assessment service", fields)
}

// logWait logs what a throttled run spends its time on.
func logWait(ctx context.Context, waited time.Duration, window string) {
	if waited > time.Second {
		fields := map[string]any{"waited_ms": waited.Milliseconds(), "limit": window}
		tflog.Info(ctx, "waited for a slot within the rate limits", fields)
	}
}

// cacheDir is where runs on this machine share files. It is empty if there is no
// such directory.
func (p *Provider) cacheDir() string {
	if p.CacheDir != "" {
		return p.CacheDir
	}
	return engine.DefaultCacheDir()
}

// Resources is the registry of resources.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &positionAssessmentResource{} },
		func() resource.Resource { return &skillsTestActivationResource{} },
	}
}

// DataSources is the registry of data sources.
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
