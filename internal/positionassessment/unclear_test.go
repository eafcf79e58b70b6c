// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// If it is unknown whether a creation had an effect, an equal one that waits is not sent, either.
func TestUnclearCreationIsNotRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		posts, failing := 0, false
		e, _, c := taker(t, false, func(r *http.Request) (*http.Response, error) {
			switch {
			case r.Method == http.MethodPost:
				if posts++; posts == 1 {
					time.Sleep(time.Second)
					failing = true
					return nil, errors.New("connection reset by peer")
				}
			case failing && posts == 1 && strings.HasSuffix(r.URL.Path, somePosition+"/assessments"):
				return says(http.StatusForbidden, "no", "Conversation-Id", "conv-1")(r)
			}
			return nil, nil
		})
		c.Metadata = assessapi.Metadata{Benchmark: new("bmk-lumen-engineers-en-gb")}
		var all sync.WaitGroup
		for n := range 2 {
			all.Go(func() {
				time.Sleep(time.Duration(n) * 100 * time.Millisecond)
				defer e.BeginCall()()
				_, err := of(e).Attach(t.Context(), c, profileNeeds{})
				if !errors.As(err, new(*catalog.UnresolvedError)) {
					t.Errorf("creation %d: %v", n, err)
				}
			})
		}
		all.Wait()
		if posts > 1 {
			t.Errorf("%d POST", posts)
		}
	})
}

// What lacks the blocks that were sent is unclear, whatever its assessment accepts, so no other list is requested.
func TestUnclearNeedsNoOtherList(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "lost response", func(t *testing.T) {
		service := newService(t, sandboxtest.Mute)
		service.Inject(sandboxtest.Fault{Method: http.MethodPost, Times: 1, Hangup: true, Late: time.Second})
		lists := catalog.New(newClient(t, service, 10*time.Second, time.Minute), func(string, error) {}).PositionAssessments
		wanted := assessapi.PositionAssessment{
			AssessmentID: ofLumen, Metadata: assessapi.Metadata{Benchmark: new("bmk-lumen-engineers-en-gb")},
		}
		none := func(string) bool { return false }
		if _, _, err := lists.Create(t.Context(), time.Minute, somePosition, wanted, none); err == nil {
			t.Error("an unclear creation succeeded")
		}
		service.AssertCount(t, http.MethodGet, sandbox.RoutePackages, 0)
		service.AssertCount(t, http.MethodGet, sandbox.RouteSkillsTests, 0)
	})
}
