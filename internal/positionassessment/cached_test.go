// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Row 13: a creation is never decided by a list from a cache, which may lack what the position has by now. The list is
// read again, and if a cache answers again, the creation fails and says so.
func TestCachedListAdmitsNothing(t *testing.T) {
	t.Parallel()
	const signature = "conv-1"
	for name, row := range map[string]struct {
		list   string   // what the cache answers
		header []string // of that answer
		times  int      // how often the cache answers
		want   error    // nil: the service has the last word, which is a duplicate
		reads  int
	}{
		"a cache":                     {"[]", []string{"Conversation-Id", signature, "Age", "12"}, 9, assessapi.ErrCached, 2},
		"something else":              {"[]", nil, 9, assessapi.ErrForeign, 2},
		"a cache that expires":        {"[]", []string{"Conversation-Id", signature, "Age", "59"}, 1, nil, 2},
		"an answer that was not aged": {"", []string{"Conversation-Id", signature, "Age", "0"}, 0, nil, 1},
		"a cached list with an object": {
			`[{"id":"x","organizationAssessment":"asm-lumen"}]`, []string{"Age", "1"}, 9, assessapi.ErrCached, 2,
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			reads, posts := 0, 0
			e, _, c := taker(t, false, func(r *http.Request) (*http.Response, error) {
				switch {
				case r.Method == http.MethodPost:
					posts++
				case strings.HasSuffix(r.URL.Path, somePosition+"/assessments"):
					if reads++; reads <= row.times {
						return says(http.StatusOK, row.list, row.header...)(r)
					}
				}
				return nil, nil
			})
			if _, err := e.Catalog().List(t.Context(), assessapi.Assessments, ""); err != nil { // the service signs its answers
				t.Fatal(err)
			}
			_, err := of(e).Attach(t.Context(), c, profileNeeds{})
			isWanted := errors.Is(err, row.want)
			if row.want == nil {
				isWanted = errors.As(err, new(*duplicateError))
			}
			if posts != 0 || reads < row.reads || !isWanted {
				t.Errorf("%d requests to attach after %d lists: %v", posts, reads, err)
			}
		})
	}
}

// A list that lacks what this run has attached on the position comes from a cache, even if it does not say so.
func TestListWithoutOurCreationAdmitsNothing(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "attach, remove, attach", func(t *testing.T) {
		var removed string
		e, o, c := taker(t, false, func(r *http.Request) (*http.Response, error) {
			if removed != "" && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, somePosition+"/assessments") {
				list := `[{"id":"` + removed + `","organizationAssessment":"asm-lumen"}]`
				return says(http.StatusOK, list, "Conversation-Id", "conv-1")(r)
			}
			return nil, nil
		})
		start := time.Now()
		if _, err := of(e).Remove(t.Context(), o, assessapi.Metadata{}); err != nil {
			t.Fatal(err)
		}
		removed = o.ID // the cache still has the list from before the removal
		if _, err := of(e).Attach(t.Context(), c, profileNeeds{}); !errors.Is(err, assessapi.ErrCached) {
			t.Errorf("the creation ended with %v", err)
		}
		if time.Since(start) > time.Minute {
			t.Error("the creation waited for what this run has removed")
		}
	})
}

// A cache may not know that a supervisor has completed the profile. So its answer allows neither a removal nor an
// update that discards the profile, even if only the list shows the position assessment.
func TestCachedStatusAdmitsNothing(t *testing.T) {
	t.Parallel()
	const attached = `{"id":"ID","organizationAssessment":"asm-lumen","metadata":{"profileStatus":"PROFILE_ATTACHED"}}`
	cached := func(body string) reply { return says(http.StatusOK, body, "Conversation-Id", "conv-1", "Age", "12") }
	for name, change := range map[string]func(context.Context, *positionAssessments, ManagedObject) error{
		"a removal": func(ctx context.Context, a *positionAssessments, o ManagedObject) error {
			_, err := a.Remove(ctx, o, assessapi.Metadata{})
			return err
		},
		"an update": func(ctx context.Context, a *positionAssessments, o ManagedObject) error {
			_, err := a.Update(ctx, update{Object: o, Metadata: assessapi.Metadata{Profile: new("prf-curious-builders")}})
			return err
		},
	} {
		for _, isListed := range []bool{false, true} {
			sandboxtest.Virtual(t, fmt.Sprintf("%s, only listed: %t", name, isListed), func(t *testing.T) {
				writes, id := 0, ""
				e, o, _ := taker(t, false, func(r *http.Request) (*http.Response, error) {
					isOne := strings.HasSuffix(r.URL.Path, id)
					object := strings.Replace(attached, "ID", id, 1)
					switch {
					case r.Method != http.MethodGet:
						writes++
					case isOne && isListed:
						return says(http.StatusNotFound, "", "Conversation-Id", "conv-2")(r)
					case isOne:
						return cached(object)(r)
					case strings.HasSuffix(r.URL.Path, somePosition+"/assessments"):
						return cached("[" + object + "]")(r)
					}
					return nil, nil
				})
				id, o.Status = o.ID, assessapi.ProfileAttached
				if err := change(t.Context(), of(e), o); !errors.Is(err, assessapi.ErrCached) || writes != 0 {
					t.Errorf("%d writes: %v", writes, err)
				}
			})
		}
	}
}

// A cache may answer with a position assessment as it was before this run has set its benchmark. That does not prove
// that the service hides benchmarks, so that what equals a creation still counts.
func TestCachedReadHidesNothing(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "update, attach", func(t *testing.T) {
		service := newService(t, sandboxtest.Assumptions{})
		o := attached(t, service, somePosition, ofLumen, sandbox.Metadata{})
		c := Creation{Position: "pos-support-leeds", Assessment: ofLumen}
		attached(t, service, c.Position, c.Assessment, sandbox.Metadata{})
		e := applying(t, service, false, func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, o.ID) {
				return nil, nil
			}
			old := `{"id":"` + o.ID + `","organizationAssessment":"asm-lumen"}`
			return says(http.StatusOK, old, "Conversation-Id", "conv-1", "Age", "12")(r)
		})
		change := update{Object: o, Metadata: assessapi.Metadata{Benchmark: new("bmk-lumen-engineers-en-gb")}}
		if _, err := of(e).Update(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		if _, err := of(e).Attach(t.Context(), c, profileNeeds{}); !errors.As(err, new(*duplicateError)) {
			t.Errorf("the creation beside an equal one ended with %v", err)
		}
	})
}

// A removal of a profile that is gone succeeds, even if the service has no list that could show it.
func TestGoneProfileIsRemoved(t *testing.T) {
	t.Parallel()
	for _, list := range []int{0, 404, 405} {
		sandboxtest.Virtual(t, fmt.Sprint(list), func(t *testing.T) {
			e := applying(t, newService(t, sandboxtest.Assumptions{PositionAssessmentList: list}), false,
				func(*http.Request) (*http.Response, error) { return nil, nil })
			o := ManagedObject{Ref: Ref{somePosition, "gone"}, Assessment: "asm-lumen", Status: assessapi.ProfileAttached}
			if _, err := of(e).Remove(t.Context(), o, assessapi.Metadata{}); err != nil {
				t.Error(err)
			}
		})
	}
}
