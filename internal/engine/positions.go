// SPDX-License-Identifier: MPL-2.0

package engine

import (
	"context"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// positionPages reads the list of positions page by page, only as far as necessary.
type positionPages struct {
	catalog *Catalog
	reading lock // held while a page is requested
	pages   *assessapi.Pages[assessapi.Position]
	read    []assessapi.Position
	byID    map[string]assessapi.Position
}

func (p *positionPages) find(ctx context.Context, id string) (assessapi.Position, bool, error) {
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

func (p *positionPages) all(ctx context.Context) ([]assessapi.Position, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		if more, err := p.more(ctx); !more || err != nil {
			return p.read, err
		}
	}
}

// at returns the position with an index, and false if there are fewer positions.
func (p *positionPages) at(ctx context.Context, i int) (assessapi.Position, bool, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	for len(p.read) <= i {
		if more, err := p.more(ctx); !more || err != nil {
			return assessapi.Position{}, false, err
		}
	}
	return p.read[i], true, nil
}

// more reads the next page. It returns false if there is none.
func (p *positionPages) more(ctx context.Context) (bool, error) {
	if p.pages == nil {
		p.pages = p.catalog.run.client.Positions(nil)
		p.byID = map[string]assessapi.Position{}
	}
	if p.pages.Done() {
		return false, nil
	}
	page, err := p.pages.Next(ctx)
	p.read = append(p.read, page...)
	for _, position := range page {
		p.byID[position.ID] = position
	}
	learn(p.catalog, positionNames, page)
	return true, err
}

func (p *positionPages) clear() {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.pages, p.read, p.byID = nil, nil, nil
}
