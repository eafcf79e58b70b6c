// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int32validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
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
		MarkdownDescription: "Writes the results of positions to a file. It stores nothing in a plan or a state.\n\nEach " +
			"position has its own section, and candidates of different positions never share a ranking. The report shows the " +
			"names of assessments and benchmarks, the date, and the host name of the service.",
		Attributes: attributes,
		Blocks:     map[string]schema.Block{"wait": waitBlock()},
	}
}

func whatIsReported() map[string]schema.Attribute {
	ids := []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(identifier{})}
	return map[string]schema.Attribute{
		"position_ids": schema.ListAttribute{
			Required: true, ElementType: types.StringType,
			Validators: []validator.List{
				listvalidator.SizeAtLeast(1),
				listvalidator.UniqueValues(),
				listvalidator.NoNullValues(),
				listvalidator.ValueStringsAre(identifier{}),
			},
			MarkdownDescription: "IDs of the positions, in the order of their sections.",
		},
		"candidate_ids": schema.SetAttribute{
			Optional: true, ElementType: types.StringType, Validators: ids,
			MarkdownDescription: "IDs of the candidates in the report. Default: all candidates. An empty set selects none.",
		},
		"assessment_ids": schema.SetAttribute{
			Optional:    true,
			ElementType: types.StringType,
			Validators:  ids,
			MarkdownDescription: "IDs of the assessments in the report. The service then computes the suitability of a " +
				"candidate from these assessments only. Default: all assessments of each position. An empty set selects none.",
		},
		"top": schema.Int32Attribute{
			Optional: true, Validators: []validator.Int32{int32validator.AtLeast(1)},
			MarkdownDescription: "Show only the first candidates of each ranking. Default: all candidates.",
		},
		"finished_only": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Show only candidates who have completed every assessment that they were invited to. Default " +
				"`false`.",
		},
	}
}

func howItIsReported() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"format": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.OneOf(formatNames...)},
			MarkdownDescription: "Format of the file. `html` (default): one page that needs no other file. `csv`: a table " +
				"whose first column is the position. `markdown`: tables without links. `json`: the same `candidates` as in " +
				"`assess_position_results`. No format contains sign-in addresses.",
		},
		"path": schema.StringAttribute{
			Required:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Path of the file, in a directory that exists. The file is created when the report is " +
				"complete. Only its owner can read it. On Windows, the file has the permissions of its directory, so choose a " +
				"private directory.",
		},
		"overwrite": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to replace an existing file at `path`. Default `false`: an existing file is an " +
				"error during the plan.",
		},
		"title": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Heading of the report. Default: the title of the position, or `Assessment " +
				"results` for several positions.",
		},
		"language": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.OneOf(report.Languages()...)},
			MarkdownDescription: "Language of labels, dates and numbers: `en` (default), `de` or `fr`.",
		},
		"anonymous": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Show pseudonyms instead of names and IDs, and no links. Default `false`. A pseudonym " +
				"depends only on the ID of the candidate, so it is the same in each report.",
		},
		"excel": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Write CSV that Excel opens correctly with a double click. The file then has a byte order " +
				"mark, and the separators of `language` (`,` and `.` in English, `;` and `,` in German and French). Default " +
				"`false`. Other formats ignore it.",
		},
	}
}

func waitBlock() schema.Block {
	duration := []validator.String{positiveDuration{}}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Wait until every invitation is completed or expired. After each check, a message shows the " +
			"progress. If some are still open after `timeout`, the action fails, and writes nothing.",
		Attributes: map[string]schema.Attribute{
			"timeout": schema.StringAttribute{
				Optional:   true,
				Validators: duration,
				MarkdownDescription: "How long to wait at most. A duration such as `30m` or `8h`. Default `1h`. When this time " +
					"is over, the action checks a last time.",
			},
			"poll_interval": schema.StringAttribute{
				Optional:   true,
				Validators: duration,
				MarkdownDescription: "Time between two checks. A duration such as `30s` or `5m`. Default `1m`. A check takes one " +
					"request for each 1000 candidates of each position. The service allows 30 such requests per minute. Positions " +
					"that are finished are not requested again.",
			},
			"min_invitations": schema.Int32Attribute{
				Optional:   true,
				Validators: []validator.Int32{int32validator.AtLeast(0)},
				MarkdownDescription: "Minimum number of invitations in all positions together. The action waits at least until " +
					"there are so many. Default `1`. With `0`, the action accepts that no candidate has been invited.",
			},
		},
	}
}
