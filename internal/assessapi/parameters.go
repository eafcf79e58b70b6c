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
	learning turnstile // for the request that learns

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
		c.lessons[r.template] = &lesson{learning: make(turnstile, 1), learned: learned{accepts: map[string]bool{}}}
	}
	return c.lessons[r.template]
}

// firstPage requests the first page of a list. A service may refuse `limit` or `fields` on a route for which the
// specification does not show them, or a filter. After a 400, the page is requested again without `limit`, then without
// `fields`, then without both, and then without filters. All other lists of the route in this run are requested in the
// way that has worked (assumption A24). The caller applies the filters that were not sent.
func (p *pager) firstPage(ctx context.Context) (*answer, error) {
	all := url.Values{"limit": {pageSize}}
	if p.fields != "" {
		all.Set("fields", p.fields)
	}
	optional := len(all)
	maps.Copy(all, p.filters)
	names := namesOfParameters(all)
	l := p.client.lesson(p.route)
	defer l.learning.pass(ctx, func() bool {
		learned := l.soFar()
		return !learned.failing && learned.unknown(names)
	})()
	ask := func(without func(i int) bool) (*answer, error) {
		p.sent = url.Values{}
		for i, name := range names {
			if !without(i) {
				p.sent[name] = all[name]
			}
		}
		return p.client.do(ctx, apiRequest{method: http.MethodGet, route: p.route, query: p.sent.Encode()})
	}
	before := l.soFar()
	a, refused := ask(func(i int) bool { return before.refuses(names[i]) })
	if !before.unknown(names) || !says(refused, http.StatusBadRequest) {
		l.note(names, p.sent, refused)
		return a, refused
	}
	for set := 1; set < 1<<len(names); set++ { // each set of parameters, by bits
		// First find out whether the parameters are the reason at all.
		if check := set == 1 && before.vain || set == 1<<optional; check && len(names) > 1 {
			if _, err := ask(func(int) bool { return true }); err != nil {
				break
			}
		}
		a, err := ask(func(i int) bool { return set&(1<<i) != 0 })
		if says(err, http.StatusBadRequest) {
			continue
		}
		if l.note(names, p.sent, err) {
			p.refused = refused
			p.client.notify(all, p.sent, refused)
		}
		return a, err
	}
	l.mu.Lock()
	l.learned.vain = true // the parameters were not the reason
	l.mu.Unlock()
	return nil, refused
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
