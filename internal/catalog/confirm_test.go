// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// slowList answers after a second with a list of one assessment, and counts the requests.
type slowList struct{ requests atomic.Int32 }

func (l *slowList) RoundTrip(req *http.Request) (*http.Response, error) {
	l.requests.Add(1)
	time.Sleep(time.Second)
	body := io.NopCloser(strings.NewReader(`[{"id":"asm-1"}]`))
	return &http.Response{StatusCode: 200, Header: http.Header{}, Request: req, Body: body}, nil
}

// Each 404 is confirmed by a read that started after it. Those that arrive while a read runs share the next one.
func TestConfirmationsShareReads(t *testing.T) {
	t.Parallel()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		service := &slowList{}
		network := &assessapi.Attempt{Next: service, Timeout: time.Minute}
		c := New(assessapi.New(assessapi.Config{BaseURL: base, Transport: network, RetryTimeout: time.Minute}), nil)
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
