// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

var key = run.Key{Position: "pos", Assessment: "asm"}

// A request whose response was lost is never simply sent again: the list shows what it did.
func TestLostResponse(t *testing.T) {
	t.Parallel()
	twin := strings.Replace(pasJSON, `"pas"`, `"pas-2"`, 1)
	created := response{status: http.StatusCreated, body: pasJSON}
	lost := response{lost: true}
	for name, row := range map[string]struct {
		posts, lists []response
		want         string // "attached", "recovered" or a part of the error
		sent         int    // POST requests
		waits        bool   // at least for request_timeout before it looks
	}{
		"answered":                   {[]response{created}, []response{list()}, "attached", 1, false},
		"lost, and attached":         {[]response{lost}, []response{list(), list(pasJSON)}, "recovered", 1, true},
		"lost, and nothing":          {[]response{lost, created}, []response{list()}, "attached", 2, true},
		"504, and attached":          {[]response{status(504)}, []response{list(), list(otherJSON, pasJSON)}, "recovered", 1, true},
		"503, and nothing":           {[]response{status(503), created}, []response{list()}, "attached", 2, true},
		"500, and attached":          {[]response{status(500)}, []response{list(), list(pasJSON)}, "recovered", 1, false},
		"a web page, and nothing":    {[]response{{status: 200, body: "<html>", unsigned: true}, created}, []response{list()}, "attached", 2, false},
		"lost, and twice":            {[]response{lost}, []response{list(), list(pasJSON, twin)}, "more than once", 1, true},
		"lost, and the list is old":  {[]response{lost}, []response{list(), {status: 200, body: "[]", cached: true}}, "header Age", 1, true},
		"lost, and the list fails":   {[]response{lost}, []response{list(), status(403)}, "403", 1, true},
		"201 without an ID":          {[]response{{status: 201, body: "{}"}}, []response{list(), list(pasJSON)}, "recovered", 1, false},
		"201 with the position's ID": {[]response{{status: 201, body: `{"id":"pos"}`}}, []response{list(), list(pasJSON)}, "recovered", 1, false},
		"201 with a job's ID":        {[]response{{status: 201, body: `{"id":"job","status":"QUEUED"}`}}, []response{list(), list(pasJSON)}, "attached", 1, false},
		"201 with an ID only":        {[]response{{status: 201, body: `{"id":"pas"}`}}, []response{list(), list(pasJSON)}, "attached", 1, false},
		"201, and not to be read":    {[]response{{status: 201, body: `{"id":"pas"}`}}, []response{list()}, "attached", 1, false},
		"201 without an ID anywhere": {[]response{{status: 201, body: "{}"}}, []response{list()}, "does not contain it", 1, false},
		"409, and attached":          {[]response{status(409)}, []response{list(), list(pasJSON)}, "has the assessment already", 1, false},
		"409, and nothing":           {[]response{status(409)}, []response{list()}, "409", 1, false},
		"400":                        {[]response{status(400)}, []response{list()}, "400", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: map[string][]response{listRoute: row.lists, attachPOST: row.posts}}
				r := runOn(t, s, nil)
				began := time.Now()
				got, err := attach(t.Context(), r, key, assessapi.Configuration{})
				result := "attached"
				switch {
				case err != nil:
					result = err.Error()
				case got.lost != nil:
					result = "recovered"
				}
				if err == nil && (result != row.want || got.ID != "pas") || !strings.Contains(result, row.want) {
					t.Errorf("got %s, %q; want %s", result, got.ID, row.want)
				}
				if n := len(s.writes()); n != row.sent {
					t.Errorf("%d requests attach, want %d", n, row.sent)
				}
				if waited := time.Since(began) >= r.RequestTimeout; waited != row.waits {
					t.Errorf("it took %s, waits: %t", time.Since(began), row.waits)
				}
				if err == nil && r.Attached.LastWrite(key) != (run.Write{ID: "pas", Kind: run.Taken}) {
					t.Errorf("the last write is %+v", r.Attached.LastWrite(key))
				}
			})
		})
	}
}

// The time that requests wait for the rate limits does not count for retry_timeout.
func TestWaitsDoNotCount(t *testing.T) {
	t.Parallel()
	slow := func(cfg *run.Config) { // one request in two minutes
		cfg.Budget.Share, cfg.Budget.Unthrottled, cfg.RetryTimeout = 0.001, false, time.Minute
	}
	t.Run("creation", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := runOn(t, &script{responses: map[string][]response{
				listRoute: {list()}, attachPOST: {status(500), {status: 201, body: pasJSON}},
			}}, slow)
			if got, err := attach(t.Context(), r, key, assessapi.Configuration{}); err != nil || got.ID != "pas" {
				t.Errorf("got %q, %v", got.ID, err)
			}
		})
	})
	t.Run("removal", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			r := runOn(t, &script{responses: map[string][]response{
				listRoute: {list()}, fetchRoute: {ok(pasJSON), status(404)}, removeDEL: {{status: http.StatusAccepted}},
			}}, slow)
			if _, _, err := remove(t.Context(), r, key, "pas", "", false); err != nil {
				t.Error(err)
			}
		})
	})
}

// Position and assessment are the natural key: a creation looks, and fails or adopts.
func TestLook(t *testing.T) {
	t.Parallel()
	bare := `{"id":"pas","_links":[]}`
	packages := strings.Replace(pasJSON, "{}", `{"packages":["p1"]}`, 1)
	completed := strings.Replace(pasJSON, "{}", `{"profileStatus":"SUPERVISOR_COMPLETED"}`, 1)
	invited := ok(`{"candidates":[{"id":"c","results":[{"assessment":"asm","invitations":[{"status":"INVITED"}]}]}]}`)
	nobody := ok(`{"candidates":[]}`)
	full := ok(`{"candidates":[{"id":"c"}],"_links":[{"rel":"next","href":"/positions/pos/results?cursor=2"}]}`)
	const results = "GET /positions/pos/results"
	const update = "PUT /positions/pos/assessments/pas"
	const benchmarks = "GET /assessments/asm/benchmarks"
	nothingToSet := map[string][]response{
		listRoute: {list(pasJSON)}, fetchRoute: {ok(pasJSON)},
		"GET /assessments/asm/packages": {list()}, benchmarks: {list()}, "GET /assessments/asm/profiles": {list()},
		"GET /assessments/asm/skills": {list()},
	}
	with := func(all, more map[string][]response) map[string][]response {
		all = maps.Clone(all)
		maps.Copy(all, more)
		return all
	}
	profile := "prf"
	for name, row := range map[string]struct {
		responses map[string][]response
		adopts    bool
		wanted    assessapi.Configuration
		last      run.Write
		want      string // "attached", "adopted" or a part of the error
		writes    string
	}{
		"nothing there": {
			responses: map[string][]response{listRoute: {list(otherJSON)}, attachPOST: {{status: 201, body: pasJSON}}},
			want:      "attached", writes: attachPOST,
		},
		"there":                     {responses: map[string][]response{listRoute: {list(pasJSON)}}, want: "already, as pas"},
		"removed since":             {responses: map[string][]response{listRoute: {list(pasJSON), list()}, attachPOST: {{status: 201, body: pasJSON}}}, want: "attached", writes: attachPOST},
		"only its ID is listed":     {responses: map[string][]response{listRoute: {list(bare)}, fetchRoute: {ok(pasJSON)}}, want: "already, as pas"},
		"only an ID, removed since": {responses: map[string][]response{listRoute: {list(bare), list()}, attachPOST: {{status: 201, body: pasJSON}}}, want: "attached", writes: attachPOST},
		"only an ID, 404":           {responses: map[string][]response{listRoute: {list(bare)}}, want: "404"},
		"its assessment is hidden":  {responses: map[string][]response{listRoute: {list(bare)}, fetchRoute: {ok(`{"id":"pas"}`)}}, want: "does not show which assessment"},
		"another spelling":          {responses: map[string][]response{listRoute: {list(strings.Replace(pasJSON, `"asm"`, `"ASM"`, 1))}}, want: `"ASM"`},
		"a cache answers":           {responses: map[string][]response{listRoute: {{status: 200, body: "[]", cached: true}}}, want: "header Age"},
		"no such list":              {responses: map[string][]response{listRoute: {status(405)}, attachPOST: {{status: 201, body: pasJSON}}}, want: "attached", writes: attachPOST},
		"no such position":          {responses: map[string][]response{"GET /positions": {list()}}, want: "no such position"},
		"attached by this apply":    {last: run.Write{ID: "pas", Kind: run.Taken}, want: "already, as pas"},
		"adopts the same":           {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}}, adopts: true, wanted: assessapi.Configuration{Packages: []string{"p1"}}, want: "adopted"},
		"adopts what has no settings": {
			responses: with(nothingToSet, map[string][]response{results: {invited}}),
			adopts:    true, want: "adopted",
		},
		"nothing is shown, and nobody is invited": {
			responses: with(nothingToSet, map[string][]response{
				benchmarks: {list(`{"id":"b1"}`)}, results: {nobody}, update: {ok(pasJSON)},
			}),
			adopts: true, want: "adopted", writes: update,
		},
		"never what shows nothing and is invited": {
			responses: with(nothingToSet, map[string][]response{benchmarks: {list(`{"id":"b1"}`)}, results: {invited}}),
			adopts:    true, want: "already, as pas",
		},
		"never what shows nothing, without a list of benchmarks": {
			responses: with(nothingToSet, map[string][]response{benchmarks: {status(404)}, results: {invited}}),
			adopts:    true, want: "already, as pas",
		},
		"adopts what differs":   {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {nobody}, update: {ok(pasJSON)}}, adopts: true, want: "adopted", writes: update},
		"never what is invited": {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {invited}}, adopts: true, want: "already, as pas"},
		"never what is invited, in another spelling": {
			responses: map[string][]response{
				listRoute: {list(packages)}, fetchRoute: {ok(packages)},
				results: {ok(`[{"id":"c","results":[{"assessment":"ASM","invitations":[{"status":"INVITED"}]}]}]`)},
			},
			adopts: true, want: "already, as pas",
		},
		"never what it cannot see":     {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {status(403)}}, adopts: true, want: "already, as pas"},
		"never without the assessment": {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {ok(`[{"id":"c","results":[{"type":"SCORED"}]}]`)}}, adopts: true, want: "already, as pas"},
		"never without results":        {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {ok(`[{"id":"c"}]`)}}, adopts: true, want: "already, as pas"},
		"never with more pages":        {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {full}}, adopts: true, want: "already, as pas"},
		"never a supervisor's work":    {responses: map[string][]response{listRoute: {list(completed)}, fetchRoute: {ok(completed)}, results: {nobody}}, adopts: true, wanted: assessapi.Configuration{Profile: &profile}, want: "already, as pas"},
		"never a hidden status":        {responses: map[string][]response{listRoute: {list(pasJSON)}, fetchRoute: {ok(pasJSON)}, results: {nobody}}, adopts: true, wanted: assessapi.Configuration{Profile: &profile}, want: "already, as pas"},
		"never what it removes":        {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}}, adopts: true, wanted: assessapi.Configuration{Packages: []string{"p1"}}, last: run.Write{ID: "pas", Kind: run.RemovalSent}, want: "already, as pas"},
		"never one of two":             {responses: map[string][]response{listRoute: {list(pasJSON, strings.Replace(pasJSON, `"pas"`, `"pas-2"`, 1))}}, adopts: true, want: "already, as pas, pas-2"},
		"the update fails":             {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}, results: {nobody}, update: {status(400)}}, adopts: true, want: "update failed", writes: update},
		"takes back what it forgot":    {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}}, wanted: assessapi.Configuration{Packages: []string{"p1"}}, last: run.Write{ID: "pas", Kind: run.RemovalRejected}, want: "adopted"},
		"but not if nothing is shown":  {responses: map[string][]response{listRoute: {list(pasJSON)}, fetchRoute: {ok(pasJSON)}}, last: run.Write{ID: "pas", Kind: run.RemovalRejected}, want: "already, as pas"},
		"but not if it differs":        {responses: map[string][]response{listRoute: {list(packages)}, fetchRoute: {ok(packages)}}, last: run.Write{ID: "pas", Kind: run.RemovalRejected}, want: "already, as pas"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: row.responses}
				r := runOn(t, s, func(cfg *run.Config) { cfg.AdoptExisting = row.adopts })
				r.Attached.Record(key, row.last.Kind, row.last.ID)
				got, err := attach(t.Context(), r, key, row.wanted)
				result := "attached"
				switch {
				case err != nil:
					result = err.Error()
				case got.adopted != "":
					result = "adopted"
				}
				if err == nil && result != row.want || !strings.Contains(result, row.want) {
					t.Errorf("got %s, want %s", result, row.want)
				}
				if writes := strings.Join(s.writes(), ", "); writes != row.writes {
					t.Errorf("sent %q, want %q", writes, row.writes)
				}
				if err == nil && r.Attached.LastWrite(key) != (run.Write{ID: "pas", Kind: run.Taken}) {
					t.Errorf("the last write is %+v", r.Attached.LastWrite(key))
				}
				if exists := new(existsError); errors.As(err, &exists) && len(s.writes()) > 0 {
					t.Errorf("it failed after %q", s.writes())
				}
			})
		})
	}
}

// An update is done when the response or a fetch shows it, and never discards what the plan has not shown.
func TestUpdate(t *testing.T) {
	t.Parallel()
	const put = "PUT /positions/pos/assessments/pas"
	two := []string{"p2", "p1"}
	as := func(metadata string) string { return strings.Replace(pasJSON, "{}", metadata, 1) }
	sent, old := as(`{"packages":["p1","p2"]}`), as(`{"packages":["p1"]}`)
	completed := as(`{"profileStatus":"SUPERVISOR_COMPLETED"}`)
	profile := "prf"
	for name, row := range map[string]struct {
		puts, fetches []response
		wanted        assessapi.Configuration
		status, want  string // "" or a part of the error
		writes        int
	}{
		"the response shows it": {puts: []response{ok(sent)}, want: "", writes: 1},
		"an empty response":     {puts: []response{{status: 204}}, want: "", writes: 1},
		"the response shows other values, a fetch the new ones": {puts: []response{ok(old)}, fetches: []response{ok(sent)}, writes: 1},
		"both show other values":                                {puts: []response{ok(old)}, fetches: []response{ok(old)}, want: "still shows other values", writes: 1},
		"lost, and updated":                                     {puts: []response{{status: 200, body: "<html>", unsigned: true}}, fetches: []response{ok(sent)}, writes: 1},
		"lost, and not updated":                                 {puts: []response{{status: 200, body: "<html>", unsigned: true}}, fetches: []response{ok(old)}, want: "200", writes: 1},
		"lost, and nothing is shown":                            {puts: []response{{status: 200, body: "<html>", unsigned: true}}, fetches: []response{ok(pasJSON)}, want: "reads do not show", writes: 1},
		"lost, and nothing can be read":                         {puts: []response{{status: 200, body: "<html>", unsigned: true}}, fetches: []response{status(403)}, want: "reads do not show", writes: 1},
		"rejected":                                              {puts: []response{status(400)}, want: "400", writes: 1},
		"completed since the plan": {
			fetches: []response{ok(completed)}, wanted: assessapi.Configuration{Profile: &profile}, status: "PROFILE_ATTACHED",
			want: "since the plan", writes: 0,
		},
		"completed between two attempts": {
			puts: []response{{lost: true}}, fetches: []response{ok(as(`{"profileStatus":"PROFILE_ATTACHED"}`)), ok(completed)}, status: "PROFILE_ATTACHED",
			wanted: assessapi.Configuration{Profile: &profile}, want: "since the plan", writes: 1,
		},
		"the status is not shown": {
			fetches: []response{ok(pasJSON)}, wanted: assessapi.Configuration{Profile: &profile}, status: "PROFILE_ATTACHED",
			want: "does not show the status", writes: 0,
		},
		"completed before the plan": {
			puts: []response{{status: 204}}, fetches: []response{ok(completed)}, status: "SUPERVISOR_COMPLETED",
			wanted: assessapi.Configuration{Profile: &profile}, writes: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: map[string][]response{put: row.puts, fetchRoute: row.fetches}}
				r := runOn(t, s, nil)
				r.Client.Assessments(t.Context()) //nolint:errcheck // so that the service has signed a response
				if row.wanted.Profile == nil {
					row.wanted.Packages = two
				}
				_, err := update(t.Context(), r, pendingUpdate{key: key, id: "pas", status: row.status, wanted: row.wanted})
				if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
					t.Errorf("got %v, want %q", err, row.want)
				}
				if n := len(s.writes()); n != row.writes {
					t.Errorf("%d writes, want %d", n, row.writes)
				}
			})
		})
	}
}

// An update of unknown outcome that only removes a setting is done if a fetch shows that the setting is gone.
func TestRemovedSetting(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		metadata string
		shown    []string // keys that earlier reads have shown
		want     string   // "" or a part of the error
	}{
		"a mute service":                {"{}", nil, "reads do not show"},
		"a service that has shown it":   {"{}", []string{"benchmark"}, ""},
		"a service that shows null":     {`{"benchmark":null}`, nil, ""},
		"a service that shows it still": {`{"benchmark":"b1"}`, nil, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &script{responses: map[string][]response{
				"PUT /positions/pos/assessments/pas": {{status: 200, body: "<html>", unsigned: true}},
				fetchRoute:                           {ok(strings.Replace(pasJSON, "{}", row.metadata, 1))},
			}}
			r := runOn(t, s, nil)
			r.Client.Assessments(t.Context()) //nolint:errcheck,gosec // so that the service has signed a response
			_, err := update(t.Context(), r, pendingUpdate{
				key: key, id: "pas", had: []string{"benchmark"}, shows: privateState{Shown: row.shown}.shows,
			})
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}
