// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// List lists the enabled tests.
func (r *Resource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	r.ListOf(ctx, req, stream, func(assessment string, yield func(tf.ListItem, diag.Diagnostic) bool) {
		tests, err := r.Run.Catalog().SkillsTests(ctx, assessment, true)
		if err != nil {
			yield(tf.ListItem{}, tf.ListFailure("skills tests", r.Run.Catalog().AssessmentLabel(assessment), err))
			return
		}
		name, problem := r.Run.AssessmentName(ctx, assessment)
		if problem != nil {
			yield(tf.ListItem{}, problem)
			return
		}
		for _, test := range tests {
			state := model{AssessmentID: types.StringValue(assessment), TestID: types.StringValue(test.ID)}
			state.refresh(test, r.Run.Privacy)
			title := fmt.Sprintf("%s (%s)", tf.NameOr(test.Name, test.ID), name)
			if !yield(tf.ListItem{Name: title, Resource: state}, nil) {
				return
			}
		}
	})
}
