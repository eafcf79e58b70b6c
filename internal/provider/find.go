// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/tf"
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// search looks for the one item of a list whose attribute has the wanted value.
type search[T any] struct {
	item      string // what the items are, such as "skills test"
	attribute string
	wanted    types.String
	value     func(T) types.String // of the attribute
	matches   func(T) bool         // the other conditions, which "and" names in messages, may be nil
	and       string
	fix       string // what to do if several items are found
	describe  func(T) description
	compare   func([]T) func(T) description // describes several items so that they differ, may be nil
	none      func() string                 // what to say if the list is empty, may be nil
	advice    func(similar []T) string      // more advice if no item is found, may be nil
}

// description is how a message names an item.
type description string

func (d description) String() string { return string(d) }

// one returns the item that is wanted. If there is none, or more than one, it adds an error
// that lists similar or matching items.
func (s search[T]) one(all []T, diags *diag.Diagnostics) *T {
	var found, similar []T
	unseen := 0 // items whose value the service does not show
	for _, item := range all {
		if s.value(item).IsNull() {
			unseen++
		}
		switch equal := s.value(item).Equal(s.wanted); {
		case equal && (s.matches == nil || s.matches(item)):
			found = append(found, item)
		case equal || words.Similar(s.value(item).ValueString(), s.wanted.ValueString()):
			similar = append(similar, item)
		}
	}
	if len(found) == 1 {
		return &found[0]
	}
	condition := fmt.Sprintf("the %s %s%s", s.attribute, s.wanted, s.and)
	summary := "No " + s.item + " found"
	detail := fmt.Sprintf("None of %d %ss has %s. ", len(all), s.item, condition)
	fix := fmt.Sprintf("correct the value of the attribute %q", s.attribute)
	if s.and != "" {
		fix = "correct one of these two values"
	}
	switch {
	case len(found) > 1:
		if s.compare != nil {
			s.describe = s.compare(found)
		}
		summary, fix = "Several "+s.item+"s found", s.fix
		detail = fmt.Sprintf("%d %ss have %s: %s.", len(found), s.item, condition, s.list(found))
	case unseen > 0:
		detail = fmt.Sprintf("The service does not show the %s of %d of %d %ss, and none of the others has %s.", s.attribute,
			unseen, len(all), s.item, condition)
		fix = "find the " + s.item + " on the website of the service, and set the attribute \"id\" instead"
	case len(all) == 0 && s.none != nil:
		detail = s.none()
		fix = "remove this data source, and what refers to it"
	case len(similar) > 0:
		detail += fmt.Sprintf("Similar: %s.", s.list(similar))
		fix += ". It must match exactly"
	default:
		detail += fmt.Sprintf("Available: %s.", s.list(all))
	}
	fix += "."
	if s.advice != nil && len(found) == 0 {
		fix += s.advice(similar)
	}
	diags.Append(tf.AttributeError(path.Root(s.attribute), summary, detail+"\n\nTo fix this: "+fix))
	return nil
}

func (s search[T]) list(items []T) string {
	descriptions := make([]description, len(items))
	for i, item := range items {
		descriptions[i] = s.describe(item)
	}
	return words.OneOf(descriptions)
}
