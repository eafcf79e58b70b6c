// SPDX-License-Identifier: MPL-2.0

package spelling_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// speller writes the position assessments of a seed as a configuration of the simulated core.
type speller struct {
	*rand.Rand
	// later is whether some values are unknown until another resource is applied.
	later bool
	// literal is whether nothing is spelled in another way.
	literal bool
	grouped bool // all instances belong to one resource with for_each

	config coretest.Config
	helps  int // how many other resources and data sources the values come from
}

// spell writes a configuration. The addresses depend only on grouped.
func (s *speller) spell(all []assessment) coretest.Config {
	settings := coretest.Body{"rate_limit": coretest.Body{"coordination": "none"}}
	s.config = coretest.Config{Providers: map[string]coretest.Body{"": settings}}
	for _, id := range disabledTests {
		wants := func(a assessment) bool { return slices.Contains(a.blocks["tests"].ids(), id) }
		if slices.ContainsFunc(all, wants) {
			s.add("assess_skills_test_activation."+id, coretest.Body{
				"assessment_id": s.text("asm-workbench", s.find("assess_assessment", "code", codes["asm-workbench"])),
				"test_id":       s.value(id, s.find("assess_skills_test", "title", titles()[id], "assessment_id", "asm-workbench")),
			})
		}
	}
	for _, a := range all {
		addr := "assess_position_assessment." + a.name
		if s.grouped {
			addr = fmt.Sprintf("assess_position_assessment.all[%q]", a.name)
		}
		body := coretest.Body{
			"position_id":   s.text(a.position, s.find("assess_position", "title", "Title of "+a.position)),
			"assessment_id": s.text(a.assessment, s.find("assess_assessment", "code", codes[a.assessment])),
		}
		if a.onRefused != "" || s.mentions() {
			body["on_refused_removal"] = s.text(a.onRefused, nil)
		}
		for _, name := range blockNames {
			if spelled := s.block(name, a); spelled != nil {
				body[name] = spelled
			}
		}
		s.add(addr, body)
	}
	return s.config
}

var codes = map[string]string{
	"asm-quartet": "QRT", "asm-lumen": "LMN", "asm-northlight": "NLV", "asm-terrain": "TRN", "asm-workbench": "WBN",
	"asm-tideline": "TDL", "asm-facet": "FCT",
}

// names are the names by which data sources find what blocks refer to.
var names = map[string]string{
	"prf-customer-first": "Customer first", "prf-curious-builders": "Curious builders",
	"bmk-lumen-graduates-en-gb": "Graduates", "bmk-lumen-managers-en-gb": "Managers",
	"bmk-quartet-graduates-en-gb": "Graduates", "bmk-quartet-engineers-en-gb": "Engineers",
	"pkg-problem-solving": "Problem solving", "pkg-numerical-reasoning": "Numerical reasoning",
	"skt-sql": "SQL Queries", "skt-python": "Python Programming",
}

func (s *speller) add(addr string, body coretest.Body) {
	s.config.Resources = append(s.config.Resources, coretest.Resource{Addr: addr, Body: body})
}

// mentions decides whether to mention an argument that is null, or a dynamic block without elements.
func (s *speller) mentions() bool { return !s.literal && s.IntN(2) == 0 }

// find returns a function that adds a data source and returns a reference to the ID that it finds.
func (s *speller) find(kind, key, name string, more ...string) func() any {
	return func() any {
		s.helps++
		addr := fmt.Sprintf("data.%s.d%d", kind, s.helps)
		body := coretest.Body{key: name}
		for i := 0; i < len(more); i += 2 {
			body[more[i]] = more[i+1]
		}
		s.add(addr, body)
		return coretest.Ref{Addr: addr, Attribute: "id"}
	}
}

// output returns the output of a resource with this input, which is unknown until the resource is applied.
func (s *speller) output(input any) any {
	s.helps++
	name := fmt.Sprintf("terraform_data.t%d", s.helps)
	s.add(name, coretest.Body{"input": input})
	return coretest.Ref{Addr: name, Attribute: "output"}
}

// text spells a text. "" is null. found finds it in a data source, or is nil.
func (s *speller) text(text string, found func() any) any {
	var value any
	if text != "" {
		value = text
	}
	return s.value(value, found)
}

func (s *speller) value(value any, found func() any) any {
	if s.literal {
		return value
	}
	switch s.IntN(7) {
	case 0, 1:
		return coretest.Input{Value: value}
	case 2:
		if found != nil {
			return found()
		}
	case 3:
		if found != nil {
			return coretest.Input{Value: found()}
		}
	case 4, 5:
		if s.later && value != nil {
			return s.output(value)
		}
	}
	return value
}

// id spells one ID of a block.
func (s *speller) id(id string, of assessment) any {
	if slices.Contains(disabledTests, id) { // must refer to its activation
		ref := coretest.Ref{Addr: "assess_skills_test_activation." + id, Attribute: "test_id"}
		return s.value(ref, nil)
	}
	var found func() any
	switch kind, _, _ := strings.Cut(id, "-"); {
	case names[id] == "" || of.mistaken: // a data source would refuse some mistakes with other words
	case kind == "prf":
		found = s.find("assess_profile", "name", names[id], "assessment_id", of.assessment)
	case kind == "bmk":
		found = s.find("assess_benchmark", "name", names[id], "assessment_id", of.assessment, "locale", "en-GB")
	case kind == "pkg":
		found = s.find("assess_package", "name", names[id], "assessment_id", of.assessment)
	case kind == "skt":
		found = s.find("assess_skills_test", "title", names[id], "assessment_id", of.assessment)
	}
	return s.value(id, found)
}

var arguments = map[string][]string{
	"packages": {"ids", "select"}, "benchmark": {"id"}, "profile": {"id", "on_supervisor_change"}, "tests": {"ids"},
}

// block spells a block, which may be absent.
func (s *speller) block(name string, of assessment) any {
	b, present := of.blocks[name]
	content := coretest.Body{}
	for _, argument := range arguments[name] {
		switch value := b[argument].(type) {
		case nil:
			if s.mentions() {
				content[argument] = s.text("", nil)
				if argument == "ids" {
					content[argument] = nil
				}
			}
		case string:
			if argument == "id" {
				content[argument] = s.id(value, of)
			} else {
				content[argument] = s.text(value, nil)
			}
		case []string:
			ids := make([]any, len(value))
			for i, id := range value {
				ids[i] = s.id(id, of)
			}
			if content[argument] = ids; s.mentions() {
				content[argument] = coretest.Input{Value: ids}
			}
		}
	}
	if len(content) == 0 { // the content of a dynamic block mentions at least one argument
		content[arguments[name][0]] = nil
	}
	switch {
	case present && len(b) == 0:
		return coretest.Body{} // an empty block is a mistake only if it is certain
	case !present && !s.mentions():
		return nil
	case !present && s.IntN(2) == 0:
		return coretest.Dynamic{ForEach: s.output(nil), Content: content}
	case !present:
		return coretest.Dynamic{ForEach: coretest.Input{}, Content: content}
	case s.literal || s.IntN(3) == 0:
		return content
	case s.later && s.IntN(3) == 0:
		return coretest.Dynamic{ForEach: s.output("each"), Content: content}
	}
	return coretest.Dynamic{ForEach: coretest.Input{Value: "each"}, Content: content}
}

// directory is a working directory on the simulated core, with a service of its own.
type directory struct {
	*coretest.Core
	service *sandboxtest.Service
	options coretest.Options
}

func newDirectory(t *testing.T, seed uint64, positions []string) *directory {
	t.Helper()
	service := sandboxtest.NewService(t, sandboxtest.Options{
		Options: sandbox.Options{Seed: organization(positions...), NoLimits: true},
	})
	network, home := &coretest.Network{Next: service}, t.TempDir()
	profile := []coretest.Profile{coretest.Terraform112, coretest.Terraform117, coretest.OpenTofu}[seed%3]
	d := &directory{service: service, options: coretest.Options{Seed: seed, Parallelism: 10}}
	d.Core = coretest.New(profile, func(string) (tfprotov6.ProviderServer, error) {
		return provider.NewServer(&provider.Provider{
			Version: "test", Getenv: sandboxtest.Getenv(nil), CacheDir: home, Transport: network,
		}), nil
	})
	network.Core = d.Core
	return d
}

// run plans and applies. The result has the diagnostics of both, and the plan.
func (d *directory) run(t *testing.T, config coretest.Config) coretest.Result {
	t.Helper()
	r := d.Plan(t.Context(), config, d.options)
	if r.Plan != nil {
		r.Diagnostics = append(r.Diagnostics, d.ApplyPlan(t.Context(), r.Plan, d.options).Diagnostics...)
	}
	return r
}

// says returns the summaries of what a CLI shows, with those of errors marked.
func says(r coretest.Result) []string {
	all := map[string]bool{}
	for _, d := range r.Diagnostics {
		if !d.Dropped {
			all[fmt.Sprintf("error %t: %s", d.Error, d.Summary)] = true
		}
	}
	return sortedKeys(all)
}

// actions returns what a plan does with the resources of the provider.
func actions(p *coretest.Plan) string {
	all := map[string]coretest.Action{}
	if p != nil {
		all = p.Actions()
	}
	maps.DeleteFunc(all, func(addr string, _ coretest.Action) bool { return !strings.HasPrefix(addr, "assess_") })
	return fmt.Sprint(all)
}

// outcome describes what a run has said and planned, and what the service and the state have after it, without what the
// service chooses.
func (d *directory) outcome(t *testing.T, r coretest.Result) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, says(r), actions(r.Plan), enabled(t, d.service))
	for _, p := range d.service.State(t).Positions {
		fmt.Fprintln(&text, p.ID, attached(t, d.service, p.ID))
	}
	for _, o := range d.State.Objects("assess_position_assessment") {
		attributes, _ := coretest.Plain(o.Value).(map[string]any)
		for _, chosen := range []string{"id", "self_link", "profile_url"} {
			delete(attributes, chosen)
		}
		fmt.Fprintln(&text, o.Addr, attributes)
	}
	return text.String()
}

// TestSpellings writes the position assessments of SEEDS seeds, starting with seed FIRST, literally and in other
// spellings. Validation, plan, apply and the second plan say the same, and the service has the same in the end.
func TestSpellings(t *testing.T) {
	t.Parallel()
	sandboxtest.EachSeed(t, 1000, 200, func(t *testing.T, seed uint64) (wrong string) {
		synctest.Test(t, func(t *testing.T) { wrong = compare(t, seed) })
		return wrong
	})
}

// compare returns what differs between the literal configuration of a seed and another spelling of it.
func compare(t *testing.T, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // a simulation
	positions := []string{"pos-a", "pos-b"}[:1+r.IntN(4)/3]
	all, grouped, later := wanted(r, positions), r.IntN(2) == 0, r.IntN(3) == 0
	if r.IntN(3) == 0 {
		positions = append(positions, "pos-mistaken")
		all = append(all, mistake(r, "pos-mistaken"))
	}
	literal := newDirectory(t, seed, positions)
	spelled := newDirectory(t, seed, positions)
	plain := (&speller{Rand: r, literal: true, grouped: grouped}).spell(all)
	other := &speller{Rand: r, later: later, grouped: grouped}
	same := other.spell(all)
	describe := func(what string, want, got any) string {
		var text strings.Builder
		fmt.Fprintf(&text, "%s\nliteral:\n%v\nspelled:\n%v\n", what, want, got)
		for _, a := range all {
			fmt.Fprintln(&text, a.String())
		}
		for _, r := range same.Resources {
			fmt.Fprintln(&text, r.Addr, r.Body)
		}
		return text.String()
	}

	want, got := literal.run(t, plain), spelled.run(t, same)
	if all[len(all)-1].mistaken {
		return refused(t, spelled, want, got, later, describe)
	}
	if a, b := literal.outcome(t, want), spelled.outcome(t, got); a != b {
		return describe("the outcome", fmt.Sprint(want.Err(), a), fmt.Sprint(got.Err(), b))
	}
	spelled.service.ResetJournal()
	if again := spelled.Plan(t.Context(), same, spelled.options); again.Err() != nil || len(again.Plan.Actions()) > 0 {
		return describe("the second plan", "", fmt.Sprint(again.Err(), says(again), actions(again.Plan)))
	}
	third := (&speller{Rand: r, grouped: grouped}).spell(all)
	if again := literal.Plan(t.Context(), third, literal.options); again.Err() != nil || actions(again.Plan) != "map[]" {
		return describe("spelled anew", "", fmt.Sprint(again.Err(), third.Resources, actions(again.Plan)))
	}
	if n := spelled.service.Count(http.MethodPost, "") + spelled.service.Count(http.MethodPut, ""); n > 0 {
		return fmt.Sprintf("the second plan sent %d writes", n)
	}
	return ""
}

// refused compares how a mistake is refused. If a plan does not know some values yet, another rule or the service may
// refuse it first.
func refused(
	t *testing.T, spelled *directory, want, got coretest.Result, later bool, describe func(string, any, any) string,
) string {
	t.Helper()
	a, b := errorsOf(want), errorsOf(got)
	switch {
	case want.Plan != nil || len(a) == 0 || len(b) == 0 || len(attached(t, spelled.service, "pos-mistaken")) > 0:
		return describe("the mistake is not refused", want.Err(), got.Err())
	case later && !strings.Contains(strings.Join(b, " "), "Provider produced"):
	case got.Plan != nil || !slices.Equal(a, b):
		return describe("the refusal", want.Err(), got.Err())
	}
	return ""
}

func errorsOf(r coretest.Result) []string {
	return slices.DeleteFunc(says(r), func(text string) bool { return !strings.HasPrefix(text, "error true") })
}
