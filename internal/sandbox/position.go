// SPDX-License-Identifier: MPL-2.0

package sandbox

import "slices"

// listPositions implements the operation of this name. The title filter matches exactly.
func listPositions(c *call) (response, error) {
	query, err := c.parameters([]string{"title", paramLimit, paramFields, paramOffset}, nil)
	if err != nil {
		return response{}, err
	}
	positions := c.state.Positions
	if query.Has("title") {
		positions = slices.DeleteFunc(slices.Clone(positions), func(p Position) bool { return p.Title != query.Get("title") })
	}
	return list(c, query, []string{"title", "locale"}, positions, func(p Position) Object {
		resource := Object{}
		resource.Set("id", p.ID)
		resource.SetText("title", p.Title)
		resource.SetText("locale", p.Locale)
		resource = append(resource, p.Extra...)
		resource.Set("_links", selfLink(c.url("positions", p.ID)))
		return resource
	})
}

// position returns the position that the path names.
func (c *call) position() (*Position, error) {
	id := c.ids["position"]
	if position := c.state.Position(id); position != nil {
		return position, nil
	}
	return nil, notFound("position", id)
}
