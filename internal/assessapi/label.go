// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"slices"
	"strconv"
)

// Label names a resource in messages. The name is empty if it is not known.
type Label struct{ ID, Name string }

// String returns the name in quotes and then the ID, such as `"Lumen" (asm-lumen)`. Without a name, it returns the ID
// in quotes. The service may have chosen both texts, so String returns one line without pipeline commands (see
// [WithoutCommands]).
func (l Label) String() string {
	text := strconv.Quote(l.ID)
	if l.Name != "" {
		text = fmt.Sprintf("%q (%s)", l.Name, text[1:len(text)-1])
	}
	return WithoutCommands(text)
}

// Listed is an item of any kind.
type Listed interface{ Base() Item }

// Labels returns the labels of a list, in the same order.
func Labels[T Listed](list []T) []Label {
	labels := make([]Label, len(list))
	for i, element := range list {
		labels[i] = element.Base().Label()
	}
	return labels
}

// ByName maps names to IDs, without the names that occur more than once. ambiguous contains these names, sorted. ByName
// omits resources without a name.
func ByName(labels []Label) (ids map[string]string, ambiguous []string) {
	ids, count := map[string]string{}, map[string]int{}
	for _, l := range labels {
		if l.Name != "" {
			ids[l.Name] = l.ID
			count[l.Name]++
		}
	}
	for name, n := range count {
		if n > 1 {
			delete(ids, name)
			ambiguous = append(ambiguous, name)
		}
	}
	slices.Sort(ambiguous)
	return ids, ambiguous
}

// Base implements [Listed]. Types with more members than Item, such as [SkillsTest], embed Item.
func (i Item) Base() Item { return i }

// Label returns the id and the name.
func (i Item) Label() Label {
	if i.Name == nil {
		return Label{ID: i.ID}
	}
	return Label{ID: i.ID, Name: *i.Name}
}
