// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"maps"
	"slices"
)

// everyElement stands for each index in a path.
const everyElement = "*"

// memberPaths returns the paths of all members of a JSON value, at every depth. An int in a path is the index of an
// element.
func memberPaths(value any, at []any) (all [][]any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(value) {
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

// isKeyOfMetadata reports whether a path names a key of metadata, or something in it.
func isKeyOfMetadata(path []any) bool {
	i := slices.Index(path, any("metadata"))
	return i >= 0 && i < len(path)-1
}

// without returns a copy of a JSON value without the member or the element at a path.
func without(value any, path []any) any {
	if len(path) == 0 {
		return value
	}
	switch value := value.(type) {
	case map[string]any:
		name, _ := path[0].(string)
		left := maps.Clone(value)
		if child, ok := value[name]; ok && len(path) > 1 {
			left[name] = without(child, path[1:])
		} else {
			delete(left, name)
		}
		return left
	case []any:
		left := []any{}
		for i, element := range value {
			switch {
			case path[0] != i && path[0] != everyElement:
				left = append(left, element)
			case len(path) > 1:
				left = append(left, without(element, path[1:]))
			}
		}
		return left
	}
	return value
}
