// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

var positionNames = listKey(assessapi.Positions, "")

// PositionsTitled lists the positions that the service returns for a title. The result
// may contain other titles (assumption A25).
func (c *Catalog) PositionsTitled(ctx context.Context, title string) ([]assessapi.Item, error) {
	return c.titled.Get(ctx, title, func(ctx context.Context) ([]assessapi.Item, error) {
		all, err := c.client.Positions(&title).All(ctx)
		learn(c, positionNames, all)
		return all, err
	})
}

// Positions lists all positions of the organization (listPositions).
func (c *Catalog) Positions(ctx context.Context) ([]assessapi.Item, error) {
	p := &c.positions
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		if more, err := p.more(ctx); !more || err != nil {
			return p.read, err
		}
	}
}

// FindPosition returns the position with an id, and false if the organization has none.
// It reads only as many pages of the list as necessary.
func (c *Catalog) FindPosition(ctx context.Context, id string) (assessapi.Item, bool, error) {
	p := &c.positions
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		position, found := p.byID[id]
		if found {
			return position, true, nil
		}
		if more, err := p.more(ctx); !more || err != nil {
			return position, false, err
		}
	}
}

// positionPages reads the list of positions page by page, only as far as necessary.
type positionPages struct {
	catalog *Catalog
	reading lock // held while a page is requested
	pages   *assessapi.Pages[assessapi.Item]
	read    []assessapi.Item
	byID    map[string]assessapi.Item
	refused error // the service does not offer the list (assumption A11)
}

// more reads the next page. It returns false if there is none.
func (p *positionPages) more(ctx context.Context) (bool, error) {
	if p.pages == nil {
		p.pages = p.catalog.client.Positions(nil)
		p.byID = map[string]assessapi.Item{}
	}
	if p.pages.Done() || p.refused != nil {
		return false, p.refused
	}
	page, err := p.pages.Next(ctx)
	if assessapi.IsNoList(err) {
		p.refused = err
	}
	for _, position := range page {
		if _, known := p.byID[position.ID]; !known { // a list that has changed is read a second time
			p.read = append(p.read, position)
			p.byID[position.ID] = position
		}
	}
	learn(p.catalog, positionNames, page)
	return true, err
}

// isCurrent reports whether no page that was read came from a cache.
func (p *positionPages) isCurrent() bool {
	p.reading.Lock()
	defer p.reading.Unlock()
	return p.pages != nil && p.pages.Doubt() == nil
}
