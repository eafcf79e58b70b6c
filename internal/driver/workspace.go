// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
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
	State       map[string]*Object  // by address
	Parallelism int                 // 0 means 10
	Seed        uint64              // decides the order of what may be done in any order
	LosesState  bool                // whether an apply that is killed loses what it has not saved

	cache   string // the provider's cache directory
	mu      sync.Mutex
	runs    int
	current *Session
}

// Resource is a resource block.
type Resource struct {
	Values Values
	After  []string // the addresses that it refers to
}

// NewWorkspace returns an empty workspace. Its runs share no rate limits with others.
func NewWorkspace(t testing.TB, service *Service) *Workspace {
	t.Helper()
	return &Workspace{
		Service: service, Provider: Values{"rate_limit": Values{"coordination": "none"}}, cache: t.TempDir(),
		Config: map[string]Resource{}, State: map[string]*Object{},
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
	Address string
	Action  Action
	Prior   *Object // refreshed, nil for a creation

	planned  tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// outcome is what has become of a run.
type outcome struct {
	Diagnostics
	Killed bool
}

// Failed reports whether there is an error, or the run was killed. Such a plan cannot be applied.
func (o outcome) Failed() bool { return o.Killed || len(o.Errors()) > 0 }

// Plan is what a plan found and would do.
type Plan struct {
	outcome
	Changes   map[string]*Change // by address
	Refreshed map[string]*Object // the state after the refresh

	mu     sync.Mutex // for both maps
	config map[string]Resource
}

// Applied is the result of an apply.
type Applied struct{ outcome }

// Actions returns the actions by address, without no-ops.
func (p *Plan) Actions() map[string]Action {
	actions := map[string]Action{}
	for address, c := range p.Changes {
		if c.Action != NoOp {
			actions[address] = c.Action
		}
	}
	return actions
}

// Configure returns a configured provider outside of plans and applies.
func (w *Workspace) Configure() *Session {
	s, _ := w.begin("session")
	return s
}

// Kill ends the current run: it sends nothing more, and what the provider returns from now on is not saved.
func (w *Workspace) Kill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current.killed.Store(true)
	w.current.cancel()
}

// step is a part of a run. It begins after the steps that after names, as far as there are such steps, and only if they
// have succeeded.
type step struct {
	name  string
	after []string
	do    func(s *Session) (ok bool)
}

// run does the steps of a plan or an apply with a new provider, at the same time, up to the parallelism.
func (w *Workspace) run(kind string, steps []step) outcome {
	s, configured := w.begin(kind)
	defer s.cancel()
	if configured {
		w.walk(s, steps)
	}
	return outcome{s.Diagnostics(), s.killed.Load()}
}

func (w *Workspace) walk(s *Session, steps []step) {
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.name, b.name) })
	random := rand.New(rand.NewPCG(w.Seed, uint64(w.runs)))
	random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	blocking := map[string]bool{} // steps that have not succeeded
	for _, s := range steps {
		blocking[s.name] = true
	}
	isReady := func(s step) bool {
		return !slices.ContainsFunc(s.after, func(name string) bool { return blocking[name] })
	}
	ended, running := make(chan func()), 0
	for {
		next := slices.IndexFunc(steps, isReady)
		if next >= 0 && running < cmp.Or(w.Parallelism, 10) && !s.killed.Load() {
			begun := steps[next]
			steps = slices.Delete(steps, next, next+1)
			running++
			go func() {
				ok := begun.do(s)
				ended <- func() { blocking[begun.name] = !ok }
			}()
			continue
		}
		if running == 0 {
			return
		}
		(<-ended)()
		running--
	}
}

// Plan refreshes the state and plans all resources. It changes neither the workspace nor the service.
func (w *Workspace) Plan() *Plan {
	p := &Plan{Changes: map[string]*Change{}, Refreshed: maps.Clone(w.State), config: maps.Clone(w.Config)}
	var steps []step
	for address, resource := range w.Config {
		do := func(s *Session) bool { return p.resource(s, address, w.State[address]) }
		steps = append(steps, step{address, resource.After, do})
	}
	for address, o := range w.State {
		if _, configured := w.Config[address]; !configured {
			steps = append(steps, step{address, nil, func(s *Session) bool { return p.orphan(s, address, o) }})
		}
	}
	p.outcome = w.run("plan", steps)
	return p
}

// PlanDestroy plans to remove everything that another plan has refreshed. Core makes that plan first, and its errors
// count.
func (w *Workspace) PlanDestroy(first *Plan) *Plan {
	if first.Failed() {
		return first
	}
	p := &Plan{Changes: map[string]*Change{}, Refreshed: first.Refreshed}
	var steps []step
	for address, o := range first.Refreshed {
		steps = append(steps, step{address, nil, func(s *Session) bool { return p.removal(s, address, o) }})
	}
	p.outcome = w.run("destroy plan", steps)
	return p
}

// resource refreshes what a resource of the configuration has, and plans the resource.
func (p *Plan) resource(s *Session, address string, o *Object) bool {
	if o != nil {
		var ok bool
		if o, ok = s.read(address, o); !ok {
			return false
		}
	}
	p.refresh(address, o)
	c, ok := s.change(address, p.config[address], o)
	if ok {
		p.add(c)
	}
	return ok
}

// orphan refreshes an object that is not in the configuration, and plans its removal.
func (p *Plan) orphan(s *Session, address string, o *Object) (ok bool) {
	if o, ok = s.read(address, o); !ok {
		return false
	}
	p.refresh(address, o)
	return o == nil || p.removal(s, address, o)
}

// removal plans the removal of an object.
func (p *Plan) removal(s *Session, address string, o *Object) bool {
	none := null(o.value.Type())
	resp, ok := s.plan(address, o, none)
	if !ok || !s.accepts(address, resp.Diagnostics) {
		return false
	}
	p.add(&Change{
		Address: address, Action: Delete, Prior: o, planned: none,
		private: resp.PlannedPrivate, identity: identityIn(resp.PlannedIdentity),
	})
	return true
}

// refresh stores the refreshed object of an address.
func (p *Plan) refresh(address string, o *Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o == nil {
		delete(p.Refreshed, address)
	} else {
		p.Refreshed[address] = o
	}
}

func (p *Plan) add(c *Change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Changes[c.Address] = c
}

// change plans a resource of the configuration, whose object is nil if there is none. An apply does so again.
func (s *Session) change(address string, resource Resource, o *Object) (*Change, bool) {
	config := encode(schemaOf(address).ValueType(), resource.Values)
	resp, ok := s.plan(address, o, config)
	if !ok || !s.accepts(address, resp.Diagnostics) {
		return nil, false
	}
	c := &Change{Address: address, Action: Update, Prior: o, planned: decoded(config.Type(), resp.PlannedState)}
	switch {
	case o == nil:
		c.Action = Create
	case replaces(resp.RequiresReplace, o.value, c.planned):
		c.Action = Replace
		// The second plan gets no prior object, but the planned private data of the first plan.
		from := &Object{null(config.Type()), resp.PlannedPrivate, identityIn(resp.PlannedIdentity), nil}
		if resp, ok = s.plan(address, from, config); !ok {
			return nil, false
		}
		if slices.ContainsFunc(resp.Diagnostics, isError) { // otherwise, core drops them
			return nil, s.accepts(address, resp.Diagnostics)
		}
		c.planned = decoded(config.Type(), resp.PlannedState)
	case c.planned.Equal(o.value):
		c.Action = NoOp
	}
	c.private, c.identity = resp.PlannedPrivate, identityIn(resp.PlannedIdentity)
	return c, true
}

// applying applies a plan.
type applying struct {
	plan  *Plan
	mu    sync.Mutex
	state map[string]*Object
}

// Apply applies a plan with a new provider. Creations, updates and removals run at the same time.
func (w *Workspace) Apply(plan *Plan) *Applied {
	if plan.Failed() {
		panic("driver: the plan has failed")
	}
	a := &applying{plan: plan, state: maps.Clone(plan.Refreshed)}
	applied := &Applied{w.run("apply", a.steps())}
	if !applied.Killed || !w.LosesState {
		w.State = a.state
	}
	return applied
}

// steps returns one step for each change, and two for a replacement. A creation waits for the removal that it replaces
// and for what it refers to, and a removal for the removals of what referred to it.
func (a *applying) steps() (steps []step) {
	removal := func(address string) string { return address + " (remove)" }
	for address, c := range a.plan.Changes {
		if c.Action == Delete || c.Action == Replace {
			var after []string
			for other, o := range a.plan.Refreshed {
				if slices.Contains(o.after, address) {
					after = append(after, removal(other))
				}
			}
			steps = append(steps, step{removal(address), after, func(s *Session) bool { return a.remove(s, c) }})
		}
		if c.Action == Create || c.Action == Update || c.Action == Replace {
			after := append(slices.Clone(a.plan.config[address].After), removal(address))
			steps = append(steps, step{address, after, func(s *Session) bool { return a.change(s, c) }})
		}
	}
	return steps
}

// remove applies a removal, or the first half of a replacement.
func (a *applying) remove(s *Session, c *Change) bool {
	removal := *c
	removal.planned = null(c.Prior.value.Type())
	if c.Action == Replace {
		removal.Action, removal.identity = Delete, nil
	}
	left, ok := s.apply(&removal, c.Prior, removal.planned)
	a.save(s, c.Address, left)
	return ok
}

// change plans a creation or an update again, with all values that are known by now, and applies it.
func (a *applying) change(s *Session, c *Change) bool {
	a.mu.Lock()
	o := a.state[c.Address]
	a.mu.Unlock()
	resource := a.plan.config[c.Address]
	final, ok := s.change(c.Address, resource, o)
	if !ok || !s.wrong(c.Address, "Provider produced inconsistent final plan",
		differences(c.planned, final.planned, c.Address)...) {
		return false
	}
	if final.Action == NoOp {
		return true
	}
	left, ok := s.apply(final, o, encode(schemaOf(c.Address).ValueType(), resource.Values))
	if left != nil {
		left.after = resource.After
	}
	a.save(s, c.Address, left)
	return ok
}

// save stores the result for an address, unless the run was killed before the provider returned it.
func (a *applying) save(s *Session, address string, o *Object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case s.killed.Load():
	case o == nil:
		delete(a.state, address)
	default:
		a.state[address] = o
	}
}
