// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// arguments are attributes that a configuration sets.
type arguments = map[string]schema.Attribute

// assessmentNoun is the assessments of the organization (section 4.8).
var assessmentNoun = noun[assessapi.Assessment]{
	one:  form{"assessment", "One assessment of the organization, found by its id, code or name.", nil},
	many: form{"assessments", "The assessments of the organization, in the service's order.", nil},
	list: "assessments",
	keys: []string{"code", "name"},
	fields: []field[assessapi.Assessment]{
		text("code", "Code of the assessment.", func(a assessapi.Assessment) *string { return a.Code }),
		text("name", "Name of the assessment.", func(a assessapi.Assessment) *string { return a.Name }),
	},
	extra: func(c *configured, a assessapi.Assessment) types.String { return c.personal(a.Extra) },
	read: func(ctx context.Context, c *configured, _ types.Object) ([]assessapi.Assessment, error) {
		return c.Assessments(ctx)
	},
}

// positionNoun is the positions of the organization (section 4.7).
var positionNoun = noun[assessapi.Position]{
	one: form{"position", "One position of the organization, found by its id or title.", nil},
	many: form{"positions", "The positions of the organization, in the service's order.", arguments{
		"title": schema.StringAttribute{
			Optional: true, Validators: []validator.String{latin1{}},
			MarkdownDescription: "Title that the service filters by. The service may find more than exact matches. Without " +
				"it, all positions are listed.",
		},
	}},
	list: "positions",
	keys: []string{"title"},
	fields: []field[assessapi.Position]{
		text("title", "Title of the position.", func(p assessapi.Position) *string { return p.Title }),
		text("locale", "Locale of the position, such as `en-GB`. A benchmark can be used only if its locale is the same. "+
			"Null if the service does not say.", func(p assessapi.Position) *string { return p.Locale }),
	},
	extra: func(c *configured, p assessapi.Position) types.String { return c.personal(p.Extra) },
	read: func(ctx context.Context, c *configured, config types.Object) ([]assessapi.Position, error) {
		if title := stringIn(config, "title"); !title.IsNull() {
			return c.PositionsTitled(ctx, title.ValueString())
		}
		return c.Positions(ctx)
	},
	find: findPosition,
}

// findPosition reads as little as can contain the position: the service filters by
// title, and for an id the list is read until it is found.
func findPosition(ctx context.Context, c *configured, config types.Object) ([]assessapi.Position, error) {
	if id := stringIn(config, "id"); !id.IsNull() {
		position, found, err := c.FindPosition(ctx, id.ValueString())
		if err != nil || found {
			return []assessapi.Position{position}, err
		}
	} else {
		titled, err := c.PositionsTitled(ctx, stringIn(config, "title").ValueString())
		if err != nil || len(titled) > 0 {
			return titled, err
		}
	}
	return c.Positions(ctx) // to say which are near
}

// packageNoun is the packages of an assessment (section 4.1). A package without a mark
// is in neither of the two subsets.
var packageNoun = noun[assessapi.Package]{
	one: form{
		"package", "One package of a multi-game cognitive assessment, found by its id or name.",
		arguments{"assessment_id": requiredID("Id of the assessment.")},
	},
	many: form{
		"packages", "The packages that make up a multi-game cognitive assessment, in the service's order. Empty for an " +
			"assessment of another kind.",
		arguments{"assessment_id": requiredID("Id of the assessment.")},
	},
	list: "packages",
	keys: []string{"name"},
	fields: []field[assessapi.Package]{
		text("name", "Name of the package.", func(p assessapi.Package) *string { return p.Name }),
		flag("mandatory", "Whether the package must be supplied. Null if the service does not say.",
			func(p assessapi.Package) *bool { return p.Mandatory }),
	},
	subsets: []subset[assessapi.Package]{
		{"mandatory_ids", "Ids of the mandatory packages.", func(p assessapi.Package) bool {
			return p.Mandatory != nil && *p.Mandatory
		}},
		{"optional_ids", "Ids of the optional packages.", func(p assessapi.Package) bool {
			return p.Mandatory != nil && !*p.Mandatory
		}},
	},
	extra: func(c *configured, p assessapi.Package) types.String { return c.personal(p.Extra) },
	read: func(ctx context.Context, c *configured, config types.Object) ([]assessapi.Package, error) {
		return c.Packages(ctx, assessmentOf(config))
	},
}

// assessmentOf is the assessment whose list is read.
func assessmentOf(config types.Object) string { return stringIn(config, "assessment_id").ValueString() }

// benchmarkNoun is the benchmarks of an assessment (sections 2.4 and 4.9).
var benchmarkNoun = noun[assessapi.Benchmark]{
	one: form{
		"benchmark", "One client-specific benchmark of an assessment, found by its id or name.",
		arguments{
			"assessment_id": requiredID("Id of the assessment."),
			"locale": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Locale of the benchmark, such as `en-GB`. Set it if several benchmarks have the name, for " +
					"example to the locale of the position. Case and separator do not matter.",
			},
		},
	},
	many: form{
		"benchmarks", "The client-specific benchmarks of an assessment, in the service's order. Empty for an assessment " +
			"that has none. An error if the service does not show such a list.",
		arguments{
			"assessment_id": requiredID("Id of the assessment."),
			"locale": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Locale of the benchmarks to list, such as `en-GB`. Case and separator do not matter. " +
					"Without it, all benchmarks are listed.",
			},
		},
	},
	list: "benchmarks",
	keys: []string{"name"},
	fields: []field[assessapi.Benchmark]{
		text("name", "Name of the benchmark.", func(b assessapi.Benchmark) *string { return b.Name }),
		text("locale", "Locale of the benchmark, such as `en-GB`. It can be used only on a position whose locale is the "+
			"same.", func(b assessapi.Benchmark) *string { return b.Locale }),
	},
	extra: func(c *configured, b assessapi.Benchmark) types.String { return c.personal(b.Extra) },
	read: func(ctx context.Context, c *configured, config types.Object) ([]assessapi.Benchmark, error) {
		return c.Benchmarks(ctx, assessmentOf(config))
	},
	byLocale: true,
}

// profileNoun is the existing profiles of an assessment (sections 2.6 and 4.9).
var profileNoun = noun[assessapi.Profile]{
	one: form{
		"profile", "One existing profile of a values inventory or a work preferences profile, found by its id or name.",
		arguments{"assessment_id": requiredID("Id of the assessment.")},
	},
	many: form{
		"profiles", "The existing profiles of a values inventory or a work preferences profile, in the service's order. " +
			"Empty for an assessment that has none. An error if the service does not show such a list.",
		arguments{"assessment_id": requiredID("Id of the assessment.")},
	},
	list: "profiles",
	keys: []string{"name"},
	fields: []field[assessapi.Profile]{
		text("name", "Name of the profile.", func(p assessapi.Profile) *string { return p.Name }),
	},
	extra: func(c *configured, p assessapi.Profile) types.String { return c.personal(p.Extra) },
	read: func(ctx context.Context, c *configured, config types.Object) ([]assessapi.Profile, error) {
		return c.Profiles(ctx, assessmentOf(config))
	},
}

// skillsTestNoun is the tests of a skills assessment (sections 2.7 and 4.4).
var skillsTestNoun = noun[assessapi.SkillsTest]{
	one: form{
		"skills test", "One test of a skills assessment, enabled or not, found by its id or title.",
		arguments{"assessment_id": requiredID("Id of the skills assessment.")},
	},
	many: form{
		"skills tests", "The tests of a skills assessment, in the service's order. Empty for an assessment of another kind.",
		arguments{
			"assessment_id": requiredID("Id of the skills assessment."),
			"active": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "`true` lists the tests that are enabled for the organization, `false` the others. Without " +
					"it, both are listed, the enabled ones first.",
			},
		},
	},
	list: "tests",
	keys: []string{"title"},
	fields: []field[assessapi.SkillsTest]{
		text("title", "Title of the test.", func(t assessapi.SkillsTest) *string { return t.Title }),
		text("description", "Description of the test.", func(t assessapi.SkillsTest) *string { return t.Description }),
		text("category", "Category of the test.", func(t assessapi.SkillsTest) *string { return t.Category }),
		text("time_to_complete", "Time that a candidate has, with its unit, in the service's words, such as "+
			"`40 minutes`.", func(t assessapi.SkillsTest) *string { return t.TimeToComplete }),
		{"number_of_questions", "How many questions the test has.", func(t assessapi.SkillsTest) attr.Value {
			return numberOrNull(t.NumberOfQuestions)
		}},
		flag("active", "Whether the test is enabled for the organization.",
			func(t assessapi.SkillsTest) *bool { return t.Active }),
	},
	extra: func(_ *configured, t assessapi.SkillsTest) types.String { return types.StringPointerValue(t.Extra) },
	read:  readSkillsTests,
	find:  findSkillsTest,
}

// readSkillsTests reads one of the two lists, or both.
func readSkillsTests(ctx context.Context, c *configured, config types.Object) ([]assessapi.SkillsTest, error) {
	wanted := boolIn(config, "active")
	var all []assessapi.SkillsTest
	for _, active := range []bool{true, false} {
		if !wanted.IsNull() && wanted.ValueBool() != active {
			continue
		}
		tests, err := c.SkillsTestsInOrder(ctx, assessmentOf(config), active)
		if err != nil {
			return nil, err
		}
		all = append(all, tests...)
	}
	return all, nil
}

// findSkillsTest does not read the tests that are not enabled if an enabled one has the
// id. A title may be in both lists.
func findSkillsTest(ctx context.Context, c *configured, config types.Object) ([]assessapi.SkillsTest, error) {
	enabled, err := c.SkillsTestsInOrder(ctx, assessmentOf(config), true)
	if err != nil {
		return nil, err
	}
	for _, test := range enabled {
		if test.ID == stringIn(config, "id").ValueString() {
			return []assessapi.SkillsTest{test}, nil
		}
	}
	return readSkillsTests(ctx, c, config)
}
