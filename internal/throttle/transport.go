// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Config says how a Transport throttles. Only Windows has no useful default.
type Config struct {
	// Next sends the requests; http.DefaultTransport if nil. It must return when
	// the request's context ends, and send a request at most once.
	Next http.RoundTripper

	// Windows are those a request counts in: the windows of the key, and for some
	// routes those of the route as well. A run asks for few different sets; the
	// slices must not change once returned.
	Windows func(*http.Request) []Window

	// Share is the part of every limit that this Transport's own requests stay
	// within, 0 < Share <= 1. A part of less than one request is one request in a
	// longer time. All runs together stay within the limit itself. Zero means 1.
	Share float64

	// Store keeps the slots; a new NewMemory if nil.
	Store Store

	// MaxInFlight is how long a request may be without a response (headers). One
	// that has none by then is given up with ErrNoResponse, so that a slot held
	// for longer is known to be a dead process's. Zero means a minute.
	MaxInFlight time.Duration

	// OnWait is called after each wait that is over, whether a slot was granted
	// or the request was given up, with the name of the window that bound it
	// last ("" for a 429). A wait can be as short as another request took to get
	// its slot. It may be called concurrently.
	OnWait func(ctx context.Context, waited time.Duration, window string)
}

// Transport is an http.RoundTripper that sends a request only when it has a slot
// in every window. See the package's documentation for what it guarantees.
type Transport struct {
	cfg  Config
	run  uint32
	sent atomic.Int64

	mu       sync.Mutex
	queues   []*queue
	waiting  int
	patience *time.Timer // runs while requests wait
	noticed  bool        // the notice of the wait was made
	notices  []Notice    // not fetched yet
}

// New returns a Transport.
func New(cfg Config) *Transport {
	if cfg.Next == nil {
		cfg.Next = http.DefaultTransport
	}
	if cfg.Windows == nil {
		cfg.Windows = func(*http.Request) []Window { return nil }
	}
	if cfg.Share == 0 {
		cfg.Share = 1
	}
	if cfg.Store == nil {
		cfg.Store = NewMemory()
	}
	if cfg.MaxInFlight == 0 {
		cfg.MaxInFlight = time.Minute
	}
	return &Transport{cfg: cfg, run: rand.Uint32() | 1}
}

// ErrNoResponse is in the error of a request that was sent and given up because
// Config.MaxInFlight was over.
var ErrNoResponse = errors.New("no response in time")

// WaitError is the error of a request that was given up while it waited: nothing
// was sent.
type WaitError struct {
	// Cause is why: the context's cause, or the store's error.
	Cause error
	// Waited is for how long it had waited.
	Waited time.Duration
	// Window is the name of the window that bound it; "" if none did.
	Window string
	// Held says that a response with status 429 held it.
	Held bool

	store bool // the store could not say
}

// Error implements error.
func (e *WaitError) Error() string {
	waited := e.Waited.Round(time.Millisecond)
	switch {
	case e.Held:
		return fmt.Sprintf("not sent after waiting %s: the service answered 429 Too Many Requests to a request "+
			"with the same API key: %v", waited, e.Cause)
	case e.Window != "":
		return fmt.Sprintf("not sent after waiting %s for %q: %v", waited, e.Window, e.Cause)
	default:
		return fmt.Sprintf("not sent after waiting %s: %v", waited, e.Cause)
	}
}

// Unwrap returns the cause.
func (e *WaitError) Unwrap() error { return e.Cause }

// Permanent reports whether another attempt would fail in the same way: the
// store has given up for good.
func (e *WaitError) Permanent() bool { return e.store }

// RoundTrip waits for a slot in every window of the request, sends it and keeps
// the slot until the windows' length after the response arrived. A response with
// status 429 is returned like any other, and holds all users of the budget: the
// one who retries it waits with them. The error is a *WaitError if nothing was
// sent.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	q := t.queue(t.cfg.Windows(req))
	ask, err := t.acquire(req.Context(), q)
	if err == nil && req.Context().Err() != nil { // ended meanwhile
		t.cfg.Store.Release(ask, Outcome{Result: Unsent})
		err = &WaitError{Cause: context.Cause(req.Context())}
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must; nothing was read from it
		}
		return nil, err
	}
	return t.send(req, ask)
}

// send sends a request that has its slot.
func (t *Transport) send(req *http.Request, ask Ask) (*http.Response, error) {
	t.sent.Add(1)
	ctx, cancel := context.WithCancelCause(req.Context())
	left := t.cfg.MaxInFlight - time.Since(ask.at) // the slot expires after that
	timer := time.AfterFunc(left, func() { cancel(ErrNoResponse) })
	resp, err := t.cfg.Next.RoundTrip(req.WithContext(ctx))
	timer.Stop()
	t.cfg.Store.Release(ask, outcomeOf(resp, err))
	if err != nil {
		if errors.Is(context.Cause(ctx), ErrNoResponse) && !errors.Is(err, ErrNoResponse) {
			err = fmt.Errorf("%w: %w", ErrNoResponse, err)
		}
		cancel(nil)
		return nil, err
	}
	resp.Body = &body{ReadCloser: resp.Body, cancel: cancel}
	return resp, nil
}

// body ends the context of its request when it is closed.
type body struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// outcomeOf tells what became of a request. Retry-After is in seconds here: Next
// translates dates, which need the service's clock.
func outcomeOf(resp *http.Response, err error) Outcome {
	switch {
	case err != nil:
		return Outcome{Result: Failed}
	case resp.StatusCode == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		seconds = min(max(seconds, 0), int(longestHold.Seconds()))
		return Outcome{Result: Refused, RetryAfter: time.Duration(seconds) * time.Second}
	default:
		return Outcome{Result: Answered}
	}
}
