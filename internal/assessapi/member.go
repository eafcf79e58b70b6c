// SPDX-License-Identifier: MPL-2.0

package assessapi

// Member is a member of a response. It has three states: absent, null, and a value.
type Member[T any] struct {
	Shown bool // false if the member is absent
	Value *T   // nil if the member is absent or null, or an empty string
}

// Get returns the value, and whether there is one.
func (m Member[T]) Get() (value T, ok bool) {
	if m.Value == nil {
		return value, false
	}
	return *m.Value, true
}

// OrZero returns the value, or the zero value of its type if there is none.
func (m Member[T]) OrZero() T {
	value, _ := m.Get()
	return value
}

// Set returns a member with a value.
func Set[T any](value T) Member[T] { return Member[T]{Shown: true, Value: &value} }

// List is a list that was read to its end.
type List[T any] struct {
	Elements []T
	Cached   bool // a page came from a cache, so the list does not prove that something is missing
}
