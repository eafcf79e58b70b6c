// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// The configuration of a client.
const (
	// BaseURL is the address that [Service.RoundTrip] serves. Its host can never exist (RFC 2606).
	BaseURL = "https://sandbox.assess.invalid" + basePath

	// ClientID and APIKey are the only credentials that the service accepts. They are public.
	ClientID = "demo-client"
	APIKey   = "demo-key-not-a-secret"
)

// Page sizes.
const (
	defaultPage = 100
	maxPage     = 1000
)

// Options configure a service. With the zero value, the service starts with the demo state, keeps the state in memory,
// and has rate limits.
type Options struct {
	StateFile string        // the file that keeps the state; "" keeps it in memory
	NoLimits  bool          // disables the rate limits
	MaxPage   int           // the maximum number of elements in a page; a value outside 1 to 1000 means 1000
	Log       io.Writer     // receives one line for each request (nil: no log)
	Seed      func() *State // the initial state; nil means [Demo]
	Deviations
}

// Service is an assessment service. Its methods may be called concurrently.
type Service struct {
	options  Options
	transact transact
	log      requestLog
}

// New does what [Open] does, and waits for the state file as long as necessary.
func New(options Options) (*Service, error) {
	return Open(context.Background(), options)
}

// Open returns a service. If the state file does not exist, Open creates it. Open never replaces a file that it cannot
// read. It returns an error if the initial state is not valid, if it cannot use the file, or if ctx ends while it waits
// for the file.
func Open(ctx context.Context, options Options) (*Service, error) {
	if options.MaxPage <= 0 || options.MaxPage > maxPage {
		options.MaxPage = maxPage
	}
	if options.Seed == nil {
		options.Seed = Demo
	}
	seed, err := options.Seed().copied()
	if err != nil {
		return nil, fmt.Errorf("the initial state is not valid: %w", err)
	}
	transactions, err := keepState(ctx, options.StateFile, seed)
	if err != nil {
		return nil, err
	}
	return &Service{options: options, transact: transactions, log: newRequestLog(options.Log)}, nil
}

// Update changes the state without a request, as a person or another program does. The function change gets a copy of
// the state, which then replaces the state. The function must not call the service. If it returns an error, or if the
// copy is not valid, Update returns an error and the state does not change.
func (s *Service) Update(change func(*State) error) error {
	return s.transact(context.Background(), func(st *State) error { return st.apply(change) })
}

// View calls look with a copy of the state. If it cannot read the state, View returns an error without calling look.
func (s *Service) View(look func(*State)) error {
	var seen *State
	err := s.transact(context.Background(), func(st *State) (err error) { seen, err = st.copied(); return err })
	if err == nil {
		look(seen)
	}
	return err
}

// apply calls change with a copy of the state, and then replaces the state with this copy. If change returns an error,
// or if the copy is then not valid ([State.copied]), apply returns an error and the state does not change.
func (st *State) apply(change func(*State) error) error {
	draft, err := st.copied()
	if err != nil {
		return err
	}
	if err := change(draft); err != nil {
		return err
	}
	changed, err := draft.copied() // checks the draft, and separates the state from pointers that change may have kept
	if err != nil {
		return err
	}
	*st = *changed
	return nil
}

// respond returns the response to a request, and logs both. The log has no paths outside the service, because such a
// path may sign a person in.
func (s *Service) respond(ctx context.Context, c *incomingCall) response {
	resp, conversation := s.process(ctx, c)
	if conversation != "" {
		resp.header.Set("Conversation-Id", conversation)
	}
	address := "(no such page)"
	if IsBelowBase(c.URL.EscapedPath()) {
		address = c.URL.RequestURI()
	}
	s.log.print(c.Method, address, resp.status)
	return resp
}

// process handles a request in one transaction, during which c.state is set. It returns the response and its
// Conversation-Id, which is empty if [Deviations.Unsigned] is set. An unauthorized request needs no transaction, so it
// does not cause a write of the state file.
func (s *Service) process(ctx context.Context, c *incomingCall) (resp response, conversation string) {
	conversation = s.options.conversation("unknown") // used if the state, which contains the counter, is not read
	if err := c.authorize(); err != nil {
		return responseTo(err, conversation), conversation
	}
	var rejected error
	failed := s.transact(ctx, func(st *State) error {
		st.Conversations++
		conversation = s.options.conversation("%06d", st.Conversations)
		c.state = st
		resp, rejected = s.handle(c)
		return nil // keeps the count of conversations and the admitted requests, even if the request is rejected
	})
	if err := cmp.Or(failed, rejected); err != nil {
		resp = responseTo(err, conversation)
	}
	return resp, conversation
}

// handle checks the limits, finds the handler, checks the request, and calls the handler. The error is the rejection of
// the request. A request within the limits counts toward the limits even if it is rejected later. The caller has set
// c.state.
func (s *Service) handle(c *incomingCall) (response, error) {
	if err := s.checkLimits(c); err != nil {
		return response{}, err
	}
	handle, err := s.handlerOf(c)
	if err != nil {
		return response{}, err
	}
	for _, check := range []func() error{c.checkMedia, c.checkCharset, c.checkQuery} {
		if err := check(); err != nil {
			return response{}, err
		}
	}
	return handle(c)
}

// checkLimits counts a request, or rejects it if it exceeds the limits.
func (s *Service) checkLimits(c *incomingCall) error {
	if s.options.NoLimits {
		return nil
	}
	admit := c.state.Windows.admit
	if c.template == RouteResults && c.Method == http.MethodGet {
		admit = c.state.Windows.admitResults
	}
	if wait := admit(time.Now()); wait > 0 {
		return tooMany(wait)
	}
	return nil
}

// handlerOf returns the handler of a request. It rejects an unknown route, an unknown method, and a body that could not
// be read.
func (s *Service) handlerOf(c *incomingCall) (handler, error) {
	handle, known := c.methods[c.Method]
	switch {
	case c.template == "":
		return nil, rejection(http.StatusNotFound, "UNKNOWN_ROUTE",
			"this service has no route %s %s", c.Method, c.URL.EscapedPath())
	case !known || s.options.missing(c):
		return nil, methodNotAllowed(c)
	case c.unread != nil:
		return nil, c.unread
	}
	return handle, nil
}
