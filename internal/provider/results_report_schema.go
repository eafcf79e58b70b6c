// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// Defaults of the block wait.
const (
	waitTimeout     = time.Hour
	waitInterval    = time.Minute
	waitInvitations = 1
)

func (a *resultsReportAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	attributes := whatIsReported()
	maps.Copy(attributes, howItIsReported())
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes a report of the results of one or more positions to a file. A plan or a state never " +
			"contains these results.\n\nThe report has one section for each position. Each section has " +
			"its own ranking, because you cannot compare scores of different positions. The report also " +
			"shows the names of assessments and benchmarks, the date, and the host name of the service.",
		Attributes: attributes,
		Blocks:     map[string]schema.Block{"wait": waitBlock()},
	}
}

func whatIsReported() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"position_ids": schema.ListAttribute{
			Required: true, ElementType: types.StringType,
			Validators:          []validator.List{someIDs},
			MarkdownDescription: "IDs of the positions. The report has one section for each position, in this order.",
		},
		"candidate_ids": schema.SetAttribute{
			Optional: true, ElementType: types.StringType, Validators: []validator.Set{anyIDs},
			MarkdownDescription: "IDs of the candidates to show. Default: all candidates. With an empty set, the report " +
				"contains no candidates.",
		},
		"assessment_ids": schema.SetAttribute{
			Optional:    true,
			ElementType: types.StringType,
			Validators:  []validator.Set{anyIDs},
			MarkdownDescription: "IDs of the assessments to show. Default: all assessments of each position. The " +
				"suitability of a candidate is one score over several assessments. If you set " +
				"`assessment_ids`, the service computes it only over these assessments. With an empty set, " +
				"the report contains no candidates.",
		},
		"top": schema.Int32Attribute{
			Optional: true, Validators: []validator.Int32{atLeast(1)},
			MarkdownDescription: "Number of candidates to show from the top of each ranking. Default: all candidates.",
		},
		"finished_only": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Set `true` to show only candidates who have completed all assessments that they were " +
				"invited to. Default `false`.",
		},
	}
}

func howItIsReported() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"format": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{oneOf(formatNames...)},
			MarkdownDescription: "Format of the file. Default `html`.\n" +
				"  - `html`: one page that requires no other files.\n" +
				"  - `csv`: a table. The first column is the title of the position.\n" +
				"  - `markdown`: tables without links.\n" +
				"  - `json`: the attribute `candidates` of `assess_position_results` for each position.\n\n" +
				"  No format contains the links at which candidates take their assessments.",
		},
		"path": schema.StringAttribute{
			Required:   true,
			Validators: []validator.String{fileName},
			MarkdownDescription: "Path of the file. Its folder must exist. The action creates the file only when the " +
				"report is complete. On Linux and macOS, only its owner can read it. On Windows, it gets the " +
				"permissions of its folder, so choose a private folder.",
		},
		"overwrite": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Set `true` to replace a file that already exists at `path`. With `false` (default), the " +
				"plan fails if the file exists.",
		},
		"title": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Heading of the report. Default: the title of the position, or `Assessment results` if " +
				"there are several positions.",
		},
		"language": schema.StringAttribute{
			Optional: true, Validators: []validator.String{oneOf(report.Languages()...)},
			MarkdownDescription: "Language of labels, dates and numbers: `en` (default), `de` or `fr`.",
		},
		"anonymous": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Set `true` to show pseudonyms instead of names and IDs, and to omit all links. A " +
				"pseudonym is computed from the ID of the candidate, so it is the same in every report. Default " +
				"`false`.",
		},
		"excel": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Set `true` to write CSV that Excel opens correctly with a double click. The file then " +
				"begins with a byte order mark, and `language` determines the separator of the cells and the decimal sign. " +
				"With `en`, commas separate the cells, and numbers have a decimal point. With `de` and `fr`, semicolons " +
				"separate the cells, and numbers have a decimal comma. Other formats ignore this attribute. Default `false`.",
		},
		"wide": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Set `true` to write CSV with one row for each candidate, and a group of columns for each " +
				"assessment, such as `Lumen Ability Test: percentile`. The groups are sorted by the names of the " +
				"assessments. With `false` (default), there is one row for each result. Other formats ignore this attribute.",
		},
	}
}

func waitBlock() schema.Block {
	duration := []validator.String{positiveDuration}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Waits until every invitation is completed or expired. Then the action writes the report. " +
			"After each check, the action prints how many invitations are completed or expired. If some " +
			"invitations are still open after `timeout`, the action fails and writes no file.",
		Attributes: map[string]schema.Attribute{
			"timeout": schema.StringAttribute{
				Optional:   true,
				Validators: duration,
				MarkdownDescription: "Maximum time to wait, such as `30m` or `8h`. Default `1h`. When this time is over, the " +
					"action checks a last time.",
			},
			"poll_interval": schema.StringAttribute{
				Optional:   true,
				Validators: duration,
				MarkdownDescription: "Time between two checks, such as `30s` or `5m`. Default `1m`. For each position, a check " +
					"sends one request for each 1000 candidates. The service allows 30 such requests per " +
					"minute. If all invitations of a position are completed or expired, the next check skips " +
					"this position.",
			},
			"min_invitations": schema.Int32Attribute{
				Optional:   true,
				Validators: []validator.Int32{atLeast(0)},
				MarkdownDescription: "Minimum number of invitations, counted over all positions. Until there are enough, the " +
					"action waits. Default `1`. Set `0` to write the report even if no candidate has been " +
					"invited.",
			},
		},
	}
}
