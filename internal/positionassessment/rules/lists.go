// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
)

// CheckCreation returns what the service would reject about a new position assessment.
func CheckCreation(ctx context.Context, facts Facts, d Desired) []messages.Finding {
	c := review{facts: facts, Desired: d}
	if d.Assessment == "" {
		return nil
	}
	if c.found = messages.CheckAssessment(ctx, facts, d.Assessment); len(c.found) == 0 {
		c.checkBlocks(ctx)
	}
	return c.found
}

// CheckUpdate returns what the service would reject about an update from before to d. It checks all blocks, because an
// update sends all of them. Tests that are already attached need not be enabled.
func CheckUpdate(ctx context.Context, facts Facts, before, d Desired) []messages.Finding {
	d.Attached = before.Tests.IDs
	c := review{facts: facts, Desired: d}
	if d.Assessment != "" {
		c.checkBlocks(ctx)
	}
	return c.found
}

// review applies the rules to one position assessment.
type review struct {
	Desired
	facts Facts
	found []messages.Finding
}

func (c *review) checkBlocks(ctx context.Context) {
	c.checkPackages(ctx)
	c.checkBenchmark(ctx)
	c.checkProfile(ctx)
	c.checkTests(ctx)
}

func (c *review) reject(rule messages.Rule, path []string, format string, values ...any) {
	c.found = append(c.found, messages.Reject(rule, path, format, values...)...)
}

// wasRead reports whether a list was read. If the list was not read, it adds what [messages.Unread] returns.
func (c *review) wasRead(path []string, list string, err error) bool {
	c.found = append(c.found, messages.Unread(path, c.labeled(), list, err)...)
	return err == nil
}

// labeled returns the assessment with its name, if the name is known.
func (c *review) labeled() assessapi.Label { return c.facts.AssessmentLabel(c.Assessment) }

// checkPackages rejects a configuration without the block packages if the assessment has packages. If the block is
// present and its IDs are known, it calls [review.checkPackageIDs]. It checks nothing if there is a block profile or
// tests, if it is not known yet whether there is a block packages, or if the list was not read ([review.wasRead]).
func (c *review) checkPackages(ctx context.Context) {
	if c.Packages.Unknown || c.Profile.Set || c.Tests.Set {
		return // a block of another kind of assessment has its own checks
	}
	listed, err := c.facts.Items(ctx, assessapi.Packages, c.Assessment)
	if !c.wasRead([]string{"packages"}, "packages", err) {
		return
	}
	switch all := assessapi.Labels(listed); {
	case c.Packages.absent() && len(all) > 0:
		c.reject(MissingPackages, []string{"packages"}, "Assessment %s consists of packages, so it requires the block "+
			"\"packages\". Packages marked as mandatory: %s. All packages: %s.\n\nTo fix this: add the block, with select or "+
			"ids:\n\n  packages { select = \"all\" }", c.labeled(), messages.OneOf(mandatory(listed)), messages.OneOf(all))
	case c.Packages.Set && c.Packages.Known:
		c.checkPackageIDs(listed)
	}
}

// checkPackageIDs rejects each ID in the block packages that the assessment does not have. If the assessment has all
// IDs, it rejects missing mandatory packages. listed are the packages of the assessment.
func (c *review) checkPackageIDs(listed []assessapi.Item) {
	all, path := assessapi.Labels(listed), []string{"packages", "ids"}
	fix := "correct the ID in packages.ids"
	if len(all) == 0 {
		fix = "remove the block \"packages\", or correct assessment_id"
	}
	isKnown := func(id string) bool { return messages.Has(all, id) }
	unknown := slices.DeleteFunc(slices.Clone(c.Packages.IDs), isKnown)
	for _, id := range unknown {
		c.reject(UnknownPackage, path, "Assessment %s has no package %q. Its packages: %s.\n\nTo fix this: %s.",
			c.labeled(), id, messages.Near(id, all), fix)
	}
	if len(unknown) > 0 {
		return // because an unknown ID may be a mistyped ID of a mandatory package
	}
	isInBlock := func(p assessapi.Label) bool { return slices.Contains(c.Packages.IDs, p.ID) }
	missing := slices.DeleteFunc(mandatory(listed), isInBlock)
	if len(missing) > 0 {
		c.reject(MandatoryPackage, path, "Assessment %s requires packages that are missing: %s.\n\nTo fix this: add them to "+
			"packages.ids, or use select = \"mandatory\" or \"all\" instead of ids.", c.labeled(), messages.OneOf(missing))
	}
}

// mandatory returns the packages of a list that the service marks as mandatory (assumption A10).
func mandatory(packages []assessapi.Item) []assessapi.Label {
	isOptional := func(p assessapi.Item) bool { return !p.IsMandatory() }
	return assessapi.Labels(slices.DeleteFunc(slices.Clone(packages), isOptional))
}

// listOptions lists the benchmarks or the profiles of the assessment. If the service does not offer the list, it calls
// [Facts.SkipList] and returns false. If the list could not be read, it adds a finding and returns false.
func (c *review) listOptions(ctx context.Context, kind assessapi.Kind, path []string) ([]assessapi.Item, bool) {
	listed, err := c.facts.Items(ctx, kind, c.Assessment)
	if assessapi.IsNoList(err) {
		c.facts.SkipList(kind.Plural, err)
	}
	return listed, c.wasRead(path, kind.Plural, err)
}

// checkBenchmark rejects the block benchmark if the assessment has no benchmarks. If the assessment has benchmarks, and
// the ID in the block is known, it calls [review.checkBenchmarkID]. It checks nothing if the list was not read
// ([review.listOptions]).
func (c *review) checkBenchmark(ctx context.Context) {
	if !c.Benchmark.Set {
		return
	}
	path := []string{"benchmark", "id"}
	listed, ok := c.listOptions(ctx, assessapi.Benchmarks, path)
	switch {
	case !ok:
		return
	case len(listed) == 0:
		c.reject(NoBenchmarks, path, "Assessment %s has no benchmarks, so %s cannot be used.\n\nTo fix this: remove the "+
			"block \"benchmark\", or correct assessment_id.", c.labeled(), c.Benchmark.named("benchmark"))
	case c.Benchmark.Known:
		c.checkBenchmarkID(ctx, path, listed)
	}
}

// checkBenchmarkID checks that the assessment has the benchmark, and that the benchmark has the locale of the position,
// if both locales are known. The parameter listed contains the assessment's benchmarks.
func (c *review) checkBenchmarkID(ctx context.Context, path []string, listed []assessapi.Item) {
	id, locale := c.Benchmark.IDs[0], c.locale(ctx, listed)
	i := slices.IndexFunc(listed, func(b assessapi.Item) bool { return b.ID == id })
	switch {
	case i < 0:
		c.reject(UnknownBenchmark, path, "Assessment %s has no benchmark %q. %s", c.labeled(), id,
			fixBenchmark(id, listed, locale))
	case locale != nil && listed[i].Locale != nil && !messages.SameLocale(*listed[i].Locale, *locale):
		c.reject(BenchmarkLocale, path, "Benchmark %s of assessment %s is for locale %q, but position %s has locale %q. %s",
			listed[i].Label(), c.labeled(), *listed[i].Locale, c.facts.PositionLabel(c.Position), *locale,
			fixBenchmark(id, listed, locale))
	}
}

// fixBenchmark says how to fix the ID of a benchmark. It shows the benchmarks that have the locale, or all benchmarks
// if the locale is nil.
func fixBenchmark(id string, listed []assessapi.Item, locale *string) string {
	which := "All benchmarks"
	if locale != nil {
		which = fmt.Sprintf("Benchmarks for %q", *locale)
		listed = slices.DeleteFunc(slices.Clone(listed), func(b assessapi.Item) bool {
			return b.Locale == nil || !messages.SameLocale(*b.Locale, *locale)
		})
	}
	fix := "use the ID of one of these benchmarks, or remove"
	if len(listed) == 0 {
		fix = "remove"
	}
	return fmt.Sprintf("%s: %s.\n\nTo fix this: %s the block \"benchmark\".", which,
		messages.Near(id, assessapi.Labels(listed)), fix)
}

// locale returns the locale of the position. It returns nil if the locale is not known, or if no benchmark has a locale
// to compare. If the positions cannot be listed, it adds a finding ([review.wasRead]).
func (c *review) locale(ctx context.Context, benchmarks []assessapi.Item) *string {
	if c.Position == "" || !slices.ContainsFunc(benchmarks, func(b assessapi.Item) bool { return b.Locale != nil }) {
		return nil
	}
	position, _, err := c.facts.Position(ctx, c.Position)
	c.wasRead([]string{"position_id"}, "positions", err)
	return position.Locale
}

// checkProfile rejects a profile that the assessment does not have. It checks nothing if the profile's ID is not known,
// or if the list was not read ([review.listOptions]).
func (c *review) checkProfile(ctx context.Context) {
	if !c.Profile.Set || !c.Profile.Known {
		return
	}
	path := []string{"profile", "id"}
	listed, ok := c.listOptions(ctx, assessapi.Profiles, path)
	if !ok {
		return
	}
	id, choices := c.Profile.IDs[0], assessapi.Labels(listed)
	switch {
	case len(choices) == 0:
		c.reject(UnknownProfile, path, "Assessment %s has no profiles, so %s cannot be used.\n\nTo fix this: remove the "+
			"block \"profile\", or correct assessment_id.", c.labeled(), c.Profile.named("profile"))
	case !messages.Has(choices, id):
		c.reject(UnknownProfile, path, "Assessment %s has no profile %q. Its profiles: %s.\n\nTo fix this: correct the ID. "+
			"If you want a supervisor to complete the profile, remove the block \"profile\".",
			c.labeled(), id, messages.Near(id, choices))
	}
}

// Values of the attribute select.
const (
	SelectAll       = "all"
	SelectMandatory = "mandatory"
)

// NotSelected returns the error for the attribute select if the packages of the assessment could not be listed.
func NotSelected(assessment assessapi.Label, err error) []messages.Finding {
	return messages.RejectFor(SelectFailed, []string{"packages", "select"}, err,
		"Could not list the packages of assessment %s.", assessment)
}

// Select returns the IDs of the packages that the attribute select selects: all packages, or the mandatory packages.
// value is the value of select. If it selects no packages, or if it is "mandatory" and there is a package that the
// service marks as neither mandatory nor optional, Select returns findings and no IDs.
func Select(
	packages []assessapi.Item, assessment assessapi.Label, value string,
) (ids []string, found []messages.Finding) {
	for _, p := range packages {
		if value == SelectAll || p.IsMandatory() {
			ids = append(ids, p.ID)
		}
	}
	path := []string{"packages", "select"}
	unmarked := slices.IndexFunc(packages, func(p assessapi.Item) bool { return p.Mandatory == nil })
	switch {
	case value == SelectMandatory && unmarked >= 0:
		return nil, messages.Reject(UnmarkedPackages, path, "The service does not say whether package %s of assessment %s "+
			"is mandatory.\n\nTo fix this: list the packages in ids, or use select = \"all\".",
			packages[unmarked].Label(), assessment)
	case len(packages) == 0:
		return nil, messages.Reject(NothingToSelect, path, "Assessment %s has no packages.\n\nTo fix this: correct "+
			"assessment_id, or remove the block \"packages\".", assessment)
	case len(ids) == 0:
		return nil, messages.Reject(NothingToSelect, path, "None of the packages of assessment %s is mandatory.\n\nTo fix "+
			"this: use select = \"all\", or list packages in ids.", assessment)
	}
	return ids, nil
}
