// SPDX-License-Identifier: MPL-2.0

package assessapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// notices collects the notices of a client.
func notices(notified *[]string) func(*Config) {
	return func(cfg *Config) {
		cfg.Refused = func(parameters string, err error) { *notified = append(*notified, parameters+": "+err.Error()) }
	}
}

// TestWithoutOptionalParameters checks a service that refuses fields and limit. The
// client then omits both until the end of the run and notifies the user once
// (assumption A24).
func TestWithoutOptionalParameters(t *testing.T) {
	t.Parallel()
	strict := func(req *http.Request) (*http.Response, error) {
		if q := req.URL.Query(); q.Has("fields") || q.Has("limit") {
			return answers(http.StatusBadRequest, `{"message":"unknown parameter"}`)(req)
		}
		return answers(http.StatusOK, `[{"id":"1"}]`)(req)
	}
	network := newStub(strict)
	var notified []string
	c := newClient(t, network, notices(&notified))
	for range 2 {
		if _, err := c.List(t.Context(), Assessments, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := c.SkillsTests(t.Context(), "asm", false); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Results(t.Context(), "p", []string{"c"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	const want = `/assessments?fields=code%2Cname&limit=1000
/assessments?fields=code%2Cname
/assessments?limit=1000
/assessments
/assessments/asm/skills?active=false&fields=title%2Cdescription%2Ccategory%2CtimeToComplete%2CnumberOfQuestions%2Cactive&limit=1000
/assessments/asm/skills?active=false&fields=title%2Cdescription%2Ccategory%2CtimeToComplete%2CnumberOfQuestions%2Cactive
/assessments/asm/skills?active=false&limit=1000
/assessments/asm/skills?active=false
/positions/p/results?candidate=c&limit=1000
/positions/p/results?candidate=c
/assessments
/assessments/asm/skills?active=false
/positions/p/results?candidate=c`
	if got := strings.Join(network.addresses(), "\n"); got != want {
		t.Errorf("requested\n%s\nwant\n%s", got, want)
	}
	want2 := []string{
		"limit=1000 and fields=code,name: GET /assessments: 400 Bad Request: unknown parameter",
		"limit=1000: GET /positions/{position}/results: 400 Bad Request: unknown parameter",
	}
	if !slices.Equal(notified, want2) {
		t.Errorf("notices: %q", notified)
	}
}

// TestWithoutOptionalParametersFails checks that the 400 is returned if the second
// request fails too, and that other failures of the second request are returned.
func TestWithoutOptionalParametersFails(t *testing.T) {
	t.Parallel()
	refusal := answers(http.StatusBadRequest, `{"message":"of another kind"}`)
	for name, tc := range map[string]struct {
		second step
		status int
		text   string
	}{
		"400":            {answers(http.StatusBadRequest, "still not"), 400, "of another kind"},
		"404":            {answers(http.StatusNotFound, "gone"), 404, "gone"},
		"403":            {answers(http.StatusForbidden, "no"), 403, "no"},
		"503 to the end": {answers(http.StatusServiceUnavailable, "down"), 503, "down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				network := newStub(refusal, tc.second)
				var notified []string
				c := newClient(t, network, notices(&notified))
				_, err := c.List(t.Context(), Packages, "asm")
				if refused := as[*Error](t, err); refused.Status != tc.status || refused.Message != tc.text {
					t.Errorf("got %d %s", refused.Status, refused.Message)
				}
				l := c.lesson(route{template: "/assessments/{assessment}/packages"})
				if len(notified) > 0 || !l.unknown([]string{"limit", "fields"}) {
					t.Errorf("noticed %q, and omits the parameters", notified)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		network := newStub(refusal, func(req *http.Request) (*http.Response, error) {
			cancel()
			<-req.Context().Done()
			return nil, req.Context().Err()
		})
		_, err := newClient(t, network).List(ctx, Packages, "asm")
		if IsNoList(err) {
			t.Errorf("an interrupt was read as a missing list: %v", err)
		}
	})
}

// TestWithoutOptionalParametersOnly400 checks that no other refusal and no other read
// is repeated.
func TestWithoutOptionalParametersOnly400(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 405, 409, 410, 422, 501} {
		network := newStub(answers(status, ""))
		_, err := newClient(t, network).List(t.Context(), Profiles, "asm")
		want := 1
		if status == http.StatusForbidden {
			want = 2 // one more finds out whether the key is refused
		}
		if refused := as[*Error](t, err); refused.Status != status || len(network.arrivals()) != want {
			t.Errorf("%d: %v after %d requests", status, err, len(network.arrivals()))
		}
	}
	network := newStub(answers(http.StatusBadRequest, ""))
	_, err := newClient(t, network).PositionAssessment(t.Context(), "p", "pas")
	if _ = as[*Error](t, err); len(network.arrivals()) != 1 {
		t.Error("a read of a single object was repeated")
	}
}
