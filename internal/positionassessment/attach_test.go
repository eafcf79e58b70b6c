// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/messages"
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
		"500, and attached":          {[]response{status(500)}, []response{list(), list(pasJSON)}, "recovered", 1, false},
		"a gateway's 500, nothing":   {[]response{{status: 500, body: "<html>", unsigned: true}, created}, []response{list()}, "attached", 2, true},
		"a web page, and nothing":    {[]response{{status: 200, body: "<html>", unsigned: true}, created}, []response{list()}, "attached", 2, false},
		"lost, and twice":            {[]response{lost}, []response{list(), list(pasJSON, twin)}, "more than once", 1, true},
		"lost, and the list is old":  {[]response{lost}, []response{list(), {status: 200, body: "[]", cached: true}}, "header Age", 1, true},
		"lost, and the list fails":   {[]response{lost}, []response{list(), status(403)}, "403", 1, true},
		"201 without an ID":          {[]response{{status: 201, body: "{}"}}, []response{list(), list(pasJSON)}, "attached", 1, false},
		"201 with a job's ID":        {[]response{{status: 201, body: `{"id":"job","status":"QUEUED"}`}}, []response{list(), list(pasJSON)}, "attached", 1, false},
		"201, and not to be read":    {[]response{{status: 201, body: `{"id":"pas"}`}}, []response{list()}, "attached", 1, false},
		"201 without an ID anywhere": {[]response{{status: 201, body: "{}"}}, []response{list()}, "does not contain it", 1, false},
		"409, and attached":          {[]response{status(409)}, []response{list(), list(pasJSON)}, "has the assessment already", 1, false},
		"lost, 409, and attached":    {[]response{lost, status(409)}, []response{list(), list(), list(pasJSON)}, "recovered", 2, true},
		"lost, 409, and twice":       {[]response{lost, status(409)}, []response{list(), list(), list(pasJSON, twin)}, "more than once", 2, true},
		"lost, 409, the list fails":  {[]response{lost, status(409)}, []response{list(), list(), status(403)}, "not show the outcome (GET", 2, true},
		"lost, 409, and nothing":     {[]response{lost, status(409)}, []response{list()}, "says that the position has the assessment", 2, true},
		"lost again and again":       {[]response{lost}, []response{list()}, "retry_timeout is over", 8, true},
		"409, and nothing":           {[]response{status(409)}, []response{list()}, "409", 1, false},
		"lost, in another spelling":  {[]response{lost}, []response{list(), list(strings.Replace(pasJSON, `"asm"`, `"ASM"`, 1))}, `not show the outcome (position assessment "pas" has the assessment "ASM"`, 1, true},
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
				if took := time.Since(began); took > r.RetryTimeout+r.RequestTimeout { // the last request, and the wait after it
					t.Errorf("it took %s, so it was sent after retry_timeout", took)
				}
				if err == nil && r.Attached.TakenID(key) != "pas" {
					t.Errorf("it has taken %q", r.Attached.TakenID(key))
				}
			})
		})
	}
}

// A service without the list cannot show what a lost request did, so another resource with the same IDs sends nothing.
func TestLostResponseOfAnotherResource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{responses: map[string][]response{listRoute: {status(405)}, attachPOST: {{lost: true}}}}
		r := runOn(t, s, nil)
		for range 2 {
			_, err := attach(t.Context(), r, key, assessapi.Configuration{})
			if _, isUnknown := errors.AsType[*unknownError](err); !isUnknown || len(s.writes()) != 1 {
				t.Errorf("%v, after %d requests", err, len(s.writes()))
			}
		}
	})
}

// The time that requests wait for the rate limits does not count for retry_timeout.
func TestWaitsDoNotCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{responses: map[string][]response{
			listRoute: {list()}, attachPOST: {status(500), {status: 201, body: pasJSON}},
			fetchRoute: {ok(pasJSON), status(404)}, removeDEL: {{status: http.StatusAccepted}},
		}}
		r := runOn(t, s, func(cfg *run.Config) { // one request in two minutes
			cfg.Budget.Share, cfg.Budget.Unthrottled, cfg.RetryTimeout = 0.001, false, time.Minute
		})
		if got, err := attach(t.Context(), r, key, assessapi.Configuration{}); err != nil || got.ID != "pas" {
			t.Errorf("got %q, %v", got.ID, err)
		}
		if err := remove(t.Context(), r, key, "pas", ""); err != nil {
			t.Error(err)
		}
	})
}

// attaching is what a test of attach expects.
type attaching struct {
	want   string // "attached", "adopted" or a part of the error
	writes string
}

// check attaches the assessment of [key], and checks the result.
func (want attaching) check(t *testing.T, r *run.Run, s *script, wanted assessapi.Configuration) {
	t.Helper()
	got, err := attach(t.Context(), r, key, wanted)
	result := "attached"
	exists, isExisting := errors.AsType[*existsError](err)
	switch {
	case isExisting:
		result = exists.Error() + ". " + exists.why
	case err != nil:
		result = err.Error()
	case got.adopted != nil:
		result = "adopted because " + got.adopted.because + ": " + got.adopted.how
	}
	if !strings.Contains(result, want.want) || err == nil && !strings.HasPrefix(result, want.want) {
		t.Errorf("got %s, want %s", result, want.want)
	}
	if writes := strings.Join(s.writes(), ", "); writes != want.writes {
		t.Errorf("sent %q, want %q", writes, want.writes)
	}
	if err == nil && r.Attached.TakenID(key) != "pas" {
		t.Errorf("it has taken %q", r.Attached.TakenID(key))
	}
	if last := r.Attached.LastWrite(key, "pas"); isExisting && exists.stays != (last == run.RemovalRejected) {
		t.Errorf("stays is %v after %+v", exists.stays, last)
	}
	if isExisting && want.writes != "" {
		t.Errorf("it failed after %q", want.writes)
	}
}

// Position and assessment are the natural key: a creation looks first. If it cannot see what the position has, it sends
// nothing.
func TestLook(t *testing.T) {
	t.Parallel()
	bare, null := `{"id":"pas","_links":[]}`, `{"id":"pas","organizationAssessment":null,"metadata":{}}`
	capital := strings.Replace(pasJSON, `"asm"`, `"ASM"`, 1)
	created, there, attaches := response{status: 201, body: pasJSON}, "already, as pas", attaching{"attached", attachPOST}
	hidden := (&assessapi.ShapeError{
		Method: "GET", Route: "/positions/{position}/assessments/{position assessment}", Problem: `it has no "organizationAssessment"`,
	}).Error()
	type responses = map[string][]response
	for name, row := range map[string]struct {
		responses responses
		attaching
	}{
		"nothing there":             {responses{listRoute: {list(otherJSON)}}, attaches},
		"there":                     {responses{listRoute: {list(pasJSON)}}, attaching{want: there}},
		"removed since":             {responses{listRoute: {list(pasJSON), list()}}, attaches},
		"only its ID is listed":     {responses{listRoute: {list(bare)}, fetchRoute: {ok(pasJSON)}}, attaching{want: there}},
		"only an ID, removed since": {responses{listRoute: {list(bare), list()}}, attaches},
		"only an ID, 404":           {responses{listRoute: {list(bare)}}, attaching{want: "404"}},
		"only an ID, the run ends":  {responses{listRoute: {list(bare), status(401)}}, attaching{want: "401"}},
		"its assessment is hidden": {
			responses{listRoute: {list(bare)}, fetchRoute: {ok(`{"id":"pas"}`)}}, attaching{want: hidden},
		},
		"null is listed":    {responses{listRoute: {list(null)}, fetchRoute: {ok(pasJSON)}}, attaching{want: there}},
		"a null assessment": {responses{listRoute: {list(null)}, fetchRoute: {ok(null)}}, attaching{want: hidden}},
		"another spelling":  {responses{listRoute: {list(capital)}}, attaching{want: `"ASM"`}},
		"a cache answers":   {responses{listRoute: {{status: 200, body: "[]", cached: true}}}, attaching{want: "header Age"}},
		"no such list":      {responses{listRoute: {status(405)}}, attaches},
		"no such list, and rejected": {
			responses{listRoute: {status(405)}, attachPOST: {status(403)}}, attaching{"403", attachPOST},
		},
		"no such list, which says 404": {
			responses{listRoute: {status(404)}, "GET /positions": {list(`{"id":"pos"}`)}}, attaches,
		},
		"404, and a cache has the position": {
			responses{"GET /positions": {{status: 200, body: `[{"id":"pos"}]`, cached: true}}}, attaching{want: "header Age"},
		},
		"no such position": {responses{"GET /positions": {list()}}, attaching{want: "no such position"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if row.responses[attachPOST] == nil {
					row.responses[attachPOST] = []response{created}
				}
				s := &script{responses: row.responses}
				r := runOn(t, s, nil)
				row.check(t, r, s, assessapi.Configuration{})
				warned := slices.ContainsFunc(r.Notices(), func(f messages.Finding) bool {
					return f.Summary == "Attached without a check for duplicates"
				})
				if warned != (row.attaching == attaches && r.Reads.LacksLists()) {
					t.Errorf("warned: %t", warned)
				}
			})
		})
	}
}

// A service that has listed another position's assessments has such lists, whatever it answers for this position.
func TestLookAfterAnotherList(t *testing.T) {
	t.Parallel()
	s := &script{responses: map[string][]response{
		listRoute: {status(405)}, "GET /positions": {list(`{"id":"pos"}`)}, "GET /positions/pos-2/assessments": {list()},
		attachPOST: {{status: 201, body: pasJSON}},
	}}
	r := runOn(t, s, nil)
	if _, err := r.Attached.List(t.Context(), "pos-2"); err != nil {
		t.Fatal(err)
	}
	attaching{want: "405"}.check(t, r, s, assessapi.Configuration{})
	if r.Reads.LacksLists() {
		t.Error("it has recorded that the service has no lists")
	}
}

// If the list of positions ends the run, the error is about that response.
func TestLookWithoutPositions(t *testing.T) {
	t.Parallel()
	r := runOn(t, &script{responses: map[string][]response{"GET /positions": {status(401)}}}, nil)
	_, err := attach(t.Context(), r, key, assessapi.Configuration{})
	if detail := attachFailure(r, key, err).Detail(); !strings.Contains(detail, "was 401") {
		t.Errorf("got %s", detail)
	}
}

// With adopt_existing, a creation adopts what the position has, and updates it only if that discards nothing.
func TestAdopt(t *testing.T) {
	t.Parallel()
	const (
		put     = "PUT /positions/pos/assessments/pas"
		because = "adopted because adopt_existing is set"
		back    = "adopted because the service has rejected its removal"

		packages  = `{"packages":["p1"]}`
		attached  = `{"profile":"prf-2","profileStatus":"PROFILE_ATTACHED"}`
		completed = `{"profileStatus":"SUPERVISOR_COMPLETED"}`
		unshown   = `{"profileStatus":"PROFILE_ATTACHED"}`
	)
	profile := "prf"
	none, prf := assessapi.Configuration{}, assessapi.Configuration{Profile: &profile}
	p1 := assessapi.Configuration{Packages: []string{"p1"}}
	results := func(of string) response { return ok(`[{"id":"c","results":[` + of + `]}]`) }
	invited := results(`{"assessment":"asm","invitations":[{"status":"INVITED"}]}`)
	capital := results(`{"assessment":"ASM","invitations":[{"status":"INVITED"}]}`)
	nobody, unclear := ok(`[]`), results(`{"type":"SCORED"}`)
	const removing, removed, taken = run.RemovalSent, run.RemovalRejected, run.Taken
	for name, row := range map[string]struct {
		metadata string // shown of the existing one, or "hidden", "cached", "rejects" (the update) or "loses" (its response)
		wanted   assessapi.Configuration
		results  response
		last     run.Write // of this apply
		attaching
	}{
		"the same":           {packages, p1, invited, 0, attaching{because, ""}},
		"no profile here":    {completed, none, invited, 0, attaching{because, ""}},
		"what differs":       {packages, none, nobody, 0, attaching{because, put}},
		"another profile":    {attached, prf, nobody, 0, attaching{because, put}},
		"invited":            {packages, none, invited, 0, attaching{`It differs (packages (only in the existing one: "p1")), and candidates have been invited`, ""}},
		"invited, other ID":  {packages, none, capital, 0, attaching{"been invited", ""}},
		"no results":         {packages, none, status(403), 0, attaching{"403", ""}},
		"unclear results":    {packages, none, unclear, 0, attaching{"do not show whether", ""}},
		"a supervisor's":     {completed, prf, nobody, 0, attaching{`omit the block "profile"`, ""}},
		"a hidden status":    {"{}", prf, nobody, 0, attaching{"whether a supervisor", ""}},
		"it is removing":     {packages, p1, nobody, removing, attaching{"apply has tried to remove it", ""}},
		"it has removed":     {packages, p1, nobody, removed, attaching{back, ""}},
		"removed, different": {packages, none, nobody, removed, attaching{"has rejected its removal. It differs (packages", ""}},
		"it has attached":    {"{}", none, nobody, taken, attaching{"already, as pas", ""}},

		// Of an assessment with benchmarks, no metadata may mean that the service does not show them.
		"shows nothing":          {"hidden", none, nobody, 0, attaching{because + ": the service does not show", put}},
		"shows nothing, invited": {"hidden", none, invited, 0, attaching{"does not show how it is configured, and candidates have been invited", ""}},
		"cached, no benchmarks":  {"cached", none, nobody, 0, attaching{because + ": the service does not show", put}},
		"a hidden profile":       {unshown, none, nobody, 0, attaching{because + ": the service does not show", put}},
		"the update is lost":     {"loses", none, nobody, 0, attaching{because, put}},
		"the update fails":       {"rejects", p1, nobody, 0, attaching{"update failed", put}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				benchmarks, updated, metadata := list(), ok(pasJSON), row.metadata
				switch row.metadata {
				case "hidden":
					metadata, benchmarks = "{}", list(`{"id":"b1"}`)
				case "cached": // an empty list from a cache does not show that there are no benchmarks
					metadata, benchmarks = "{}", response{status: 200, body: "[]", cached: true}
				case "rejects":
					metadata, updated = `{"packages":["p2"]}`, status(400)
				case "loses": // packages that a read has shown, and that no later read shows
					metadata, updated = packages, response{status: 200, body: "<html>", unsigned: true}
				}
				existing := strings.Replace(pasJSON, "{}", metadata, 1)
				fetches := []response{ok(existing)}
				if row.metadata == "loses" {
					fetches = append(fetches, ok(pasJSON))
				}
				s := &script{responses: map[string][]response{
					listRoute: {list(existing)}, fetchRoute: fetches, put: {updated},
					"GET /positions/pos/results": {row.results}, "GET /assessments/asm/packages": {list()},
					"GET /assessments/asm/profiles": {list()}, "GET /assessments/asm/skills": {list()},
					"GET /assessments/asm/benchmarks": {benchmarks},
				}}
				// A rejected removal is taken back whatever adopt_existing says.
				r := runOn(t, s, func(cfg *run.Config) { cfg.AdoptExisting = row.last != removed })
				r.Attached.Record(key, "pas", row.last)
				row.check(t, r, s, row.wanted)
			})
		})
	}
	for last, want := range map[run.Write]string{removing: "apply has tried to remove it", removed: back} {
		t.Run(fmt.Sprint("after the removal of another one ", last), func(t *testing.T) {
			t.Parallel()
			s := &script{responses: map[string][]response{
				listRoute: {list(pasJSON)}, fetchRoute: {ok(strings.Replace(pasJSON, "{}", packages, 1))},
			}}
			r := runOn(t, s, func(cfg *run.Config) { cfg.AdoptExisting = true })
			r.Attached.Record(key, "pas", last)
			r.Attached.Record(key, "pas-2", removing)
			attaching{want: want}.check(t, r, s, p1)
		})
	}
	t.Run("one of two", func(t *testing.T) {
		t.Parallel()
		s := &script{responses: map[string][]response{
			listRoute: {list(pasJSON, strings.Replace(pasJSON, `"pas"`, `"pas-2"`, 1))},
		}}
		r := runOn(t, s, func(cfg *run.Config) { cfg.AdoptExisting = true })
		attaching{want: "already, as pas, pas-2"}.check(t, r, s, none)
	})
}

// An update is done when the response or a fetch shows it, and never discards what the plan has not shown.
func TestUpdate(t *testing.T) {
	t.Parallel()
	const put = "PUT /positions/pos/assessments/pas"
	as := func(metadata string) response { return ok(strings.Replace(pasJSON, "{}", metadata, 1)) }
	sent, old, none := as(`{"packages":["p1","p2"]}`), as(`{"packages":["p1"]}`), as("{}")
	attached, completed := as(`{"profileStatus":"PROFILE_ATTACHED"}`), as(`{"profileStatus":"SUPERVISOR_COMPLETED"}`)
	webPage := response{status: 200, body: "<html>", unsigned: true} // so the outcome is not known
	profile := "prf"
	packages, prf := assessapi.Configuration{Packages: []string{"p2", "p1"}}, assessapi.Configuration{Profile: &profile}
	type (
		responses = []response
		pending   = pendingUpdate
	)
	changes, hidden := pending{wanted: packages}, assessapi.Configuration{Benchmark: &profile, Tests: []string{"t2"}}
	attaches := func(planned string) pending { return pending{wanted: prf, status: planned} }
	// An update that only removes the benchmark, and the keys that earlier reads have shown.
	removes := func(readable ...string) pending {
		return pending{had: []string{"benchmark"}, isReadable: privateState{Readable: readable}.isReadable}
	}
	for name, row := range map[string]struct {
		puts, fetches responses
		update        pending
		want          string // "" or a part of the error
		writes        int
	}{
		"the response shows it":       {responses{sent}, nil, changes, "", 1},
		"an empty response":           {responses{{status: 204}}, nil, changes, "", 1},
		"only a fetch shows it":       {responses{old}, responses{sent}, changes, "", 1},
		"both show other values":      {responses{old}, responses{old}, changes, "still shows other values", 1},
		"a key that is not shown":     {responses{as(`{"tests":["t1"]}`)}, responses{as(`{"tests":["t1"]}`)}, pending{wanted: hidden}, "other values: tests (", 1},
		"lost, and updated":           {responses{webPage}, responses{sent}, changes, "", 1},
		"lost, and not updated":       {responses{webPage}, responses{old}, changes, "200", 1},
		"lost, and nothing is shown":  {responses{webPage}, responses{none}, changes, "reads do not show", 1},
		"lost, and cannot be read":    {responses{webPage}, responses{status(403)}, changes, "reads do not show", 1},
		"rejected":                    {responses{status(400)}, nil, changes, "400", 1},
		"removed, by a mute service":  {responses{webPage}, responses{none}, removes(), "reads do not show", 1},
		"removed, and shown before":   {responses{webPage}, responses{none}, removes("benchmark"), "", 1},
		"removed, and shown as null":  {responses{webPage}, responses{as(`{"benchmark":null}`)}, removes(), "", 1},
		"not removed":                 {responses{webPage}, responses{as(`{"benchmark":"b1"}`)}, removes(), "200", 1},
		"completed before the plan":   {responses{{status: 204}}, responses{completed}, attaches("SUPERVISOR_COMPLETED"), "", 1},
		"completed since the plan":    {nil, responses{completed}, attaches("PROFILE_ATTACHED"), "since the plan", 0},
		"a status that is not shown":  {nil, responses{none}, attaches("PROFILE_ATTACHED"), "does not show the status", 0},
		"completed between attempts":  {responses{{lost: true}}, responses{attached, completed}, attaches("PROFILE_ATTACHED"), "since the plan", 1},
		"unreadable between attempts": {responses{{lost: true}}, responses{attached, status(403)}, attaches("PROFILE_ATTACHED"), "reads do not show", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{responses: map[string][]response{put: row.puts, fetchRoute: row.fetches}}
				r := runOn(t, s, nil)
				r.Client.Assessments(t.Context()) //nolint:errcheck // so that the service has signed a response
				row.update.key, row.update.id = key, "pas"
				_, err := update(t.Context(), r, row.update)
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
