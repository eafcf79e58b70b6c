// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// CheckRemoved is a CheckDestroy: no position assessment that the state had is attached any more.
func (s *Service) CheckRemoved(state *terraform.State) error {
	for address, r := range state.RootModule().Resources {
		if r.Type != "assess_position_assessment" {
			continue
		}
		for _, position := range s.State(s.t).Positions {
			if position.Assessment(r.Primary.ID) != nil {
				return fmt.Errorf("%s: %s is still attached to %s", address, r.Primary.ID, position.ID)
			}
		}
	}
	return nil
}

// CheckAttached checks how often an assessment is attached to a position.
func (s *Service) CheckAttached(positionID, assessmentID string, times int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if n := len(s.Attached(positionID, assessmentID)); n != times {
			return fmt.Errorf("%s is attached to %s %d times, want %d", assessmentID, positionID, n, times)
		}
		return nil
	}
}

// CheckActive checks whether a skills test is enabled.
func (s *Service) CheckActive(assessmentID, testID string, active bool) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := s.State(s.t).Assessment(assessmentID).SkillsTest(testID).Active(); got != active {
			return fmt.Errorf("active of %s is %t, want %t", testID, got, active)
		}
		return nil
	}
}

// CheckWrites checks the methods and routes of the requests other than GET since the journal was reset, such as
// "POST /positions/{position}/assessments".
func (s *Service) CheckWrites(want ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		got := []string{}
		for _, e := range s.Writes() {
			got = append(got, e.Method+" "+e.Route)
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			return fmt.Errorf("the service received the writes %q, want %q", got, want)
		}
		return nil
	}
}

// Writes for [Service.CheckWrites].
const (
	Attach = http.MethodPost + " " + sandbox.RoutePositionAssessments
	Change = http.MethodPut + " " + sandbox.RoutePositionAssessment
	Remove = http.MethodDelete + " " + sandbox.RoutePositionAssessment
	Enable = http.MethodPut + " " + sandbox.RouteSkillsTest
)

// ImportID returns an ImportStateIdFunc: the values of two attributes, separated by "/".
func ImportID(address, first, second string) resource.ImportStateIdFunc {
	return func(state *terraform.State) (string, error) {
		r := state.RootModule().Resources[address]
		if r == nil {
			return "", fmt.Errorf("%s is not in the state", address)
		}
		return r.Primary.Attributes[first] + "/" + r.Primary.Attributes[second], nil
	}
}

// Then is a step without resources that checks the service. Use it after a step with ExpectError: CheckDestroy runs
// only if the state has a resource.
func (s *Service) Then(checks ...resource.TestCheckFunc) resource.TestStep {
	return resource.TestStep{Config: s.Config(""), Check: resource.ComposeAggregateTestCheckFunc(checks...)}
}

// Has checks a value of a resource or data source, at a path such as "packages.ids" or "assessments.0.benchmark.id".
func Has(address, path string, want knownvalue.Check) statecheck.StateCheck {
	first, rest, _ := strings.Cut(path, ".")
	at := tfjsonpath.New(first)
	for _, step := range strings.FieldsFunc(rest, func(r rune) bool { return r == '.' }) {
		if i, err := strconv.Atoi(step); err == nil {
			at = at.AtSliceIndex(i)
		} else {
			at = at.AtMapKey(step)
		}
	}
	return statecheck.ExpectKnownValue(address, at, want)
}

// Text is a value for [Has].
func Text(value string) knownvalue.Check { return knownvalue.StringExact(value) }

// Plans checks what a plan does with a resource.
func Plans(action plancheck.ResourceActionType, address string, more ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: append(more, plancheck.ExpectResourceAction(address, action))}
}
