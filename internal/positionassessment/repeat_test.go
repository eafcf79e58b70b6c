// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A write that is sent again after a failure can follow minutes after the first attempt. If a supervisor has completed
// the profile meanwhile, it is not sent again. Without a supervisor, it is.
func TestRepeatsNoWriteOverASupervisor(t *testing.T) {
	t.Parallel()
	change := func(o ManagedObject, profile string) update {
		return update{Object: o, Metadata: assessapi.Metadata{Profile: &profile}}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		for _, completes := range []bool{true, false} {
			t.Run(method+map[bool]string{true: " with a supervisor", false: ""}[completes], func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
					var ref Ref
					edit := func(change func(st *sandbox.State) error) {
						t.Helper()
						if err := service.Update(change); err != nil {
							t.Fatal(err)
						}
					}
					edit(func(st *sandbox.State) (err error) {
						profile := "prf-customer-first"
						ref.Position = somePosition
						ref.ID, err = st.Attach(somePosition, "asm-northlight", sandbox.Metadata{Profile: profile})
						return err
					})
					sent := 0
					e := applying(t, service, false, func(r *http.Request) (*http.Response, error) {
						if r.Method != method {
							return nil, nil
						}
						if sent++; sent > 1 {
							return nil, nil
						}
						if completes {
							edit(func(st *sandbox.State) error { return st.CompleteProfile(ref.Position, ref.ID) })
						}
						return says(http.StatusServiceUnavailable, "maintenance")(r)
					})
					o := ManagedObject{Ref: ref, Assessment: "asm-northlight", Status: "PROFILE_ATTACHED"}
					var err error
					if method == http.MethodPut {
						_, err = of(e).Update(t.Context(), change(o, "prf-curious-builders"))
					} else {
						_, err = of(e).Remove(t.Context(), o, assessapi.Metadata{})
					}
					switch {
					case !completes && (err != nil || sent != 2):
						t.Errorf("%d times sent, %v", sent, err)
					case completes && (!errors.Is(err, errProfileCompleted) || sent != 1):
						t.Errorf("%d times sent, and a supervisor's work is lost: %v", sent, err)
					case completes:
						if text := changeFailure("", "", "", err).Detail(); !strings.Contains(text, "not repeated") {
							t.Errorf("the message says that nothing was sent: %s", text)
						}
					}
				})
			})
		}
	}
}

// Before a removal is sent again, a read looks for a supervisor's work. If this read fails, the removal is not sent
// again, and the answer to the read is not taken for the answer to the removal.
func TestRepeatsNoRemovalAfterAFailedRead(t *testing.T) {
	t.Parallel()
	const signed = "Conversation-Id"
	for name, read := range map[string]reply{
		"outage":                  says(http.StatusServiceUnavailable, "maintenance", signed, "conv-1"),
		"credentials are refused": says(http.StatusUnauthorized, `{"code":"denied"}`, signed, "conv-1"),
		"read is forbidden":       says(http.StatusForbidden, `{"code":"denied"}`, signed, "conv-1"),
		"read is refused":         says(http.StatusConflict, `{"code":"conflict"}`, signed, "conv-1"),
		"gateway without route":   says(http.StatusNotFound, `{"code":"none"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
				o := ManagedObject{Assessment: "asm-northlight", Status: assessapi.ProfileAttached, Forget: true}
				if err := service.Update(func(st *sandbox.State) (err error) {
					o.Position = somePosition
					o.ID, err = st.Attach(somePosition, o.Assessment, sandbox.Metadata{Profile: "prf-customer-first"})
					return err
				}); err != nil {
					t.Fatal(err)
				}
				sent := 0
				e := applying(t, service, false, func(r *http.Request) (*http.Response, error) {
					switch {
					case r.Method == http.MethodDelete:
						sent++
						return says(http.StatusServiceUnavailable, "maintenance", signed, "conv-1")(r)
					case sent > 0 && strings.HasSuffix(r.URL.Path, "/"+o.ID):
						return read(r)
					}
					return nil, nil
				})
				forgotten, err := of(e).Remove(t.Context(), o, assessapi.Metadata{})
				if sent != 1 || forgotten != nil || err == nil {
					t.Errorf("%d times sent, forgotten because of %v, error %v", sent, forgotten, err)
				}
				if errors.As(err, new(*assessapi.RepeatedError)) {
					t.Errorf("the only error of the run refers to another one: %v", err)
				}
			})
		})
	}
}
