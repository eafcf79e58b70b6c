// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/lookup"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

var _ listresource.ListResourceWithConfigValidators = (*Resource)(nil)

// listModel selects positions. If both are null, all positions are listed.
type listModel struct {
	PositionID    types.String `tfsdk:"position_id"`
	PositionTitle types.String `tfsdk:"position_title"`
}

// ListResourceConfigSchema describes the arguments of the list.
func (r *Resource) ListResourceConfigSchema(
	_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the assessments that are attached to one position or to all, with one request for each " +
			"position.",
		Attributes: map[string]schema.Attribute{
			"position_id": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.Identifier},
				MarkdownDescription: "ID of the position. Default: all positions, or those with `position_title`.",
			},
			"position_title": schema.StringAttribute{
				Optional: true, Validators: []validator.String{tf.Latin1},
				MarkdownDescription: "Exact title of one or more positions, instead of `position_id`.",
			},
		},
	}
}

// ListResourceConfigValidators refuse arguments that exclude each other.
func (r *Resource) ListResourceConfigValidators(context.Context) []listresource.ConfigValidator {
	return []listresource.ConfigValidator{
		tf.Choice{Arguments: []string{"position_id", "position_title"}},
	}
}

// List lists the position assessments of one position after the other.
func (r *Resource) List(ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream) {
	var config listModel
	r.Run.List(ctx, req, stream, &config, func(yield func(tf.ListItem, diag.Diagnostic) bool) {
		positions, problem := r.positions(ctx, config)
		if problem != nil {
			yield(tf.ListItem{}, problem)
			return
		}
		warned := false
		for _, position := range positions {
			for item, problem := range r.items(ctx, position, config) {
				if warned {
					item.Warning = nil
				}
				warned = warned || item.Warning != nil
				if !yield(item, problem) || problem != nil {
					return
				}
			}
		}
	})
}

// positions returns the positions that the arguments select.
func (r *Resource) positions(ctx context.Context, config listModel) (all []assessapi.Item, problem diag.Diagnostic) {
	var err error
	switch id := config.PositionID.ValueString(); {
	case !config.PositionID.IsNull():
		var position assessapi.Item
		position, _, err = r.Run.Catalog().FindPosition(ctx, id)
		position.ID = id // the list of its assessments decides whether it exists
		all = []assessapi.Item{position}
	case config.PositionTitle.IsNull():
		all, err = r.Run.Catalog().Positions(ctx)
	default:
		all, err = lookup.PositionsTitled(ctx, r.Run, config.PositionTitle.ValueString())
	}
	switch {
	case err != nil:
		return nil, tf.Failure(tf.ListPositions, "Could not list the positions of the organization.", err)
	case config.PositionTitle.IsNull():
		return all, nil
	}
	// The service may return positions with other titles (assumption A25).
	titled := slices.DeleteFunc(slices.Clone(all), func(p assessapi.Item) bool {
		return !types.StringPointerValue(p.Name).Equal(config.PositionTitle)
	})
	if len(titled) > 0 {
		return titled, nil
	}
	detail := fmt.Sprintf("No position has exactly the title %s.\n\nTo fix this: correct the title, or remove it to "+
		"list all positions.", config.PositionTitle)
	if slices.ContainsFunc(all, func(p assessapi.Item) bool { return p.Name == nil }) {
		detail = "The service does not show the titles of all positions, so a position cannot be found by its title.\n\nTo " +
			"fix this: find the position on the website of the service, and set position_id instead."
	}
	return nil, tf.AttributeError(path.Root("position_title"), "No position found", detail)
}

// items returns the assessments that are attached to a position.
func (r *Resource) items(
	ctx context.Context, position assessapi.Item, config listModel,
) iter.Seq2[tf.ListItem, diag.Diagnostic] {
	what := fmt.Sprintf("Could not list the assessments of position %s.", position.Label())
	return func(yield func(tf.ListItem, diag.Diagnostic) bool) {
		all, err := r.Run.Catalog().PositionAssessments.List(ctx, position.ID)
		switch {
		case assessapi.IsNotFound(err) && config.PositionID.IsNull() && r.Run.Catalog().PositionAssessments.Offered():
			return // deleted after the positions were listed
		case assessapi.IsNotFound(err):
			yield(tf.ListItem{}, tf.ErrorIn(tf.Answers, tf.ListAttached, what+"\n\n"+run.Answer(err)+" Either the position "+
				"does not exist, or this service does not list the assessments of a position.\n\nTo fix this: check the ID of "+
				"the position. If the service does not offer this list, import each position assessment by its ID, with an "+
				"import block (POSITION_ID/POSITION_ASSESSMENT_ID). The website of the service shows the IDs."))
			return
		case err != nil:
			yield(tf.ListItem{}, tf.Failure(tf.ListAttached, what, err))
			return
		}
		for _, pa := range all {
			name, problem := r.Run.AssessmentName(ctx, pa.AssessmentID)
			if problem != nil {
				yield(tf.ListItem{}, problem)
				return
			}
			state := imported(position.ID, pa.ID)
			found, err := r.known().Read(ctx, state.ref(), prior{}) // in the list that was read
			if err != nil {
				yield(tf.ListItem{}, tf.Failure(tf.ListAttached, what, err))
				return
			}
			state.refresh(found, r.Run.Privacy)
			item := tf.ListItem{
				Name:     fmt.Sprintf("%s on %s", name, tf.NameOr(position.Name, position.ID)),
				Resource: state,
			}
			if found.Unclear {
				item.Warning = tf.Warning("Configuration of the assessment not shown", fmt.Sprintf(
					"This service does not return packages, benchmark and tests. One example is %s. So the results of this "+
						"query, and a configuration that the CLI writes from them, omit these blocks.\n\nTo fix this: before you "+
						"apply, look up these settings on the website of the service, and add the blocks to each resource.",
					named(r.Run, state.ref())))
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// imported is the state directly after an import: only the ids are known.
func imported(position, id string) model {
	return model{
		ID: types.StringValue(id), PositionID: types.StringValue(position),
		Packages: types.ObjectNull(packagesType), Benchmark: types.ObjectNull(benchmarkType),
		Profile: types.ObjectNull(profileType), Tests: types.ObjectNull(testsType),
	}
}
