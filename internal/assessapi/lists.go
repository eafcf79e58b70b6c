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
	Locale    *string // of a position or a benchmark
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

// The kinds of items: assessments and positions (assumption A11) of the organization, and the options of an assessment.
// The list of packages is empty if the assessment does not consist of packages.
var (
	Assessments = Kind{"assessments", "/assessments", "code,name"}
	Positions   = Kind{"positions", "/positions", "title,locale"}
	Packages    = Kind{"packages", "/assessments/{assessment}/packages", "name,mandatory"}
	Benchmarks  = Kind{"benchmarks", "/assessments/{assessment}/benchmarks", "name,locale"} // assumption A8
	Profiles    = Kind{"profiles", "/assessments/{assessment}/profiles", "name"}            // assumption A9
)

// OfOrganization reports whether the organization has one list of this kind. Otherwise, each assessment has its own
// list.
func (k Kind) OfOrganization() bool { return !strings.Contains(k.route, "{") }

// readItem reads an item of this kind: its ID and the fields of the kind. Extra has the members that were not read,
// except the links. If the ID is missing, or a field has an unexpected type, the error is in o.err.
func (k Kind) readItem(o *jsonObject, s *secrets) Item {
	item := Item{ID: o.id()}
	for field := range strings.SplitSeq(k.fields, ",") {
		switch field {
		case "name", "title":
			item.Name = o.name(field)
		case "code":
			item.Code = o.name(field)
		case "locale":
			item.Locale = o.stringMember(field).Value // nil if it is empty
		case "mandatory": // after the name, which may be the word "Optional"
			item.Mandatory = mandatoryOf(o)
		}
	}
	item.Extra = o.extra(s)
	return item
}

// Assessments lists the assessments of the organization.
func (c *Client) Assessments(ctx context.Context) (List[Item], error) {
	return c.Items(ctx, Assessments, "")
}

// Positions lists the positions of the organization. If title is not nil, the request filters by this title. The caller
// must still compare the titles, because a service may ignore the filter (assumption A25).
func (c *Client) Positions(ctx context.Context, title *string) (List[Item], error) {
	filters := url.Values{}
	if title != nil {
		filters.Set("title", *title)
	}
	return c.items(ctx, Positions, filters)
}

// Items lists the items of a kind. For a list of the organization, the assessment is ignored.
func (c *Client) Items(ctx context.Context, k Kind, assessment string) (List[Item], error) {
	if k.OfOrganization() {
		return c.items(ctx, k, nil)
	}
	return c.items(ctx, k, nil, assessment)
}

func (c *Client) items(ctx context.Context, k Kind, filters url.Values, ids ...string) (List[Item], error) {
	l := listing{route: newRoute(k.route, ids...), fields: k.fields, filters: filters}
	return list(ctx, c, l, func(o *jsonObject) Item { return k.readItem(o, c.secrets) })
}
