// SPDX-License-Identifier: MPL-2.0

package messages

import (
	"context"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Rules that more than one resource reports.
var (
	LookupFailed      = Rule{Summary: "Could not check the plan"} // a list could not be read
	UnknownAssessment = Rule{Summary: "Unknown assessment"}
	UnknownTest       = Rule{Summary: "Unknown skills test"}
)

// Lists reads the lists of the service. If the service does not offer a list for an assessment, the error satisfies
// [assessapi.IsNoList], and the rules skip the checks that need the list.
type Lists interface {
	Items(ctx context.Context, kind assessapi.Kind, assessment string) ([]assessapi.Item, error)
	SkillsTests(ctx context.Context, assessment string, active bool) ([]assessapi.SkillsTest, error)
	// AssessmentLabel returns an id with its name, if the name is known.
	AssessmentLabel(id string) assessapi.Label
}

// CheckAssessment returns a finding if the organization's list of assessments does not contain this id, or could not be
// read. Otherwise, it returns nil. If the id is the code or the name of exactly one assessment, the finding says so.
func CheckAssessment(ctx context.Context, lists Lists, id string) []Finding {
	path := []string{"assessment_id"}
	all, err := lists.Items(ctx, assessapi.Assessments, "")
	if err != nil {
		return listFailure(path, lists.AssessmentLabel(id), "assessments", err)
	}
	labels := assessapi.Labels(all)
	if Has(labels, id) {
		return nil
	}
	isOther := func(a assessapi.Item) bool { return !hasText(a.Code, id) && !hasText(a.Name, id) }
	if named := slices.DeleteFunc(slices.Clone(all), isOther); len(named) == 1 {
		return Reject(UnknownAssessment, path, "The organization has no assessment with the ID %q. This value is the code "+
			"or name of assessment %s.\n\nTo fix this: set assessment_id = %q.", id, named[0].Label(), named[0].ID)
	}
	return Reject(UnknownAssessment, path, "The organization has no assessment %q. The organization's assessments: "+
		"%s.\n\nTo fix this: correct assessment_id, or check that the credentials belong to the right organization.",
		id, Near(id, labels))
}

// Has reports whether a list contains an id.
func Has(labels []assessapi.Label, id string) bool {
	return slices.ContainsFunc(labels, func(l assessapi.Label) bool { return l.ID == id })
}

// hasText reports whether an optional value is known, and is this text.
func hasText(value *string, text string) bool { return value != nil && *value == text }

// Unread returns a finding if err means that a list of an assessment could not be read. It returns nil if err is nil,
// if the service does not offer the list, or if the assessment is of a kind without packages or skills tests
// (assumption A23).
func Unread(path []string, assessment assessapi.Label, list string, err error) []Finding {
	ofOneKind := list == "packages" || list == "skills tests"
	if err == nil || assessapi.IsNoList(err) || ofOneKind && assessapi.IsOtherKind(err) {
		return nil
	}
	return listFailure(path, assessment, list, err)
}

// listFailure returns a finding for a list that could not be read.
func listFailure(path []string, assessment assessapi.Label, list string, err error) []Finding {
	return RejectFor(LookupFailed, path, err, "Could not check the configuration of assessment %s, because the list of "+
		"%s could not be read.", assessment, list)
}
