// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"fmt"
	"maps"
	"slices"
)

// memberPaths returns the paths of all members of a JSON value, at every depth. An index is the element of an array.
func memberPaths(value any, at []any) (all [][]any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			path := append(slices.Clone(at), name)
			all = append(append(all, path), memberPaths(value[name], path)...)
		}
	case []any:
		for i, element := range value {
			all = append(all, memberPaths(element, append(slices.Clone(at), i))...)
		}
	}
	return all
}

// without returns a JSON value without the member or the element at a path. It changes the value.
func without(value any, path []any) any {
	if len(path) == 0 {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		name := fmt.Sprint(path[0])
		if len(path) == 1 {
			delete(value, name)
		} else if child, ok := value[name]; ok {
			value[name] = without(child, path[1:])
		}
	case []any:
		i, _ := path[0].(int)
		switch {
		case i >= len(value):
		case len(path) == 1:
			return slices.Delete(value, i, i+1)
		default:
			value[i] = without(value[i], path[1:])
		}
	}
	return value
}
