// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"net/url"
)

// Assessment is an assessment of the organization (listAssessments).
type Assessment struct {
	ID    string
	Code  *string
	Name  *string
	Extra *string // other members, as a JSON object, or nil if there are none
}

// Position is a position of the organization (assumption A11).
type Position struct {
	ID     string
	Title  *string
	Locale *string // must equal the locale of a benchmark (listBenchmarks)
	Extra  *string
}

// Package is a part of a multi-game cognitive assessment (listPackages).
type Package struct {
	ID        string
	Name      *string
	Mandatory *bool // nil if the service does not return it (assumption A10)
	Extra     *string
}

// IsMandatory reports whether the service says that a position assessment must include
// the package.
func (p Package) IsMandatory() bool { return p.Mandatory != nil && *p.Mandatory }

// Benchmark is a client-specific benchmark of an assessment (listBenchmarks).
type Benchmark struct {
	ID     string
	Name   *string
	Locale *string
	Extra  *string
}

// Profile is an existing profile of a two-sided assessment (listProfiles).
type Profile struct {
	ID    string
	Name  *string
	Extra *string
}

// Assessments lists the assessments of the organization (listAssessments).
func (c *Client) Assessments(ctx context.Context) ([]Assessment, error) {
	return pages(c, "/assessments", nil, "code,name", nil, func(o *object) Assessment {
		return Assessment{ID: o.identity(), Code: o.name("code"), Name: o.name("name"), Extra: o.extra()}
	}).All(ctx)
}

// Positions lists the positions of the organization page by page: all positions, or those
// with the title (listPositions).
func (c *Client) Positions(title *string) *Pages[Position] {
	query := url.Values{}
	if title != nil {
		query.Set("title", *title)
	}
	p := pages(c, "/positions", nil, "title,locale", query, func(o *object) Position {
		return Position{ID: o.identity(), Title: o.name("title"), Locale: o.string("locale"), Extra: o.extra()}
	})
	p.keep = func(position Position) (bool, error) {
		switch {
		case !p.pager.applies("title"):
			return true, nil
		case position.Title == nil:
			return false, errors.New("it does not accept the filter `title`, and does not show the title of each position, so " +
				"that the provider cannot find a position by its title. Use IDs instead of titles")
		}
		return *position.Title == *title, nil
	}
	return p
}

// Packages lists the packages of an assessment (listPackages). The list is empty if the
// assessment does not consist of packages.
func (c *Client) Packages(ctx context.Context, assessment string) ([]Package, error) {
	const route, fields = "/assessments/{assessment}/packages", "name,mandatory"
	return pages(c, route, []string{assessment}, fields, nil, func(o *object) Package {
		return Package{ID: o.identity(), Name: o.name("name"), Mandatory: mandatoryOf(o), Extra: o.extra()}
	}).All(ctx)
}

// Benchmarks lists the benchmarks of an assessment (assumption A8).
func (c *Client) Benchmarks(ctx context.Context, assessment string) ([]Benchmark, error) {
	const route, fields = "/assessments/{assessment}/benchmarks", "name,locale"
	return pages(c, route, []string{assessment}, fields, nil, func(o *object) Benchmark {
		return Benchmark{ID: o.identity(), Name: o.name("name"), Locale: o.string("locale"), Extra: o.extra()}
	}).All(ctx)
}

// Profiles lists the existing profiles of an assessment (assumption A9).
func (c *Client) Profiles(ctx context.Context, assessment string) ([]Profile, error) {
	return pages(c, "/assessments/{assessment}/profiles", []string{assessment}, "name", nil, func(o *object) Profile {
		return Profile{ID: o.identity(), Name: o.name("name"), Extra: o.extra()}
	}).All(ctx)
}

// Pages is a list that is read page by page, only as far as required.
type Pages[T any] struct {
	pager *pager
	read  func(*object) T
	given map[string]bool // the ids that Next has returned
	// keep applies the filters that the service has not received. It may be nil.
	keep func(T) (bool, error)
}

// maxPasses is how often a list is read at most from its beginning. Reading starts again
// if the list changes meanwhile.
const maxPasses = 3

// pages prepares to read a list. read converts each element.
func pages[T any](
	c *Client, template string, ids []string, fields string, filters url.Values, read func(*object) T,
) *Pages[T] {
	return &Pages[T]{
		pager: c.pager(newRoute(template, ids...), fields, filters), read: read, given: map[string]bool{},
	}
}

// Done reports whether the last page has been read.
func (p *Pages[T]) Done() bool { return p.pager.done }

// Doubt returns [ErrCached] if the pages that were read may not show what the service has now, or nil.
func (p *Pages[T]) Doubt() error { return p.pager.doubt }

// Next reads the next page. After an error, it can be called again for the same page. If
// the list changed while it was read, Next starts again at the first page, and omits
// elements that it has already returned.
func (p *Pages[T]) Next(ctx context.Context) ([]T, error) {
	for {
		elements, ids, err := p.page(ctx)
		if p.pager.restarts(err) {
			continue
		}
		for _, id := range ids {
			p.given[id] = true
		}
		return elements, err
	}
}

// page reads the next page, without elements that Next has already returned.
func (p *Pages[T]) page(ctx context.Context) (elements []T, ids []string, err error) {
	page, err := p.pager.fetch(ctx)
	if err != nil {
		return nil, nil, err
	}
	elements = make([]T, 0, len(page.elements))
	for i, o := range page.elements {
		if p.given[string(o.members["id"])] {
			continue
		}
		element := p.read(o)
		if o.err != nil {
			return nil, nil, p.pager.problem(inElement(i, o.err))
		}
		kept, err := p.keep == nil, error(nil)
		if p.keep != nil {
			kept, err = p.keep(element)
		}
		if err != nil {
			return nil, nil, p.pager.problem(err)
		}
		if kept {
			elements = append(elements, element)
		}
	}
	p.pager.take(page)
	return elements, page.ids, nil
}

// All reads all remaining pages. If the list changed while it was read, All returns the
// result of the last pass.
func (p *Pages[T]) All(ctx context.Context) ([]T, error) {
	all := []T{}
	for !p.Done() {
		page, _, err := p.page(ctx)
		if p.pager.restarts(err) {
			all = []T{}
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
	}
	return all, nil
}
