// SPDX-License-Identifier: MPL-2.0

package lookup

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
)

// Search looks for the one item of a list whose attribute has the wanted value.
type Search[T any] struct {
	Item       string // what the items are, such as "skills test"
	Attribute  string
	Wanted     types.String         // not null, because a value that the service does not show is null
	Value      func(T) types.String // of the attribute
	matches    func(T) bool         // other conditions, or nil. The field "and" is their text in messages
	and        string
	fixSeveral string                                             // what to do if several items are found
	Describe   func(T) string                                     // how a message names an item
	compare    func([]T) func(T) string                           // makes a Describe that distinguishes items, or nil
	none       string                                             // what to say if the list is empty. May be ""
	advice     func(attribute, wanted string, similar []T) string // more advice if no item is found, may be nil
}

// One returns the item whose attribute has the wanted value, and that meets the other conditions. If there is none, or
// more than one, One returns nil, and adds an error.
func (s Search[T]) One(all []T, diags *diag.Diagnostics) *T {
	var found, similar []T
	for _, item := range all {
		isEqual := s.Value(item).Equal(s.Wanted)
		switch {
		case isEqual && (s.matches == nil || s.matches(item)):
			found = append(found, item)
		case isEqual || messages.Similar(s.Value(item).ValueString(), s.Wanted.ValueString()):
			similar = append(similar, item)
		}
	}
	switch len(found) {
	case 1:
		return &found[0]
	case 0:
		diags.Append(s.notFound(all, similar))
	default:
		diags.Append(s.severalFound(found))
	}
	return nil
}

// condition says what the wanted item must have.
func (s Search[T]) condition() string {
	return fmt.Sprintf("the %s %s%s", s.Attribute, s.Wanted, s.and)
}

// severalFound is the error if several items match.
func (s Search[T]) severalFound(found []T) diag.Diagnostic {
	if s.compare != nil {
		s.Describe = s.compare(found)
	}
	return tf.AttributeError(path.Root(s.Attribute), "Several "+s.Item+"s found", fmt.Sprintf(
		"%d %ss have %s: %s.\n\nTo fix this: %s.", len(found), s.Item, s.condition(), s.list(found), s.fixSeveral))
}

// notFound is the error if no item matches. It lists up to ten similar items or, if no item is similar, up to ten of
// all items. If the service hides the values of some items, the wanted item may be one of these. notFound then lists
// only similar items, and advises to set the ID. If all is empty and s.none is set, notFound shows s.none. If the
// service shows any values, s.advice comes last.
func (s Search[T]) notFound(all, similar []T) diag.Diagnostic {
	hidden := s.hidden(all)
	detail := s.noneHas(len(all), hidden)
	fix := fmt.Sprintf("correct the value of the attribute %q", s.Attribute)
	if s.and != "" {
		fix = "correct one of these two values"
	}
	switch {
	case hidden > 0:
		fix = "set the attribute \"id\" instead. If you do not know the ID, find it on the website of the service"
	case len(all) == 0 && s.none != "":
		detail, fix = s.none, "remove this data source, and what refers to it"
	case len(similar) == 0:
		detail += fmt.Sprintf(" Available: %s.", s.list(all))
	default:
		fix += fmt.Sprintf(". The %s must match exactly", s.Attribute)
	}
	if len(similar) > 0 {
		detail += fmt.Sprintf(" Similar: %s.", s.list(similar))
	}
	detail += "\n\nTo fix this: " + fix + "."
	if s.advice != nil && hidden < len(all) {
		detail += s.advice(s.Attribute, s.Wanted.ValueString(), similar)
	}
	return tf.AttributeError(path.Root(s.Attribute), "No "+s.Item+" found", detail)
}

// noneHas says that none of the items has the wanted value. It also says how many values the service hides.
func (s Search[T]) noneHas(all, hidden int) string {
	switch hidden {
	case 0:
		return fmt.Sprintf("None of %d %ss has %s.", all, s.Item, s.condition())
	case all:
		return fmt.Sprintf("The service does not show the %s of any of %d %ss.", s.Attribute, all, s.Item)
	}
	return fmt.Sprintf("The service does not show the %s of %d of %d %ss, and none of the others has %s.", s.Attribute,
		hidden, all, s.Item, s.condition())
}

// hidden returns the number of items whose value the service does not show.
func (s Search[T]) hidden(all []T) (count int) {
	for _, item := range all {
		if s.Value(item).IsNull() {
			count++
		}
	}
	return count
}

func (s Search[T]) list(items []T) string {
	descriptions := make([]string, len(items))
	for i, item := range items {
		descriptions[i] = s.Describe(item)
	}
	return messages.OneOf(descriptions)
}
