// SPDX-License-Identifier: MPL-2.0

package run

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// oneRejected is a service that answers fetches of "pas-1" with a status. It takes a second to answer.
type oneRejected struct{ status int }

func (s oneRejected) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Second)
	status, body := http.StatusOK, `{"organizationAssessment": "asm", "metadata": {}}`
	if strings.HasSuffix(r.URL.Path, "/pas-1") {
		status, body = s.status, "{}"
	}
	header := http.Header{"Conversation-Id": {"conv-1"}, "Content-Type": {"application/json"}}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// If the fetch of one position assessment fails, another position assessment of the same assessment can be read.
func TestFailureOfAnotherFetch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound} {
		synctest.Test(t, func(t *testing.T) {
			r := &Run{Client: assessapi.New(assessapi.Config{
				BaseURL: &url.URL{Scheme: "https", Host: "service"}, Transport: oneRejected{status},
				RequestTimeout: time.Minute, RetryTimeout: time.Minute,
			})}
			r.Reads.use(r.Client)
			var first sync.WaitGroup
			first.Go(func() {
				if _, err := r.HasProfiles(t.Context(), "pos", "pas-1", "asm"); err == nil {
					t.Errorf("%d is lost", status)
				}
			})
			synctest.Wait()
			if has, err := r.HasProfiles(t.Context(), "pos", "pas-2", "asm"); has || err != nil {
				t.Errorf("pas-2 has a profile: %t, %v", has, err)
			}
			first.Wait()
		})
	}
}
