// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Workspace is a configuration and a state. To simulate a "moved" block, change a key of State. To simulate a "removed"
// block that does not destroy, delete a key of State.
type Workspace struct {
	Service     *Service
	Provider    Values              // the provider block
	Config      map[string]Resource // by address, such as "assess_position_assessment.a"
	Imports     map[string]string   // import blocks: IDs by address
	State       map[string]*Object  // by address
	Parallelism int                 // 0 means 10
	Seed        uint64              // decides the order of what may be done in any order
	LosesState  bool                // whether an apply that is killed loses what it has not saved
	Cache       string              // the provider's cache directory

	runs    int
	mu      sync.Mutex
	current *run
}

// Resource is a resource block.
type Resource struct {
	Values  Values
	After   []string // the addresses that it refers to
	Replace bool     // -replace
}

// NewWorkspace returns an empty workspace. Its runs share no rate limits with others. The provider's cache directory is
// a temporary one.
func NewWorkspace(t testing.TB, service *Service) *Workspace {
	t.Helper()
	return &Workspace{
		Service: service, Provider: Values{"rate_limit": Values{"coordination": "none"}}, Cache: t.TempDir(),
		Config: map[string]Resource{}, Imports: map[string]string{}, State: map[string]*Object{},
	}
}

// Action is what a plan does with a resource.
type Action string

// The actions.
const (
	NoOp    Action = "no-op"
	Create  Action = "create"
	Update  Action = "update"
	Delete  Action = "delete"
	Replace Action = "replace"
)

// Change is the planned change of a resource.
type Change struct {
	Address  string
	Action   Action
	Imported bool
	Prior    *Object // refreshed or imported, nil for a creation

	after    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// Planned returns the planned attributes and blocks, nil for a removal.
func (c *Change) Planned() Values {
	values, _ := decode(c.after).(Values)
	return values
}

// Plan is what a plan found and would do.
type Plan struct {
	Diagnostics
	Changes   map[string]*Change // by address
	Refreshed map[string]*Object // the state after the refresh
	Killed    bool

	config map[string]Resource
}

// Failed reports whether there is an error, or the plan was killed, so that it cannot be applied.
func (p *Plan) Failed() bool { return p.Killed || len(p.Errors()) > 0 }

// Actions returns the actions by address, without no-ops.
func (p *Plan) Actions() map[string]Action {
	actions := map[string]Action{}
	for address, c := range p.Changes {
		if c.Action != NoOp || c.Imported {
			actions[address] = c.Action
		}
	}
	return actions
}

// run is one plan or one apply.
type run struct {
	name    string
	applies bool
	ctx     context.Context // it lasts as long as the run
	cancel  context.CancelFunc
	killed  atomic.Bool

	mu  sync.Mutex
	all Diagnostics
}

// begin starts a run with a new provider, which is nil if it could not be configured.
func (w *Workspace) begin(kind string, applies bool) (*run, *Session) {
	w.mu.Lock()
	w.runs++
	r := &run{name: fmt.Sprintf("%s %d", kind, w.runs), applies: applies}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	w.current = r
	w.mu.Unlock()
	s := &Session{w.start(r), r}
	if !s.configure(w.Provider) {
		return r, nil
	}
	return r, s
}

// Kill ends the current run: it sends nothing more, and what the provider returns from now on is not saved.
func (w *Workspace) Kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current.killed.Store(true)
	w.current.cancel()
}

// Configure returns a configured provider outside of plans and applies, or nil.
func (w *Workspace) Configure() *Session {
	_, s := w.begin("session", true)
	return s
}

// step is a part of a run.
type step struct {
	name  string
	after []string // the names of the steps that must have succeeded, as far as there are such steps
	do    func() bool
}

// walk does steps at the same time, up to the parallelism.
func (w *Workspace) walk(r *run, steps []step) {
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.name, b.name) })
	order := rand.New(rand.NewPCG(w.Seed, uint64(w.runs)))
	order.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	type result struct {
		name string
		ok   bool
	}
	results, finished := make(chan result), map[string]bool{}
	waiting := map[string]bool{}
	for _, s := range steps {
		waiting[s.name] = true
	}
	running := 0
	for {
		for i := 0; i < len(steps) && running < cmp.Or(w.Parallelism, 10) && !r.killed.Load(); {
			s := steps[i]
			if slices.ContainsFunc(s.after, func(name string) bool { return waiting[name] && !finished[name] }) {
				i++
				continue
			}
			steps = slices.Delete(steps, i, i+1)
			running++
			go func() { results <- result{s.name, s.do()} }()
		}
		if running == 0 {
			return
		}
		done := <-results
		running--
		finished[done.name] = done.ok
	}
}

// Plan refreshes the state and plans all resources. It changes neither the workspace nor the service.
func (w *Workspace) Plan() *Plan {
	r, s := w.begin("plan", false)
	defer r.cancel()
	p := &planning{Workspace: w, session: s, run: r, plan: &Plan{
		Changes: map[string]*Change{}, Refreshed: maps.Clone(w.State), config: maps.Clone(w.Config),
	}}
	var steps []step
	for address, resource := range w.Config {
		do := func() bool { return p.configured(address, resource) }
		steps = append(steps, step{address, resource.After, do})
	}
	for address, o := range w.State {
		if _, configured := w.Config[address]; !configured {
			steps = append(steps, step{name: address, do: func() bool { return p.orphan(address, o, true) }})
		}
	}
	if s != nil {
		w.walk(r, steps)
	}
	p.plan.Diagnostics, p.plan.Killed = r.all, r.killed.Load()
	return p.plan
}

// PlanDestroy plans to remove everything that another plan has refreshed. Core makes that plan first, and its errors
// count.
func (w *Workspace) PlanDestroy(first *Plan) *Plan {
	if first.Failed() {
		return first
	}
	r, s := w.begin("destroy plan", false)
	defer r.cancel()
	p := &planning{Workspace: w, session: s, run: r, plan: &Plan{
		Changes: map[string]*Change{}, Refreshed: first.Refreshed,
	}}
	var steps []step
	for address, o := range first.Refreshed {
		steps = append(steps, step{name: address, do: func() bool { return p.orphan(address, o, false) }})
	}
	if s != nil {
		w.walk(r, steps)
	}
	p.plan.Diagnostics, p.plan.Killed = r.all, r.killed.Load()
	return p.plan
}

// planning makes a plan.
type planning struct {
	*Workspace
	session *Session
	run     *run
	lock    sync.Mutex
	plan    *Plan
}

// refreshed stores the refreshed object of an address.
func (p *planning) refreshed(address string, o *Object) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if o.gone() {
		delete(p.plan.Refreshed, address)
	} else {
		p.plan.Refreshed[address] = o
	}
}

func (p *planning) add(c *Change) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.plan.Changes[c.Address] = c
	return true
}

// configured refreshes or imports a resource of the configuration, and plans it.
func (p *planning) configured(address string, resource Resource) bool {
	o, ok := p.State[address], true
	id := p.Imports[address]
	imports := o == nil && id != ""
	switch {
	case imports:
		o, ok = p.session.Import(address, id)
	case o != nil:
		o, ok = p.session.Read(address, o)
	}
	if !ok {
		return false
	}
	p.refreshed(address, o)
	c, ok := p.session.change(address, resource, o)
	if !ok {
		return false
	}
	c.Imported = imports
	return p.add(c)
}

// orphan plans the removal of an object that is not in the configuration.
func (p *planning) orphan(address string, o *Object, refreshes bool) (ok bool) {
	if refreshes {
		if o, ok = p.session.Read(address, o); !ok {
			return false
		}
		p.refreshed(address, o)
		if o.gone() {
			return true
		}
	}
	none := null(o.Value.Type())
	resp, _, ok := p.session.plan(address, o, none, false)
	if !ok {
		return false
	}
	return p.add(&Change{
		Address: address, Action: Delete, Prior: o, after: none,
		private: resp.PlannedPrivate, identity: identityIn(resp.PlannedIdentity),
	})
}

// change plans a resource of the configuration. An apply does so again.
func (s *Session) change(address string, resource Resource, o *Object) (*Change, bool) {
	schema := schemaOf(address)
	typ := schema.ValueType()
	config := encode(typ, resource.Values)
	if !s.validate(address, config) {
		return nil, false
	}
	prior := &Object{Value: null(typ)}
	if !o.gone() && !o.Tainted {
		prior = o
	}
	resp, planned, ok := s.plan(address, prior, config, false)
	if !ok {
		return nil, false
	}
	c := &Change{Address: address, Action: Update, after: planned}
	switch {
	case o.gone():
		c.Action = Create
	case o.Tainted:
		c.Action = Replace
	case resource.Replace && !s.run.applies, replaces(resp.RequiresReplace, prior.Value, planned):
		// The second plan gets no prior object. It gets the planned private data of the first plan.
		c.Action = Replace
		from := &Object{Value: null(typ), private: resp.PlannedPrivate, identity: identityIn(resp.PlannedIdentity)}
		if resp, c.after, ok = s.plan(address, from, config, true); !ok {
			return nil, false
		}
	case planned.Equal(prior.Value):
		c.Action = NoOp
	}
	if !o.gone() {
		c.Prior = o
	}
	c.private, c.identity = resp.PlannedPrivate, identityIn(resp.PlannedIdentity)
	return c, true
}
