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

// taker returns the run of an apply, and a position assessment that equals a creation.
func taker(t *testing.T, adopts bool, answer reply) (*run.Run, ManagedObject, Creation) {
	t.Helper()
	service := newService(t, sandboxtest.Assumptions{})
	o := attached(t, service, somePosition, ofLumen, sandbox.Metadata{})
	return applying(t, service, adopts, answer), o, Creation{Position: somePosition, Assessment: ofLumen}
}

// attached attaches an assessment before the run.
func attached(
	t *testing.T, service *sandboxtest.Service, position, assessment string, m sandbox.Metadata,
) (o ManagedObject) {
	t.Helper()
	service.Change(t, func(st *sandbox.State) {
		id, err := st.Attach(position, assessment, m)
		if err != nil {
			t.Fatal(err)
		}
		o = ManagedObject{Ref: Ref{position, id}, Assessment: assessment}
	})
	return o
}

// applying returns the run of an apply. It asks the service if answer returns neither a response nor an error.
func applying(t *testing.T, service *sandboxtest.Service, adopts bool, answer reply) *run.Run {
	t.Helper()
	return newRun(t, run.Config{AdoptExisting: adopts}, func(r *http.Request) (*http.Response, error) {
		if resp, err := answer(r); resp != nil || err != nil {
			return resp, err
		}
		return service.RoundTrip(r)
	})
}

func newRun(t *testing.T, cfg run.Config, network reply) *run.Run {
	t.Helper()
	base, err := assessapi.ParseBaseURL(sandbox.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Config = connection.Config{
		BaseURL: base, ClientID: sandbox.ClientID, APIKey: sandbox.APIKey, Transport: network,
		RequestTimeout: 10 * time.Second, RetryTimeout: time.Minute,
		Budget: connection.Budget{Share: 1, Coordination: connection.CoordinationNone},
	}
	e, err := run.New(t.Context(), cfg)
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
