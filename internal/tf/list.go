// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	listresource "github.com/hashicorp/terraform-plugin-framework/list"
)

// ListItem is an instance of a resource that exists in the service.
type ListItem struct {
	Name     string // that the CLI shows
	Identity any    // the model of its identity
	Resource any    // the model of the state that it has after an import
}

// List reads the arguments of a list into model, and sets stream.Results, which sends the items to the CLI one by one,
// with the notices of the run. The stream takes no more items than the CLI asks for, and ends at the first problem. If
// an argument or a provider setting is not known yet, the stream takes no items, and contains only an error.
func (c *Run) List(
	ctx context.Context, req listresource.ListRequest, stream *listresource.ListResultsStream, model any,
	items iter.Seq2[ListItem, diag.Diagnostic],
) {
	if diags := c.listArguments(ctx, req, model); diags.HasError() {
		stream.Results = listresource.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(listresource.ListResult) bool) {
		sent := int64(0)
		for item, problem := range items {
			wantsMore := push(c.listResult(ctx, req, item, problem))
			sent++
			if !wantsMore || problem != nil || sent == req.Limit {
				return
			}
		}
		var rest diag.Diagnostics // notices since the last item
		c.Report(&rest)
		if len(rest) > 0 {
			push(listresource.ListResult{Diagnostics: rest})
		}
	}
}

// listArguments reads the arguments of a list into model. It returns an error if a provider setting or an argument is
// not known yet.
func (c *Run) listArguments(ctx context.Context, req listresource.ListRequest, model any) (diags diag.Diagnostics) {
	switch {
	case !c.Require("list resources", &diags): // adds an error
		return diags
	case !req.Config.Raw.IsFullyKnown():
		return diag.Diagnostics{Error("Argument of the list not known yet", "A value in the block \"list\" is known "+
			"only after an apply.\n\nTo fix this: use a value that is known before.")}
	}
	return req.Config.Get(ctx, model)
}

// listResult returns the result for an item, or for the problem if there is one, with the notices of the run. The
// result contains the resource only if the CLI asks for it.
func (c *Run) listResult(
	ctx context.Context, req listresource.ListRequest, item ListItem, problem diag.Diagnostic,
) (result listresource.ListResult) {
	if problem != nil {
		result.Diagnostics.Append(problem)
	} else {
		result = req.NewListResult(ctx)
		result.DisplayName = item.Name
		result.Diagnostics.Append(result.Identity.Set(ctx, item.Identity)...)
		if req.IncludeResource {
			result.Diagnostics.Append(result.Resource.Set(ctx, item.Resource)...)
		}
	}
	c.Report(&result.Diagnostics)
	return result
}
