// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// dropped says which optional parameters a route refuses (assumption A24).
type dropped struct{ limit, fields bool }

// lesson is what a run has learned about the optional parameters of a route. One request at a time
// learns, and the others wait for what it learns.
type lesson struct {
	learning chan struct{} // has an element while a request learns

	mu      sync.Mutex
	known   bool // whether a request has succeeded, and dropped says how
	failing bool // whether there was no answer to learn from, so that callers no longer wait
	vain    bool // whether a request was refused also without the parameters
	dropped dropped
}

func (l *lesson) state() (known, waits, vain bool, d dropped) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known, !l.known && !l.failing, l.vain, l.dropped
}

// begin waits until the caller may learn, or has nothing to learn. The caller calls end after its request.
func (l *lesson) begin(ctx context.Context) (end func()) {
	end = func() { <-l.learning }
	if _, waits, _, _ := l.state(); waits {
		select {
		case l.learning <- struct{}{}:
			if _, waits, _, _ := l.state(); waits {
				return end
			}
			end()
		case <-ctx.Done(): // the request says so
		}
	}
	return func() {}
}

func (c *Client) lesson(r route) *lesson {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lessons[r.template] == nil {
		c.lessons[r.template] = &lesson{learning: make(chan struct{}, 1)}
	}
	return c.lessons[r.template]
}

// firstPage requests the first page of a list, and returns the parameters with which it was requested. A
// service may refuse `limit` or `fields` on a route for which the specification does not show them.
// After a 400, the page is requested again without `limit`, then without `fields`, then without both, and so
// are all other lists of the route in this run (assumption A24).
func (c *Client) firstPage(
	ctx context.Context, next call, fields string, filters url.Values,
) (*response, url.Values, error) {
	l := c.lesson(next.route)
	defer l.begin(ctx)()
	known, _, vain, d := l.state()
	with := func(d dropped) url.Values {
		query := url.Values{}
		if !d.limit {
			query.Set("limit", pageSize)
		}
		if fields != "" && !d.fields {
			query.Set("fields", fields)
		}
		maps.Copy(query, filters)
		return query
	}
	ask := func(d dropped) (*response, error) {
		next.query = with(d)
		return c.do(ctx, next)
	}
	resp, refused := ask(d)
	if known || !isBadRequest(refused) {
		l.note(d, refused)
		return resp, with(d), refused
	}
	tries := []dropped{{limit: true}, {fields: true}, {limit: true, fields: true}}
	if fields == "" {
		tries = tries[:1]
	} else if vain { // first find out whether the parameters are the reason
		if _, err := ask(tries[2]); err != nil {
			return nil, nil, refused
		}
	}
	for _, try := range tries {
		resp, err := ask(try)
		if isBadRequest(err) {
			continue
		}
		if l.note(try, err) {
			c.notify(with(dropped{}), with(try), refused)
		}
		return resp, with(try), err
	}
	l.mu.Lock()
	l.vain = true // the optional parameters were not the reason
	l.mu.Unlock()
	return nil, nil, refused
}

// note stores what a request has shown, and reports whether it is new.
func (l *lesson) note(d dropped, err error) bool {
	var refused *Error
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil && !l.known:
		l.known, l.dropped = true, d
		return true
	case err != nil && (!errors.As(err, &refused) || refused.Class() == ServiceFault):
		l.failing = true
	}
	return false
}

// ErrIgnored means that a service has accepted optional parameters without doing what they ask for.
var ErrIgnored = errors.New("no element of the list shows an optional field")

// notify calls the function of the configuration, once in a run for the same kinds of parameters.
func (c *Client) notify(asked, kept url.Values, refused error) {
	var names, parameters []string
	for _, name := range []string{"limit", "fields"} {
		if asked.Has(name) && !kept.Has(name) {
			names, parameters = append(names, name), append(parameters, name+"="+asked.Get(name))
		}
	}
	key := strings.Join(names, " ")
	c.mu.Lock()
	said := c.said[key]
	c.said[key] = true
	c.mu.Unlock()
	if !said {
		c.cfg.Refused(strings.Join(parameters, " and "), refused)
	}
}

// isBadRequest reports whether an answer was 400, whoever has sent it.
func isBadRequest(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest
}
