// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Values of the attribute select.
const (
	SelectAll       = "all"
	SelectMandatory = "mandatory"
)

// Select returns the ids that the attribute select means (listPackages). It returns no ids if
// there are findings. checks is whether it may read the list of assessments to explain a 404.
func Select(
	ctx context.Context, facts Facts, assessment, selected string, checks bool,
) (ids []string, found []Finding) {
	path, label := []string{"packages", "select"}, facts.AssessmentLabel(assessment)
	packages, err := facts.Packages(ctx, assessment)
	if assessapi.IsNotFound(err) && checks {
		if found := CheckAssessment(ctx, facts, assessment); len(found) > 0 {
			return nil, found
		}
	}
	if err != nil {
		return nil, []Finding{{
			Rule: SelectFailed, Path: path, Err: err,
			Detail: fmt.Sprintf("Could not list the packages of assessment %s.", label),
		}}
	}
	for _, p := range packages {
		if selected == SelectMandatory && p.Mandatory == nil {
			return nil, refuse(UnmarkedPackages, path, "The service does not say whether package %s of assessment %s is "+
				"mandatory.\n\nTo fix this: list the packages in ids, or use select = \"all\".", p.Label(), label)
		}
		if selected == SelectAll || p.IsMandatory() {
			ids = append(ids, p.ID)
		}
	}
	switch {
	case len(packages) == 0:
		return nil, refuse(NothingToSelect, path, "Assessment %s has no packages.\n\nTo fix this: correct assessment_id, or "+
			"remove the block \"packages\".", label)
	case len(ids) == 0:
		return nil, refuse(NothingToSelect, path, "None of the packages of assessment %s is mandatory.\n\nTo fix this: use "+
			"select = \"all\", or list packages in ids.", label)
	}
	return ids, nil
}
