// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
)

var _ provider.ProviderWithListResources = (*Provider)(nil)

// ListResources returns the resources whose instances can be listed.
func (p *Provider) ListResources(context.Context) []func() listresource.ListResource {
	return []func() listresource.ListResource{
		func() listresource.ListResource { return newPositionAssessment() },
		func() listresource.ListResource { return newSkillsTestActivation() },
	}
}

// listItem is an instance of a resource that exists in the service.
type listItem struct {
	name     string // that the CLI shows
	resource any    // the model of the state that it has after an import
	warning  diag.Diagnostic
}

// list answers with the items, one by one, and reads no more of them than the CLI asks for. It ends
// at the first problem. First, it reads the arguments into a model. It refuses unknown arguments,
// because ignoring them would list something else.
func (c *configured) list(
	ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream, model any,
	items iter.Seq2[listItem, diag.Diagnostic],
) {
	var diags diag.Diagnostics
	switch {
	case !c.require("list resources", &diags):
	case !req.Config.Raw.IsFullyKnown():
		diags.Append(
			newError("Argument of the list not known yet", "A value in the block \"list\" is known "+
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
				c.report(&diags)
				push(listresource.ListResult{Diagnostics: diags})
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = item.name
			result.Diagnostics.Append(set(ctx, result.Identity, item.resource)...)
			if item.warning != nil {
				result.Diagnostics.Append(item.warning)
			}
			if req.IncludeResource {
				result.Diagnostics.Append(set(ctx, result.Resource, item.resource)...)
			}
			c.report(&result.Diagnostics)
			sent++
			if !push(result) || sent == req.Limit {
				return
			}
		}
		var rest diag.Diagnostics
		if c.report(&rest); len(rest) > 0 {
			push(listresource.ListResult{Diagnostics: rest})
		}
	}
}

// nameOr returns a name, or the id if the name is missing.
func nameOr(name *string, id string) string { return cmp.Or(textOf(name), id) }

// assessmentName returns the name of an assessment, or its id if it has none.
func (c *configured) assessmentName(ctx context.Context, id string) (string, diag.Diagnostic) {
	if _, err := c.Catalog.Assessments(ctx); err != nil {
		return id, failure(listAssessments, "Could not list the assessments of the organization to find their names.", err)
	}
	return cmp.Or(c.Catalog.AssessmentLabel(id).Name, id), nil
}
