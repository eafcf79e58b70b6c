// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
)

var _ provider.ProviderWithListResources = (*Provider)(nil)

// ListResources is the registry of resources whose instances can be listed.
func (p *Provider) ListResources(context.Context) []func() listresource.ListResource {
	return []func() listresource.ListResource{
		func() listresource.ListResource { return &positionAssessmentResource{} },
		func() listresource.ListResource { return &skillsTestActivationResource{} },
	}
}

// listItem is an instance of a resource that exists in the service.
type listItem struct {
	name     string // what people call it
	identity any
	resource any // the state that importing it leads to
}

// listArguments reads the arguments of a list into a model. It refuses a list
// that cannot be read, and one whose arguments are open: without them it would be
// another list.
func (w *walk) listArguments(ctx context.Context, req listresource.ListRequest, model any) (diags diag.Diagnostics) {
	switch {
	case !w.connected():
		diags.AddError("Cannot list yet", fmt.Sprintf("The provider's setting %q is not known, so nothing can be listed. Give it a value that is known.", w.unknown))
	case !req.Config.Raw.IsFullyKnown():
		diags.AddError("Cannot list yet", "An argument of the list is not known. Give it a value that is known.")
	default:
		diags = req.Config.Get(ctx, model)
	}
	return diags
}

// stream gives the CLI one item after the other, and reads no further than it
// wants to know. The first problem is the end.
func (w *walk) stream(ctx context.Context, req listresource.ListRequest, items iter.Seq2[listItem, diag.Diagnostic]) iter.Seq[listresource.ListResult] {
	return func(push func(listresource.ListResult) bool) {
		given := int64(0)
		for item, problem := range items {
			if problem != nil {
				diags := diag.Diagnostics{problem}
				w.flush(&diags)
				push(listresource.ListResult{Diagnostics: diags})
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = item.name
			result.Diagnostics.Append(result.Identity.Set(ctx, item.identity)...)
			if req.IncludeResource {
				result.Diagnostics.Append(result.Resource.Set(ctx, item.resource)...)
			}
			w.flush(&result.Diagnostics)
			given++
			if !push(result) || given == req.Limit {
				return
			}
		}
		var rest diag.Diagnostics
		if w.flush(&rest); len(rest) > 0 {
			push(listresource.ListResult{Diagnostics: rest})
		}
	}
}

// nameOr is what something is called, or its id where it has no name.
func nameOr(name *string, id string) string {
	if name == nil || *name == "" {
		return id
	}
	return *name
}

// assessmentName names an assessment of the organisation.
func (w *walk) assessmentName(ctx context.Context, id string) (string, diag.Diagnostic) {
	all, err := w.assessments(ctx)
	if err != nil {
		return id, failure("Cannot list the assessments", "The assessments of the organisation were to be listed, for their names.", err)
	}
	for _, a := range all {
		if a.ID == id {
			return nameOr(a.Name, id), nil
		}
	}
	return id, nil
}
