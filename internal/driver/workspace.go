// SPDX-License-Identifier: MPL-2.0

package driver

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Workspace is a configuration and a state. To simulate a "moved" block, change a key of State. To simulate a "removed"
// block that does not destroy, delete a key of State.
type Workspace struct {
	Service     *Service
	Provider    Values             // the provider block
	Config      map[string]Values  // the resource blocks by address, such as "assess_position_assessment.a"
	State       map[string]*Object // by address
	Parallelism int                // 0 means 10
	Seed        uint64             // decides the order of resources
	LosesState  bool               // whether an apply that is killed loses what it has not saved
	// OldState makes plans of removals use the state from before their refresh, as Terraform 1.9 to 1.11 do.
	OldState bool
	// NoRefresh makes plans use the state without a refresh, as with -refresh=false.
	NoRefresh bool

	cache   string // the provider's cache directory
	mu      sync.Mutex
	runs    int
	current *Session
}

// NewWorkspace returns an empty workspace. Its runs share no rate limits with others.
func NewWorkspace(t testing.TB, service *Service) *Workspace {
	t.Helper()
	return &Workspace{
		Service: service, Provider: Values{"rate_limit": Values{"coordination": "none"}}, cache: t.TempDir(),
		Config: map[string]Values{}, State: map[string]*Object{},
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

	planned tftypes.Value
	private []byte
}

// Run is what has become of a plan or an apply.
type Run struct {
	Diagnostics
	Killed bool
}

// Failed reports whether there is an error, or the run was killed. Such a plan cannot be applied.
func (r Run) Failed() bool { return r.Killed || len(r.Errors()) > 0 }

// Plan is what a plan found and would do.
type Plan struct {
	Run
	Changes   map[string]*Change // by address
	Refreshed map[string]*Object // the state after the refresh

	mu     sync.Mutex // for both maps
	config map[string]Values
}

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

// run calls a function for each address with a new provider, at the same time, up to the parallelism.
func (w *Workspace) run(kind string, addresses []string, do func(s *Session, address string)) Run {
	s, configured := w.begin(kind)
	defer s.cancel()
	if configured {
		slices.Sort(addresses)
		random := rand.New(rand.NewPCG(w.Seed, uint64(w.runs)))
		random.Shuffle(len(addresses), func(i, j int) { addresses[i], addresses[j] = addresses[j], addresses[i] })
		running := make(chan struct{}, cmp.Or(w.Parallelism, 10))
		var all sync.WaitGroup
		for _, address := range addresses {
			running <- struct{}{}
			all.Go(func() {
				if !s.killed.Load() {
					do(s, address)
				}
				<-running
			})
		}
		all.Wait()
	}
	return Run{s.Diagnostics(), s.killed.Load()}
}

// Plan refreshes the state and plans all resources. It changes neither the workspace nor the service.
func (w *Workspace) Plan() *Plan {
	p := &Plan{Changes: map[string]*Change{}, Refreshed: maps.Clone(w.State), config: maps.Clone(w.Config)}
	addresses := slices.Collect(maps.Keys(w.Config))
	for address := range w.State {
		if _, configured := w.Config[address]; !configured {
			addresses = append(addresses, address)
		}
	}
	p.Run = w.run("plan", addresses, func(s *Session, address string) {
		o, config := w.State[address], p.block(address)
		if o != nil && !w.NoRefresh && (!config.IsNull() || !w.OldState) {
			var ok bool
			if o, ok = s.read(address, o); !ok {
				return
			}
		}
		p.mu.Lock()
		store(p.Refreshed, address, o)
		p.mu.Unlock()
		if o == nil && config.IsNull() {
			return
		}
		if c := s.change(address, o, config); c != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.Changes[address] = c
		}
	})
	return p
}

// block returns the resource block of an address, or null.
func (p *Plan) block(address string) tftypes.Value {
	typ := schemaOf(address).ValueType()
	if values, configured := p.config[address]; configured {
		return encode(typ, values)
	}
	return null(typ)
}

// store stores an object in a state, which has no entry for what does not exist.
func store(state map[string]*Object, address string, o *Object) {
	if o == nil {
		delete(state, address)
	} else {
		state[address] = o
	}
}

// applying applies a plan.
type applying struct {
	plan  *Plan
	mu    sync.Mutex
	state map[string]*Object
}

// Apply applies a plan with a new provider. Creations, updates and removals run at the same time.
func (w *Workspace) Apply(plan *Plan) Run {
	if plan.Failed() {
		panic("driver: the plan has failed")
	}
	a := &applying{plan: plan, state: maps.Clone(plan.Refreshed)}
	run := w.run("apply", slices.Collect(maps.Keys(plan.Actions())), a.resource)
	if !run.Killed || !w.LosesState {
		w.State = a.state
	}
	return run
}

// resource applies the change of a resource: a removal, or the plan that the provider makes once more. A replacement is
// both.
func (a *applying) resource(s *Session, address string) {
	c, config := a.plan.Changes[address], a.plan.block(address)
	prior := c.Prior
	if c.Action == Delete || c.Action == Replace {
		removal, none := *c, null(config.Type())
		removal.planned = none
		if !a.change(s, &removal, none) || c.Action == Delete {
			return
		}
		prior = nil
	}
	final := s.change(address, prior, config)
	if final == nil || final.Action == NoOp {
		return
	}
	if s.wrong(address, "Provider produced inconsistent final plan", differences(c.planned, final.planned, address)...) {
		a.change(s, final, config)
	}
}

// change applies a change, and stores the new object unless the run was killed before the provider returned it.
func (a *applying) change(s *Session, c *Change, config tftypes.Value) (ok bool) {
	o, ok := s.apply(c, config)
	a.mu.Lock()
	defer a.mu.Unlock()
	if !s.killed.Load() {
		store(a.state, c.Address, o)
	}
	return ok
}
