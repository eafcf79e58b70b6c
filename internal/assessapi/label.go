// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"fmt"
	"slices"
)

// Label is the id of a resource with its name, for messages. The name is empty if it is
// not known.
type Label struct{ ID, Name string }

// String returns the id in quotes, followed by the name if there is one.
func (l Label) String() string {
	if l.Name == "" {
		return fmt.Sprintf("%q", l.ID)
	}
	return fmt.Sprintf("%q (%q)", l.ID, l.Name)
}

// Labeled is a resource with an id that may have a name or a title.
type Labeled interface{ Label() Label }

// Labels returns the labels of a list, in the same order.
func Labels[T Labeled](list []T) []Label {
	labels := make([]Label, len(list))
	for i, element := range list {
		labels[i] = element.Label()
	}
	return labels
}

// ByName maps names to ids. Names that occur more than once are omitted, and returned
// sorted as the second result. Resources without a name are omitted.
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

// Label returns the id and the name.
func (a Assessment) Label() Label { return label(a.ID, a.Name) }

// Label returns the id and the title.
func (p Position) Label() Label { return label(p.ID, p.Title) }

// Label returns the id and the name.
func (p Package) Label() Label { return label(p.ID, p.Name) }

// Label returns the id and the name.
func (b Benchmark) Label() Label { return label(b.ID, b.Name) }

// Label returns the id and the name.
func (p Profile) Label() Label { return label(p.ID, p.Name) }

// Label returns the id and the title.
func (t SkillsTest) Label() Label { return label(t.ID, t.Title) }

func label(id string, name *string) Label {
	if name == nil {
		return Label{ID: id}
	}
	return Label{ID: id, Name: *name}
}
