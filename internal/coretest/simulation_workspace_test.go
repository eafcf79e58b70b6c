// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	ctx         context.Context
	core        *coretest.Core
	network     *coretest.Network
	service     *sandboxtest.Service
	assumptions sandboxtest.Assumptions
	unchecked   bool // plan_checks is off

	// The user's configuration.
	items       map[string]*item  // by name
	list        []string          // positions of the resource with count
	listOf      string            // the assessment of that resource
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
	refusalReason string // why the next plan may be refused or depend on order; "" if it may not

	before map[string]bool // IDs in the state when the run started
	plan   *coretest.Plan  // the plan that is applied now
	// demanded holds the addresses of -replace.
	demanded []string

	mu        sync.Mutex
	history   []string
	violation error // the first violated invariant
}

// newWorkspace makes the workspace of a seed.
func newWorkspace(ctx context.Context, seed uint64, dir string) *workspace {
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a simulation
	w := &workspace{
		ctx: ctx, items: map[string]*item{}, activations: map[string]string{}, foreign: map[string]bool{},
		assumptions: sandboxtest.RandomAssumptions(seed), listOf: assessments[r.IntN(2)*5], // an assessment without blocks
	}
	if r.IntN(2) == 0 {
		w.assumptions = sandboxtest.Assumptions{}
	}
	options := sandboxtest.Options{
		Options: sandbox.Options{
			Seed:     func() *sandbox.State { return initialState(4 + r.IntN(5)) },
			NoLimits: true,
			MaxPage:  3 + r.IntN(5),
		},
	}
	service, err := sandboxtest.Open(options) //nolint:contextcheck // Open takes no context
	if err != nil {
		panic(err)
	}
	service.Assume(w.assumptions)
	w.service = service
	w.network = &coretest.Network{Next: service, Sent: w.sent}
	env := map[string]string{
		"ASSESS_BASE_URL":  sandbox.BaseURL,
		"ASSESS_CLIENT_ID": sandbox.ClientID,
		"ASSESS_API_KEY":   sandbox.APIKey,
	}
	profile := []coretest.Profile{coretest.Terraform112, coretest.Terraform117, coretest.OpenTofu}[r.IntN(3)]
	w.core = coretest.New(profile, func(machine string) (tfprotov6.ProviderServer, error) {
		return provider.NewServer(&provider.Provider{
			Version:   "test",
			Getenv:    func(name string) string { return env[name] },
			CacheDir:  filepath.Join(dir, machine),
			Transport: w.network,
		}), nil
	})
	w.network.Core = w.core
	w.unchecked = r.IntN(10) == 0
	w.log("%s, assumptions: %s, plan_checks: %t", profile.Name, w.assumptions, !w.unchecked)
	return w
}

func (w *workspace) log(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history = append(w.history, fmt.Sprintf(format, values...))
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

func (w *workspace) serviceState() (seen *sandbox.State) {
	if err := w.service.View(func(st *sandbox.State) { seen = st }); err != nil {
		panic(err)
	}
	return seen
}

func (w *workspace) change(change func(*sandbox.State)) {
	if err := w.service.Update(func(st *sandbox.State) error { change(st); return nil }); err != nil {
		panic(err)
	}
}

// wanted returns all configured position assessments, including those of the list.
func (w *workspace) wanted() []item {
	var all []item
	for _, name := range sortedNames(w.items) {
		all = append(all, *w.items[name])
	}
	for i, position := range w.list {
		all = append(all, item{name: fmt.Sprintf("list[%d]", i), position: position, assessment: w.listOf})
	}
	return all
}

// taken reports whether the configuration already has this position and assessment.
func (w *workspace) taken(position, assessment string) bool {
	return slices.ContainsFunc(
		w.wanted(),
		func(i item) bool { return i.position == position && i.assessment == assessment },
	)
}

func (w *workspace) config() coretest.Config {
	config := coretest.Config{
		Providers: map[string]coretest.Body{
			"": {"rate_limit": coretest.Body{"coordination": "none"}, "plan_checks": !w.unchecked},
		},
		Moved:   w.moved,
		Removed: w.removed,
		Imports: w.imports,
	}
	add := func(r coretest.Resource) { config.Resources = append(config.Resources, r) }
	for _, test := range sortedNames(w.activations) {
		add(
			coretest.Resource{
				Addr: "assess_skills_test_activation." + w.activations[test],
				Body: coretest.Body{"assessment_id": asmTests, "test_id": test},
			},
		)
	}
	add(data("trigger", fmt.Sprint(w.trigger)))
	for _, i := range w.wanted() {
		r := coretest.Resource{
			Addr:                i.addr(),
			Body:                i.body(w.activations),
			CreateBeforeDestroy: i.createFirst,
			IgnoreChanges:       i.ignored,
		}
		if i.triggered {
			r.ReplaceTriggeredBy = []string{"terraform_data.trigger"}
		}
		if i.later {
			later := data("later_"+i.name, i.position)
			later.Body["triggers_replace"] = fmt.Sprint(w.trigger)
			add(later)
		}
		add(r)
	}
	return config
}

// refusable returns why the plan of the current configuration may be refused, or "" if
// it must not be. Lost objects that a refresh finds may always be planned again,
// although the apply may fail.
func (w *workspace) refusable(refreshed bool) string {
	if w.refusalReason != "" {
		return w.refusalReason
	}
	if w.retired {
		return "an assessment was retired"
	}
	st, held := w.serviceState(), w.idsInState()
	present := map[string]string{} // by key, the IDs of objects outside the state
	supervised := map[string]bool{}
	for _, p := range st.Positions {
		for _, a := range p.Assessments {
			if !held[a.ID] {
				present[keyOf(p.ID, a.Assessment, a.Metadata)] = a.ID
			}
			if a.Metadata.ProfileStatus == sandbox.SupervisorCompleted {
				supervised[p.ID+a.Assessment] = true
			}
		}
	}
	places := w.addressesInState()
	for _, i := range w.wanted() {
		if addr := places[i.position+" "+i.assessment]; addr != "" && addr != i.addr() &&
			w.core.State.Instances[i.addr()].Current == nil {
			return fmt.Sprintf("%s has the same position and assessment as %s", i.name, addr)
		}
		if instance := w.core.State.Instances[i.addr()]; instance.Current == nil && len(instance.Deposed) > 0 {
			// Its apply was refused on another machine. The core may plan it before the deposed
			// object.
			return i.name + " has the same position and assessment as its deposed object"
		}
		if refreshed && w.gone(i, st) {
			continue
		}
		if why := i.unacceptable(st, w.activations); why != "" {
			return i.name + ": " + why
		}
		if id := present[i.key(i.resolved(st))]; id != "" {
			return fmt.Sprintf("%s duplicates %s, which is not in the state", i.name, id)
		}
		if i.profile != "" && supervised[i.position+i.assessment] {
			return i.name + ": a supervisor has completed the profile"
		}
		if i.selected == "mandatory" && (w.assumptions.PackageMark == "none" || w.assumptions.RefuseFields == "bare") {
			return i.name + ": the service does not show which packages are mandatory"
		}
	}
	for test := range w.activations {
		if st.Assessment(asmTests) == nil || st.Assessment(asmTests).SkillsTest(test) == nil {
			return "no such test"
		}
	}
	return ""
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
	o := w.core.State.Instances[w.movedFrom(i.addr())].Current
	if o == nil || coretest.Text(o.Value, "position_id") != i.position ||
		coretest.Text(o.Value, "assessment_id") != i.assessment {
		return false
	}
	p := st.Position(i.position)
	return p == nil || p.Assessment(coretest.Text(o.Value, "id")) == nil
}

// addressesInState returns the addresses in the state by position and assessment, after
// moved blocks.
func (w *workspace) addressesInState() map[string]string {
	places := map[string]string{}
	for addr, i := range w.core.State.Instances {
		if o := i.Current; o != nil && strings.HasPrefix(addr, "assess_position_assessment.") {
			for _, m := range w.moved {
				if m.From == addr {
					addr = m.To
				}
			}
			places[coretest.Text(o.Value, "position_id")+" "+coretest.Text(o.Value, "assessment_id")] = addr
		}
	}
	return places
}

// idsInState returns the IDs of the position assessments in the state.
func (w *workspace) idsInState() map[string]bool {
	held := map[string]bool{}
	for _, o := range w.core.State.Objects("assess_position_assessment") {
		held[coretest.Text(o.Value, "id")] = true
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

// sent checks a request right before the service receives it.
func (w *workspace) sent(r *http.Request, body []byte) {
	if r.Method != http.MethodPost || !w.showsAttached() || w.unchecked {
		return
	}
	position := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/positions/"), "/")[0]
	st := w.serviceState()
	p := st.Position(position)
	if p == nil {
		return
	}
	wanted := w.wanted()
	for _, a := range p.Assessments {
		key := keyOf(p.ID, a.Assessment, a.Metadata)
		for _, i := range wanted {
			sending := i.position == position && strings.Contains(string(body), `"`+i.assessment+`"`)
			if sending && !i.later && !w.before[a.ID] && i.key(i.resolved(st)) == key && !w.replacing(i.addr()) {
				w.failf("duplicate: %s is attached to %s again, it already has %s", i.assessment, position, a.ID)
			}
		}
	}
}

// replacing reports whether the current plan replaces an object.
func (w *workspace) replacing(addr string) bool {
	a := w.plan.Actions()[addr]
	return a == coretest.DeleteCreate || a == coretest.CreateDelete
}
