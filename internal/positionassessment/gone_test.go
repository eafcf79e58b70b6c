// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// What a response does not say is never taken as gone: each row is what the reads of a refresh answer.
func TestGone(t *testing.T) {
	t.Parallel()
	var (
		noList     = status(http.StatusMethodNotAllowed)
		notFound   = status(http.StatusNotFound)
		unsigned   = response{status: http.StatusNotFound, body: `{"code":"NOT_FOUND"}`, unsigned: true}
		page       = response{status: http.StatusNotFound, body: "<html>not here</html>", unsigned: true}
		stale      = response{status: http.StatusOK, body: "[]", cached: true}
		positions  = list(`{"id":"pos","title":"Engineer"}`)
		elsewhere  = list(`{"id":"pos-2","title":"Other"}`)
		assessment = list(`{"id":"asm","name":"Lumen"}`)
	)
	for name, row := range map[string]struct {
		list, fetch            []response
		positions, assessments response
		elsewhere              bool     // the run has read another position assessment, on another position
		other                  response // to the fetch of this other position assessment
		noLists                bool     // the run has found that the service has no lists
		want                   string
	}{
		"the lists and the fetch lack it":  {list: []response{list(otherJSON)}, fetch: []response{notFound}, want: "gone"},
		"the fetch alone lacks it":         {list: []response{list(pasJSON)}, fetch: []response{notFound}, want: "still contains it"},
		"the list alone lacks it":          {list: []response{list(otherJSON)}, fetch: []response{ok(pasJSON)}, want: "read"},
		"it appears in the list again":     {list: []response{list(), list(pasJSON)}, fetch: []response{notFound}, want: "still contains it"},
		"the second list is out of date":   {list: []response{list(), stale}, fetch: []response{notFound}, want: "header Age"},
		"the second list fails":            {list: []response{list(), status(http.StatusForbidden)}, fetch: []response{notFound}, want: "list of the position could not be read"},
		"a gateway answers the fetch":      {list: []response{list()}, fetch: []response{page}, want: "gateway"},
		"a cache answers the fetch":        {list: []response{list()}, fetch: []response{{status: 404, body: "{}", cached: true}}, want: "404"},
		"404 for the list, an old fetch":   {list: []response{notFound}, fetch: []response{{status: 200, body: pasJSON, cached: true}}, want: "read"},
		"no list, signed":                  {list: []response{noList}, fetch: []response{notFound}, positions: positions, want: "gone"},
		"no list, found again":             {list: []response{noList}, fetch: []response{notFound, ok(pasJSON)}, positions: positions, want: "did not say 404"},
		"no list, then a gateway":          {list: []response{noList}, fetch: []response{notFound, page}, positions: positions, want: "the service did not say 404"},
		"no list, unsigned":                {list: []response{{status: 405, body: "{}", unsigned: true}}, fetch: []response{unsigned}, positions: response{status: 200, body: positions.body, unsigned: true}, want: "nothing shows"},
		"no list, but of another position": {list: []response{noList}, fetch: []response{notFound}, positions: positions, elsewhere: true, want: "list of the position could not be read"},
		"404 for the list, position there": {list: []response{notFound}, fetch: []response{notFound}, positions: positions, want: "gone"},
		"position gone, assessment there":  {list: []response{notFound}, fetch: []response{notFound}, positions: elsewhere, assessments: assessment, want: "gone"},
		"position and assessment gone":     {list: []response{notFound}, fetch: []response{notFound}, positions: elsewhere, assessments: list(), want: "another organization"},
		"position and assessment gone, another one read": {
			list: []response{notFound}, fetch: []response{notFound}, positions: elsewhere, assessments: list(), elsewhere: true,
			want: "gone",
		},
		"404 for everything, as on a wrong path": {list: []response{notFound}, fetch: []response{notFound}, positions: notFound, assessments: notFound, want: "list of positions does not show whether the position exists"},
		"positions out of date": {
			list: []response{notFound}, fetch: []response{notFound},
			positions: response{status: 200, body: elsewhere.body, cached: true}, assessments: assessment, want: "list of positions does not show whether the position exists: a cache",
		},
		"positions out of date, position there": { // it may have been deleted since, so the service may have lists
			list: []response{notFound}, fetch: []response{notFound},
			positions: response{status: 200, body: positions.body, cached: true}, want: "list of positions does not show whether the position exists: a cache",
		},
		"positions out of date, position there, no lists known": {
			list: []response{notFound}, fetch: []response{notFound}, noLists: true,
			positions: response{status: 200, body: positions.body, cached: true}, want: "gone",
		},
		"positions out of date, no lists known": { // it may have been created since
			list: []response{notFound}, fetch: []response{notFound}, noLists: true,
			positions: response{status: 200, body: elsewhere.body, cached: true}, assessments: assessment, want: "list of positions does not show whether the position exists: a cache",
		},
		"no list, unsigned, the fetch of another one ends the run": {
			list: []response{{status: 405, body: "{}", unsigned: true}}, fetch: []response{unsigned}, noLists: true,
			positions: response{status: 200, body: positions.body, unsigned: true}, elsewhere: true,
			other: response{status: 401, body: "{}", unsigned: true},
			want:  "was 401",
		},
		"the second fetch ends the run": {list: []response{list()}, fetch: []response{notFound, status(401)}, want: "was 401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: map[string][]response{
					listRoute: row.list, fetchRoute: row.fetch,
					"GET /positions": {row.positions}, "GET /assessments": {row.assessments},
					"GET /positions/pos-2/assessments/pas-2": {row.other},
				}}
				r := runOn(t, s, nil)
				if row.elsewhere {
					r.Reads.RecordRead("pos-2", "pas-2")
					r.Reads.RecordLists()
				}
				if row.noLists {
					r.Reads.RecordNoLists()
				}
				_, err := read(t.Context(), r, ref{"pos", "pas"}, prior{"asm", run.Needs{Status: true}})
				switch {
				case row.want == "gone" && errors.Is(err, errGone), row.want == "read" && err == nil:
				case row.want == "gone" || row.want == "read" || err == nil:
					t.Errorf("got %v, want %s", err, row.want)
				case !strings.Contains(readFailure(r, ref{"pos", "pas"}, "asm", err).Detail()+err.Error(), row.want):
					t.Errorf("got %v, want %s", err, row.want)
				}
				if (row.positions.cached || row.fetch[0].cached) && r.Reads.LacksLists() && !row.noLists {
					t.Error("it has recorded that the service has no lists")
				}
			})
		})
	}
}

// A removal is done if its response or other reads show it, and it is rejected only by the service itself.
func TestRemove(t *testing.T) {
	t.Parallel()
	gone := map[string][]response{listRoute: {list()}, fetchRoute: {status(http.StatusNotFound)}}
	there := map[string][]response{listRoute: {list(pasJSON)}, fetchRoute: {ok(pasJSON)}}
	accepted := response{status: http.StatusAccepted}
	page := response{status: http.StatusForbidden, body: "<html>blocked</html>", unsigned: true}
	for name, row := range map[string]struct {
		delete []response
		reads  map[string][]response
		want   string // "removed", "rejected" or a part of the error
	}{
		"204":                      {[]response{{status: 204}}, there, "removed"},
		"202 and gone later":       {[]response{accepted}, map[string][]response{listRoute: {list(pasJSON), list()}, fetchRoute: {ok(pasJSON), ok(pasJSON), status(404)}}, "removed"},
		"202 and never gone":       {[]response{accepted}, there, "still there"},
		"404 and gone":             {[]response{status(404)}, gone, "removed"},
		"404 and still there":      {[]response{status(404)}, there, "no removal"},
		"405":                      {[]response{status(405)}, there, "no removal"},
		"lost, then 405, and gone": {[]response{{lost: true}, status(405)}, gone, "removed"},
		"204 without a sign":       {[]response{{status: 204, unsigned: true}}, gone, "removed"},
		"204 of something else":    {[]response{{status: 204, unsigned: true}}, there, "still there"},
		"a cache answers then":     {[]response{{status: 202}}, map[string][]response{fetchRoute: {{status: 200, body: pasJSON, cached: true}}}, "header Age"},
		"a read ends the run then": {[]response{accepted}, map[string][]response{fetchRoute: {status(401)}}, "401"},
		"lost, 405, still there":   {[]response{{lost: true}, status(405)}, there, "no removal"},
		"409":                      {[]response{status(409)}, there, "rejected"},
		"403":                      {[]response{status(403)}, there, "rejected"},
		"a firewall":               {[]response{page}, there, "403"},
		"a firewall, but gone":     {[]response{page}, gone, "removed"},
		"a web page, but gone":     {[]response{{status: 200, body: "<html>", unsigned: true}}, gone, "removed"},
		"a web page, still there":  {[]response{{status: 200, body: "<html>", unsigned: true}}, there, "200"},
		"the list alone lacks it":  {[]response{status(404)}, map[string][]response{listRoute: {list()}, fetchRoute: {ok(pasJSON)}}, "no removal"},
		"the fetch alone lacks it": {[]response{status(404)}, map[string][]response{listRoute: {list(pasJSON)}, fetchRoute: {status(404)}}, "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: map[string][]response{removeDEL: row.delete, "GET /other": {ok(pasJSON)}}}
				for route, all := range row.reads {
					s.responses[route] = append([]response{}, all...)
				}
				r := runOn(t, s, nil)
				if !strings.HasPrefix(name, "204 ") { // so that the service has signed a response
					_, _ = r.Client.Assessments(t.Context())
				}
				err := remove(t.Context(), r, key, "pas", "")
				got := "removed"
				switch {
				case isRejection(err):
					got = "rejected"
				case err != nil:
					got = err.Error()
				}
				if _, isLater := run.EndedBy(err); isLater {
					t.Errorf("%v refers to an error that nobody has reported", err)
				}
				if err == nil && row.want != "removed" || !strings.Contains(got, row.want) {
					t.Errorf("got %s, want %s; sent %q", got, row.want, s.sent)
				}
			})
		})
	}
}

// One 404 does not show that there is no work to discard. After two, the removal decides.
func TestRemovalAfterA404(t *testing.T) {
	t.Parallel()
	completed := ok(strings.Replace(pasJSON, "{}", `{"profileStatus":"SUPERVISOR_COMPLETED"}`, 1))
	for name, row := range map[string]struct {
		fetches []response
		want    error
		removes int
	}{
		"then completed": {[]response{status(http.StatusNotFound), completed}, errProfileCompleted, 0},
		"then 404":       {[]response{status(http.StatusNotFound)}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{responses: map[string][]response{fetchRoute: row.fetches, removeDEL: {{status: http.StatusNoContent}}}}
			err := remove(t.Context(), runOn(t, s, nil), key, "pas", "SUPERVISOR_TO_COMPLETE")
			if !errors.Is(err, row.want) || len(s.writes()) != row.removes {
				t.Errorf("got %v, want %v; sent %q", err, row.want, s.sent)
			}
		})
	}
}
