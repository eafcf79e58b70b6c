// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// schemas are those of the provider.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	server := provider.NewServer(&provider.Provider{Version: "test"})
	all, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// schemaOf returns the schema of the resource at an address.
func schemaOf(address string) *tfprotov6.Schema {
	schema := schemas().ResourceSchemas[typeOf(address)]
	if schema == nil {
		panic(fmt.Sprintf("driver: there is no resource %q", typeOf(address)))
	}
	return schema
}

func typeOf(address string) string {
	name, _, _ := strings.Cut(address, ".")
	return name
}

// Diagnostic is a message of the provider, or an error that core would report about it.
type Diagnostic struct {
	Address string // of the resource, or the type of a data source, "" for the provider
	Run     string // such as "plan 1"
	Error   bool
	Summary string
	Detail  string
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

func (all Diagnostics) where(keep func(Diagnostic) bool) Diagnostics {
	return slices.DeleteFunc(slices.Clone(all), func(d Diagnostic) bool { return !keep(d) })
}

// Session is one configured provider: a plan, an apply, or a test's own. Its methods may be called concurrently.
type Session struct {
	server tfprotov6.ProviderServer
	name   string          // such as "plan 1"
	ctx    context.Context // it ends with the run
	cancel context.CancelFunc
	killed atomic.Bool

	mu          sync.Mutex
	diagnostics Diagnostics
}

// begin starts a provider that sends its requests through the network of the service. It reports whether the provider
// could be configured. This is all that the driver knows about the provider besides the protocol.
func (w *Workspace) begin(kind string) (s *Session, ok bool) {
	w.mu.Lock()
	w.runs++
	s = &Session{name: fmt.Sprintf("%s %d", kind, w.runs)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	w.current = s
	w.mu.Unlock()
	environment := map[string]string{
		"ASSESS_BASE_URL": sandbox.BaseURL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	}
	s.server = provider.NewServer(&provider.Provider{
		Version: "test", Getenv: func(name string) string { return environment[name] },
		CacheDir: w.cache, Transport: network{w.Service, s},
	})
	resp, ok := call(s, s.server.ConfigureProvider, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion: "1.12.0", Config: dynamic(encode(schemas().Provider.ValueType(), w.Provider)),
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{},
	})
	return s, ok && s.accepts("", resp.Diagnostics)
}

// call calls the provider. It reports whether the response counts, which is false if the run was killed. Only then may
// the call fail.
func call[Request, Response any](
	s *Session, method func(context.Context, *Request) (*Response, error), request *Request,
) (*Response, bool) {
	response, err := method(s.ctx, request)
	if s.killed.Load() {
		return nil, false
	}
	if err != nil {
		panic(fmt.Sprintf("driver: the call failed: %v", err))
	}
	return response, true
}

// Diagnostics returns those of all calls so far.
func (s *Session) Diagnostics() Diagnostics {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.diagnostics)
}

// accepts records the diagnostics of a call. It reports whether none of them is an error.
func (s *Session) accepts(address string, given []*tfprotov6.Diagnostic) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range given {
		s.diagnostics = append(s.diagnostics, Diagnostic{address, s.name, isError(d), d.Summary, d.Detail})
	}
	return !slices.ContainsFunc(given, isError)
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

// wrong records errors of the provider that core finds. It reports whether there are none.
func (s *Session) wrong(address, summary string, details ...string) (ok bool) {
	for _, detail := range details {
		s.accepts(address, []*tfprotov6.Diagnostic{
			{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail},
		})
	}
	return len(details) == 0
}

// Object is a resource in a state.
type Object struct {
	value   tftypes.Value
	private []byte
}

// Text returns an attribute that is a string, or "".
func (o *Object) Text(name string) string {
	text, _ := decode(member(o.value, name)).(string)
	return text
}

// object returns an object that the provider has returned, nil if there is none.
func object(address string, v *tfprotov6.DynamicValue, private []byte) *Object {
	value := decoded(schemaOf(address).ValueType(), v)
	if value.IsNull() {
		return nil
	}
	return &Object{value, private}
}

// decoded returns a value that the provider has returned.
func decoded(typ tftypes.Type, v *tfprotov6.DynamicValue) tftypes.Value {
	if v == nil {
		return null(typ)
	}
	value, err := v.Unmarshal(typ)
	if err != nil {
		panic(fmt.Sprintf("driver: the provider returned an invalid value: %v", err))
	}
	return canonical(value)
}

// read refreshes an object. The result is nil if the object is gone.
func (s *Session) read(address string, o *Object) (*Object, bool) {
	resp, ok := call(s, s.server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: typeOf(address), CurrentState: dynamic(o.value), Private: o.private,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	})
	if !ok || !s.accepts(address, resp.Diagnostics) {
		return nil, false
	}
	return object(address, resp.NewState, resp.Private), true
}

// plan calls PlanResourceChange. An empty object plans a creation, and a null configuration a removal.
func (s *Session) plan(
	address string, from Object, config tftypes.Value,
) (*tfprotov6.PlanResourceChangeResponse, bool) {
	return call(s, s.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: typeOf(address), PriorState: dynamic(from.value), PriorPrivate: from.private, Config: dynamic(config),
		ProposedNewState:   dynamic(proposedNew(schemaOf(address).Block, from.value, config)),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
}

// change plans what becomes of an object, which is nil if there is none. A null configuration removes it. The result is
// nil if there is an error.
func (s *Session) change(address string, prior *Object, config tftypes.Value) *Change {
	from := Object{value: null(config.Type())}
	if prior != nil {
		from = *prior
	}
	resp, ok := s.plan(address, from, config)
	if !ok || !s.accepts(address, resp.Diagnostics) {
		return nil
	}
	c := &Change{Address: address, Action: Update, Prior: prior, planned: decoded(config.Type(), resp.PlannedState)}
	switch {
	case config.IsNull():
		c.Action = Delete
	case prior == nil:
		c.Action = Create
	case replaces(resp.RequiresReplace, prior.value, c.planned):
		c.Action = Replace
		// The second plan gets no prior object, but the planned private data of the first plan.
		if resp, ok = s.plan(address, Object{null(config.Type()), resp.PlannedPrivate}, config); !ok {
			return nil
		}
		if slices.ContainsFunc(resp.Diagnostics, isError) { // otherwise, core drops them
			s.accepts(address, resp.Diagnostics)
			return nil
		}
		c.planned = decoded(config.Type(), resp.PlannedState)
	case c.planned.Equal(prior.value):
		c.Action = NoOp
	}
	c.private = resp.PlannedPrivate
	return c
}

// apply calls ApplyResourceChange. It returns the new object, which is nil if none is left.
func (s *Session) apply(c *Change, config tftypes.Value) (*Object, bool) {
	before := null(config.Type())
	if c.Prior != nil {
		before = c.Prior.value
	}
	resp, ok := call(s, s.server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: typeOf(c.Address), PriorState: dynamic(before), PlannedState: dynamic(c.planned), Config: dynamic(config),
		PlannedPrivate: c.private,
	})
	if !ok {
		return nil, false
	}
	ok = s.accepts(c.Address, resp.Diagnostics)
	o := object(c.Address, resp.NewState, resp.Private)
	switch {
	case o == nil && ok && !config.IsNull():
		ok = s.wrong(c.Address, "Provider returned no object after apply", c.planned.String())
	case o == nil:
	case !ok && c.Prior == nil: // core would mark the object as tainted, and replace it
		s.wrong(c.Address, "Provider returned an object of a creation that failed", o.value.String())
	case ok:
		ok = s.wrong(c.Address, "Provider produced inconsistent result after apply",
			differences(c.planned, o.value, c.Address)...)
	}
	return o, ok
}

// Data reads a data source. The result is nil if it could not be read.
func (s *Session) Data(name string, config Values) Values {
	typ := schemas().DataSourceSchemas[name].ValueType()
	encoded := dynamic(encode(typ, config))
	validated, ok := call(s, s.server.ValidateDataResourceConfig,
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: encoded})
	if !ok || !s.accepts(name, validated.Diagnostics) {
		return nil
	}
	resp, ok := call(s, s.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: encoded, ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{},
	})
	if !ok || !s.accepts(name, resp.Diagnostics) {
		return nil
	}
	values, _ := decode(decoded(typ, resp.State)).(Values)
	return values
}

// List lists resources with a configuration. It returns the names that a person sees, and the objects.
func (s *Session) List(name string, config Values) (names []string, objects []Values) {
	typ := schemas().ListResourceSchemas[name].ValueType()
	server, _ := s.server.(tfprotov6.ListResourceServer) // as each provider of the framework
	stream, ok := call(s, server.ListResource, &tfprotov6.ListResourceRequest{
		TypeName: name, Config: dynamic(encode(typ, config)), IncludeResource: true, Limit: 100,
	})
	if !ok {
		return nil, nil
	}
	for found := range stream.Results {
		if s.accepts(name, found.Diagnostics) {
			object, _ := decode(decoded(schemaOf(name).ValueType(), found.Resource)).(Values)
			names, objects = append(names, found.DisplayName), append(objects, object)
		}
	}
	return names, objects
}

// Invoke plans and runs an action. It reports whether both succeeded.
func (s *Session) Invoke(name string, config Values) bool {
	encoded := dynamic(encode(schemas().ActionSchemas[name].Schema.ValueType(), config))
	server, _ := s.server.(tfprotov6.ActionServer) // as each provider of the framework
	planned, ok := call(s, server.PlanAction, &tfprotov6.PlanActionRequest{
		ActionType: name, Config: encoded, ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{},
	})
	if !ok || !s.accepts(name, planned.Diagnostics) {
		return false
	}
	stream, ok := call(s, server.InvokeAction, &tfprotov6.InvokeActionRequest{ActionType: name, Config: encoded})
	if !ok {
		return false
	}
	for event := range stream.Events {
		if end, isEnd := event.Type.(tfprotov6.CompletedInvokeActionEventType); isEnd {
			ok = s.accepts(name, end.Diagnostics)
		}
	}
	return ok
}
