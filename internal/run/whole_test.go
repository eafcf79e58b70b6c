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

// oneForbidden is a service that rejects fetches of "pas-1". It takes a second to answer.
type oneForbidden struct{}

func (oneForbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Second)
	status, body := http.StatusOK, `{"organizationAssessment": "asm", "metadata": {}}`
	if strings.HasSuffix(r.URL.Path, "/pas-1") {
		status, body = http.StatusForbidden, "{}"
	}
	header := http.Header{"Conversation-Id": {"conv-1"}, "Content-Type": {"application/json"}}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// If the fetch of one position assessment fails, another position assessment of the same assessment can be read.
func TestFailureOfAnotherFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &Run{Client: assessapi.New(assessapi.Config{
			BaseURL: &url.URL{Scheme: "https", Host: "service"}, Transport: oneForbidden{},
			RequestTimeout: time.Minute, RetryTimeout: time.Minute,
		})}
		r.Reads.use(r.Client)
		assessment := "asm"
		suffices := func(id string) (bool, error) {
			return r.Suffices(t.Context(), "pos", assessapi.PositionAssessment{
				ID: id, AssessmentID: assessapi.Member[string]{Value: &assessment, Shown: true}, HasMetadata: true,
			}, Needs{})
		}
		var first sync.WaitGroup
		first.Go(func() {
			if _, err := suffices("pas-1"); err == nil {
				t.Error("the rejection is lost")
			}
		})
		synctest.Wait()
		if enough, err := suffices("pas-2"); !enough || err != nil {
			t.Errorf("pas-2 suffices: %t, %v", enough, err)
		}
		first.Wait()
	})
}
