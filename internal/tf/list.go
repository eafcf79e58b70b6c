// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"cmp"
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// ListItem is an instance of a resource that exists in the service.
type ListItem struct {
	Name     string // that the CLI shows
	Resource any    // the model of the state that it has after an import
	Warning  diag.Diagnostic
}

// List answers with the items, one by one, and reads no more of them than the CLI asks for. It ends
// at the first problem. First, it reads the arguments into a model. It refuses unknown arguments,
// because ignoring them would list something else.
func (c *Run) List(
	ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream, model any,
	items iter.Seq2[ListItem, diag.Diagnostic],
) {
	var diags diag.Diagnostics
	switch {
	case !c.Require("list resources", &diags):
	case !req.Config.Raw.IsFullyKnown():
		diags.Append(
			Error("Argument of the list not known yet", "A value in the block \"list\" is known "+
				"only after an apply.\n\nTo fix this: use a value that is known before."),
		)
	default:
		diags = req.Config.Get(ctx, model)
	}
	if diags.HasError() {
		stream.Results = listresource.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(listresource.ListResult) bool) {
		sent := int64(0)
		for item, problem := range items {
			if problem != nil {
				diags := diag.Diagnostics{problem}
				c.Report(&diags)
				push(listresource.ListResult{Diagnostics: diags})
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = item.Name
			result.Diagnostics.Append(Set(ctx, result.Identity, item.Resource)...)
			if item.Warning != nil {
				result.Diagnostics.Append(item.Warning)
			}
			if req.IncludeResource {
				result.Diagnostics.Append(Set(ctx, result.Resource, item.Resource)...)
			}
			c.Report(&result.Diagnostics)
			sent++
			if !push(result) || sent == req.Limit {
				return
			}
		}
		var rest diag.Diagnostics
		if c.Report(&rest); len(rest) > 0 {
			push(listresource.ListResult{Diagnostics: rest})
		}
	}
}

// ListResourceConfigSchema describes the argument of a list: what has the instances.
func (b *Resource) ListResourceConfigSchema(
	_ context.Context, _ listresource.ListResourceSchemaRequest, resp *listresource.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{MarkdownDescription: b.Lists, Attributes: map[string]schema.Attribute{
		b.Parts[0].Attribute: schema.StringAttribute{
			Required: true, Validators: []validator.String{Identifier}, MarkdownDescription: b.Parts[0].Description,
		},
	}}
}

// ListOf is [Run.List] for the instances that an assessment has, in one list of the service. It adds the name of the
// assessment to their names.
func (b *Resource) ListOf(
	ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream, things string,
	read func(assessment string) ([]ListItem, error),
) {
	var config types.Object
	b.Run.List(ctx, req, stream, &config, func(yield func(ListItem, diag.Diagnostic) bool) {
		assessment := StringIn(config, b.Parts[0].Attribute).ValueString()
		items, err := read(assessment)
		if err != nil {
			yield(ListItem{}, ListFailure(things, b.Run.Catalog().AssessmentLabel(assessment), err))
			return
		}
		name, problem := b.Run.AssessmentName(ctx, assessment)
		if problem != nil {
			yield(ListItem{}, problem)
			return
		}
		for _, item := range items {
			item.Name += " (" + name + ")"
			if !yield(item, nil) {
				return
			}
		}
	})
}

// AssessmentName returns the name of an assessment, or its id if it has none.
func (c *Run) AssessmentName(ctx context.Context, id string) (string, diag.Diagnostic) {
	if _, err := c.Catalog().List(ctx, assessapi.Assessments, ""); err != nil {
		return id, Failure(ListAssessments, "Could not list the assessments of the organization to find their names.", err)
	}
	return cmp.Or(c.Catalog().AssessmentLabel(id).Name, id), nil
}
