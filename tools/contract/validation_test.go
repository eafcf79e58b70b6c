// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/servicecheck"
)

const resource = "assess_position_assessment."

// lifecycle attaches each kind of assessment, changes one, imports it, reads everything,
// and destroys it, with a simulated core. A nil transport is the network.
func lifecycle(ctx context.Context, t *testing.T, address string, transport http.RoundTripper) error {
	t.Helper()
	core, config := workspace(t, address, transport), configuration()
	games := &config.Resources[len(config.Resources)-1]
	apply := func() error { return core.Apply(ctx, config, coretest.Options{}).Err() }
	if err := apply(); err != nil {
		return fmt.Errorf("creation: %w", err)
	}
	delete(games.Body, "benchmark")
	if err := apply(); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	id := coretest.Text(core.State.Instances[games.Addr].Current.Value, "id")
	core.Forget(games.Addr)
	config.Imports = []coretest.Import{{To: games.Addr, ID: "pos-backend-london/" + id}}
	if err := apply(); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	config.Imports = nil
	planned := core.Plan(ctx, config, coretest.Options{})
	if planned.Err() != nil || len(planned.Plan.Actions()) > 0 {
		return fmt.Errorf("the last plan has changes %v: %w", planned.Plan.Actions(), planned.Err())
	}
	return core.Destroy(ctx, config, coretest.Options{}).Err()
}

// environment returns the variables for a service.
func environment(address string) func(string) string {
	env := map[string]string{
		"ASSESS_BASE_URL": address, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
	return func(name string) string { return env[name] }
}

// workspace returns a working directory whose provider uses a service.
func workspace(t *testing.T, address string, transport http.RoundTripper) *coretest.Core {
	t.Helper()
	dir := t.TempDir()
	return coretest.New(coretest.Terraform117, func(machine string) (tfprotov6.ProviderServer, error) {
		return provider.NewServer(&provider.Provider{
			Version: "test", Getenv: environment(address),
			CacheDir: filepath.Join(dir, machine), Transport: transport,
		}), nil
	})
}

// lookups are data sources that together read everything except the results.
func lookups(position, packages, benchmarks, profiles, skills string) []coretest.Resource {
	return []coretest.Resource{
		{Addr: "data.assess_assessments.all"},
		{Addr: "data.assess_positions.all"},
		{Addr: "data.assess_position.one", Body: coretest.Body{"title": "Backend Engineer, London"}},
		{Addr: "data.assess_packages.all", Body: coretest.Body{"assessment_id": packages}},
		{Addr: "data.assess_benchmarks.all", Body: coretest.Body{"assessment_id": benchmarks}},
		{Addr: "data.assess_profiles.all", Body: coretest.Body{"assessment_id": profiles}},
		{Addr: "data.assess_skills_tests.all", Body: coretest.Body{"assessment_id": skills}},
		{Addr: "data.assess_position_assessments.all", Body: coretest.Body{"position_id": position}},
	}
}

func configuration() coretest.Config {
	attach := func(name, assessment string, blocks coretest.Body) coretest.Resource {
		blocks["position_id"], blocks["assessment_id"] = "pos-backend-london", assessment
		return coretest.Resource{Addr: resource + name, Body: blocks}
	}
	config := coretest.Config{Providers: map[string]coretest.Body{"": {}}}
	config.Resources = append(
		lookups("pos-graduates-2026", "asm-quartet", "asm-lumen", "asm-northlight", "asm-workbench"),
		coretest.Resource{
			Addr: "data.assess_position_results.some",
			Body: coretest.Body{"position_id": "pos-graduates-2026", "candidate_ids": []string{"cnd-001", "cnd-002"}},
		},
		coretest.Resource{
			Addr: "assess_skills_test_activation.go",
			Body: coretest.Body{"assessment_id": "asm-workbench", "test_id": "skt-go"},
		},
		attach("skills", "asm-workbench", coretest.Body{"tests": coretest.Body{"ids": []string{"skt-sql"}}}),
		attach("values", "asm-northlight", coretest.Body{"profile": coretest.Body{"id": "prf-customer-first"}}),
		attach("preferences", "asm-terrain", coretest.Body{}),
		attach("games", "asm-quartet", coretest.Body{
			"packages":  coretest.Body{"select": "all"},
			"benchmark": coretest.Body{"id": "bmk-quartet-engineers-en-gb"},
		}),
	)
	return config
}

// The requests of the provider and the responses of the embedded service are in the
// contract, in each form that the provider accepts.
func TestContractDescribesEveryExchange(t *testing.T) {
	t.Parallel()
	contract := newValidator(t, closed(t, read(t), sandbox.BaseURL))
	t.Run("lifecycle", func(t *testing.T) {
		t.Parallel()
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true, MaxPage: 5}})
		transport := &checked{validator: contract, next: service}
		if err := lifecycle(t.Context(), t, sandbox.BaseURL, transport); err != nil {
			t.Error(err)
		}
		transport.report(t)
	})
	t.Run("check", func(t *testing.T) {
		t.Parallel()
		service := sandboxtest.NewService(t, sandboxtest.Options{})
		transport := &checked{validator: contract, next: service}
		code, err := servicecheck.Run(t.Context(), servicecheck.Options{
			Getenv: environment(sandbox.BaseURL), Out: io.Discard, CacheDir: t.TempDir(), Transport: transport,
		})
		if err != nil || code != servicecheck.Works {
			t.Errorf("exit code %d, %v", code, err)
		}
		transport.report(t)
	})
	for _, alternative := range append(sandboxtest.Alternatives(), sandboxtest.Alternative{Name: "the default"}) {
		t.Run(alternative.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := sandboxtest.NewService(t, sandboxtest.Options{
					Options: sandbox.Options{NoLimits: true, MaxPage: 5}, Assumptions: alternative.Assumptions,
				})
				transport := &checked{validator: contract, next: service}
				everything(t, service, newClient(t, sandbox.BaseURL, transport))
				transport.next = sandboxtest.NewService(t, sandboxtest.Options{Assumptions: alternative.Assumptions})
				exceedLimit(t, newClient(t, sandbox.BaseURL, transport))
				transport.report(t)
			})
		})
	}
}

// The comparison notices each of these members if the contract lacks it.
func TestContractWithoutAMember(t *testing.T) {
	t.Parallel()
	for _, member := range members {
		t.Run(member.schema+"."+member.name, func(t *testing.T) {
			t.Parallel()
			contract := newValidator(t, closed(t, without(t, member), sandbox.BaseURL))
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
			transport := &checked{validator: contract, next: service}
			if err := lifecycle(t.Context(), t, sandbox.BaseURL, transport); err != nil {
				t.Error(err)
			}
			if len(transport.violations) == 0 {
				t.Error("no violation")
			}
		})
	}
}

// everything sends each operation, also requests that the service refuses.
func everything(t *testing.T, service *sandboxtest.Service, client *assessapi.Client) {
	t.Helper()
	ctx := t.Context()
	call(t, service, client)
	for _, assessment := range []string{"asm-quartet", "asm-lumen", "asm-northlight"} {
		for _, list := range []func() error{
			func() error { _, err := client.Packages(ctx, assessment); return err },
			func() error { _, err := client.Benchmarks(ctx, assessment); return err },
			func() error { _, err := client.Profiles(ctx, assessment); return err },
		} {
			_ = list() // a refusal is an exchange, too
		}
	}
	quartet := assessapi.Metadata{Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}}
	for _, add := range []struct {
		assessment string
		metadata   assessapi.Metadata
	}{{"asm-quartet", quartet}, {"asm-terrain", assessapi.Metadata{}}, {"asm-quartet", assessapi.Metadata{}}} {
		pa, err := client.AddAssessment(ctx, "pos-backend-london", add.assessment, add.metadata)
		if err != nil {
			continue // refused, or without an ID
		}
		_, _ = client.PositionAssessment(ctx, "pos-backend-london", pa.ID)
		_, _ = client.UpdatePositionAssessment(ctx, "pos-backend-london", pa.ID, add.assessment, add.metadata)
		for range 2 {
			_ = client.RemovePositionAssessment(ctx, "pos-backend-london", pa.ID)
		}
	}
	_ = client.RemovePositionAssessment(ctx, sandbox.DemoResultsPosition, "pas-graduates-lumen")
	_, _ = client.PositionAssessments(ctx, sandbox.DemoResultsPosition)
}

// exceedLimit sends requests until one gets a 429.
func exceedLimit(t *testing.T, client *assessapi.Client) {
	t.Helper()
	for range 21 {
		if _, err := client.Positions(nil).Next(t.Context()); err != nil {
			return
		}
	}
	t.Error("no request got a 429")
}
