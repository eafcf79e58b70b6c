// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// start returns a provider that sends its requests through the network of a run. This is all that the driver knows
// about the provider besides the protocol.
func (w *Workspace) start(r *run) tfprotov6.ProviderServer {
	environment := map[string]string{
		"ASSESS_BASE_URL": sandbox.BaseURL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	}
	return provider.NewServer(&provider.Provider{
		Version: "test", Getenv: func(name string) string { return environment[name] },
		CacheDir: w.Cache, Transport: network{w.Service, r},
	})
}

// schemas are those of the provider.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	server := provider.NewServer(&provider.Provider{Version: "test"})
	all, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// Diagnostic is a message of the provider, or an error that core would report about it.
type Diagnostic struct {
	Address string // of the resource, or the type of a data source or an ephemeral resource, "" for the provider
	Run     string // such as "plan 1"
	Error   bool
	Summary string
	Detail  string
	Path    string // the attribute, "" if it names none
}

func (d Diagnostic) String() string {
	severity := "warning"
	if d.Error {
		severity = "error"
	}
	return fmt.Sprintf("%s: %s: %s: %s: %s", d.Run, d.Address, severity, d.Summary, d.Detail)
}

// Diagnostics are in the order in which they were received.
type Diagnostics []Diagnostic

// Errors returns those that are errors.
func (all Diagnostics) Errors() Diagnostics {
	return all.where(func(d Diagnostic) bool { return d.Error })
}

// Warnings returns those that are warnings.
func (all Diagnostics) Warnings() Diagnostics {
	return all.where(func(d Diagnostic) bool { return !d.Error })
}

// Of returns those of an address.
func (all Diagnostics) Of(address string) Diagnostics {
	return all.where(func(d Diagnostic) bool { return d.Address == address })
}

// Saying returns the diagnostics whose summary or detail contains a text.
func (all Diagnostics) Saying(text string) Diagnostics {
	return all.where(func(d Diagnostic) bool { return strings.Contains(d.Summary+"\n"+d.Detail, text) })
}

func (all Diagnostics) where(keep func(Diagnostic) bool) (found Diagnostics) {
	for _, d := range all {
		if keep(d) {
			found = append(found, d)
		}
	}
	return found
}

// Object is a resource in a state.
type Object struct {
	Value   tftypes.Value
	Tainted bool

	private  []byte
	identity *tfprotov6.ResourceIdentityData
	after    []string // the addresses that the object depends on
}

// Values returns the attributes and blocks.
func (o *Object) Values() Values {
	values, _ := decode(o.Value).(Values)
	return values
}

// Text returns an attribute that is a string, or "".
func (o *Object) Text(name string) string {
	text, _ := decode(member(o.Value, name)).(string)
	return text
}

// Session is one configured provider. Its methods may be called concurrently. They return the diagnostics of the call.
type Session struct {
	server tfprotov6.ProviderServer
	run    *run
}

// Diagnostics returns those of all calls so far.
func (s *Session) Diagnostics() Diagnostics {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	return slices.Clone(s.run.all)
}

// report adds the diagnostics of a call to the run's diagnostics. It reports whether any of them is an error.
func (s *Session) report(address string, given []*tfprotov6.Diagnostic) (failed bool) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	for _, d := range given {
		path := ""
		if d.Attribute != nil {
			path = d.Attribute.String()
		}
		failed = failed || isError(d)
		s.run.all = append(s.run.all, Diagnostic{address, s.run.name, isError(d), d.Summary, d.Detail, path})
	}
	return failed
}

// broken reports whether a call returned an error instead of a response, which only a killed run may cause.
func (s *Session) broken(err error) bool {
	if err != nil && !s.run.killed.Load() {
		panic(fmt.Sprintf("driver: the call failed: %v", err))
	}
	return s.run.killed.Load()
}

// wrong reports an error of the provider that core finds.
func (s *Session) wrong(address, summary string, details ...string) (failed bool) {
	for _, detail := range details {
		d := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}
		s.report(address, []*tfprotov6.Diagnostic{d})
	}
	return len(details) > 0
}

func typeOf(address string) string {
	name, _, _ := strings.Cut(address, ".")
	return name
}

func schemaOf(address string) *tfprotov6.Schema {
	schema := schemas().ResourceSchemas[typeOf(address)]
	if schema == nil {
		panic(fmt.Sprintf("driver: there is no resource %q", typeOf(address)))
	}
	return schema
}

// value decodes an object from the provider.
func (s *Session) value(address string, v *tfprotov6.DynamicValue) (tftypes.Value, bool) {
	typ := schemaOf(address).ValueType()
	if v == nil {
		return null(typ), true
	}
	decoded, err := v.Unmarshal(typ)
	if err != nil {
		return null(typ), !s.wrong(address, "Provider produced invalid object", err.Error())
	}
	return canonical(decoded), true
}

// configure validates and configures the provider.
func (s *Session) configure(settings Values) bool {
	config := dynamic(encode(schemas().Provider.ValueType(), settings))
	validated, err := s.server.ValidateProviderConfig(s.run.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if s.broken(err) || s.report("", validated.Diagnostics) {
		return false
	}
	configured, err := s.server.ConfigureProvider(s.run.ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: config, ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{},
	})
	return !s.broken(err) && !s.report("", configured.Diagnostics)
}

// upgrade passes an object through UpgradeResourceState, as core does before it uses one.
func (s *Session) upgrade(address string, o *Object) (*Object, bool) {
	text, err := json.Marshal(decode(o.Value))
	if err != nil {
		panic(err) // impossible: a state has no unknown values
	}
	resp, err := s.server.UpgradeResourceState(s.run.ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: typeOf(address), Version: schemaOf(address).Version, RawState: &tfprotov6.RawState{JSON: text},
	})
	if s.broken(err) || s.report(address, resp.Diagnostics) {
		return nil, false
	}
	upgraded := *o
	var ok bool
	upgraded.Value, ok = s.value(address, resp.UpgradedState)
	return &upgraded, ok
}

// Read refreshes an object. The result is nil if the object is gone.
func (s *Session) Read(address string, o *Object) (_ *Object, ok bool) {
	if o, ok = s.upgrade(address, o); !ok {
		return nil, false
	}
	resp, err := s.server.ReadResource(s.run.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: typeOf(address), CurrentState: dynamic(o.Value), Private: o.private, CurrentIdentity: o.identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if s.broken(err) || s.report(address, resp.Diagnostics) {
		return nil, false
	}
	v, ok := s.value(address, resp.NewState)
	if ok && !v.IsFullyKnown() {
		ok = !s.wrong(address, "Provider produced invalid object", "the refreshed object has unknown values")
	}
	if !ok {
		return nil, false
	}
	return &Object{v, o.Tainted, resp.Private, identityIn(resp.NewIdentity), o.after}, true
}

func (o *Object) gone() bool { return o == nil || o.Value.IsNull() }

// identityIn returns an identity, or nil if it is empty.
func identityIn(identity *tfprotov6.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	if identity == nil || identity.IdentityData == nil {
		return nil
	}
	if null, err := identity.IdentityData.IsNull(); err != nil || null {
		return nil
	}
	return identity
}

// Import imports an object and reads it.
func (s *Session) Import(address, id string) (*Object, bool) {
	resp, err := s.server.ImportResourceState(s.run.ctx, &tfprotov6.ImportResourceStateRequest{
		TypeName: typeOf(address), ID: id, ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{},
	})
	if s.broken(err) || s.report(address, resp.Diagnostics) {
		return nil, false
	}
	if len(resp.ImportedResources) != 1 {
		return nil, !s.wrong(address, "The import returned no resource", id)
	}
	imported := resp.ImportedResources[0]
	v, ok := s.value(address, imported.State)
	if !ok {
		return nil, false
	}
	o, ok := s.Read(address, &Object{Value: v, private: imported.Private, identity: identityIn(imported.Identity)})
	if ok && o.gone() {
		ok = !s.wrong(address, "Cannot import non-existent remote object", id)
	}
	return o, ok
}

// Data reads a data source. The result is nil if it could not be read.
func (s *Session) Data(name string, config Values) Values {
	typ := schemas().DataSourceSchemas[name].ValueType()
	encoded := dynamic(encode(typ, config))
	validated, err := s.server.ValidateDataResourceConfig(s.run.ctx,
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: encoded})
	if s.broken(err) || s.report(name, validated.Diagnostics) {
		return nil
	}
	resp, err := s.server.ReadDataSource(s.run.ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: encoded, ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{},
	})
	if s.broken(err) || s.report(name, resp.Diagnostics) {
		return nil
	}
	return s.result(name, typ, resp.State)
}

// List lists resources with a configuration. It returns their names, and what the provider says about each.
func (s *Session) List(name string, config Values) (names []string, all []Values) {
	typ := schemas().ListResourceSchemas[name].ValueType()
	server, _ := s.server.(tfprotov6.ListResourceServer) // as each provider of the framework
	stream, err := server.ListResource(s.run.ctx, &tfprotov6.ListResourceRequest{
		TypeName: name, Config: dynamic(encode(typ, config)), IncludeResource: true, Limit: 100,
	})
	if s.broken(err) {
		return nil, nil
	}
	for found := range stream.Results {
		if !s.report(name, found.Diagnostics) {
			names = append(names, found.DisplayName)
			all = append(all, s.result(name, schemaOf(name).ValueType(), found.Resource))
		}
	}
	return names, all
}

// Invoke plans and runs an action. It reports whether both succeeded.
func (s *Session) Invoke(name string, config Values) bool {
	encoded := dynamic(encode(schemas().ActionSchemas[name].Schema.ValueType(), config))
	server, _ := s.server.(tfprotov6.ActionServer) // as each provider of the framework
	planned, err := server.PlanAction(s.run.ctx, &tfprotov6.PlanActionRequest{
		ActionType: name, Config: encoded, ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{},
	})
	if s.broken(err) || s.report(name, planned.Diagnostics) {
		return false
	}
	stream, err := server.InvokeAction(s.run.ctx, &tfprotov6.InvokeActionRequest{ActionType: name, Config: encoded})
	if s.broken(err) {
		return false
	}
	failed := false
	for event := range stream.Events {
		if end, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
			failed = s.report(name, end.Diagnostics)
		}
	}
	return !failed
}

func (s *Session) result(name string, typ tftypes.Type, v *tfprotov6.DynamicValue) Values {
	decoded, err := v.Unmarshal(typ)
	if err != nil {
		s.wrong(name, "Provider produced invalid object", err.Error())
		return nil
	}
	values, _ := decode(decoded).(Values)
	return values
}

// plan calls PlanResourceChange. A null configuration plans a removal.
func (s *Session) plan(
	address string, prior *Object, config tftypes.Value, replacement bool,
) (*tfprotov6.PlanResourceChangeResponse, tftypes.Value, bool) {
	block := schemaOf(address).Block
	resp, err := s.server.PlanResourceChange(s.run.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeOf(address), PriorState: dynamic(prior.Value), PriorPrivate: prior.private,
		PriorIdentity: prior.identity, Config: dynamic(config),
		ProposedNewState:   dynamic(proposedNew(block, prior.Value, config)),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
	if s.broken(err) {
		return nil, null(config.Type()), false
	}
	if replacement && !slices.ContainsFunc(resp.Diagnostics, isError) {
		resp.Diagnostics = nil // core drops the warnings of the second plan of a replacement
	}
	if s.report(address, resp.Diagnostics) {
		return nil, null(config.Type()), false
	}
	planned, ok := s.value(address, resp.PlannedState)
	if !ok {
		return nil, planned, false
	}
	wrong := differsFromConfig(block, prior.Value, config, planned, address)
	return resp, planned, replacement || !s.wrong(address, "Provider produced invalid plan", wrong...)
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

// validate calls ValidateResourceConfig.
func (s *Session) validate(address string, config tftypes.Value) bool {
	resp, err := s.server.ValidateResourceConfig(s.run.ctx,
		&tfprotov6.ValidateResourceConfigRequest{TypeName: typeOf(address), Config: dynamic(config)})
	return !s.broken(err) && !s.report(address, resp.Diagnostics)
}

// apply calls ApplyResourceChange. It returns the new object, which is nil if none is left.
func (s *Session) apply(c *Change, prior *Object, config tftypes.Value) (*Object, bool) {
	before := null(config.Type())
	if prior != nil {
		before = prior.Value
	}
	resp, err := s.server.ApplyResourceChange(s.run.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typeOf(c.Address), PriorState: dynamic(before), PlannedState: dynamic(c.after), Config: dynamic(config),
		PlannedPrivate: c.private, PlannedIdentity: c.identity,
	})
	if s.broken(err) {
		return prior, false
	}
	failed := s.report(c.Address, resp.Diagnostics)
	after, ok := s.value(c.Address, resp.NewState)
	if !ok {
		return prior, false
	}
	switch {
	case !after.IsFullyKnown():
		failed = s.wrong(c.Address, "Provider returned invalid result object after apply", after.String())
	case !failed:
		failed = s.wrong(c.Address, "Provider produced inconsistent result after apply",
			differsFromPlan(c.after, after, c.Address)...)
	}
	switch {
	case after.IsNull() && failed:
		return prior, false // as core keeps what a failed removal does not return
	case after.IsNull():
		return nil, true
	}
	o := &Object{Value: after, private: resp.Private, identity: identityIn(resp.NewIdentity)}
	o.Tainted = failed && prior == nil
	return o, !failed
}
