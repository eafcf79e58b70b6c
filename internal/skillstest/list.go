// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// List lists the enabled tests.
func (r *Resource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	r.ListOf(ctx, req, stream, "skills tests", func(assessment string) (items []tf.ListItem, err error) {
		tests, err := r.Run.Catalog().SkillsTests(ctx, assessment, true)
		for _, test := range tests {
			state := model{AssessmentID: types.StringValue(assessment), TestID: types.StringValue(test.ID)}
			state.refresh(test, r.Run.Privacy)
			items = append(items, tf.ListItem{Name: tf.NameOr(test.Name, test.ID), Resource: state})
		}
		return items, err
	})
}
