// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// Objects sends the requests about objects that have an owner and an ID, such as position assessments. A kind of object
// describes itself with the lower-case members.
type Objects[T any] struct {
	Client *Client

	name   string // of one object, with spaces
	route  string // of the list of an owner
	fields string // optional members
	read   func(*jsonObject) T
	body   func(T) []byte                       // of the request that creates or updates an object
	like   func(wanted, got T) Likeness         // compares an object with the one that was sent
	key    func(*T) (id *string, self **string) // where an object has its ID and its link
	// A listed object without the required member shows only its ID, so it is read by that ID. Both fields are empty if
	// the service only lists such objects.
	required string
	isWhole  func(T) bool
}

// of returns the requests of a client.
func (k Objects[T]) of(c *Client) Objects[T] {
	k.Client = c
	return k
}

// Likeness is whether an object is the one that was sent.
type Likeness int

// Values of [Likeness].
const (
	Unclear Likeness = iota // the service does not show enough
	Alike
	Unlike
)

// ID returns the ID of an object.
func (k Objects[T]) ID(t T) string {
	id, _ := k.key(&t)
	return *id
}

// IsWhole reports whether an object of a list shows more than its ID. If it does not, use [Objects.Read].
func (k Objects[T]) IsWhole(t T) bool { return k.isWhole == nil || k.isWhole(t) }

func (k Objects[T]) list(owner string) apiRoute { return newRoute(k.route, owner) }

func (k Objects[T]) oneRoute() string { return k.route + "/{" + k.name + "}" }

func (k Objects[T]) one(owner, id string) apiRoute { return newRoute(k.oneRoute(), owner, id) }

// Pages lists the objects of an owner page by page. Elements may show only their IDs.
func (k Objects[T]) Pages(owner string) *Pages[T] {
	p := pages(k.Client, k.route, []string{owner}, k.fields, nil, func(o *jsonObject) T {
		t := k.read(o)
		if k.ID(t) == "" {
			o.missing("id")
		}
		return t
	})
	p.mayBeBare = k.isWhole != nil
	return p
}

// List lists all objects of an owner.
func (k Objects[T]) List(ctx context.Context, owner string) ([]T, error) {
	return k.Pages(owner).All(ctx)
}

// Contradicts returns the error of a list whose elements could not be read by their IDs, although the list shows
// them again. said is the 404 to such a request.
func (k Objects[T]) Contradicts(owner string, said error) error {
	return k.Client.shapeError(http.MethodGet, k.list(owner), fmt.Sprintf(
		"the list shows only the ID of an element, and the answer to the request for this element was: %v", said))
}

// Read reads one object, from the list of the owner if the service only lists such objects.
func (k Objects[T]) Read(ctx context.Context, owner, id string) (T, error) {
	t, _, err := k.ReadNow(ctx, owner, id)
	return t, err
}

// ReadNow is [Objects.Read], and returns the doubt [ErrCached] or [ErrForeign] if the answer may be old or foreign.
func (k Objects[T]) ReadNow(ctx context.Context, owner, id string) (t T, doubt, err error) {
	if k.isWhole == nil {
		pages := k.Pages(owner)
		all, err := pages.All(ctx)
		if i := slices.IndexFunc(all, func(t T) bool { return k.ID(t) == id }); i >= 0 {
			return all[i], pages.Doubt(), nil
		}
		if err == nil {
			err = &Error{Method: http.MethodGet, Route: k.route, Status: http.StatusNotFound, Message: "not in the list"}
		}
		return t, nil, err
	}
	r := k.one(owner, id)
	a, err := k.Client.do(ctx, apiRequest{method: http.MethodGet, route: r})
	if err != nil {
		return t, nil, err
	}
	read, err := k.whole(a.body, id)
	if err != nil {
		return t, nil, k.Client.shapeError(http.MethodGet, r, err.Error())
	}
	return read, k.Client.doubt(a), nil
}

// whole reads the response to the request for an object.
func (k Objects[T]) whole(body []byte, id string) (t T, err error) {
	o, err := k.Client.parseObject(body)
	if err != nil {
		return t, err
	}
	t = k.read(o)
	switch got, _ := k.key(&t); {
	case o.err != nil:
		err = o.err
	case !k.isWhole(t):
		err = fmt.Errorf("got an object without %q", k.required)
	case *got == "":
		*got = id
	case *got != id:
		err = fmt.Errorf("asked for %s %q, got %q", k.name, id, *got)
	}
	return t, err
}

// Like compares an object with the one that was sent.
func (k Objects[T]) Like(wanted, got T) Likeness { return k.like(wanted, got) }

// Create sends a POST. The response may contain only an ID (assumption A4).
//
// A [LostError] means that the object may have been created.
func (k Objects[T]) Create(ctx context.Context, owner string, wanted T) (T, error) {
	var none T
	sent := apiRequest{method: http.MethodPost, route: k.list(owner), body: k.body(wanted)}
	a, err := k.Client.do(ctx, sent)
	if err != nil {
		return none, k.Client.lost(sent, err)
	}
	created := k.written(a)
	got := k.like(wanted, created)
	if got != Alike && errors.Is(k.Client.doubt(a), ErrForeign) {
		return none, &LostError{
			Refused: true, Settles: k.Client.cfg.RequestTimeout, Err: k.Client.unsure(sent, a, ""),
		}
	}
	if got == Unlike || k.ID(created) == owner { // the response is about something else
		created = none
	}
	id, self := k.key(&created)
	if *id, err = k.Client.createdID(sent.route, a, *id, *self); err != nil {
		return none, err
	}
	return created, nil
}

// Recovered notes that a creation has had its effect although its response was lost. Failures of which this is known
// are no outage, in which other creations would wait or fail.
func (k Objects[T]) Recovered() {
	h := k.Client.health
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end(apiRequest{method: http.MethodPost, route: apiRoute{template: k.route}}.operation())
}

// Update sends a PUT (assumption A5). An [UnsureError] means that something else may have answered in place of the
// service.
func (k Objects[T]) Update(ctx context.Context, owner, id string, wanted T) (T, error) {
	var none T
	sent := apiRequest{method: http.MethodPut, route: k.one(owner, id), body: k.body(wanted)}
	a, err := k.Client.do(ctx, sent)
	if err != nil {
		return none, err
	}
	updated := k.written(a)
	own, _ := k.key(&updated)
	*own = id
	return updated, k.Client.unsure(sent, a, id)
}

// Remove removes an object (assumption A6). If it does not exist, the error satisfies [SaysNotFound]. An [UnsureError]
// means that something else may have answered in place of the service.
func (k Objects[T]) Remove(ctx context.Context, owner, id string) error {
	sent := apiRequest{method: http.MethodDelete, route: k.one(owner, id)}
	a, err := k.Client.do(ctx, sent)
	if err != nil {
		return err
	}
	return k.Client.unsure(sent, a, "")
}

// written reads the object from the response to a write. The service has accepted the write, so an unexpected body is
// not an error. From such a body, only the ID and the link are read.
func (k Objects[T]) written(a *answer) (written T) {
	o, err := k.Client.parseObject(a.body)
	if err != nil {
		return written
	}
	read := k.read(o)
	if o.err == nil {
		return read
	}
	id, self := k.key(&written)
	readID, readSelf := k.key(&read)
	*id, *self = *readID, *readSelf
	return written
}
