// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// recorder is a server that records every call as a line: the process, the label of the
// resource, the call, and its arguments.
type recorder struct {
	tfprotov6.ProviderServer
	process string
	write   func(line string)
	thing   tftypes.Type
	config  tftypes.Type
	data    tftypes.Type

	mu    sync.Mutex
	alias string // the label of the provider configuration
}

func newRecorder(server tfprotov6.ProviderServer, process string, write func(string)) *recorder {
	schema, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return &recorder{
		ProviderServer: server, process: process, write: write,
		thing: schema.ResourceSchemas["probe_thing"].ValueType(), data: schema.DataSourceSchemas["probe_look"].ValueType(),
		config: schema.Provider.ValueType(),
	}
}

func (r *recorder) record(label, call string, shape ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	call = strings.Join(append([]string{call}, shape...), " ")
	r.write(strings.Join([]string{r.process, cmp.Or(r.alias, "default"), label, call}, "\t") + "\n")
}

// describe describes a value: its arguments, null, or unknown.
func describe(typ tftypes.Type, v *tfprotov6.DynamicValue) (label, text string) {
	if v == nil {
		return "", "none"
	}
	value, err := v.Unmarshal(typ)
	if err != nil {
		return "", err.Error()
	}
	var members map[string]tftypes.Value
	if value.IsNull() || value.As(&members) != nil {
		return "", "null"
	}
	return short(members["label"]), object(members)
}

func object(members map[string]tftypes.Value) string {
	var parts []string
	for name, v := range members {
		if name != "label" && !v.IsNull() {
			parts = append(parts, name+":"+short(v))
		}
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, " ") + "}"
}

func short(v tftypes.Value) string {
	var text string
	var members map[string]tftypes.Value
	switch {
	case !v.IsKnown():
		return "?"
	case v.IsNull():
		return ""
	case v.Type().Is(tftypes.Object{}) && v.As(&members) == nil:
		return object(members)
	case v.As(&text) == nil && strings.HasPrefix(text, generated):
		return "id"
	}
	return strings.ReplaceAll(text, " ", "-")
}

// signature returns the name of the call that set the private data.
func signature(private []byte) string {
	var all map[string][]byte
	var by string
	if len(private) == 0 || json.Unmarshal(private, &all) != nil || json.Unmarshal(all["by"], &by) != nil {
		return "private=none"
	}
	return "private=" + by
}

func identity(v *tfprotov6.ResourceIdentityData) string {
	if v == nil || v.IdentityData == nil {
		return "identity=none"
	}
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}
	_, text := describe(typ, v.IdentityData)
	return "identity=" + text
}

func (r *recorder) ValidateProviderConfig(
	ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	alias, _ := describe(r.config, req.Config)
	r.mu.Lock()
	r.alias = alias
	r.mu.Unlock()
	r.record("-", "ValidateProviderConfig")
	return r.ProviderServer.ValidateProviderConfig(ctx, req)
}

func (r *recorder) ConfigureProvider(
	ctx context.Context, req *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	r.record("-", "ConfigureProvider")
	return r.ProviderServer.ConfigureProvider(ctx, req)
}

func (r *recorder) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	label, text := describe(r.thing, req.Config)
	r.record(label, "ValidateResourceConfig", "config="+text)
	return r.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (r *recorder) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	var state struct {
		Label string `json:"label"`
	}
	if err := json.Unmarshal(req.RawState.JSON, &state); err != nil {
		return nil, err
	}
	r.record(state.Label, "UpgradeResourceState")
	return r.ProviderServer.UpgradeResourceState(ctx, req)
}

func (r *recorder) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	label, text := describe(r.thing, req.CurrentState)
	r.record(label, "ReadResource", "state="+text, signature(req.Private), identity(req.CurrentIdentity))
	return r.ProviderServer.ReadResource(ctx, req)
}

func (r *recorder) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	label, config := describe(r.thing, req.Config)
	before, prior := describe(r.thing, req.PriorState)
	_, proposed := describe(r.thing, req.ProposedNewState)
	r.record(cmp.Or(label, before), "PlanResourceChange", "prior="+prior, "config="+config, "proposed="+proposed,
		signature(req.PriorPrivate), identity(req.PriorIdentity))
	return r.ProviderServer.PlanResourceChange(ctx, req)
}

func (r *recorder) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	label, planned := describe(r.thing, req.PlannedState)
	before, prior := describe(r.thing, req.PriorState)
	_, config := describe(r.thing, req.Config)
	r.record(cmp.Or(label, before), "ApplyResourceChange", "prior="+prior, "planned="+planned, "config="+config,
		signature(req.PlannedPrivate), identity(req.PlannedIdentity))
	return r.ProviderServer.ApplyResourceChange(ctx, req)
}

func (r *recorder) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	r.record(req.ID, "ImportResourceState")
	return r.ProviderServer.ImportResourceState(ctx, req)
}

func (r *recorder) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	label, text := describe(r.data, req.Config)
	r.record(label, "ValidateDataResourceConfig", "config="+text)
	return r.ProviderServer.ValidateDataResourceConfig(ctx, req)
}

func (r *recorder) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	label, text := describe(r.data, req.Config)
	r.record(label, "ReadDataSource", "config="+text)
	return r.ProviderServer.ReadDataSource(ctx, req)
}

// normal sorts a recording. It numbers the processes of each provider configuration in
// the order in which they started, keeps the order of the calls of one resource, and
// sorts resources.
func normal(lines string) string {
	type key struct{ alias, label string }
	numbers, counts := map[string]int{}, map[string]int{}
	calls := map[string]map[key][]string{} // by process
	var processes []string
	for line := range strings.Lines(lines) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		process, at := parts[0], key{parts[1], parts[2]}
		if calls[process] == nil {
			calls[process] = map[key][]string{}
			processes = append(processes, process)
			counts[at.alias]++
			numbers[process] = counts[at.alias]
		}
		calls[process][at] = append(calls[process][at], parts[3])
	}
	var out []string
	for _, process := range processes {
		for at, all := range calls[process] {
			for i, call := range all {
				out = append(out, fmt.Sprintf("%s %02d %-6s %02d %s\n", at.alias, numbers[process], at.label, i+1, call))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// appendTo returns a function that appends lines to a file that several processes
// share.
func appendTo(name string) func(string) {
	return func(line string) {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		if _, err := file.WriteString(line); err != nil {
			panic(err)
		}
		if err := file.Close(); err != nil {
			panic(err)
		}
	}
}
