// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// lesson is what a run learns about the parameters of a route. One request at a time learns, and the others
// wait for what it learns.
type lesson struct {
	learning gate

	mu      sync.Mutex
	learned learned
}

// learned is what a run has learned so far.
type learned struct {
	accepts map[string]bool // by parameter, whether the service accepts it
	failing bool            // whether there was no answer to learn from, so that callers no longer wait
	vain    bool            // whether a request was refused also without the parameters
}

// unknown reports whether a request with these parameters may show something new.
func (l learned) unknown(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, known := l.accepts[name]; return !known })
}

func (l learned) refuses(name string) bool {
	accepts, known := l.accepts[name]
	return known && !accepts
}

// soFar returns a copy of what was learned.
func (l *lesson) soFar() learned {
	l.mu.Lock()
	defer l.mu.Unlock()
	learned := l.learned
	learned.accepts = maps.Clone(learned.accepts)
	return learned
}

func (c *Client) lesson(r apiRoute) *lesson {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lessons[r.template] == nil {
		c.lessons[r.template] = &lesson{learning: make(gate, 1), learned: learned{accepts: map[string]bool{}}}
	}
	return c.lessons[r.template]
}

// firstPage is the first page of a list.
type firstPage struct {
	*answer
	sent    url.Values // the parameters with which it was requested
	refused error      // the 400 to a request with more parameters, if this call has learned from it
}

// firstPage requests the first page of a list. A service may refuse `limit` or `fields` on a route for which the
// specification does not show them, or a filter. After a 400, the page is requested again without `limit`, then without
// `fields`, then without both, and then without filters. All other lists of the route in this run are requested in the
// way that has worked (assumption A24). The caller applies the filters that were not sent.
func (c *Client) firstPage(
	ctx context.Context, next apiRequest, fields string, filters url.Values,
) (firstPage, error) {
	all := url.Values{"limit": {pageSize}}
	if fields != "" {
		all.Set("fields", fields)
	}
	optional := len(all)
	maps.Copy(all, filters)
	names := namesOfParameters(all)
	l := c.lesson(next.route)
	defer l.learning.pass(ctx, func() bool {
		learned := l.soFar()
		return !learned.failing && learned.unknown(names)
	})()
	ask := func(without func(i int) bool) (firstPage, error) {
		page := firstPage{sent: url.Values{}}
		for i, name := range names {
			if !without(i) {
				page.sent[name] = all[name]
			}
		}
		var err error
		next.query = page.sent.Encode()
		page.answer, err = c.do(ctx, next)
		return page, err
	}
	before := l.soFar()
	page, refused := ask(func(i int) bool { return before.refuses(names[i]) })
	if !before.unknown(names) || !isBadRequest(refused) {
		l.note(names, page.sent, refused)
		return page, refused
	}
	for set := 1; set < 1<<len(names); set++ { // each set of parameters, by bits
		// First find out whether the parameters are the reason at all.
		if check := set == 1 && before.vain || set == 1<<optional; check && len(names) > 1 {
			if _, err := ask(func(int) bool { return true }); err != nil {
				break
			}
		}
		page, err := ask(func(i int) bool { return set&(1<<i) != 0 })
		if isBadRequest(err) {
			continue
		}
		if l.note(names, page.sent, err) {
			page.refused = refused
			c.notify(all, page.sent, refused)
		}
		return page, err
	}
	l.mu.Lock()
	l.learned.vain = true // the parameters were not the reason
	l.mu.Unlock()
	return firstPage{}, refused
}

// namesOfParameters returns the names of parameters: first those that a list needs least, and the filters last.
func namesOfParameters(parameters url.Values) []string {
	return slices.SortedFunc(maps.Keys(parameters), func(a, b string) int {
		return cmp.Or(order(b)-order(a), strings.Compare(a, b))
	})
}

// order returns -1 for a filter.
func order(parameter string) int { return slices.Index([]string{"fields", "limit"}, parameter) }

// note stores what a request has shown that was sent with some of the named parameters, and reports whether it is new.
func (l *lesson) note(names []string, sent url.Values, err error) (isNew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		for _, name := range names {
			if _, known := l.learned.accepts[name]; !known {
				l.learned.accepts[name], isNew = sent.Has(name), true
			}
		}
	} else if refused, ok := errors.AsType[*Error](err); !ok || refused.Class() == ServiceFault {
		l.learned.failing = true
	}
	return isNew
}

// ErrIgnored means that a service has accepted parameters without doing what they ask for.
var ErrIgnored = errors.New("the list does not show what the parameters ask for")

// notify calls the function of the configuration, once in a run for the same kinds of parameters. A filter is named
// without its values.
func (c *Client) notify(asked, kept url.Values, refused error) {
	var names, parameters []string
	for _, name := range namesOfParameters(asked) {
		if kept.Has(name) {
			continue
		}
		names = append(names, name)
		if order(name) >= 0 {
			name += "=" + asked.Get(name)
		}
		parameters = append(parameters, name)
	}
	key := strings.Join(names, " ")
	c.mu.Lock()
	said := c.said[key]
	c.said[key] = true
	c.mu.Unlock()
	if !said && c.cfg.Refused != nil {
		c.cfg.Refused(strings.Join(parameters, " and "), refused)
	}
}

// isBadRequest reports whether an answer was 400, whoever has sent it.
func isBadRequest(err error) bool { return says(err, http.StatusBadRequest) }
