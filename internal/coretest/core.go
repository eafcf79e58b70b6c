// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Profile is how a CLI differs from others.
type Profile struct {
	Name    string
	Version string
	// SavesEach: the state is saved whenever something has been applied. A CLI
	// without it loses all of that when it is killed.
	SavesEach bool
	// MinimalRefresh: the option of that name exists.
	MinimalRefresh bool
	// PlannedIdentity: the second plan of a replacement is given the identity that
	// the first has planned.
	PlannedIdentity bool
	// ReadsRemoved: what a removed block is about to forget is refreshed.
	ReadsRemoved bool
	// AppliesNothing: an apply configures every provider, whether or not it has
	// something to do, and an empty plan is applied, too.
	AppliesNothing bool
}

// The CLIs. What Terraform 1.16 adds, the planned private data of the plan in the
// request of the apply's plan, is not in the protocol library of this provider.
var (
	Terraform112 = Profile{
		Name: "Terraform 1.12", Version: "1.12.0", SavesEach: true, PlannedIdentity: true, AppliesNothing: true,
	}
	Terraform117 = Profile{
		Name: "Terraform 1.17", Version: "1.17.0", SavesEach: true, PlannedIdentity: true, AppliesNothing: true,
		MinimalRefresh: true,
	}
	OpenTofu = Profile{Name: "OpenTofu", Version: "1.12.0", ReadsRemoved: true}
)

// Refresh is what a plan does before it looks at differences.
type Refresh int

// The options -refresh=true, -refresh=false and -minimal-refresh.
const (
	FullRefresh Refresh = iota
	NoRefresh
	MinimalRefresh
)

// Options are those of the command line.
type Options struct {
	Refresh     Refresh
	Targets     []string // addresses of resources or instances
	Replace     []string // addresses of instances
	Parallelism int      // 0 is 10
	Machine     string   // passed to Start
	Seed        uint64   // decides the order of what may come in any order
}

// Core is a working directory: a CLI and a state.
type Core struct {
	Profile Profile
	// Start starts a provider process on a machine.
	Start func(machine string) (tfprotov6.ProviderServer, error)
	// State is what the state file holds.
	State *State
	// Keep keeps one process for each provider configuration, configured once and
	// never validated, as "terraform test" does for what a test file declares.
	Keep bool

	schema     *tfprotov6.GetProviderSchemaResponse
	identities map[string]*tfprotov6.ResourceIdentitySchema
	kept       map[string]*process

	mu     sync.Mutex
	killed bool
	cancel context.CancelFunc
}

// New returns a working directory without a state.
func New(profile Profile, start func(machine string) (tfprotov6.ProviderServer, error)) *Core {
	return &Core{Profile: profile, Start: start, State: newState(), kept: map[string]*process{}}
}

// Diagnostic is what a provider or the core itself says.
type Diagnostic struct {
	Addr  string // of a resource instance; "" if it is about a provider
	Phase string // validate, plan, destroy plan, apply
	Error bool
	// Dropped: a CLI does not show it.
	Dropped         bool
	Summary, Detail string
}

func (d Diagnostic) String() string {
	return fmt.Sprintf("%s: %s: %s: %s", d.Phase, d.Addr, d.Summary, d.Detail)
}

// ErrKilled is the error of a run that [Core.Kill] has ended.
var ErrKilled = errors.New("the run was killed")

// Result is what became of a run.
type Result struct {
	Diagnostics []Diagnostic
	Plan        *Plan // nil if there is none to apply
	Killed      bool
}

// Err joins the errors; nil if there are none.
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

// Says reports whether something that the CLI shows has a text in its summary or
// its detail.
func (r Result) Says(text string) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d Diagnostic) bool {
		return !d.Dropped && strings.Contains(d.Summary+"\n"+d.Detail, text)
	})
}

func (r *Result) add(other Result) {
	r.Diagnostics = append(r.Diagnostics, other.Diagnostics...)
	r.Plan, r.Killed = other.Plan, r.Killed || other.Killed
}

// Plan makes a plan and changes nothing.
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
	result := c.Plan(ctx, config, o)
	if result.Plan != nil {
		result.add(c.ApplyPlan(ctx, result.Plan, o))
	}
	return result
}

// PlanDestroy plans to destroy everything: after a plan in normal mode, unless
// that is not to refresh.
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
		for i := range first.Diagnostics { // shown only when it fails
			first.Diagnostics[i].Dropped = true
		}
		result.add(first)
	}
	result.add(c.planDestroy(ctx, &config, state, o))
	return result
}

// Destroy destroys everything.
func (c *Core) Destroy(ctx context.Context, config Config, o Options) Result {
	result := c.PlanDestroy(ctx, config, o)
	if result.Plan != nil {
		result.add(c.ApplyPlan(ctx, result.Plan, o))
	}
	return result
}

// Taint marks an object to be replaced.
func (c *Core) Taint(addr string) {
	if o := c.State.object(addr); o != nil {
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

// Kill ends the run that is under way as a killed process ends: nothing that the
// provider still answers is noted. It may be called from below the provider.
func (c *Core) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	if c.cancel != nil {
		c.cancel()
	}
}

func (c *Core) begin(ctx context.Context) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, c.cancel = context.WithCancel(ctx)
	c.killed = false
	return ctx
}

func (c *Core) isKilled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.killed
}

// Schema is the provider's, which a CLI asks for once.
func (c *Core) Schema(ctx context.Context) (*tfprotov6.GetProviderSchemaResponse, error) {
	if c.schema != nil {
		return c.schema, nil
	}
	server, err := c.Start("")
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	c.identities = identities.IdentitySchemas
	c.schema, err = server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	return c.schema, err
}

// newRand makes a source of choices for one walk of a seed.
func newRand(seed uint64, phase string) *rand.Rand {
	var h uint64 = 14695981039346656037
	for _, b := range []byte(phase) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h)) //nolint:gosec // an order, not a secret
}
