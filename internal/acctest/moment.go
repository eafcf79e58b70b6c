// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// Meanwhile is a plan check for PreApply that does something between the plan and its apply.
func Meanwhile(do func()) plancheck.PlanCheck { return meanwhile(do) }

type meanwhile func()

func (do meanwhile) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	do()
}
