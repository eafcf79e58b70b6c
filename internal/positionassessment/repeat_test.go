// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A write that is sent again after a failure can follow minutes after the first attempt. If a supervisor has completed
// the profile meanwhile, it is not sent again. Without a supervisor, it is.
func TestRepeatsNoWriteOverASupervisor(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		for _, completes := range []bool{true, false} {
			sandboxtest.Virtual(t, fmt.Sprintf("%s, with a supervisor: %t", method, completes), func(t *testing.T) {
				service := newService(t, sandboxtest.Assumptions{})
				o := attached(t, service, somePosition, "asm-northlight", sandbox.Metadata{Profile: "prf-customer-first"})
				o.Status = assessapi.ProfileAttached
				sent := 0
				e := applying(t, service, false, func(r *http.Request) (*http.Response, error) {
					if r.Method != method {
						return nil, nil
					}
					if sent++; sent > 1 {
						return nil, nil
					}
					if completes {
						if err := service.Update(func(st *sandbox.State) error {
							return st.CompleteProfile(o.Position, o.ID)
						}); err != nil {
							return nil, err
						}
					}
					return says(http.StatusServiceUnavailable, "maintenance")(r)
				})
				var err error
				if method == http.MethodPut {
					m := assessapi.Metadata{Profile: new("prf-curious-builders")}
					_, err = of(e).Update(t.Context(), update{Object: o, Metadata: m})
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
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := newService(t, sandboxtest.Assumptions{})
			o := attached(t, service, somePosition, "asm-northlight", sandbox.Metadata{Profile: "prf-customer-first"})
			o.Status, o.Forget = assessapi.ProfileAttached, true
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
	}
}
