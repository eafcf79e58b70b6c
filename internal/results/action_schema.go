// SPDX-License-Identifier: MPL-2.0

package results

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Schema describes the arguments of the action. Most of them are options of [report.Options].
func (a *reportAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes a report of the results of one or more positions to a file. No plan and no state " +
			"contains these results.\n\nThe report has one section for each position, with a ranking of its own. " +
			"[Reports](../guides/reports.md) explains the numbers.",
		Attributes: map[string]schema.Attribute{
			"position_ids": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				Validators:          []validator.List{tf.SomeIDs},
				MarkdownDescription: "IDs of the positions. The report has one section for each position, in this order.",
			},
			"candidate_ids": optionalIDs("IDs of the candidates to show. Default: all candidates. With an empty set, the " +
				"report contains no candidates."),
			"assessment_ids": optionalIDs("IDs of the assessments to show, from which the service then computes the " +
				"suitability. Default: all assessments of each position. With an empty set, the report contains no candidates."),
			"top": schema.Int32Attribute{
				Optional: true, Validators: []validator.Int32{tf.AtLeast(1)},
				MarkdownDescription: "Number of candidates to show from the top of each ranking. Default: all candidates.",
			},
			"finished_only": optionalBool("`true` shows only candidates who have completed all assessments that they were " +
				"invited to. Default `false`."),
			"format": optionalString("Format of the file. Default `html`.\n"+
				"  - `html`: one page that requires no other files.\n"+
				"  - `csv`: a table. The first column is the title of the position.\n"+
				"  - `markdown`: tables without links.\n"+
				"  - `json`: the attribute `candidates` of `assess_position_results` for each position.\n\n"+
				"  No format contains the links at which candidates take their assessments.",
				tf.OneOf(slices.Sorted(maps.Keys(reportFormats))...)),
			"path": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{tf.FileName},
				MarkdownDescription: "Path of the file. Its folder must exist. The action creates the file only when the " +
					"report is complete. On Linux and macOS, only its owner can read it. On Windows, it gets the " +
					"permissions of its folder, so choose a private folder.",
			},
			"overwrite": optionalBool("`true` replaces a file at `path`. With `false` (default), the plan fails if the file " +
				"exists."),
			"title": optionalString("Heading of the report. Default: the title of the position, or `Assessment results` if " +
				"there are several positions."),
			"language": optionalString("Language of labels, dates and numbers: `en` (default), `de` or `fr`.",
				tf.OneOf(report.Languages()...)),
			"anonymous": optionalBool("`true` shows pseudonyms instead of names, and dates instead of times. It omits IDs of " +
				"candidates and invitations, and links to the service. Default `false`."),
			"excel": optionalBool("`true` writes CSV that Excel opens with a double click, as " +
				"[results_csv](../functions/results_csv.md) explains. Default `false`."),
			"wide": optionalBool("`true` writes CSV with one row for each candidate. With `false` (default), there is one row " +
				"for each result."),
			"confidential": optionalBool("`false` omits the note that the report is confidential. Default `true`."),
			"assessment_names": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Names of assessments by their IDs, instead of the names in the service.",
			},
			"source": optionalString("Where the results come from, for the report. Default: the host of the service."),
			"date":   optionalString("Date of the results, for the report. Default: now, such as `2026-03-01T09:00:00Z`."),
		},
	}
}

func optionalString(description string, rules ...validator.String) schema.Attribute {
	return schema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: description}
}

func optionalBool(description string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description}
}

func optionalIDs(description string) schema.Attribute {
	return schema.SetAttribute{
		Optional: true, ElementType: types.StringType, Validators: []validator.Set{tf.AnyIDs},
		MarkdownDescription: description,
	}
}
