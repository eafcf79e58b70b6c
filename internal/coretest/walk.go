// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// walk is one walk through the graph, with its own provider processes.
type walk struct {
	ctx    context.Context // of the run
	core   *Core
	phase  string
	config *Config
	opts   Options

	schema *Schemas

	mu      sync.Mutex
	servers map[string]*process        // by alias
	started []tfprotov6.ProviderServer // configured servers
	state   *State                     // the working copy
	planned map[string]tftypes.Value   // takes precedence over the state in references
	result  Result
}

// process is a provider process. It is configured once.
type process struct {
	once   sync.Once
	server tfprotov6.ProviderServer
	ok     bool
}

func (c *Core) walk(ctx context.Context, phase string, config *Config, state *State, o Options) *walk {
	c.readSchemas(ctx)
	w := &walk{
		ctx: ctx, core: c, phase: phase, config: config, opts: o, schema: c.Schemas,
		servers: map[string]*process{}, state: state.Clone(), planned: map[string]tftypes.Value{},
	}
	if c.KeepProcesses && phase != phaseValidate {
		w.servers = c.kept
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = w
	return w
}

// say records diagnostics and reports whether one of them is an error.
func (w *walk) say(addr string, dropWarnings bool, said []*tfprotov6.Diagnostic) (failed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range said {
		failed = failed || d.Severity == tfprotov6.DiagnosticSeverityError
	}
	for _, d := range said {
		w.result.Diagnostics = append(w.result.Diagnostics, Diagnostic{
			Addr: addr, Phase: w.phase, Error: d.Severity == tfprotov6.DiagnosticSeverityError,
			Dropped: dropWarnings && !failed, Summary: d.Summary, Detail: d.Detail, Attribute: d.Attribute,
		})
	}
	return failed
}

// fail records an error of the core itself.
func (w *walk) fail(addr, summary string, details ...string) {
	for _, detail := range details {
		d := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}
		w.say(addr, false, []*tfprotov6.Diagnostic{d})
	}
}

// callFailed handles the error of a call. It reports whether the call failed or the run
// was killed.
func (w *walk) callFailed(addr string, err error) bool {
	if w.core.killed.Load() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.result.Killed = true
		return true
	}
	if err != nil {
		w.fail(addr, "Plugin error", err.Error())
	}
	return err != nil
}

// server returns the process of a provider configuration. Except during validation, it
// is configured. It returns nil if that failed.
func (w *walk) server(addr, alias string) tfprotov6.ProviderServer {
	if typeOf(addr) == builtinType {
		return builtin{slow: func() {
			if w.core.Slow != nil {
				time.Sleep(w.core.Slow(addr))
			}
		}}
	}
	w.mu.Lock()
	p := w.servers[alias]
	if p == nil {
		p = &process{}
		w.servers[alias] = p
	}
	w.mu.Unlock()
	p.once.Do(func() { p.ok = w.configure(p, alias) })
	if !p.ok {
		return nil
	}
	return p.server
}

func (w *walk) configure(p *process, alias string) bool {
	var err error
	if p.server, err = w.core.Start(w.opts.Machine); w.callFailed("", err) {
		return false
	}
	body := w.config.Providers[alias]
	if body == nil {
		body = Body{}
	}
	config := dynamic(value(w.schema.types[w.schema.Provider], body, w.resolve))
	if w.phase == phaseValidate {
		return len(body) == 0 || w.validateProvider(p, config)
	}
	if !w.core.KeepProcesses && !w.validateProvider(p, config) {
		return false
	}
	configured, err := p.server.ConfigureProvider(w.ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion:   w.core.Profile.Version,
		Config:             config,
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{},
	})
	w.mu.Lock()
	w.started = append(w.started, p.server)
	w.mu.Unlock()
	return !w.callFailed("", err) && !w.say("", false, configured.Diagnostics)
}

// stop tells the providers of the walk to stop.
func (w *walk) stop() {
	w.fail("", "Execution halted", "The run was interrupted.")
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, server := range w.started {
		if _, err := server.StopProvider(context.Background(), &tfprotov6.StopProviderRequest{}); err != nil {
			panic(err) // the framework returns none
		}
	}
}

func (w *walk) validateProvider(p *process, config *tfprotov6.DynamicValue) bool {
	validated, err := p.server.ValidateProviderConfig(w.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	return !w.callFailed("", err) && !w.say("", false, validated.Diagnostics)
}

// The phases of a run.
const (
	phaseValidate    = "validate"
	phasePlan        = "plan"
	phaseDestroyPlan = "destroy plan"
	phaseApply       = "apply"
)

// block returns the schema of an address.
func (w *walk) block(addr string) *tfprotov6.Schema {
	switch {
	case typeOf(addr) == builtinType:
		return builtinSchema
	case isData(addr):
		return w.schema.DataSourceSchemas[typeOf(addr)]
	}
	return w.schema.ResourceSchemas[typeOf(addr)]
}

// resolve returns the value of a reference or of an input. That of a reference is the planned value, else the value
// in the state, else unknown.
func (w *walk) resolve(typ tftypes.Type, of any) tftypes.Value {
	if input, ok := of.(Input); ok && w.phase != phaseValidate {
		return value(typ, input.Value, w.resolve)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r, _ := of.(Ref)
	if v, ok := w.planned[r.Addr]; ok && w.phase != phaseDestroyPlan {
		return member(v, r.Attribute)
	}
	if o := w.state.Object(r.Addr); o != nil && w.phase != phaseValidate {
		return member(o.Value, r.Attribute)
	}
	return tftypes.NewValue(typ, tftypes.UnknownValue)
}

// typ returns the type of the objects at an address.
func (w *walk) typ(addr string) tftypes.Type { return w.schema.types[w.block(addr)] }

// body evaluates the configuration of a resource.
func (w *walk) body(r *Resource) tftypes.Value {
	return value(w.typ(r.Addr), r.Body, w.resolve)
}

// validate validates each provider and each resource block, as a CLI does first.
func (c *Core) validate(ctx context.Context, config *Config, o Options) Result {
	w := c.walk(ctx, phaseValidate, config, newState(), o)
	byName := map[string][]Resource{}
	for _, r := range config.Resources {
		byName[resourceOf(r.Addr)] = append(byName[resourceOf(r.Addr)], r)
	}
	var nodes []node
	for _, name := range sortedKeys(byName) {
		nodes = append(nodes, node{name: name, run: func() bool { return w.validateResource(byName[name]) }})
	}
	w.run(nodes)
	return w.result
}

func (w *walk) validateResource(instances []Resource) bool {
	r := &instances[0]
	server := w.server(r.Addr, r.Provider)
	if server == nil {
		return false
	}
	config := w.body(r)
	if r.Addr != resourceOf(r.Addr) {
		config = unexpanded(config.Type(), instances)
	}
	return w.validateConfig(server, r, config)
}

func (w *walk) validateConfig(server tfprotov6.ProviderServer, r *Resource, config tftypes.Value) bool {
	name, sent := typeOf(r.Addr), dynamic(config)
	if isData(r.Addr) {
		req := &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: sent}
		resp, err := server.ValidateDataResourceConfig(w.ctx, req)
		return !w.callFailed(r.Addr, err) && !w.say(r.Addr, false, resp.Diagnostics)
	}
	req := &tfprotov6.ValidateResourceConfigRequest{TypeName: name, Config: sent}
	resp, err := server.ValidateResourceConfig(w.ctx, req)
	return !w.callFailed(r.Addr, err) && !w.say(r.Addr, false, resp.Diagnostics)
}
