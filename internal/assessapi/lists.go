// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"net/url"
	"strings"
)

// Item is something that the service lists. A member is nil if items of its kind do not have it, or if the service does
// not return it.
type Item struct {
	ID        string
	Name      *string // or title
	Code      *string // of an assessment
	Locale    *string // of a benchmark, which must equal that of the position
	Mandatory *bool   // of a package, whether a position assessment must include it (assumption A10)
	Extra     *string // other members, as a JSON object
}

// IsMandatory reports whether the service says that a package is mandatory.
func (i Item) IsMandatory() bool { return i.Mandatory != nil && *i.Mandatory }

// Kind is a kind of item.
type Kind struct {
	Plural string // in messages
	route  string // of the list
	fields string // optional members
}

// What the service lists: assessments and positions (assumption A11) of the organization, and what an assessment
// offers. The list of packages is empty if the assessment does not consist of packages.
var (
	Assessments = Kind{"assessments", "/assessments", "code,name"}
	Positions   = Kind{"positions", "/positions", "title,locale"}
	Packages    = Kind{"packages", "/assessments/{assessment}/packages", "name,mandatory"}
	Benchmarks  = Kind{"benchmarks", "/assessments/{assessment}/benchmarks", "name,locale"} // assumption A8
	Profiles    = Kind{"profiles", "/assessments/{assessment}/profiles", "name"}            // assumption A9
)

func (k Kind) read(o *jsonObject) Item {
	i := Item{ID: o.identity()}
	for _, member := range strings.Split(k.fields, ",") {
		switch member {
		case "code":
			i.Code = o.name(member)
		case "locale":
			i.Locale = o.someString(member)
		case "mandatory":
			i.Mandatory = mandatoryOf(o)
		case "name", "title":
			i.Name = o.name(member)
		}
	}
	i.Extra = o.extra()
	return i
}

// OfOrganization reports whether the organization has one list of this kind, and not each assessment.
func (k Kind) OfOrganization() bool { return !strings.Contains(k.route, "{") }

// List lists the items of a kind. For a list of the organization, the assessment is ignored.
func (c *Client) List(ctx context.Context, k Kind, assessment string) ([]Item, error) {
	var ids []string
	if !k.OfOrganization() {
		ids = []string{assessment}
	}
	return pages(c, k.route, ids, k.fields, nil, k.read).All(ctx)
}

// Positions lists the positions of the organization page by page: all positions, or those
// with the title (listPositions).
func (c *Client) Positions(title *string) *Pages[Item] {
	query := url.Values{}
	if title != nil {
		query.Set("title", *title)
	}
	p := pages(c, Positions.route, nil, Positions.fields, query, Positions.read)
	p.keep = func(position Item) (bool, error) {
		switch {
		case !p.applies("title"):
			return true, nil
		case position.Name == nil:
			return false, p.hidden("title", "the title of each position, so the provider cannot find a position by its "+
				"title. Use IDs instead of titles")
		}
		return *position.Name == *title, nil
	}
	return p
}

// Pages is a list that is read page by page, only as far as required.
type Pages[T any] struct {
	pager

	read func(*jsonObject) T
	// keep applies the filters that the service has not received. It may be nil.
	keep func(T) (bool, error)
}

// pages prepares to read a list. read converts each element.
func pages[T any](
	c *Client, template string, ids []string, fields string, filters url.Values, read func(*jsonObject) T,
) *Pages[T] {
	route := newRoute(template, ids...)
	p := &Pages[T]{pager: pager{client: c, route: route, fields: fields, filters: filters}, read: read}
	p.restart()
	return p
}

// Done reports whether the last page has been read.
func (p *Pages[T]) Done() bool { return p.done }

// Doubt returns [ErrCached] if the pages that were read may not show what the service has now, or nil.
func (p *Pages[T]) Doubt() error { return p.doubt }

// Next reads the next page. After an error, it can be called again for the same page. If the list changed while it was
// read, Next starts again at the first page, and returns elements a second time.
func (p *Pages[T]) Next(ctx context.Context) ([]T, error) {
	elements := []T{}
	err := p.next(ctx, func(o *jsonObject) (err error) {
		element, kept := p.read(o), true
		if p.keep != nil {
			kept, err = p.keep(element)
		}
		if kept {
			elements = append(elements, element)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return elements, nil
}

// All reads all remaining pages. If the list changed while it was read, All returns the
// result of the last pass.
func (p *Pages[T]) All(ctx context.Context) ([]T, error) {
	all := []T{}
	for !p.done {
		pass := p.passes
		page, err := p.Next(ctx)
		if err != nil {
			return nil, err
		}
		if p.passes > pass {
			all = []T{}
		}
		all = append(all, page...)
	}
	return all, nil
}
