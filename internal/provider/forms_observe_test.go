// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// observed is what the provider made of a service.
type observed struct {
	values   map[string]any      // of what was read, by name
	failed   map[string][]string // the errors, by name
	warnings map[string][]string // by run
	wrong    []string            // what must never happen, whatever the provider says
}

// seen records a value and diagnostics.
func (o *observed) seen(run, name string, value any, said said) {
	if len(said.errors) > 0 {
		o.failed[run+": "+name] = said.errors
	} else {
		o.values[run+": "+name] = value
	}
	o.warnings[run] = append(o.warnings[run], said.warnings...)
	for _, text := range append(said.errors, said.warnings...) {
		if strings.Contains(text, "%!") {
			o.wrong = append(o.wrong, "a message with a broken format: "+text)
		}
	}
}

// observe runs everything on a service with some form. The seed decides orders.
func observe(t *testing.T, form sandboxtest.Assumptions, numeric bool, seed uint64) *observed {
	t.Helper()
	o := &observed{values: map[string]any{}, failed: map[string][]string{}, warnings: map[string][]string{}}
	state := plainForms
	if numeric {
		state = numericForms
	}
	s := newSimulation(t, coretest.OpenTofu, coretest.Options{Seed: seed}, func(options *sandboxtest.Options) {
		options.Seed, options.Assumptions = state, form
	})
	o.reads(t, s, numeric, seed)
	names := form.Form.Ignored != "fields" && form.Form.Refused != "fields"
	if !names || seed%3 == 0 { // a life takes longer than reads
		config := forgetAll(formsConfig(names))
		if numeric {
			for i := range config.Resources {
				renamed(config.Resources[i].Body)
			}
		}
		o.life(s, config, episodeOf(seed))
	}
	o.wrong = append(o.wrong, s.service.TakeStrays()...)
	return o
}

// reads reads each data source, ephemeral resource, list and report in one run, in any order, one
// after the other or all at once.
func (o *observed) reads(t *testing.T, s *simulation, numeric bool, seed uint64) {
	t.Helper()
	w := clientOf(t, s.env, s.network)
	w.mustConfigure(fields{"rate_limit": fields{"coordination": "none"}})
	steps := []func(){}
	var mu sync.Mutex
	seen := func(name string, value any, said said) {
		mu.Lock()
		defer mu.Unlock()
		o.seen("reads", name, value, said)
	}
	for _, read := range formsReads() {
		name := fmt.Sprint(read.name, read.arguments)
		if numeric {
			renamed(read.arguments)
		}
		steps = append(steps, func() {
			value, said := w.fetch(read.name, read.arguments)
			seen(name, value, said)
		})
	}
	for _, q := range []query{
		{name: attachedList, include: true},
		{name: attachedList, config: fields{"position_title": sameTitle}, include: true},
		{name: enabledList, config: fields{"assessment_id": "asm-workbench"}, include: true},
	} {
		name := fmt.Sprint("list ", q.name, q.config)
		if numeric {
			renamed(q.config)
		}
		steps = append(steps, func() {
			found := w.list(q)
			values := []any{}
			for _, result := range found.results {
				resource, err := result.Resource.Unmarshal(w.typ(q.name))
				if err != nil {
					t.Error(err)
				}
				values = append(values, result.DisplayName, coretest.Plain(resource))
			}
			seen(name, values, found.said)
		})
	}
	folder := t.TempDir()
	for _, format := range []string{"html", "csv", "markdown", "json"} {
		path := filepath.Join(folder, format)
		config := fields{"position_ids": []string{sandbox.DemoResultsPosition}, "path": path, "format": format}
		if numeric {
			renamed(config)
		}
		steps = append(steps, func() {
			said := w.report(t.Context(), config)
			text, _ := os.ReadFile(path)
			seen("report "+format, string(text), said.said)
		})
	}
	random := rand.New(rand.NewPCG(seed, 6)) //nolint:gosec // an order
	random.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	if random.IntN(2) == 0 {
		for _, step := range steps {
			step()
		}
		return
	}
	var all sync.WaitGroup
	for _, step := range steps {
		all.Go(step)
	}
	all.Wait()
}

// life applies a configuration, plans again, and destroys everything. During an episode, runs may fail.
func (o *observed) life(s *simulation, config coretest.Config, e episode) {
	before, ctx := sandboxtest.AttachedIDs(s.service.State(s.t)), s.t.Context()
	if e.applies {
		e.begin(s)
		first := s.core.Apply(ctx, config, s.options)
		o.kept(s, "the apply during "+e.name, before, first.Err() == nil)
		s.service.ClearFaults()
	}
	applied := s.core.Apply(ctx, config, s.options)
	o.run("apply", applied)
	o.kept(s, "the apply", before, applied.Err() == nil)
	again := s.core.Plan(ctx, config, s.options)
	o.run("second plan", again)
	if again.Plan != nil {
		o.refreshed(s.t, again.Plan, applied.Err() == nil)
		o.drops(s, "the second plan", idsIn(s.core.State), again.Plan.Prior)
	}
	if e.begin != nil && !e.applies {
		known := idsIn(s.core.State)
		e.begin(s)
		if planned := s.core.Plan(ctx, config, s.options); planned.Plan != nil {
			o.drops(s, "a plan during "+e.name, known, planned.Plan.Prior)
		}
		s.core.Destroy(ctx, config, s.with(func(o *coretest.Options) { o.Refresh = coretest.NoRefresh }))
		o.drops(s, "a destroy during "+e.name, known, s.core.State)
		s.service.ClearFaults()
	}
	destroyed := s.core.Destroy(ctx, config, s.with(func(o *coretest.Options) { o.Refresh = coretest.NoRefresh }))
	o.run("destroy", destroyed)
	left := sandboxtest.AttachedIDs(s.service.State(s.t))
	for _, id := range before {
		if !slices.Contains(left, id) {
			o.wrong = append(o.wrong, "removed, although it was not in the state: "+id)
		}
	}
	if destroyed.Err() == nil && applied.Err() == nil && len(left) > len(before) {
		o.wrong = append(o.wrong, fmt.Sprintf("left behind by a destroy that succeeded: %v", left))
	}
	o.updates(s)
}

// updates checks that no update of a skills test lacks a member.
func (o *observed) updates(s *simulation) {
	for _, e := range s.service.Writes() {
		for _, member := range []string{"id", "title", "category", "timeToComplete", "numberOfQuestions", "active"} {
			if e.Route == sandbox.RouteSkillsTest && !strings.Contains(string(e.RequestBody), `"`+member+`"`) {
				o.wrong = append(o.wrong, "an update of a skills test without "+member+": "+string(e.RequestBody))
			}
		}
	}
}

// drops checks that a state still has what it had, if that exists.
func (o *observed) drops(s *simulation, who string, known []string, state *coretest.State) {
	exists, kept := sandboxtest.AttachedIDs(s.service.State(s.t)), idsIn(state)
	for _, id := range known {
		if slices.Contains(exists, id) && !slices.Contains(kept, id) {
			o.wrong = append(o.wrong, who+" drops from the state, although it exists: "+id)
		}
	}
}

// run records whether a run succeeded, and what it says.
func (o *observed) run(name string, r coretest.Result) {
	var said said
	for _, d := range r.Diagnostics {
		switch {
		case d.Dropped:
		case d.Error:
			said.errors = append(said.errors, d.String())
		default:
			said.warnings = append(said.warnings, d.String())
		}
	}
	o.seen(name, "run", "succeeded", said)
}

// refreshed records the values that a plan has read, and what it changes after an apply that succeeded.
func (o *observed) refreshed(t *testing.T, plan *coretest.Plan, applied bool) {
	t.Helper()
	const run = "second plan: "
	for addr, instance := range plan.Prior.Instances {
		if instance.Current != nil {
			o.values[run+addr] = coretest.Plain(instance.Current.Value)
		}
	}
	if applied {
		o.values[run+"actions"] = fmt.Sprint(plan.Actions())
	}
}

// kept checks that nothing is attached twice, and that what was attached is in the state.
func (o *observed) kept(s *simulation, who string, before []string, succeeded bool) {
	all := s.attached()
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			o.wrong = append(o.wrong, who+" attached twice: "+fmt.Sprint(all[i]))
		}
	}
	kept := idsIn(s.core.State)
	for _, id := range sandboxtest.AttachedIDs(s.service.State(s.t)) {
		if succeeded && !slices.Contains(before, id) && !slices.Contains(kept, id) {
			o.wrong = append(o.wrong, who+" attached something that is not in the state: "+id)
		}
	}
}

// idsIn returns the IDs of all position assessments in a state.
func idsIn(state *coretest.State) (ids []string) {
	for _, o := range state.Objects("assess_position_assessment") {
		ids = append(ids, o.Text("id"))
	}
	return ids
}
