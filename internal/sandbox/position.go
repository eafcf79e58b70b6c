// SPDX-License-Identifier: MPL-2.0

package sandbox

import "slices"

// listPositions implements the operation of this name. The title filter matches exactly.
func listPositions(c *incoming) (response, error) {
	query, err := c.listQuery("title")
	if err != nil {
		return response{}, err
	}
	positions := c.state.Positions
	if query.Has("title") {
		positions = slices.DeleteFunc(slices.Clone(positions), func(p Position) bool { return p.Title != query.Get("title") })
	}
	return list(c, query, positions, func(p Position) Object {
		return objectOf(p.Extra, "id", p.ID, "title", present(p.Title), "locale", present(p.Locale))
	})
}

// position returns the position that the path names.
func (c *incoming) position() (*Position, error) {
	return existing("position", c.ids["position"], c.state.Position)
}
