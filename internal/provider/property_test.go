// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

var seed = flag.Uint64("seed", 0, "an additional seed for property tests, to look for new cases")

// For random configurations, a plan succeeds if, and only if, the service accepts the
// request, and after an apply the next plan is empty. The same applies to an update to
// another configuration, and to a replacement with another position or assessment.
// Position assessments of others do not change.
//
// The seeds are fixed, so that a failure is reproducible. Use -seed to try others.
func TestPlanAgreesWithTheService(t *testing.T) {
	t.Parallel()
	onBothServices(t, planAgrees)
}

func planAgrees(t *testing.T, like func(*sandboxtest.Options)) {
	seeds := []uint64{1, 2, 3}
	if testing.Short() {
		seeds = seeds[:1]
	}
	if *seed != 0 {
		seeds = append(seeds, *seed)
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			accepted, replaced := 0, 0
			const cases = 100
			for n := range cases {
				st := sandbox.Demo()
				first, second, third := randomSetup(r, st), randomSetup(r, st), randomSetup(r, st)
				second.Position, second.Assessment = first.Position, first.Assessment
				created, exchanged := agrees(t, like, fmt.Sprintf("seed %d, case %d", seed, n), first, second, third)
				if created {
					accepted++
				}
				if exchanged {
					replaced++
				}
			}
			t.Logf("seed %d: of %d creations %d were accepted, and %d of these replaced", seed, cases, accepted, replaced)
			if accepted < cases/10 || accepted > cases*9/10 || replaced < cases/20 || replaced > accepted*9/10 {
				t.Error("too few cases were accepted or refused")
			}
		})
	}
}

// agrees reports whether the creation was accepted, and then the replacement.
func agrees(
	t *testing.T, like func(*sandboxtest.Options), name string, first, second, third setup,
) (created, replaced bool) {
	t.Helper()
	service := sandboxtest.New(t, like, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 0 })
	others := attachOther(t, service, first, third)
	i := &instance{protocolClient: newProtocolClient(t, service), name: attachmentType}
	if !i.step(name+" (creation)", service, http.MethodPost, "", first) {
		return false, false
	}
	id := ""
	if err := i.attribute("id").As(&id); err != nil {
		t.Fatal(err)
	}
	current := first
	if i.step(name+" (update)", service, http.MethodPut, id, second) {
		current = second
	} else if service.State(t).Position(first.Position).Assessment(id) == nil {
		t.Fatalf("%s: the refused update removed the position assessment", name)
	}
	if third.Position != current.Position || third.Assessment != current.Assessment {
		replaced = i.replace(name+" (replacement)", service, third)
	}
	for position, ids := range others {
		for _, id := range ids {
			if service.State(t).Position(position).Assessment(id) == nil {
				t.Errorf("%s: position assessment %q of position %q, which others attached, was removed", name, id, position)
			}
		}
	}
	return true, replaced
}

// attachOther attaches another assessment to each position of the setups, as a teammate
// might. It returns their IDs by position.
func attachOther(t *testing.T, service *sandboxtest.Server, setups ...setup) map[string][]string {
	t.Helper()
	others := map[string][]string{}
	service.Change(t, func(st *sandbox.State) {
		for _, s := range setups {
			p := st.Position(s.Position)
			if p == nil || len(p.Assessments) > 0 {
				continue // unknown position, or already done
			}
			assessment := "asm-facet"
			if slices.ContainsFunc(setups, func(s setup) bool { return s.Assessment == assessment }) {
				assessment = "asm-terrain"
			}
			attached, err := st.Attach(s.Position, assessment, sandbox.Metadata{})
			if err != nil {
				panic(err)
			}
			others[s.Position] = append(others[s.Position], attached)
		}
	})
	return others
}

// replace plans and applies a setup with another position or assessment. The core plans
// the replacement again as a creation, with the private data of the first plan, and
// destroys before it creates. It reports whether the plan was accepted.
func (i *instance) replace(name string, service *sandboxtest.Server, s setup) bool {
	i.t.Helper()
	context := fmt.Sprintf("%s: %+v", name, s)
	config := s.config()
	if len(i.validate(config)) > 0 {
		return false // like a creation
	}
	i.mustConfigure(map[string]any{})
	if failed := i.refresh(); failed != nil {
		i.t.Fatalf("%s: the refresh fails: %s", context, failed[0].Detail)
	}
	first, refused := i.plan(config, i.proposed(config))
	if refused == nil {
		if len(first.RequiresReplace) == 0 {
			i.t.Fatalf("%s: not planned as a replacement", context)
		}
		created := &instance{protocolClient: i.protocolClient, name: i.name, private: first.PlannedPrivate}
		_, refused = created.plan(config, config)
	}
	if refused != nil {
		if status := raw(i.t, service, http.MethodPost, "", s); status < 400 {
			i.t.Errorf("%s: the plan refuses, but the service answers %d:\n%s", context, status, refused[0].Detail)
		}
		return false
	}
	i.mustConfigure(map[string]any{}) // the apply is a separate run
	i.destroy(context)
	again, refused := i.plan(config, config)
	if refused != nil {
		i.t.Errorf("%s: planned, but refused in the apply: %s", context, refused[0].Detail)
		return false
	}
	if failed := i.apply(config, again); failed != nil {
		i.t.Errorf("%s: planned, but the apply fails: %s", context, failed[0].Detail)
		return false
	}
	i.expectNoChanges(context, config)
	return true
}

// destroy removes the instance within the current run.
func (i *instance) destroy(context string) {
	i.t.Helper()
	planned := &tfprotov6.PlanResourceChangeResponse{PlannedState: i.null(), PlannedPrivate: i.private}
	if failed := i.apply(nil, planned); failed != nil {
		i.t.Fatalf("%s: the removal fails: %s", context, failed[0].Detail)
	}
	i.state, i.private, i.identity = nil, nil, nil
}

func (i *instance) attribute(name string) tftypes.Value {
	i.t.Helper()
	members := map[string]tftypes.Value{}
	if err := i.value(i.state).As(&members); err != nil {
		i.t.Fatal(err)
	}
	return members[name]
}

// step plans and applies a setup, and compares the result with the service's answer to
// the same request from a client without checks.
func (i *instance) step(name string, service *sandboxtest.Server, method, id string, s setup) bool {
	i.t.Helper()
	context := fmt.Sprintf("%s: %s %+v", name, method, s)
	config := s.config()
	invalid := i.validate(config)
	if len(invalid) > 0 {
		if status := raw(i.t, service, method, id, s); status < 400 {
			i.t.Errorf("%s: a rule refuses, but the service answers %d:\n%s", context, status, invalid[0].Detail)
		}
		return false
	}
	i.mustConfigure(map[string]any{})
	if i.state != nil {
		if failed := i.refresh(); failed != nil {
			i.t.Fatalf("%s: the refresh fails: %s", context, failed[0].Detail)
		}
	}
	plan, refused := i.plan(config, i.proposed(config))
	if refused != nil {
		if status := raw(i.t, service, method, id, s); status < 400 {
			i.t.Errorf("%s: the plan refuses, but the service answers %d:\n%s", context, status, refused[0].Detail)
		}
		return false
	}
	i.mustConfigure(map[string]any{}) // the apply is a separate run
	if failed := i.apply(config, plan); failed != nil {
		i.t.Errorf("%s: planned, but the apply fails: %s", context, failed[0].Detail)
		return false
	}
	i.expectNoChanges(context, config)
	return true
}

// expectNoChanges checks that the next plan is empty.
func (i *instance) expectNoChanges(context string, config map[string]any) {
	i.t.Helper()
	i.mustConfigure(map[string]any{})
	if failed := i.refresh(); failed != nil {
		i.t.Fatalf("%s: the refresh fails: %s", context, failed[0].Detail)
	}
	again, refused := i.plan(config, i.proposed(config))
	if refused != nil {
		i.t.Errorf("%s: the second plan fails: %s", context, refused[0].Detail)
	} else if !i.value(again.PlannedState).Equal(i.value(i.state)) {
		i.t.Errorf("%s: the second plan is not empty:\n%s\n%s", context, i.value(i.state), i.value(again.PlannedState))
	}
}

// proposed merges a configuration with the computed values of the state, as a CLI does.
func (i *instance) proposed(config map[string]any) map[string]any {
	i.t.Helper()
	proposed := maps.Clone(config)
	if i.state == nil {
		return proposed
	}
	for _, name := range []string{"id", "profile_status", "profile_url", "self_link"} {
		proposed[name] = i.attribute(name)
	}
	keep := func(block, name string) {
		given, ok := config[block].(map[string]any)
		before := i.attribute(block)
		if !ok || before.IsNull() || given[name] != nil {
			return
		}
		members := map[string]tftypes.Value{}
		if err := before.As(&members); err != nil {
			i.t.Fatal(err)
		}
		merged := maps.Clone(given)
		merged[name] = members[name]
		proposed[block] = merged
	}
	keep("packages", "ids")
	keep("profile", "on_supervisor_change")
	return proposed
}

// raw sends the request for a setup and returns the status. It changes the service, so
// call it last.
func raw(t *testing.T, service *sandboxtest.Server, method, id string, s setup) int {
	t.Helper()
	address := service.URL + "/positions/" + s.Position + "/assessments"
	if id != "" {
		address += "/" + id
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(s.body(service, t)))
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
