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

// Config configures a Transport. Only Windows is required.
type Config struct {
	// Next sends the requests. If it is nil, http.DefaultTransport is used. It must
	// return when the request's context ends, and must send a request at most once. If
	// its error has a method Unsent that returns true, the service did not get the
	// request, and its slot is free immediately.
	Next http.RoundTripper

	// Windows returns the windows in which a request counts: those of the key, and for
	// some routes those of the route as well. It must return few different sets during
	// a run, and must not change a returned slice.
	Windows func(*http.Request) []Window

	// Share is the part of every limit that this Transport's requests may use, 0 <
	// Share <= 1. If the part is less than one request, it is one request in a longer
	// time. All runs together stay within the limit. Zero means 1.
	Share float64

	// Store keeps the slots. If it is nil, NewMemory is used.
	Store Store

	// MaxInFlight is how long the store and the headers of a response may take together.
	// After that, the request fails with ErrNoResponse. So a slot that is held for longer
	// belongs to a process that died. Zero means a minute.
	MaxInFlight time.Duration

	// OnWait is called after each wait, whether a slot was granted or the request was
	// given up. window is the window that it waited for last, or "" for a 429. A wait
	// can be as short as the time in which another request gets its slot. OnWait may be
	// called concurrently.
	OnWait func(ctx context.Context, waited time.Duration, window string)
}

// Transport is an http.RoundTripper that sends a request only when it has a slot
// in every window. See the package's documentation for what it guarantees.
type Transport struct {
	cfg  Config
	run  uint32
	sent atomic.Int64

	mu          sync.Mutex
	queues      []*queue
	waiting     int
	noticeTimer *time.Timer // runs while requests wait
	notices     BudgetNoticeList
}

// New returns a Transport.
func New(cfg Config) *Transport {
	if cfg.Next == nil {
		cfg.Next = http.DefaultTransport
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

// ErrNoResponse is the error of a request that got no response within
// Config.MaxInFlight.
var ErrNoResponse = errors.New("no response in time")

// WaitError is the error of a request that was given up while it waited. Nothing was
// sent.
type WaitError struct {
	// Cause is the context's cause, or the store's error.
	Cause error
	// Waited is how long the request waited.
	Waited time.Duration
	// Window is the name of the window that it waited for, or "" if it waited for none.
	Window string
	// Held reports that a response with status 429 held it.
	Held bool
	// Stuck reports that the store did not answer.
	Stuck bool

	store bool // the store failed
}

func (e *WaitError) Error() string {
	notSent, waiting := "not sent", "not sent while waiting"
	if waited := e.Waited.Round(time.Millisecond); waited > 0 {
		notSent += fmt.Sprintf(" after waiting %s", waited)
		waiting = notSent
	}
	switch {
	case e.Held:
		return fmt.Sprintf("%s, because the service answered 429 Too Many Requests to a request with the same API key: %v",
			notSent, e.Cause)
	case e.Stuck:
		return fmt.Sprintf("%s, because the shared budget did not answer: %v", notSent, e.Cause)
	case e.Window != "":
		return fmt.Sprintf("%s for the limit of %s: %v", waiting, e.Window, e.Cause)
	default:
		return fmt.Sprintf("%s: %v", notSent, e.Cause)
	}
}

func (e *WaitError) Unwrap() error { return e.Cause }

// Permanent reports whether another attempt would fail in the same way.
func (e *WaitError) Permanent() bool { return e.EndsRun() }

// EndsRun reports whether all later requests fail in the same way, because the store has given up permanently.
func (e *WaitError) EndsRun() bool { return e.store }

// RoundTrip waits for a slot in every window of the request, and sends the request. It
// keeps the slot until the windows' length after the response arrived.
//
// It returns a response with status 429 like any other. Such a response also holds all
// users of the budget, so a retry waits with them. If nothing was sent, the error is a
// *WaitError.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	q := t.queue(t.cfg.Windows(req))
	ask, err := t.acquire(req.Context(), q)
	if err == nil && req.Context().Err() != nil { // the context ended in the meantime
		t.cfg.Store.Release(ask, Outcome{Kind: Unsent})
		err = &WaitError{Cause: context.Cause(req.Context())}
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper must close the body
		}
		return nil, err
	}
	return t.send(req, ask)
}

func (t *Transport) send(req *http.Request, ask Ask) (*http.Response, error) {
	t.sent.Add(1)
	ctx, cancel := context.WithCancelCause(req.Context())
	left := t.cfg.MaxInFlight - time.Since(ask.at) // the slot expires after this time
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

func (b *body) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// outcomeOf returns the outcome of a request. Retry-After must be in seconds: Next
// converts dates, because that requires the service's clock.
func outcomeOf(resp *http.Response, err error) Outcome {
	var known interface{ Unsent() bool }
	switch {
	case errors.As(err, &known) && known.Unsent():
		return Outcome{Kind: Unsent}
	case err != nil:
		return Outcome{Kind: Failed}
	case resp.StatusCode == http.StatusTooManyRequests:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		seconds = min(max(seconds, 0), int(longestHold.Seconds()))
		return Outcome{Kind: Refused, RetryAfter: time.Duration(seconds) * time.Second}
	default:
		return Outcome{Kind: Answered}
	}
}
