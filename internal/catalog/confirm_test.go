// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowList answers after a second, by default with a list of one assessment, and counts the requests.
type slowList struct {
	status   int
	requests atomic.Int32
}

func (l *slowList) RoundTrip(req *http.Request) (*http.Response, error) {
	l.requests.Add(1)
	select {
	case <-time.After(time.Second):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	body := io.NopCloser(strings.NewReader(`[{"id":"asm-1"}]`))
	return &http.Response{StatusCode: max(l.status, 200), Header: http.Header{}, Request: req, Body: body}, nil
}

// confirming runs a test in virtual time, with a catalog that confirms 404s.
func confirming(t *testing.T, test func(t *testing.T, c *Catalog, service *slowList)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := &slowList{}
		test(t, reading(t, service), service)
	})
}

// Each 404 is confirmed by a read that started after it. Those that arrive while a read runs share the next one.
func TestConfirmationsShareReads(t *testing.T) {
	t.Parallel()
	confirming(t, func(t *testing.T, c *Catalog, service *slowList) {
		var confirmed sync.WaitGroup
		for range 2 { // at the start, and while the first read runs
			for range 20 {
				confirmed.Go(func() {
					if err := c.ConfirmGone(t.Context(), "asm-1"); !errors.Is(err, ErrGone) {
						t.Errorf("ConfirmGone returns %v, want ErrGone", err)
					}
				})
			}
			time.Sleep(time.Second / 2)
		}
		confirmed.Wait()
		if n := service.requests.Load(); n != 2 {
			t.Errorf("%d reads of the list of assessments, want 2", n)
		}
	})
}

// If the list cannot be read, those that wait for a read share its error, instead of waiting one after the other. The
// next 404 is confirmed by a new read.
func TestConfirmationsShareFailures(t *testing.T) {
	t.Parallel()
	confirming(t, func(t *testing.T, c *Catalog, service *slowList) {
		service.status = http.StatusInternalServerError
		start := time.Now()
		var confirmed sync.WaitGroup
		for range 20 {
			confirmed.Go(func() {
				if err := c.ConfirmGone(t.Context(), "asm-1"); !errors.As(err, new(*UnconfirmedError)) {
					t.Errorf("ConfirmGone returns %v, want an UnconfirmedError", err)
				}
			})
		}
		confirmed.Wait()
		if took := time.Since(start); took > 2*time.Minute {
			t.Errorf("it took %s, longer than two reads", took)
		}
		service.status = http.StatusOK
		if err := c.ConfirmGone(t.Context(), "asm-1"); !errors.Is(err, ErrGone) {
			t.Errorf("ConfirmGone returns %v, want ErrGone", err)
		}
	})
}

// If only the caller that reads is canceled, the others read the list themselves.
func TestCanceledConfirmationIsNotShared(t *testing.T) {
	t.Parallel()
	confirming(t, func(t *testing.T, c *Catalog, _ *slowList) {
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second/2, cancel) // while it reads
		var confirmed sync.WaitGroup
		for _, ctx := range []context.Context{t.Context(), canceled, t.Context()} {
			confirmed.Go(func() {
				if err := c.ConfirmGone(ctx, "asm-1"); ctx.Err() == nil && !errors.Is(err, ErrGone) {
					t.Errorf("ConfirmGone returns %v, want ErrGone", err)
				}
			})
			synctest.Wait() // they read one after the other
		}
		confirmed.Wait()
	})
}
