// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// workspace is the simulated working directory of one user, who changes the
// configuration and runs the CLI. Others change the same service. A list of operations
// decides what happens, so that a failure can be minimized by removing operations.
type workspace struct {
	circumstances
	t           *testing.T
	core        *coretest.Core
	network     *coretest.Network
	service     *sandboxtest.Service
	assumptions sandboxtest.Assumptions
	unchecked   bool   // plan_checks is off
	processes   int    // how many processes of the provider were started
	machines    int    // how many machines were considered
	unobserved  bool   // a plan is made now that is never applied
	adopts      bool   // adopt_existing is on
	unknown     string // the alias of the provider whose settings refer to a resource
	account     int    // that resource is replaced when this changes, and does not exist if it is 0

	// The user's configuration.
	items       map[string]*item  // by name
	list        []string          // positions of the resource with count
	each        map[string]string // positions of the resource with for_each
	listOf      string            // the assessment of these two resources
	activations map[string]string // resource names by skills test
	moved       []coretest.Moved
	removed     []string
	imports     []coretest.Import
	trigger     int
	names       int // how many names were used

	// foreign holds position assessments that others attached or that were forgotten.
	foreign map[string]bool
	// retired is set when an assessment was retired. The provider then cannot tell whether
	// its position assessments still exist.
	retired       bool
	completes     bool   // the run must complete what the last apply has not
	refusalReason string // why the next plan may be refused or depend on order; "" if it may not

	plan      *coretest.Plan  // the plan that is applied now, or nil
	writes    atomic.Int64    // how many writes the apply has sent
	announced map[string]bool // by ID: the plan said that it discards a supervisor's work
	// staying holds the IDs that the service has before the apply, and that the plan does not remove.
	staying map[string]bool
	// demanded holds the addresses of -replace.
	demanded []string

	mu        sync.Mutex
	history   []string
	requests  []string // of the current run
	observed  []string // the requests and the messages of all runs
	violation error    // the first violated invariant
}

// circumstances are what must not matter to the runs of a life.
type circumstances struct {
	cache    cache
	abandons int // how many plans are made before each run, and never applied
	// faultless turns off faults of the network, because retries wait for random times.
	faultless bool
}

// cache is the cache directory of the provider.
type cache string

const (
	drawnCache cache = ""
	emptyCache cache = "empty"
	fullCache  cache = "full"
	noCache    cache = "none" // it cannot be created
)

// cacheOf returns the cache directory of a machine.
func (w *workspace) cacheOf(dir, machine string) string {
	kind := w.cache
	if kind == drawnCache {
		kind = map[string]cache{withoutCache: noCache, usualMachine: fullCache, "": fullCache}[machine]
	}
	switch kind {
	case fullCache:
		return filepath.Join(dir, "full")
	case noCache:
		return filepath.Join(dir, "full", leftover, "none")
	default:
		return filepath.Join(dir, "machines", machine)
	}
}

// leftover is a file of another version of the provider.
const leftover = "plans.json"

// fillCache makes a cache directory that is in use.
func fillCache(t *testing.T, dir string) {
	t.Helper()
	full := filepath.Join(dir, "full")
	err := os.Mkdir(full, 0o700)
	if err == nil {
		plans := []byte(`{"attaches": ["pos-0/asm-plain", "pos-1/asm-tests"]}`)
		err = os.WriteFile(filepath.Join(full, leftover), plans, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// newWorkspace makes the workspace of a seed.
func newWorkspace(t *testing.T, seed uint64, dir string, c circumstances) *workspace {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a simulation
	w := &workspace{
		t: t, items: map[string]*item{}, activations: map[string]string{}, foreign: map[string]bool{},
		each: map[string]string{}, assumptions: sandboxtest.RandomAssumptions(seed),
		listOf:        assessments[r.IntN(2)*5], // an assessment without blocks
		circumstances: c,
	}
	fillCache(t, dir)
	if r.IntN(2) == 0 {
		w.assumptions = sandboxtest.Assumptions{}
	}
	w.service = sandboxtest.NewService(t, sandboxtest.Options{Assumptions: w.assumptions, Options: sandbox.Options{
		Seed: func() *sandbox.State { return initialState(4 + r.IntN(5)) }, NoLimits: true, MaxPage: 3 + r.IntN(5),
	}})
	latency := []time.Duration{time.Millisecond, 20 * time.Millisecond}[r.IntN(2)]
	w.network = &coretest.Network{Next: roundTrip(w.receive), Latency: latency}
	profile := []coretest.Profile{coretest.Terraform112, coretest.Terraform117, coretest.OpenTofu}[r.IntN(3)]
	w.core = coretest.New(profile, func(machine string) (tfprotov6.ProviderServer, error) {
		return provider.NewServer(&provider.Provider{
			Version:   "test",
			Getenv:    sandboxtest.Getenv(nil),
			CacheDir:  w.cacheOf(dir, machine),
			Transport: w.process(),
		}), nil
	})
	w.network.Core = w.core
	w.unchecked = r.IntN(10) == 0
	w.log("%s, assumptions: %s, plan_checks: %t", profile.Name, w.assumptions, !w.unchecked)
	return w
}

// sender is the key of the process that sent a request, in the context of the request.
type sender struct{}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// process returns the network of another process, which records its requests.
func (w *workspace) process() http.RoundTripper {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes++
	process := w.processes
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		w.mu.Lock()
		if !w.unobserved {
			w.requests = append(w.requests, r.Method+" "+r.URL.String())
		}
		w.mu.Unlock()
		return w.network.RoundTrip(r.WithContext(context.WithValue(r.Context(), sender{}, process)))
	})
}

func (w *workspace) log(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history = append(w.history, fmt.Sprintf(format, values...))
}

var conversation = regexp.MustCompile(`conv-\d+`)

// observe records what a run has requested and said. Both must be the same in all circumstances.
func (w *workspace) observe(result coretest.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var said []string
	for _, d := range result.Diagnostics {
		if !d.Dropped {
			// A notice may be of any address, and the service numbers all conversations.
			said = append(said, d.Phase+": "+d.Summary+": "+conversation.ReplaceAllString(d.Detail, "conv"))
		}
	}
	slices.Sort(w.requests)
	slices.Sort(said)
	w.observed = append(slices.Concat(w.observed, w.requests), said...)
	w.requests = nil
}

// failf records a violated invariant.
func (w *workspace) failf(format string, values ...any) {
	err := fmt.Errorf(format, values...)
	w.log("=> %v", err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.violation == nil {
		w.violation = err
	}
}

// allowRefusal records why plans may be refused until the next apply.
func (w *workspace) allowRefusal(format string, values ...any) {
	if w.refusalReason == "" {
		w.refusalReason = fmt.Sprintf(format, values...)
	}
}

func (w *workspace) serviceState() *sandbox.State { return w.service.State(w.t) }

func (w *workspace) change(change func(*sandbox.State)) { w.service.Change(w.t, change) }

// wanted returns all configured position assessments, including those of the list.
func (w *workspace) wanted() []item {
	var all []item
	for _, name := range sortedNames(w.items) {
		all = append(all, *w.items[name])
	}
	for i, position := range w.list {
		all = append(all, item{name: fmt.Sprintf("list[%d]", i), position: position, assessment: w.listOf})
	}
	for _, key := range sortedNames(w.each) {
		all = append(all, item{name: fmt.Sprintf("each[%q]", key), position: w.each[key], assessment: w.listOf})
	}
	return all
}

// taken reports whether the configuration already has this position and assessment. If they can differ in a block,
// it may have several.
func (w *workspace) taken(position, assessment string) bool {
	most := 1
	if blocks[assessment] != "" {
		most = 3
	}
	isElsewhere := func(i item) bool { return i.position != position || i.assessment != assessment }
	return len(slices.DeleteFunc(w.wanted(), isElsewhere)) >= most
}

// distinguish configures items that equal another one in another way, or drops them.
func (w *workspace) distinguish(r *rand.Rand) {
	st := w.serviceState()
	key := func(i item) string {
		if st.Assessment(i.assessment) == nil { // it was retired
			return i.key(i.packages)
		}
		return i.key(i.resolved(st))
	}
	for _, name := range sortedNames(w.items) {
		i := w.items[name]
		isCopied := func() bool {
			isCopy := func(other item) bool { return other.name != i.name && key(other) == key(*i) }
			return slices.ContainsFunc(w.wanted(), isCopy)
		}
		for try := 0; try < 5 && isCopied(); try++ {
			i.configure(r, w.localeOf(i.position))
			w.log("to differ from another one, now %s", i)
		}
		if isCopied() {
			delete(w.items, name)
			w.log("drop %s, which equals another one", i)
		}
	}
}

func (w *workspace) config() coretest.Config {
	settings := coretest.Body{"rate_limit": coretest.Body{"coordination": "none"}, "plan_checks": !w.unchecked}
	if w.adopts {
		settings["adopt_existing"] = true
	}
	config := coretest.Config{
		Providers: map[string]coretest.Body{"": settings, "second": maps.Clone(settings)},
		Moved:     w.moved, Removed: w.removed, Imports: w.imports,
	}
	add := func(r coretest.Resource) { config.Resources = append(config.Resources, r) }
	// changing adds a resource whose output is unknown when the trigger changes.
	changing := func(name, text string, trigger int) {
		r := data(name, text)
		r.Body["triggers_replace"] = fmt.Sprint(trigger)
		add(r)
	}
	if w.account > 0 {
		changing("account", sandbox.ClientID, w.account)
		config.Providers[w.unknown]["client_id"] = output("account")
	}
	for _, test := range sortedNames(w.activations) {
		add(coretest.Resource{
			Addr: "assess_skills_test_activation." + w.activations[test],
			Body: coretest.Body{"assessment_id": asmTests, "test_id": test},
		})
	}
	add(data("trigger", fmt.Sprint(w.trigger)))
	for _, i := range w.wanted() {
		r := coretest.Resource{
			Addr: i.addr(), Provider: i.alias, Body: i.body(w.activations), CreateBeforeDestroy: i.createFirst,
			IgnoreChanges: i.ignored,
		}
		if i.triggered {
			r.ReplaceTriggeredBy = []string{"terraform_data.trigger"}
		}
		if i.later {
			changing("later_"+i.name, i.position, w.trigger)
		}
		if i.slow && !i.later {
			slow := slowData(i.name)
			slow.Body["input"] = i.position
			add(slow)
		}
		if i.user != noUser {
			add(coretest.Resource{
				Addr: "terraform_data.user_" + i.name, Body: coretest.Body{"input": coretest.Ref{Addr: i.addr(), Attribute: "id"}},
				CreateBeforeDestroy: i.user == createFirstUser,
			})
		}
		if i.vague {
			changing("block_"+i.name, cmp.Or(i.benchmark, i.profile), w.trigger)
		}
		add(r)
	}
	return config
}

// blind reports whether the settings of a provider are unknown in the next plan. Then the
// plan looks nothing up.
func (w *workspace) blind(alias string) bool {
	o := w.core.State.Object("terraform_data.account")
	return w.account > 0 && w.unknown == alias &&
		(o == nil || o.Text("triggers_replace") != fmt.Sprint(w.account))
}

// movedFrom returns the address that the state has for addr, before moved blocks are
// applied.
func (w *workspace) movedFrom(addr string) string {
	for _, m := range slices.Backward(w.moved) {
		if _, ok := w.core.State.Instances[addr]; !ok && m.To == addr {
			addr = m.From
		}
	}
	return addr
}

// gone reports whether the state has an item that the service no longer has.
func (w *workspace) gone(i item, st *sandbox.State) bool {
	o := w.core.State.Object(w.movedFrom(i.addr()))
	if o == nil || o.Text("position_id") != i.position ||
		o.Text("assessment_id") != i.assessment {
		return false
	}
	p := st.Position(i.position)
	return p == nil || p.Assessment(o.Text("id")) == nil
}

// idsInState returns the IDs of the position assessments in the state.
func (w *workspace) idsInState() map[string]bool {
	held := map[string]bool{}
	for _, o := range w.core.State.Objects("assess_position_assessment") {
		held[o.Text("id")] = true
	}
	return held
}

// unaccounted returns the position assessments of the service that are not in the state
// and were not attached by others.
func (w *workspace) unaccounted() (ids []string) {
	held := w.idsInState()
	for _, p := range w.serviceState().Positions {
		for _, a := range p.Assessments {
			if !held[a.ID] && !w.foreign[a.ID] {
				ids = append(ids, p.ID+"/"+a.ID)
			}
		}
	}
	return ids
}

// showsAttached reports whether the service shows the position assessments of a
// position. Only then can the provider find duplicates and recover lost responses.
func (w *workspace) showsAttached() bool {
	return !w.assumptions.MuteReads && w.assumptions.PositionAssessmentList == 0 && w.assumptions.RefuseFields == ""
}

// canRecover reports whether the provider must recover a lost response.
func (w *workspace) canRecover() bool {
	return w.assumptions == (sandboxtest.Assumptions{}) && !w.unchecked
}
