// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Profile describes how one CLI differs from the others.
type Profile struct {
	Name    string
	Version string
	// SavesEach makes the CLI save the state after each applied change. A CLI without it
	// loses all changes of a run that is killed.
	SavesEach bool
	// MinimalRefresh allows the option -minimal-refresh.
	MinimalRefresh bool
	// PlannedIdentity passes the identity from the first plan of a replacement to the
	// second plan.
	PlannedIdentity bool
	// RefreshesRemoved refreshes the objects that a removed block drops from the state.
	RefreshesRemoved bool
	// AppliesEmptyPlan makes an apply configure every provider, even if the plan is empty.
	AppliesEmptyPlan bool
}

// The CLIs. Terraform 1.16 also sends planned private data when it plans again during
// apply. The protocol library of this provider does not support that field.
var (
	Terraform112 = Profile{
		Name: "Terraform 1.12", Version: "1.12.0", SavesEach: true, PlannedIdentity: true, AppliesEmptyPlan: true,
	}
	Terraform117 = Profile{
		Name: "Terraform 1.17", Version: "1.17.0", SavesEach: true, PlannedIdentity: true, AppliesEmptyPlan: true,
		MinimalRefresh: true,
	}
	OpenTofu = Profile{Name: "OpenTofu", Version: "1.12.0", RefreshesRemoved: true}
)

// Refresh is how a plan refreshes the state.
type Refresh int

// The options -refresh=true, -refresh=false and -minimal-refresh.
const (
	FullRefresh Refresh = iota
	NoRefresh
	MinimalRefresh
)

// Options are the options of the command line.
type Options struct {
	Refresh     Refresh
	Targets     []string // addresses of resources or instances
	Replace     []string // addresses of instances
	Parallelism int      // 0 means 10
	Machine     string   // argument of Start
	Seed        uint64   // decides the order of steps that have no fixed order
}

// Core is a CLI in a working directory with a state.
type Core struct {
	Profile Profile
	// Start starts a provider process on a machine.
	Start func(machine string) (tfprotov6.ProviderServer, error)
	// State is the content of the state file.
	State *State
	// KeepProcesses keeps one process for each provider configuration. It is configured
	// once and never validated, like the providers that a test file of "terraform test"
	// declares.
	KeepProcesses bool
	// Slow returns how long a call for a resource or data source of the built-in provider takes. Nil
	// means no time.
	Slow func(addr string) time.Duration

	// Schemas are those of the provider. If they are nil, the first run reads them.
	Schemas *Schemas

	kept map[string]*process

	killed, stopped atomic.Bool

	mu      sync.Mutex
	running *walk
	cancel  context.CancelFunc
}

// New returns a working directory without a state.
func New(profile Profile, start func(machine string) (tfprotov6.ProviderServer, error)) *Core {
	return &Core{Profile: profile, Start: start, State: newState(), kept: map[string]*process{}}
}

// Diagnostic is a message of a provider or of the core.
type Diagnostic struct {
	Addr  string // of a resource instance; "" for a provider configuration
	Phase string // validate, plan, destroy plan, apply
	Error bool
	// Dropped marks a diagnostic that a CLI does not show.
	Dropped         bool
	Summary, Detail string
	Attribute       *tftypes.AttributePath // nil if the diagnostic names none
}

func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s: %s", d.Phase, d.Addr, d.Summary, d.Detail)
}

// ErrKilled is the error of a run that [Core.Kill] ended.
var ErrKilled = errors.New("the run was killed")

// Result is the result of a run.
type Result struct {
	Diagnostics []Diagnostic
	Plan        *Plan // nil if there is no plan to apply
	Killed      bool
}

// Err joins the errors. It returns nil if there are none.
func (r Result) Err() error {
	if r.Killed {
		return ErrKilled
	}
	var all []error
	for _, d := range r.Diagnostics {
		if d.Error && !d.Dropped {
			all = append(all, errors.New(d.String()))
		}
	}
	return errors.Join(all...)
}

// Says reports whether the summary or the detail of a diagnostic that the CLI shows
// contains text.
func (r Result) Says(text string) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d Diagnostic) bool {
		return !d.Dropped && strings.Contains(d.Summary+"\n"+d.Detail, text)
	})
}

func (r *Result) add(other Result) {
	r.Diagnostics = append(r.Diagnostics, other.Diagnostics...)
	r.Plan, r.Killed = other.Plan, r.Killed || other.Killed
}

// Plan makes a plan. It changes nothing.
func (c *Core) Plan(ctx context.Context, config Config, o Options) Result {
	ctx = c.begin(ctx)
	result := c.validate(ctx, &config, o)
	if result.Err() == nil {
		result.add(c.plan(ctx, &config, o, false))
	}
	return result
}

// Apply makes a plan and applies it.
func (c *Core) Apply(ctx context.Context, config Config, o Options) Result {
	return c.applied(ctx, c.Plan(ctx, config, o), o)
}

func (c *Core) applied(ctx context.Context, result Result, o Options) Result {
	if result.Plan != nil {
		result.add(c.ApplyPlan(ctx, result.Plan, o))
	}
	return result
}

// PlanDestroy makes a plan that destroys everything. It makes a normal plan first,
// unless refresh is off.
func (c *Core) PlanDestroy(ctx context.Context, config Config, o Options) Result {
	ctx = c.begin(ctx)
	result := c.validate(ctx, &config, o)
	if result.Err() != nil {
		return result
	}
	state := c.State
	if o.Refresh == FullRefresh && len(state.Instances) > 0 {
		first := c.plan(ctx, &config, o, true)
		if first.Plan == nil {
			result.add(first)
			return result
		}
		state = first.Plan.Prior
		for i := range first.Diagnostics { // a CLI shows them only if this plan fails
			first.Diagnostics[i].Dropped = true
		}
		result.add(first)
	}
	result.add(c.planDestroy(ctx, &config, state, o))
	return result
}

// Destroy destroys everything.
func (c *Core) Destroy(ctx context.Context, config Config, o Options) Result {
	return c.applied(ctx, c.PlanDestroy(ctx, config, o), o)
}

// Taint marks an object for replacement.
func (c *Core) Taint(addr string) {
	if o := c.State.Object(addr); o != nil {
		tainted := *o
		tainted.Tainted = true
		c.State = c.State.Clone()
		c.State.set(addr, c.State.Instances[addr].Provider, &tainted)
	}
}

// Forget removes instances from the state, as "state rm" does.
func (c *Core) Forget(addr string) {
	c.State = c.State.Clone()
	delete(c.State.Instances, addr)
}

// Kill ends the current run like a killed process: later answers of the provider are
// not saved. The service below the provider may call it.
func (c *Core) Kill() {
	c.killed.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
}

// Stop interrupts the current run, like the first Ctrl+C: it tells the providers to stop, waits for
// what has begun, and begins nothing more.
func (c *Core) Stop() {
	c.stopped.Store(true)
	c.mu.Lock()
	running := c.running
	c.mu.Unlock()
	if running != nil {
		running.stop()
	}
}

func (c *Core) isStopped() bool { return c.stopped.Load() || c.killed.Load() }

func (c *Core) begin(ctx context.Context) context.Context {
	c.killed.Store(false)
	c.stopped.Store(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, c.cancel = context.WithCancel(ctx)
	c.running = nil
	return ctx
}

// newRand returns a random source for a part of a run.
func newRand(seed uint64, part string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(part))                  // never fails
	return rand.New(rand.NewPCG(seed, h.Sum64())) //nolint:gosec // an order, not a secret
}
