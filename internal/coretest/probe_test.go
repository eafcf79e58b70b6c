// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// probe is a provider that records what a CLI asks of it. Each call is a line: the process, the label of the provider
// configuration, the label of the resource, the call, and its arguments. The private data is the name of the call that
// set it, so that a recording shows which private data reaches which call.
//
// The objects of probe_thing are files in a directory: the file name is the ID and the text is the value. A new name
// replaces an object, a new value updates it. A value that starts with "fail" and the name of a call makes that call
// fail. The data source probe_look returns its arguments.
type probe struct {
	tfprotov6.ProviderServer
	dir, process string
	write        func(line string)

	mu    sync.Mutex
	alias string // the label of the provider configuration
}

func schemaOf(attributes ...*tfprotov6.SchemaAttribute) *tfprotov6.Schema {
	for _, a := range attributes {
		a.Type, a.Optional = tftypes.String, !a.Computed || a.Name == "auto"
	}
	return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: attributes}}
}

var (
	configSchema = schemaOf(&tfprotov6.SchemaAttribute{Name: "label"})
	lookSchema   = schemaOf(&tfprotov6.SchemaAttribute{Name: "label"}, &tfprotov6.SchemaAttribute{Name: "name"},
		&tfprotov6.SchemaAttribute{Name: "found", Computed: true})
	innerSchema = schemaOf(&tfprotov6.SchemaAttribute{Name: "text"}, &tfprotov6.SchemaAttribute{Name: "auto", Computed: true})
	thingSchema = schemaOf(&tfprotov6.SchemaAttribute{Name: "id", Computed: true}, &tfprotov6.SchemaAttribute{Name: "label"},
		&tfprotov6.SchemaAttribute{Name: "name"}, &tfprotov6.SchemaAttribute{Name: "value"})
	identitySchema = &tfprotov6.ResourceIdentitySchema{IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{
		{Name: "id", Type: tftypes.String, RequiredForImport: true},
	}}
)

func init() {
	inner := &tfprotov6.SchemaNestedBlock{
		TypeName: "inner", Block: innerSchema.Block, Nesting: tfprotov6.SchemaNestedBlockNestingModeSingle,
	}
	thingSchema.Block.BlockTypes = []*tfprotov6.SchemaNestedBlock{inner}
}

func (p *probe) record(label, call string, shape ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	call = strings.Join(append([]string{call}, shape...), " ")
	p.write(strings.Join([]string{p.process, cmp.Or(p.alias, "default"), label, call}, "\t") + "\n")
}

// decode returns the arguments of a value, or nil if it is null.
func decode(typ tftypes.Type, v *tfprotov6.DynamicValue) (members map[string]tftypes.Value) {
	value, err := v.Unmarshal(typ)
	if err == nil && !value.IsNull() {
		err = value.As(&members)
	}
	if err != nil {
		panic(err) // impossible: the value has this type
	}
	return members
}

func decodeThing(v *tfprotov6.DynamicValue) map[string]tftypes.Value {
	return decode(thingSchema.ValueType(), v)
}

func encode(schema *tfprotov6.Schema, members map[string]tftypes.Value) *tfprotov6.DynamicValue {
	body := coretest.Body{}
	for name, v := range members {
		body[name] = v
	}
	return coretest.Encode(schema.ValueType(), body)
}

func text(v any) tftypes.Value { return tftypes.NewValue(tftypes.String, v) }

// describe describes arguments, or null.
func describe(members map[string]tftypes.Value) string {
	if members == nil {
		return "null"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if v := members[name]; name != "label" && !v.IsNull() {
			parts = append(parts, name+":"+short(v))
		}
	}
	return "{" + strings.Join(parts, " ") + "}"
}

// generated is the beginning of each ID that the probe generates.
const generated = "generated-"

func short(v tftypes.Value) string {
	var text string
	var members map[string]tftypes.Value
	switch {
	case !v.IsKnown():
		return "?"
	case v.IsNull():
		return ""
	case v.As(&members) == nil:
		return describe(members)
	case v.As(&text) == nil && strings.HasPrefix(text, generated):
		return "id"
	}
	return strings.ReplaceAll(text, " ", "-")
}

func privateOf(private []byte) string { return "private=" + cmp.Or(string(private), "none") }

func identityOf(v *tfprotov6.ResourceIdentityData) string {
	if v == nil || v.IdentityData == nil {
		return "identity=none"
	}
	return "identity=" + describe(decode(identitySchema.ValueType(), v.IdentityData))
}

func identify(id tftypes.Value) *tfprotov6.ResourceIdentityData {
	data := coretest.Encode(identitySchema.ValueType(), coretest.Body{"id": id})
	return &tfprotov6.ResourceIdentityData{IdentityData: data}
}

// failure returns an error if a value makes a call fail.
func failure(call string, value tftypes.Value) []*tfprotov6.Diagnostic {
	if !value.IsKnown() || short(value) != "fail-"+strings.ReplaceAll(call, " ", "-") {
		return nil
	}
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "failed", Detail: call}}
}

func (p *probe) GetProviderSchema(
	context.Context, *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		Provider:           configSchema,
		ResourceSchemas:    map[string]*tfprotov6.Schema{"probe_thing": thingSchema},
		DataSourceSchemas:  map[string]*tfprotov6.Schema{"probe_look": lookSchema},
		ServerCapabilities: &tfprotov6.ServerCapabilities{PlanDestroy: true},
	}, nil
}

func (p *probe) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	all := map[string]*tfprotov6.ResourceIdentitySchema{"probe_thing": identitySchema}
	return &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: all}, nil
}

func (p *probe) ValidateProviderConfig(
	_ context.Context, r *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	p.mu.Lock()
	p.alias = short(decode(configSchema.ValueType(), r.Config)["label"])
	p.mu.Unlock()
	p.record("-", "ValidateProviderConfig")
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}, nil
}

func (p *probe) ConfigureProvider(
	context.Context, *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	p.record("-", "ConfigureProvider")
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (p *probe) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (p *probe) ValidateResourceConfig(
	_ context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	config := decodeThing(r.Config)
	p.record(short(config["label"]), "ValidateResourceConfig", "config="+describe(config))
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (p *probe) UpgradeResourceState(
	_ context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	value, err := r.RawState.Unmarshal(thingSchema.ValueType())
	if err != nil {
		return nil, err
	}
	p.record(coretest.Text(value, "label"), "UpgradeResourceState")
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: coretest.Encode(value.Type(), value)}, nil
}

func (p *probe) UpgradeResourceIdentity(
	_ context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	value, err := r.RawIdentity.Unmarshal(identitySchema.ValueType())
	if err != nil {
		return nil, err
	}
	upgraded := &tfprotov6.ResourceIdentityData{IdentityData: coretest.Encode(value.Type(), value)}
	return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: upgraded}, nil
}

// file returns the file of an object.
func (p *probe) file(id tftypes.Value) string {
	return filepath.Join(p.dir, fmt.Sprint("id", coretest.Plain(id)))
}

func (p *probe) ReadResource(
	_ context.Context, r *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	state := decodeThing(r.CurrentState)
	p.record(short(state["label"]), "ReadResource", "state="+describe(state), privateOf(r.Private), identityOf(r.CurrentIdentity))
	resp := &tfprotov6.ReadResourceResponse{NewIdentity: identify(state["id"]), Private: r.Private}
	content, err := os.ReadFile(p.file(state["id"]))
	if errors.Is(err, fs.ErrNotExist) {
		resp.NewState = coretest.Encode(thingSchema.ValueType(), nil)
		return resp, nil
	}
	if state["value"] = text(string(content)); len(content) == 0 {
		state["value"] = text(nil)
	}
	resp.NewState, resp.Private = encode(thingSchema, state), []byte("read")
	return resp, err
}

func (p *probe) PlanResourceChange(
	_ context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	config, prior, planned := decodeThing(r.Config), decodeThing(r.PriorState), decodeThing(r.ProposedNewState)
	label := cmp.Or(short(config["label"]), short(prior["label"]))
	p.record(label, "PlanResourceChange", "prior="+describe(prior), "config="+describe(config),
		"proposed="+describe(planned), privateOf(r.PriorPrivate), identityOf(r.PriorIdentity))
	resp := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: r.ProposedNewState, PlannedPrivate: []byte("plan"), PlannedIdentity: r.PriorIdentity,
		RequiresReplace: []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("name")},
	}
	if planned == nil {
		return resp, nil
	}
	if prior == nil {
		planned["id"] = text(tftypes.UnknownValue)
	}
	if inner := planned["inner"]; !inner.IsNull() {
		var members map[string]tftypes.Value
		if err := inner.As(&members); err != nil {
			return nil, err
		}
		members["auto"] = text("auto")
		planned["inner"] = tftypes.NewValue(inner.Type(), members)
	}
	resp.PlannedState, resp.Diagnostics = encode(thingSchema, planned), failure("plan", planned["value"])
	return resp, nil
}

func (p *probe) ApplyResourceChange(
	_ context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	config, prior, planned := decodeThing(r.Config), decodeThing(r.PriorState), decodeThing(r.PlannedState)
	label := cmp.Or(short(planned["label"]), short(prior["label"]))
	p.record(label, "ApplyResourceChange", "prior="+describe(prior), "planned="+describe(planned),
		"config="+describe(config), privateOf(r.PlannedPrivate), identityOf(r.PlannedIdentity))
	call, value := "update", planned["value"]
	switch {
	case prior == nil:
		call = "create"
	case planned == nil:
		call, value = "delete", prior["value"]
	}
	resp := &tfprotov6.ApplyResourceChangeResponse{
		NewState: r.PriorState, Private: r.PlannedPrivate, NewIdentity: r.PlannedIdentity, Diagnostics: failure(call, value),
	}
	if resp.Diagnostics != nil {
		return resp, nil
	}
	if call == "delete" {
		_ = os.Remove(p.file(prior["id"])) // may not exist
		resp.NewState = r.PlannedState
		return resp, nil
	}
	if call == "create" {
		file, err := os.CreateTemp(p.dir, "id"+generated+"*")
		if err != nil {
			return nil, err
		}
		_ = file.Close() // the content is written below
		planned["id"] = text(strings.TrimPrefix(filepath.Base(file.Name()), "id"))
	}
	content, _ := coretest.Plain(value).(string)
	resp.NewState, resp.NewIdentity, resp.Private = encode(thingSchema, planned), identify(planned["id"]), []byte(call)
	resp.Diagnostics = failure("after "+call, value)
	return resp, os.WriteFile(p.file(planned["id"]), []byte(content), 0o600)
}

func (p *probe) ImportResourceState(
	_ context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	p.record(r.ID, "ImportResourceState")
	return &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{{
		TypeName: "probe_thing", Identity: identify(text(r.ID)),
		State: coretest.Encode(thingSchema.ValueType(), coretest.Body{"id": r.ID, "label": r.ID}),
	}}}, nil
}

func (p *probe) ValidateDataResourceConfig(
	_ context.Context, r *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	config := decode(lookSchema.ValueType(), r.Config)
	p.record(short(config["label"]), "ValidateDataResourceConfig", "config="+describe(config))
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (p *probe) ReadDataSource(
	_ context.Context, r *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	config := decode(lookSchema.ValueType(), r.Config)
	p.record(short(config["label"]), "ReadDataSource", "config="+describe(config))
	config["found"] = config["name"]
	return &tfprotov6.ReadDataSourceResponse{State: encode(lookSchema, config)}, nil
}

// normal sorts a recording. It numbers the processes of each provider configuration in
// the order in which they started, keeps the order of the calls of one resource, and
// sorts resources.
func normal(lines string) string {
	type key struct{ alias, label string }
	numbers, counts := map[string]int{}, map[string]int{}
	calls := map[string]map[key]int{} // by process
	var out []string
	for line := range strings.Lines(lines) {
		parts := strings.Split(line, "\t")
		process, at := parts[0], key{parts[1], parts[2]}
		if calls[process] == nil {
			calls[process] = map[key]int{}
			counts[at.alias]++
			numbers[process] = counts[at.alias]
		}
		calls[process][at]++
		n, call := calls[process][at], parts[3]
		out = append(out, fmt.Sprintf("%s %02d %-6s %02d %s", at.alias, numbers[process], at.label, n, call))
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// appendTo returns a function that appends lines to a file that several processes
// share.
func appendTo(name string) func(string) {
	return func(line string) {
		file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = file.WriteString(line)
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			panic(err)
		}
	}
}
