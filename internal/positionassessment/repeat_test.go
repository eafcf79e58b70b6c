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
	change := func(o Object, profile string) update {
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
					o := Object{Ref: ref, Assessment: "asm-northlight", Status: "PROFILE_ATTACHED"}
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
