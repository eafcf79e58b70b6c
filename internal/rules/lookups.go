// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// CheckCreation returns what the service would refuse about a new position assessment.
func CheckCreation(ctx context.Context, facts Facts, d Desired) []Finding {
	if d.Assessment == "" {
		return nil
	}
	c := check{facts: facts, Desired: d}
	if c.assessment(ctx) {
		c.packages(ctx)
		c.benchmark(ctx)
		c.profile(ctx)
		c.tests(ctx)
	}
	return c.found
}

// CheckUpdate returns what the service would refuse about an update that sends anything. It checks all
// blocks, because an update sends all of them. Tests that were attached before need not be enabled.
func CheckUpdate(ctx context.Context, facts Facts, before, d Desired) []Finding {
	if d.Assessment == "" {
		return nil
	}
	d.Attached = before.Tests.IDs
	c := check{facts: facts, Desired: d}
	c.packages(ctx)
	c.benchmark(ctx)
	c.profile(ctx)
	c.tests(ctx)
	return c.found
}

// CheckAssessment returns a finding if the organization does not have an assessment.
func CheckAssessment(ctx context.Context, facts Facts, id string) []Finding {
	c := check{facts: facts, Desired: Desired{Assessment: id}}
	c.assessment(ctx)
	return c.found
}

// check applies the rules to one position assessment.
type check struct {
	Desired
	facts Facts
	found findings
}

// failed adds a finding for a list that could not be read.
func (c *check) failed(path []string, list string, err error) {
	c.found = append(c.found, Finding{Rule: LookupFailed, Path: path, Err: err, Detail: fmt.Sprintf(
		"Could not check the configuration of assessment %s, because the list of %s could not be read.", c.labeled(), list)})
}

// labeled returns the assessment with its name, if the name is known.
func (c *check) labeled() assessapi.Label { return c.facts.AssessmentLabel(c.Assessment) }

// has reports whether a list contains an id.
func has(labels []assessapi.Label, id string) bool {
	return slices.ContainsFunc(labels, func(l assessapi.Label) bool { return l.ID == id })
}

// assessment checks rule 1. It returns false if the other rules cannot be checked.
func (c *check) assessment(ctx context.Context) bool {
	path := []string{"assessment_id"}
	all, err := c.facts.Assessments(ctx)
	if err != nil {
		c.failed(path, "assessments", err)
		return false
	}
	labels := assessapi.Labels(all)
	if has(labels, c.Assessment) {
		return true
	}
	for _, a := range all {
		if is(a.Code, c.Assessment) || is(a.Name, c.Assessment) {
			c.found.refuse(UnknownAssessment, path, "The organization has no assessment with the ID %q. This value is the code "+
				"or name of assessment %s.\n\nTo fix this: set assessment_id = %q.", c.Assessment, a.Label(), a.ID)
			return false
		}
	}
	c.found.refuse(UnknownAssessment, path, "The organization has no assessment %q. The organization's assessments: "+
		"%s.\n\nTo fix this: correct assessment_id, or check that the credentials belong to the right organization.",
		c.Assessment, words.Near(c.Assessment, labels))
	return false
}

func is(value *string, text string) bool { return value != nil && *value == text }

// packages checks rules 3 to 5.
func (c *check) packages(ctx context.Context) {
	if c.Packages.Unknown || c.Profile.Set || c.Tests.Set {
		return // rule 14 refuses these combinations
	}
	listed, err := c.facts.Packages(ctx, c.Assessment)
	if assessapi.IsNoList(err) {
		return
	}
	if err != nil {
		c.failed([]string{"packages"}, "packages", err)
		return
	}
	mandatory := []assessapi.Label{}
	for _, p := range listed {
		if p.IsMandatory() {
			mandatory = append(mandatory, p.Label())
		}
	}
	all := assessapi.Labels(listed)
	if c.Packages.absent() {
		if len(listed) > 0 {
			c.found.refuse(MissingPackages, []string{"packages"}, "Assessment %s consists of packages, so it requires the "+
				"block \"packages\". Mandatory packages: %s. All packages: %s.\n\nTo fix this: add the block, with "+
				"select = \"all\", select = \"mandatory\" or a list of ids:\n\n  packages { select = \"all\" }",
				c.labeled(), words.OneOf(mandatory), words.OneOf(all))
		}
		return
	}
	if c.Packages.Known {
		c.chosenPackages(all, mandatory)
	}
}

func (c *check) chosenPackages(all, mandatory []assessapi.Label) {
	path := []string{"packages", "ids"}
	fix := "correct the ID in packages.ids"
	if len(all) == 0 {
		fix = "remove the block \"packages\", or correct assessment_id"
	}
	for _, id := range c.Packages.IDs {
		if !has(all, id) {
			c.found.refuse(UnknownPackage, path, "Assessment %s has no package %q. Its packages: %s.\n\nTo fix this: %s.",
				c.labeled(), id, words.Near(id, all), fix)
		}
	}
	missing := slices.DeleteFunc(mandatory, func(l assessapi.Label) bool {
		return slices.Contains(c.Packages.IDs, l.ID)
	})
	if len(missing) > 0 {
		c.found.refuse(MandatoryPackage, path, "Assessment %s requires packages that are missing: %s.\n\nTo fix this: add "+
			"them to packages.ids, or use select = \"mandatory\" or \"all\" instead of ids.", c.labeled(), words.OneOf(missing))
	}
}

// benchmark checks rules 6 to 8.
func (c *check) benchmark(ctx context.Context) {
	if !c.Benchmark.Set {
		return
	}
	path := []string{"benchmark", "id"}
	listed, err := c.facts.Benchmarks(ctx, c.Assessment)
	switch {
	case assessapi.IsNoList(err):
		c.facts.SkipList("benchmarks", err)
		return
	case err != nil:
		c.failed(path, "benchmarks", err)
		return
	case len(listed) == 0:
		c.found.refuse(NoBenchmarks, []string{"benchmark"}, "Assessment %s has no benchmarks, so this block cannot be "+
			"used.\n\nTo fix this: remove the block \"benchmark\".", c.labeled())
		return
	case !c.Benchmark.Known:
		return
	}
	id, locale := c.Benchmark.IDs[0], c.locale(ctx, listed)
	fits := func(b assessapi.Benchmark) bool {
		return locale != nil && b.Locale != nil && words.SameLocale(*b.Locale, *locale)
	}
	choices := assessapi.Labels(
		slices.DeleteFunc(slices.Clone(listed), func(b assessapi.Benchmark) bool { return !fits(b) }),
	)
	if i := slices.IndexFunc(listed, func(b assessapi.Benchmark) bool { return b.ID == id }); i >= 0 {
		if b := listed[i]; locale != nil && b.Locale != nil && !fits(b) {
			others := fmt.Sprintf("Assessment %s has no benchmark for %q.\n\nTo fix this: remove the block "+
				"\"benchmark\", or add a benchmark to the service.", c.labeled(), *locale)
			if len(choices) > 0 {
				others = fmt.Sprintf("Benchmarks of assessment %s for %q: %s.\n\nTo fix this: use the ID of one of these "+
					"benchmarks.", c.labeled(), *locale, words.OneOf(choices))
			}
			c.found.refuse(BenchmarkLocale, path, "Benchmark %s is for locale %q, but position %s has locale %q. %s",
				b.Label(), *b.Locale, c.facts.PositionLabel(c.Position), *locale, others)
		}
		return
	}
	which := "Its benchmarks for this position"
	if len(choices) == 0 {
		which, choices = "Its benchmarks", assessapi.Labels(listed)
		if locale != nil {
			which = fmt.Sprintf("It has no benchmark for the locale of the position, %q. Its benchmarks for other locales",
				*locale)
		}
	}
	c.found.refuse(UnknownBenchmark, path, "Assessment %s has no benchmark %q. %s: %s.\n\nTo fix this: correct the "+
		"ID, or remove the block \"benchmark\".", c.labeled(), id, which, words.Near(id, choices))
}

// locale returns the locale of the position. It is nil if the locale is not known, or if no
// benchmark has a locale to compare it with.
func (c *check) locale(ctx context.Context, benchmarks []assessapi.Benchmark) *string {
	if c.Position == "" || !slices.ContainsFunc(benchmarks, func(b assessapi.Benchmark) bool { return b.Locale != nil }) {
		return nil
	}
	position, found, err := c.facts.FindPosition(ctx, c.Position)
	if err != nil {
		c.failed([]string{"position_id"}, "positions", err)
	}
	if !found {
		return nil
	}
	return position.Locale
}

// profile checks rule 9.
func (c *check) profile(ctx context.Context) {
	if !c.Profile.Set || !c.Profile.Known {
		return
	}
	path := []string{"profile", "id"}
	listed, err := c.facts.Profiles(ctx, c.Assessment)
	if assessapi.IsNoList(err) {
		c.facts.SkipList("profiles", err)
		return
	}
	if err != nil {
		c.failed(path, "profiles", err)
		return
	}
	id, choices := c.Profile.IDs[0], assessapi.Labels(listed)
	switch {
	case len(choices) == 0:
		c.found.refuse(UnknownProfile, path, "Assessment %s has no profiles, so this block cannot be used.\n\n"+
			"To fix this: remove the block \"profile\", or correct assessment_id.", c.labeled())
	case !has(choices, id):
		c.found.refuse(UnknownProfile, path, "Assessment %s has no profile %q. Its profiles: %s.\n\nTo fix this: correct "+
			"the ID. If you want a supervisor to complete the profile, remove the block \"profile\".",
			c.labeled(), id, words.Near(id, choices))
	}
}
