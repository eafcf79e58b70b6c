// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// lookups are the kinds of items that have data sources.
var lookups = []interface {
	dataSources() []func() datasource.DataSource
}{
	&assessmentLookup, &benchmarkLookup, &packageLookup, &positionLookup, &profileLookup, &skillsTestLookup,
}

// listed returns a function that reads the list of a kind.
func listed(k assessapi.Kind) func(context.Context, *tf.Run, types.Object) ([]assessapi.Item, error) {
	return func(ctx context.Context, c *tf.Run, config types.Object) ([]assessapi.Item, error) {
		return c.Lists.Items(ctx, k, assessmentOf(config))
	}
}

// arguments are attributes that a configuration can set.
type arguments = map[string]schema.Attribute

func localeOf(i assessapi.Item) *string { return i.Locale }

// assessmentLookup looks up assessments of the organization (listAssessments).
var assessmentLookup = lookup[assessapi.Item]{
	name:  "assessment",
	finds: "Finds one assessment of the organization by its ID, code or name.",
	lists: "Lists the assessments of the organization.",
	keys:  []string{"code", "name"},
	fields: tf.Fields[assessapi.Item]{
		tf.StringField("code", "Code of the assessment.", func(a assessapi.Item) *string { return a.Code }),
	},
	read: listed(assessapi.Assessments),
}

// positionLookup looks up positions of the organization (listPositions).
var positionLookup = lookup[assessapi.Item]{
	name:  "position",
	finds: "Finds one position of the organization by its ID or title.",
	lists: "Lists the positions of the organization.",
	listArguments: arguments{
		"title": schema.StringAttribute{
			Optional: true, Validators: []validator.String{tf.Latin1},
			MarkdownDescription: "Exact title of one or more positions. Default: all positions.",
		},
	},
	keys: []string{"title"},
	fields: tf.Fields[assessapi.Item]{
		tf.StringField("locale", "Locale of the position, such as `en-GB`. The position accepts only benchmarks with the "+
			"same locale. Null if the service does not return it.", localeOf),
	},
	read: func(ctx context.Context, c *tf.Run, config types.Object) ([]assessapi.Item, error) {
		if title := tf.StringIn(config, "title"); !title.IsNull() {
			return c.Lists.PositionsTitled(ctx, title.ValueString())
		}
		return c.Lists.Positions(ctx)
	},
	find:   findPosition,
	advice: adviseOnRename,
}

// adviseOnRename says how to follow a position that was renamed in the service. If its title is a key of for_each, a
// changed title would remove the position assessments, and attach them again.
func adviseOnRename(key, wanted string, similar []assessapi.Item) string {
	if key != "title" {
		return ""
	}
	renamed := "NEW TITLE"
	if len(similar) > 0 {
		renamed = tf.Text(similar[0].Name)
	}
	return fmt.Sprintf(" If the position was renamed, write its new title. If the title is also a key of for_each, add a "+
		"block for each address with the old title, so that nothing is removed:\n\n"+
		"  moved {\n    from = assess_position_assessment.NAME[%s]\n    to   = assess_position_assessment.NAME[%s]\n  }",
		quoted(wanted), quoted(renamed))
}

// quoted writes a string as a literal of a configuration.
func quoted(text string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(strconv.Quote(text))
}

// findPosition returns the positions with the wanted title. If the arguments ask for no title, or no position has it,
// it returns all positions.
func findPosition(ctx context.Context, c *tf.Run, config types.Object) ([]assessapi.Item, error) {
	if title := tf.StringIn(config, "title"); !title.IsNull() {
		titled, err := c.Lists.PositionsTitled(ctx, title.ValueString())
		if err != nil || len(titled) > 0 {
			return titled, err
		}
	}
	return c.Lists.Positions(ctx) // so that the message can suggest similar ones
}

// packageLookup looks up packages of an assessment (listPackages). A package is in neither of the two subsets if the
// service does not return whether it is mandatory.
var packageLookup = lookup[assessapi.Item]{
	name:       "package",
	finds:      "Finds one package of a multi-game cognitive assessment by its ID or name.",
	lists:      "Lists the packages of a multi-game cognitive assessment. For other assessments, the list is empty.",
	assessment: "assessment",
	keys:       []string{"name"},
	fields: tf.Fields[assessapi.Item]{
		boolField("mandatory", "Whether the block `packages` must include this package. Null if the service does not "+
			"return it.", func(p assessapi.Item) *bool { return p.Mandatory }),
	},
	subsets: []subset[assessapi.Item]{
		{"mandatory_ids", "IDs of the mandatory packages.", assessapi.Item.IsMandatory},
		{"optional_ids", "IDs of the optional packages.", func(p assessapi.Item) bool {
			return p.Mandatory != nil && !p.IsMandatory()
		}},
	},
	read: listed(assessapi.Packages),
}

// assessmentOf returns the ID of the assessment whose list is read. It is "" for a list of the organization.
func assessmentOf(config types.Object) string {
	return tf.StringIn(config, "assessment_id").ValueString()
}

// benchmarkLookup looks up benchmarks of an assessment (listBenchmarks).
var benchmarkLookup = lookup[assessapi.Item]{
	name:  "benchmark",
	finds: "Finds one benchmark of an assessment by its ID or name.",
	lists: "Lists the benchmarks (comparison groups) that your organization can use with an assessment. If the " +
		"assessment has none, the list is empty. If the service does not offer this list, the data source fails.",
	assessment: "assessment",
	findArguments: arguments{
		"locale": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Locale of the position, such as `en-GB`, which also finds `en_GB` and `en-gb`. Without " +
				"it, the name must be unique across all locales.",
		},
	},
	listArguments: arguments{
		"locale": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Locale of the benchmarks to list, such as `en-GB`, which also finds `en_GB` and `en-gb`. " +
				"Default: all benchmarks.",
		},
	},
	keys: []string{"name"},
	fields: tf.Fields[assessapi.Item]{
		tf.StringField("locale", "Locale of the benchmark, such as `en-GB`. Only positions with the same locale accept the "+
			"benchmark.", localeOf),
	},
	read: listed(assessapi.Benchmarks),
}

// HasProfiles names the assessments that have profiles.
const HasProfiles = "a values inventory or a work preferences questionnaire"

// profileLookup looks up existing profiles of an assessment (listProfiles).
var profileLookup = lookup[assessapi.Item]{
	name:  "profile",
	finds: "Finds one existing profile of " + HasProfiles + " by its ID or name.",
	lists: "Lists the existing profiles of " + HasProfiles + ". If the service does not offer this list, " +
		"the data source fails.",
	assessment: "assessment",
	keys:       []string{"name"},
	read:       listed(assessapi.Profiles),
}

// skillsTestLookup looks up tests of a skills assessment (listSkillsTests).
var skillsTestLookup = lookup[assessapi.SkillsTest]{
	name:       "skills test",
	finds:      "Finds one test of a skills assessment, enabled or not, by its ID or title.",
	lists:      "Lists the tests of a skills assessment. For other assessments, the list is empty.",
	assessment: "skills assessment",
	listArguments: arguments{
		"active": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "`true` lists only tests that are enabled for the organization. `false` lists only the " +
				"others. Default: all tests, the enabled ones first.",
		},
	},
	list: "tests",
	keys: []string{"title"},
	fields: tf.Fields[assessapi.SkillsTest]{
		tf.StringField("description", "Description of the test.",
			func(t assessapi.SkillsTest) *string { return t.Description }),
		tf.StringField("category", "Category of the test.", func(t assessapi.SkillsTest) *string { return t.Category }),
		tf.StringField("time_to_complete", "Time limit with its unit, as the service returns it, such as "+
			"`40 minutes`.", func(t assessapi.SkillsTest) *string { return t.TimeToComplete }),
		{
			Name:      "number_of_questions",
			Attribute: schema.NumberAttribute{Computed: true, MarkdownDescription: "Number of questions in the test."},
			Value: func(_ tf.Privacy, t assessapi.SkillsTest) attr.Value {
				return tf.NumberOrNull(t.NumberOfQuestions)
			},
		},
		boolField("active", "Whether the test is enabled for the organization.",
			func(t assessapi.SkillsTest) *bool { return t.Active }),
	},
	read: readSkillsTests,
	find: findSkillsTest,
}

// readSkillsTests reads the list of enabled tests if the argument "active" is true, and the list of other tests if it
// is false. If the argument is null or does not exist, it reads both lists, and returns the enabled tests first.
func readSkillsTests(ctx context.Context, c *tf.Run, config types.Object) (all []assessapi.SkillsTest, err error) {
	lists := []bool{true, false}
	if wanted := tf.BoolIn(config, "active"); !wanted.IsNull() {
		lists = []bool{wanted.ValueBool()}
	}
	for _, active := range lists {
		tests, err := c.Lists.SkillsTests(ctx, assessmentOf(config), active)
		if err != nil {
			return nil, err
		}
		all = append(all, tests...)
	}
	return all, nil
}

// findSkillsTest returns the enabled tests if one of them has the wanted ID. Otherwise, it returns both enabled and
// disabled tests, because a title may occur in both lists.
func findSkillsTest(ctx context.Context, c *tf.Run, config types.Object) ([]assessapi.SkillsTest, error) {
	enabled, err := c.Lists.SkillsTests(ctx, assessmentOf(config), true)
	if err != nil {
		return nil, err
	}
	hasID := func(test assessapi.SkillsTest) bool { return test.ID == tf.StringIn(config, "id").ValueString() }
	if slices.ContainsFunc(enabled, hasID) {
		return enabled, nil
	}
	return readSkillsTests(ctx, c, config)
}
