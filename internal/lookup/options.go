// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// assessmentOptionsDataSource lists which blocks an assessment accepts, and the IDs that can be used in each
// (assumption A29).
type assessmentOptionsDataSource struct{ tf.DataSource }

// Schema describes the data source. [options.read] sets the computed attributes.
func (d *assessmentOptionsDataSource) Schema(
	_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse,
) {
	set := func(description string) schema.SetAttribute {
		return schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Shows which of the blocks `packages`, `benchmark`, `profile` and `tests` an assessment " +
			"accepts, and which it requires. For each block, a map contains the valid IDs by name. For `tests`, " +
			"another map contains those that must be enabled first. A map is empty if the assessment has no such " +
			"IDs, and null if the service does not list them. The provider reads up to five lists of each " +
			"assessment, each once in a run.",
		Attributes: map[string]schema.Attribute{
			"assessment_id": tf.RequiredID("ID of the assessment."),
			"locale": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Locale of the position, such as `en-GB`, for the map `benchmarks`. Default: all locales. " +
					"The map then omits names that occur in more than one locale.",
			},
			"blocks": set("Names of the blocks that the assessment accepts, and of the blocks whose values the service " +
				"does not list."),
			"required_blocks": set("Names of the blocks that the assessment requires, without the blocks whose values the " +
				"service does not list."),
			"packages": tf.IDsByName("IDs of the packages by name."),
			"mandatory_package_ids": tf.IDsAttribute("IDs of the packages that the service marks as mandatory. Null if the " +
				"service does not list the packages."),
			"benchmarks":   tf.IDsByName("IDs of the benchmarks by name."),
			"profiles":     tf.IDsByName("IDs of the existing profiles by name."),
			"skills_tests": tf.IDsByName("IDs of the enabled skills tests by title."),
			"disabled_skills_tests": tf.IDsByName("IDs of the skills tests that are not enabled, by title. Enabling a " +
				"test removes it from this map, so do not use the map in the `for_each` of an `assess_skills_test_activation`."),
			"ambiguous_names": set("Names that the maps omit because they occur more than once."),
		},
	}
}

// Read reads the lists of the assessment. It saves nothing after an error.
func (d *assessmentOptionsDataSource) Read(
	ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse,
) {
	defer d.Run.Report(&resp.Diagnostics)
	var config types.Object
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !d.Run.Require("read the data source", &resp.Diagnostics) {
		return
	}
	o := options{run: d.Run, assessment: assessmentOf(config), values: map[string]attr.Value{}}
	resp.Diagnostics.Append(o.read(ctx, config)...)
	if !resp.Diagnostics.HasError() {
		tf.SaveResults(ctx, config, o.values, resp)
	}
}

// options collects what an assessment accepts.
type options struct {
	run        *tf.Run
	assessment string
	values     map[string]attr.Value
	offers     []offer
	ambiguous  []string
	rejected   bool // the service has rejected a request for a list
	diags      diag.Diagnostics
}

// read reads all lists of the assessment, and sets the values of all computed attributes. If the service has rejected a
// request for a list, read then checks that the assessment exists. It stops at the first error, and returns it.
func (o *options) read(ctx context.Context, config types.Object) diag.Diagnostics {
	isComplete := o.readPackages(ctx) && o.readBenchmarks(ctx, config) && o.readProfiles(ctx) &&
		o.readTests(ctx, "skills_tests", true) && o.readTests(ctx, "disabled_skills_tests", false)
	if !isComplete {
		return o.diags
	}
	accepted, required := blocksOf(o.offers)
	o.values["blocks"], o.values["required_blocks"] = tf.IDSet(accepted), tf.IDSet(required)
	o.values["ambiguous_names"] = tf.IDSet(o.ambiguous)
	if o.rejected { // perhaps because the assessment does not exist
		// CheckAssessment reads this list, too, but its error would advise to set plan_checks, which has no effect here.
		if _, err := o.run.Lists.Assessments(ctx); err != nil {
			return append(o.diags, tf.Failure(tf.ListAssessments, tf.ListAssessments+" of the organization.", err))
		}
		tf.AddFindings(messages.CheckAssessment(ctx, &o.run.Lists, o.assessment), &o.diags)
	}
	return o.diags
}

// The following functions read one list each, and return false after an error (see [options.add]).

func (o *options) readPackages(ctx context.Context) bool {
	packages, err := o.run.Lists.Items(ctx, assessapi.Packages, o.assessment)
	if !o.add(offer{block: "packages", some: len(packages) > 0}, "packages", assessapi.Labels(packages), err) {
		return false
	}
	o.values["mandatory_package_ids"] = idsWhere(packages, assessapi.Item.IsMandatory)
	if o.values["packages"].IsNull() { // the service does not list them
		o.values["mandatory_package_ids"] = types.ListNull(types.StringType)
	}
	return true
}

func (o *options) readBenchmarks(ctx context.Context, config types.Object) bool {
	all, err := o.run.Lists.Items(ctx, assessapi.Benchmarks, o.assessment)
	ofLocale := benchmarkLookup.filter(config, all)
	return o.add(offer{block: "benchmark", some: len(all) > 0}, "benchmarks", assessapi.Labels(ofLocale), err)
}

func (o *options) readProfiles(ctx context.Context) bool {
	profiles, err := o.run.Lists.Items(ctx, assessapi.Profiles, o.assessment)
	return o.add(offer{block: "profile", some: len(profiles) > 0}, "profiles", assessapi.Labels(profiles), err)
}

func (o *options) readTests(ctx context.Context, attribute string, active bool) bool {
	tests, err := o.run.Lists.SkillsTests(ctx, o.assessment, active)
	return o.add(offer{block: "tests", some: len(tests) > 0}, attribute, assessapi.Labels(tests), err)
}

// add sets an attribute to the IDs of a list by name, and records ambiguous names and what the list offers for a block.
// err is the error of reading the list. If the service does not offer the list, the attribute is null, but if it says
// that the assessment is of another kind, the attribute is empty. After any other error, or an error after some
// elements, add only adds a diagnostic, and returns false.
func (o *options) add(listed offer, attribute string, labels []assessapi.Label, err error) bool {
	switch {
	case err == nil, !listed.some && listed.isOfOneKind() && assessapi.IsOtherKind(err):
		ids, ambiguous := assessapi.ByName(labels)
		o.values[attribute] = tf.IDMap(ids)
		o.ambiguous = append(o.ambiguous, ambiguous...)
	case !listed.some && assessapi.IsNoList(err):
		o.values[attribute] = types.MapNull(types.StringType)
		listed.hidden = true
	default:
		summary := "Could not list the " + strings.ReplaceAll(attribute, "_", " ")
		o.diags.Append(tf.Failure(summary,
			fmt.Sprintf("%s of assessment %s.", summary, o.run.Lists.AssessmentLabel(o.assessment)), err))
		return false
	}
	o.offers = append(o.offers, listed)
	o.rejected = o.rejected || err != nil
	return true
}

// offer says what the service lists for one block of an assessment.
type offer struct {
	block string // one of "packages", "benchmark", "profile" and "tests"
	// some is whether the list has elements. hidden is whether the service does not offer it.
	some, hidden bool
}

// isOfOneKind reports whether only one kind of assessment has the block, and then requires it.
func (o offer) isOfOneKind() bool { return o.block == "packages" || o.block == "tests" }

// blocksOf returns which blocks an assessment accepts, and which of them it requires (assumption A29). A block whose
// list is hidden is accepted, because the service may accept IDs that it does not list.
func blocksOf(offers []offer) (accepted, required []string) {
	for _, o := range offers {
		if o.some || o.hidden {
			accepted = append(accepted, o.block)
		}
		if o.some && o.isOfOneKind() {
			required = append(required, o.block)
		}
	}
	return accepted, required
}
