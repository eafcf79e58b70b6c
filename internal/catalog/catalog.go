// SPDX-License-Identifier: MPL-2.0

// Package catalog reads what the service lists, each list once in a run, and remembers the
// names of what it has read. A write makes lists stale.
package catalog

import (
	"cmp"
	"context"
	"sync"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Catalog caches the lists of the organization that configurations refer to, and the names
// in them. It implements the facts that rules ask for.
type Catalog struct {
	Tests               SkillsTests
	PositionAssessments *PositionAssessments
	Results             *Results

	client     *assessapi.Client
	skip       func(list string, err error)
	lists      Cache[listing[assessapi.Item]] // by kind and assessment
	objects    sync.Map                       // by type, the *Objects of each kind
	titled     Cache[[]assessapi.Item]
	positions  positionPages
	names      sync.Map // namedID to string: the names that this run has read
	confirming lock     // confirms one 404 at a time
	unread     error    // why the latest read that confirms a 404 has failed
}

// New returns the catalog of one run. It sends nothing. The catalog calls skip if the service does not offer a list.
func New(client *assessapi.Client, skip func(list string, err error)) *Catalog {
	c := &Catalog{client: client, skip: skip, Results: &Results{Client: client}}
	c.Tests.catalog = c
	c.PositionAssessments = newPositionAssessments(c)
	c.positions = positionPages{catalog: c, reading: newLock()}
	c.confirming = newLock()
	return c
}

// listing is a list, or the error that says that the service does not offer it
// (assumptions A8, A9 and A23). Both are cached.
type listing[T any] struct {
	items   []T
	refused error
	doubt   error // why the list may be out of date
}

// listed returns a cached list, or reads it. If the list is optional, it also caches errors that satisfy
// [assessapi.IsNoList].
func listed[T any](
	ctx context.Context, cache *Cache[listing[T]], key string, optional bool,
	read func(context.Context) (listing[T], error),
) (listing[T], error) {
	list, err := cache.Get(ctx, key, func(ctx context.Context) (listing[T], error) {
		list, err := read(ctx)
		if optional && assessapi.IsNoList(err) {
			return listing[T]{refused: err}, nil
		}
		return list, err
	})
	return list, cmp.Or(err, list.refused)
}

// namedID is an id with the list of the service that contains it.
type namedID struct{ list, id string }

// listKey identifies a list. The assessment is empty for the lists of the organization.
func listKey(k assessapi.Kind, assessment string) string { return k.Plural + " " + assessment }

// learn stores the names of resources that were read.
func learn[T assessapi.Listed](c *Catalog, list string, read []T) {
	for _, element := range read {
		if l := element.Base().Label(); l.Name != "" {
			c.names.Store(namedID{list, l.ID}, l.Name)
		}
	}
}

func (c *Catalog) label(list, id string) assessapi.Label {
	l := assessapi.Label{ID: id}
	if name, ok := c.names.Load(namedID{list, id}); ok {
		l.Name, _ = name.(string)
	}
	return l
}

// AssessmentLabel returns the id of an assessment, with its name if this run has read it.
// This and the other labels send no requests.
func (c *Catalog) AssessmentLabel(id string) assessapi.Label {
	return c.label(assessmentsKey, id)
}

// PositionLabel returns the id of a position, with its title if this run has read it.
func (c *Catalog) PositionLabel(id string) assessapi.Label { return c.label(positionNames, id) }

// ProfileLabel returns the id of a profile, with its name if this run has read it.
func (c *Catalog) ProfileLabel(assessment, id string) assessapi.Label {
	return c.label(listKey(assessapi.Profiles, assessment), id)
}

// SkipList records that the service does not offer a list that plan checks require (assumption A8).
func (c *Catalog) SkipList(list string, err error) { c.skip(list, err) }

// List lists the items of a kind (see [assessapi.Client.List]). If the service does not offer a list of an assessment,
// the error satisfies [assessapi.IsNoList].
func (c *Catalog) List(ctx context.Context, k assessapi.Kind, assessment string) ([]assessapi.Item, error) {
	key := listKey(k, assessment)
	optional := !k.OfOrganization() // each service offers the lists of the organization
	list, err := listed(ctx, &c.lists, key, optional, func(ctx context.Context) (listing[assessapi.Item], error) {
		items, err := c.client.List(ctx, k, assessment)
		learn(c, key, items)
		return listing[assessapi.Item]{items: items}, err
	})
	return list.items, err
}
