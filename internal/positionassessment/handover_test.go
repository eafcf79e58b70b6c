// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// answers answers some requests instead of a service. It returns nil for the others.
type answers struct {
	*sandboxtest.Service
	answer func(*http.Request) (*http.Response, error)
}

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if resp, err := a.answer(r); resp != nil || err != nil {
		return resp, err
	}
	return a.Service.RoundTrip(r)
}

// taker returns the run of an apply, and a position assessment that equals a creation.
func taker(
	t *testing.T, adopts bool, answer func(*http.Request) (*http.Response, error),
) (*run.Run, ManagedObject, Creation) {
	t.Helper()
	service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
	c := Creation{Position: somePosition, Assessment: "asm-lumen"}
	var id string
	if err := service.Update(func(st *sandbox.State) (err error) {
		id, err = st.Attach(c.Position, c.Assessment, sandbox.Metadata{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return applying(t, service, adopts, answer), ManagedObject{Ref: Ref{c.Position, id}, Assessment: c.Assessment}, c
}

// applying returns the run of an apply.
func applying(
	t *testing.T, service *sandboxtest.Service, adopts bool, answer func(*http.Request) (*http.Response, error),
) *run.Run {
	t.Helper()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	e, err := run.New(t.Context(), run.Config{AdoptExisting: adopts, Config: connection.Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, Transport: answers{service, answer},
		RequestTimeout: 10 * time.Second, RetryTimeout: time.Minute,
		Budget: connection.Budget{Share: 1, Coordination: connection.CoordinationNone},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// An object whose removal has failed stays in the state, so that no other address may adopt it.
func TestAdoptsNothingThatTheStateKeeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, o, c := taker(t, true, func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodDelete {
				return says(http.StatusConflict, "no", "Conversation-Id", "conv-1")(r)
			}
			return nil, nil
		})
		if _, err := of(e).Remove(t.Context(), o, assessapi.Metadata{}); err == nil {
			t.Fatal("the service has removed it")
		}
		if _, err := of(e).Attach(t.Context(), c, profileNeeds{}); !errors.As(err, new(*duplicateError)) {
			t.Errorf("the creation ended with %v, want a DuplicateError", err)
		}
	})
}

// After a removal has handed over its object, no error of the creation may lose it.
func TestFailureDoesNotLoseWhatIsHandedOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			e     *run.Run
			o     ManagedObject
			c     Creation
			lists int
		)
		e, o, c = taker(t, false, func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, somePosition+"/assessments") {
				return nil, nil
			}
			if lists++; lists != 2 { // the second look follows a silence
				return nil, nil
			}
			if _, err := of(e).Remove(t.Context(), o, assessapi.Metadata{}); err != nil {
				return nil, err
			}
			return says(http.StatusForbidden, "no", "Conversation-Id", "conv-1")(r)
		})
		attached, err := of(e).Attach(t.Context(), c, profileNeeds{})
		if err != nil || attached.ID != o.ID {
			t.Errorf("the creation has %+v and %v, want what was handed over", attached, err)
		}
	})
}
