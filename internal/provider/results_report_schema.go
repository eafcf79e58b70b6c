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
		MarkdownDescription: "Writes the results of positions to a file. Nothing of them reaches a plan or a " +
			"state.\n\nEach position is a section of its own. Candidates of different positions never share a ranking. The " +
			"report shows assessments and benchmarks by name, the date, and the host of the service.",
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
			MarkdownDescription: "IDs of the candidates to report on. Default: all. An empty set selects none.",
		},
		"assessment_ids": schema.SetAttribute{
			Optional:    true,
			ElementType: types.StringType,
			Validators:  ids,
			MarkdownDescription: "IDs of the assessments to report on. The suitability of the candidates is then computed " +
				"over these assessments only. Default: all assessments of each position. An empty set selects none.",
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
			MarkdownDescription: "`html`, the default: one page that needs no other file. `csv`: a table whose " +
				"first column is the position. `markdown`: tables without links. " +
				"`json`: the `candidates` as `assess_position_results` has them. No format contains sign-in " +
				"addresses.",
		},
		"path": schema.StringAttribute{
			Required:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Path of the file, in a directory that exists. The file appears when it is complete. Only " +
				"its owner can read it; on Windows it has the permissions of its directory, so choose a private one.",
		},
		"overwrite": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether to replace an existing file at `path`. Default `false`: an existing " +
				"file is an error, already at plan.",
		},
		"title": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Heading of the report. Default: the title of the position, or `Assessment " +
				"results` for several positions.",
		},
		"language": schema.StringAttribute{
			Optional: true, Validators: []validator.String{stringvalidator.OneOf(report.Languages()...)},
			MarkdownDescription: "Language of labels, dates and numbers: `en`, the default, `de` or `fr`.",
		},
		"anonymous": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Show pseudonyms instead of names and ids, and no links. Default `false`. A " +
				"pseudonym depends only on the candidate's id, so it is the same in every report.",
		},
		"excel": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Write CSV that Excel opens correctly with a double click: with a byte order mark, and with " +
				"the separators of `language` (`,` and `.` in English, `;` and `,` in German and French). Default `false`. Other " +
				"formats ignore it.",
		},
	}
}

func waitBlock() schema.Block {
	duration := []validator.String{positiveDuration{}}
	return schema.SingleNestedBlock{
		MarkdownDescription: "Wait until every invitation is completed or expired. A message after each look says how many " +
			"are. If some are still open after `timeout`, the action fails, says how many, and writes nothing.",
		Attributes: map[string]schema.Attribute{
			"timeout": schema.StringAttribute{
				Optional:   true,
				Validators: duration,
				MarkdownDescription: "How long to wait, as a duration such as `1h`, the default. The action " +
					"looks a last time when the time is over.",
			},
			"poll_interval": schema.StringAttribute{
				Optional:   true,
				Validators: duration,
				MarkdownDescription: "How long to wait before the next look, as a duration such as `1m`, the " +
					"default. A look takes one request for each position and 1000 candidates. The service allows 30 such requests a " +
					"minute. Positions that are finished are not requested again.",
			},
			"min_invitations": schema.Int32Attribute{
				Optional:   true,
				Validators: []validator.Int32{int32validator.AtLeast(0)},
				MarkdownDescription: "How many invitations there must be, in all positions together, before they can count as " +
					"finished. Default `1`: the action waits for the first invitation. `0` accepts that nobody has been invited.",
			},
		},
	}
}
