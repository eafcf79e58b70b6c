// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// TestSandbox sends each request of the contract to the sandbox, which is the letter of the specification.
func TestSandbox(t *testing.T) {
	t.Parallel()
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
	base, err := ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	var warned warnings
	cfg := Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, Transport: service,
		RequestTimeout: requestTimeout, RetryTimeout: retryTimeout,
	}
	warned.collect(&cfg)
	c, ctx := New(cfg), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	assessments, err := c.Assessments(ctx)
	must(err)
	positions, err := c.Positions(ctx, nil)
	must(err)
	position := positions.Elements[0]
	titled, err := c.Positions(ctx, position.Name)
	must(err)
	if len(titled.Elements) != 1 || titled.Elements[0].ID != position.ID || position.Locale == nil {
		t.Errorf("%+v", titled)
	}
	found := map[string]int{}
	for _, assessment := range assessments.Elements {
		for _, kind := range []Kind{Packages, Benchmarks, Profiles} {
			list, err := c.Items(ctx, kind, assessment.ID)
			must(err)
			found[kind.Plural] += len(list.Elements)
		}
		for _, active := range []bool{true, false} {
			tests, err := c.SkillsTests(ctx, assessment.ID, active)
			must(err)
			found["tests"] += len(tests.Elements)
			if !active && len(tests.Elements) > 0 {
				must(tests.Elements[0].CheckComplete(tests.Elements))
				must(c.EnableSkillsTest(ctx, assessment.ID, tests.Elements[0]))
			}
		}
	}
	for _, kind := range []string{"packages", "benchmarks", "profiles", "tests"} {
		if found[kind] == 0 {
			t.Errorf("no %s", kind)
		}
	}

	for _, p := range positions.Elements {
		results, err := c.Results(ctx, p.ID, nil, nil)
		must(err)
		found["candidates"] += len(results.Candidates)
		_, complete, err := c.FirstResults(ctx, p.ID)
		if must(err); !complete {
			t.Errorf("the results of %s are not complete", p.ID)
		}
	}
	if found["candidates"] == 0 {
		t.Error("no candidates")
	}

	attached, err := c.Attach(ctx, "pos-backend-london", "asm-lumen", Configuration{})
	must(err)
	if attached.ID == "" {
		t.Fatal("no ID")
	}
	fetched, err := c.PositionAssessment(ctx, "pos-backend-london", attached.ID)
	must(err)
	if id, _ := fetched.AssessmentID.Get(); id != "asm-lumen" || fetched.ID != attached.ID {
		t.Errorf("%+v", fetched)
	}
	_, err = c.Update(ctx, "pos-backend-london", attached.ID, "asm-lumen", Configuration{}, nil)
	must(err)
	removal, err := c.Remove(ctx, "pos-backend-london", attached.ID, nil)
	if must(err); removal != Removed {
		t.Errorf("removal %d", removal)
	}
	list, err := c.PositionAssessments(ctx, "pos-backend-london")
	must(err)
	for _, pa := range list.Elements {
		if pa.ID == attached.ID {
			t.Error("it is still in the list")
		}
	}
	if _, err = c.PositionAssessment(ctx, "pos-backend-london", attached.ID); !IsNotFound(err) {
		t.Error(err)
	}
	if warned.keys() != nil {
		t.Errorf("warned of %v", warned.keys())
	}
}
