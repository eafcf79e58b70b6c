// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/rules"
)

// search looks for the one thing of a list whose attribute has a value.
type search[T any] struct {
	noun, attribute string
	wanted          types.String
	of              func(T) types.String // the attribute
	fits            func(T) bool         // whether a thing has what else is asked for, which "and" words
	and             string
	fix             string              // what to do if several are found
	shown           func(T) description // of a thing, for messages
}

// description is a thing in the words of a message.
type description string

func (d description) String() string { return string(d) }

// describe is a position assessment of a list.
func (c *configured) describe(pa assessapi.PositionAssessment) description {
	return description(fmt.Sprintf("%q (assessment %s)", pa.ID, c.AssessmentLabel(pa.AssessmentID)))
}

// only returns the one thing that is wanted. If there is none, or several, it says
// how many, and which.
func (s search[T]) only(all []T, diags *diag.Diagnostics) *T {
	var found, near []T
	for _, thing := range all {
		switch equal := s.of(thing).Equal(s.wanted); {
		case equal && (s.fits == nil || s.fits(thing)):
			found = append(found, thing)
		case equal || isNear(s.of(thing).ValueString(), s.wanted.ValueString()):
			near = append(near, thing)
		}
	}
	at, what := path.Root(s.attribute), fmt.Sprintf("the %s %s%s", s.attribute, s.wanted, s.and)
	switch {
	case len(found) == 1:
		return &found[0]
	case len(found) > 1:
		diags.AddAttributeError(at, fmt.Sprintf("Several %ss found", s.noun), fmt.Sprintf(
			"%d %ss have %s: %s.\n\nTo fix this: %s.", len(found), s.noun, what, s.names(found), s.fix))
	case len(near) > 0:
		diags.AddAttributeError(at, fmt.Sprintf("No %s found", s.noun), fmt.Sprintf(
			"None of %d %ss has %s. Similar: %s.", len(all), s.noun, what, s.names(near)))
	default:
		diags.AddAttributeError(at, fmt.Sprintf("No %s found", s.noun), fmt.Sprintf(
			"None of %d %ss has %s. Available: %s.", len(all), s.noun, what, s.names(all)))
	}
	return nil
}

func (s search[T]) names(things []T) string {
	texts := make([]description, len(things))
	for i, thing := range things {
		texts[i] = s.shown(thing)
	}
	return rules.OneOf(texts)
}

// isNear reports a value that differs in case, spaces or a few characters, or
// contains the other.
func isNear(a, b string) bool {
	a, b = strings.ToLower(strings.TrimSpace(a)), strings.ToLower(strings.TrimSpace(b))
	return a != "" && b != "" &&
		(strings.Contains(a, b) || strings.Contains(b, a) || levenshtein.Distance(a, b, nil) <= len(b)/5)
}
