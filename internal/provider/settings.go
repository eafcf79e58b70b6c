// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

const defaultStateFile = "assess-sandbox.json"

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
	privacy tf.Privacy
	config  run.Config // of the run; empty if a setting is not known yet
}

// ValidateConfig adds an error for each known setting that the block sandbox excludes. It adds none while it is not
// known yet whether the configuration contains this block.
func (p *Provider) ValidateConfig(
	ctx context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse,
) {
	var m providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if hasSandbox, _ := tf.BlockIn(m.Sandbox); !hasSandbox || resp.Diagnostics.HasError() {
		return
	}
	if strings.Contains(tf.StringIn(m.RateLimit, "coordination").ValueString(), "://") {
		resp.Diagnostics.Append(sharedSandbox())
	}
	for _, attribute := range []struct {
		name  string
		value types.String
	}{{"base_url", m.BaseURL}, {"client_id", m.ClientID}, {"api_key", m.APIKey}} {
		if !attribute.value.IsNull() && !attribute.value.IsUnknown() {
			resp.Diagnostics.Append(twoServices(attribute.name))
		}
	}
}

// sharedSandbox returns the error for a configuration that has the block "sandbox" and the address of a server in the
// setting "coordination".
func sharedSandbox() diag.Diagnostic {
	return tf.AttributeError(path.Root("sandbox"), "No shared budget with the sandbox", "The setting \"coordination\" in "+
		"the block \"rate_limit\" names a server for runs on several machines. But the block \"sandbox\" uses a service in "+
		"the provider, which other machines cannot reach.\n\nTo fix this: remove \"coordination\", or remove the block "+
		"\"sandbox\".")
}

// twoServices returns the error for a configuration that has both the block "sandbox" and an attribute of a real
// service.
func twoServices(attribute string) diag.Diagnostic {
	return tf.Error("Two services configured", fmt.Sprintf(
		"Both %[1]q and the block \"sandbox\" are set. %[1]q belongs to a real service, and the block uses the simulated "+
			"service in the provider.\n\nTo fix this: remove %[1]q or the block.", attribute))
}

// readSettings returns the settings of the provider block and of the environment. If a setting is not known yet,
// s.unknown is its name, and s.config is empty. Otherwise, with a block sandbox, it opens the sandbox (see
// [run.Settings]). from contains the options that do not depend on the settings, and cli is the CLI with its version,
// for the User-Agent. After an error, which readSettings adds to diags, the settings must not be used.
func readSettings(
	ctx context.Context, config tfsdk.Config, from run.Options, cli string, diags *diag.Diagnostics,
) (s settings) {
	var m providerModel
	diags.Append(config.Get(ctx, &m)...)
	if diags.HasError() {
		return s
	}
	s.privacy = readPrivacy(m.Privacy, from.Getenv("ASSESS_PRIVACY"), diags)
	s.unknown = firstUnknown(config.Raw)
	if s.unknown != "" {
		return s
	}
	s.config = m.serviceConfig(ctx, from, cli, diags)
	m.override(&s.config, from.Getenv, diags)
	return s
}

// override replaces values of cfg with the settings of the configuration and of the environment. The attribute
// "plan_checks" takes precedence over its variable. AdoptExisting and ReadOnly are true if either the attribute or the
// variable is true.
func (m providerModel) override(cfg *run.Config, getenv func(string) string, diags *diag.Diagnostics) {
	planChecks := readSwitch("ASSESS_PLAN_CHECKS", getenv, diags)
	cfg.PlanChecks = m.PlanChecks.ValueBool() || m.PlanChecks.IsNull() && planChecks != "false"
	cfg.AdoptExisting = m.AdoptExisting.ValueBool() || readSwitch("ASSESS_ADOPT_EXISTING", getenv, diags) == "true"
	cfg.ReadOnly = m.ReadOnly.ValueBool() || readSwitch("ASSESS_READ_ONLY", getenv, diags) == "true"
	cfg.RequestTimeout = tf.DurationOr(m.RequestTimeout, cfg.RequestTimeout)
	cfg.RetryTimeout = tf.DurationOr(m.RetryTimeout, cfg.RetryTimeout)
	if share := tf.Float64In(m.RateLimit, "share"); !share.IsNull() {
		cfg.Budget.Share = share.ValueFloat64()
	}
	if coordination := tf.StringIn(m.RateLimit, "coordination"); !coordination.IsNull() {
		cfg.Budget.Coordination = coordination.ValueString()
	}
}

// serviceConfig returns the configuration from [run.Settings]. If the block "sandbox" is set, it opens the sandbox. All
// settings must be known. The configuration is read-only and checks no plans, until override changes that. After an
// error, which serviceConfig adds to diags, the configuration is empty.
func (m providerModel) serviceConfig(
	ctx context.Context, from run.Options, cli string, diags *diag.Diagnostics,
) run.Config {
	if !m.Sandbox.IsNull() {
		from.StateFile = cmp.Or(tf.StringIn(m.Sandbox, "state_file").ValueString(), defaultStateFile)
		from.NoLimits = tf.BoolIn(m.Sandbox, "limits").Equal(types.BoolValue(false))
	}
	from.Getenv = m.attributeOr(from.Getenv)
	cfg, err := run.Settings(ctx, from, cli)
	if problems, ok := errors.AsType[run.Problems](err); ok {
		for _, p := range problems {
			diags.Append(problem(p))
		}
	} else if err != nil {
		diags.Append(tf.Error("Could not configure the provider", messages.Capitalized(err)+"."))
	}
	return cfg
}

// attributeOr returns a function for [run.Options.Getenv]. If the attribute of a variable is set, the function returns
// the attribute. If "coordination" is set, its variable counts as not set, because override reads this attribute.
func (m providerModel) attributeOr(getenv func(string) string) func(variable string) string {
	attributes := map[string]types.String{
		run.AddressVariable: m.BaseURL, run.ClientVariable: m.ClientID, run.KeyVariable: m.APIKey,
	}
	if !m.Headers.IsNull() {
		attributes[run.HeadersVariable] = types.StringValue(headersText(m.Headers))
	}
	if !tf.StringIn(m.RateLimit, "coordination").IsNull() {
		attributes[run.BudgetVariable] = types.StringValue("")
	}
	return func(variable string) string {
		if attribute := attributes[variable]; !attribute.IsNull() { // the zero value is null
			return attribute.ValueString()
		}
		return getenv(variable)
	}
}

// problem returns the diagnostic for a setting that cannot be used. The diagnostic points to no attribute, because the
// CLI would print the line of the attribute, which can contain credentials.
func problem(p run.Problem) diag.Diagnostic { return tf.Error(p.Summary, p.Detail) }

// requestTimeout accepts a duration above zero and at most longestRequest.
var requestTimeout = tf.RuleOf("must be a duration above zero and at most 90s",
	func(at path.Path, value types.String) diag.Diagnostic {
		if d, err := time.ParseDuration(value.ValueString()); err == nil && d > 0 && d <= longestRequest {
			return nil
		}
		return tf.AttributeError(at, "Invalid duration", fmt.Sprintf("The value of %s is %q, which is not a duration above "+
			"zero and at most 90s.\n\nTo fix this: use a value such as 30s or 1m30s.", at, value.ValueString()))
	})

const longestRequest = 90 * time.Second

const invalidVariable = "Invalid environment variable"

// readSwitch returns an environment variable, and adds an error if it is not "true", "false" or empty. A saved plan
// contains the configuration but not the environment, so the apply of a saved plan reads the variable again.
func readSwitch(variable string, getenv func(string) string, diags *diag.Diagnostics) string {
	value := getenv(variable)
	if value != "" && value != "true" && value != "false" {
		diags.Append(tf.Error(invalidVariable, fmt.Sprintf(
			"The environment variable %s is %q.\n\nTo fix this: set it to true or false.", variable, value)))
	}
	return value
}

// readPrivacy returns strict mode if the attribute or the variable is "strict", or if the attribute is not known yet.
// It adds an error if the variable has an unknown value.
func readPrivacy(attribute types.String, variable string, diags *diag.Diagnostics) tf.Privacy {
	switch tf.Privacy(variable) {
	case "", tf.Standard, tf.Strict:
	default:
		diags.Append(tf.Error(invalidVariable, fmt.Sprintf("The environment variable ASSESS_PRIVACY is %q.\n\nTo fix "+
			"this: set it to %q or %q.", variable, tf.Standard, tf.Strict)))
	}
	if attribute.IsUnknown() || tf.Privacy(attribute.ValueString()) == tf.Strict || tf.Privacy(variable) == tf.Strict {
		return tf.Strict
	}
	return tf.Standard
}

// coordinates validates the attribute "coordination". Its messages contain no address and point to no line of the
// configuration, because an address can contain a password.
var coordinates = tf.RuleOf("must be host, none, or an address such as redis://host:6379/0",
	func(_ path.Path, setting types.String) diag.Diagnostic {
		value := setting.ValueString()
		if value == run.CoordinationHost || value == run.CoordinationNone {
			return nil
		}
		if !strings.ContainsAny(value, ":/@") {
			return tf.Error("Unknown coordination", "The setting \"coordination\" in the block \"rate_limit\" is "+
				"neither \"host\" nor \"none\" nor an address. It is not shown here, because it can contain a password.\n\n"+
				"To fix this: use \"host\", \"none\", or an address such as \"redis://host:6379/0\".")
		}
		if err := run.CheckBudgetURL(value); err != nil {
			return problem(run.InvalidBudget(err))
		}
		return nil
	})

const smallestShare = 0.000001

// share accepts a number from smallestShare to 1.
var share = tf.RuleOf(fmt.Sprintf("must be from %f to 1", smallestShare),
	func(at path.Path, value types.Float64) diag.Diagnostic {
		if f := value.ValueFloat64(); smallestShare <= f && f <= 1 {
			return nil
		}
		return tf.InvalidValue(at, fmt.Sprintf("is %g", value.ValueFloat64()),
			fmt.Sprintf("use a number from %f to 1, such as 0.5 for half of each limit", smallestShare))
	})

// firstUnknown returns the name of a setting that is not known yet, such as "base_url" or
// "sandbox.state_file", or "". If there are several, it returns the first one in alphabetical order. It
// does not return the name of a header, because a name and its value may have been confused.
func firstUnknown(config tftypes.Value) string {
	var unknown []string
	_ = tftypes.Walk(config, func(p *tftypes.AttributePath, v tftypes.Value) (bool, error) { // the callback never fails
		if !v.IsKnown() {
			unknown = append(unknown, settingName(p))
		}
		return v.IsKnown(), nil
	})
	if len(unknown) == 0 {
		return ""
	}
	return slices.Min(unknown)
}

// settingName returns the name of the setting at a path, without the keys of a map.
func settingName(p *tftypes.AttributePath) string {
	var names []string
	for _, step := range p.Steps() {
		if name, isSetting := step.(tftypes.AttributeName); isSetting {
			names = append(names, string(name))
		}
	}
	return strings.Join(names, ".")
}
