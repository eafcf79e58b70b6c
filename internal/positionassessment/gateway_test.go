// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	somePosition = "pos-backend-london"
	ofLumen      = "asm-lumen"
)

// answer returns what a gateway answers in place of the service.
func answer(status int, body string, header ...string) sandboxtest.Fault {
	h := http.Header{"Conversation-Id": nil, "Content-Type": nil}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return sandboxtest.Fault{Times: -1, Status: status, Header: h, Body: []byte(body)}
}

func isList(req *http.Request) bool {
	return req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, somePosition+"/assessments")
}

// behind is a run behind a gateway, with one position assessment.
type behind struct {
	service *sandboxtest.Service
	catalog *catalog.Catalog
	lists   *catalog.PositionAssessments
	writer  *positionAssessments
	id      string
}

// answers makes a gateway answer the requests that match, and no others.
func (b *behind) answers(f sandboxtest.Fault, match func(*http.Request) bool) {
	b.service.ClearFaults()
	f.Match = match
	b.service.Inject(f)
}

// witness attaches another assessment to another position, which exists to the end.
func (b *behind) witness(t *testing.T) {
	t.Helper()
	if _, err := b.add(t, "pos-support-leeds", assessapi.Metadata{}); err != nil {
		t.Fatal(err)
	}
}

func newBehind(t *testing.T, assume sandboxtest.Assumptions) *behind {
	t.Helper()
	service := newService(t, assume)
	client := newClient(t, service, 30*time.Second, 5*time.Minute)
	c := catalog.New(client, func(string, error) {})
	b := &behind{service: service, catalog: c, lists: c.PositionAssessments}
	b.writer = sender(c, client)
	pa, err := b.add(t, somePosition, assessapi.Metadata{})
	if err != nil {
		t.Fatal(err)
	}
	b.id = pa.ID
	return b
}

// sender sends requests like a run.
func sender(c *catalog.Catalog, client *assessapi.Client) *positionAssessments {
	r := &run.Run{Client: client}
	r.RetryTimeout = time.Minute
	return &positionAssessments{
		run: r, catalog: c, lists: c.PositionAssessments, invitations: invitations{client: client},
	}
}

// add attaches an assessment with one request.
func (b *behind) add(t *testing.T, position string, m assessapi.Metadata) (assessapi.PositionAssessment, error) {
	t.Helper()
	defer b.lists.Drop(position)
	pa, err := b.writer.run.Client.PositionAssessments().Create(t.Context(), position, assessapi.PositionAssessment{
		AssessmentID: ofLumen, Metadata: m,
	})
	if err == nil {
		b.lists.Wrote(position, pa.ID, true)
	}
	return pa, err
}

// read reads the position assessment as a refresh does.
func (b *behind) read(t *testing.T) error {
	t.Helper()
	_, err := b.lists.Current(t.Context(), somePosition, b.id, ofLumen)
	return err
}

func (b *behind) exists(t *testing.T) bool {
	t.Helper()
	return slices.Contains(sandboxtest.AttachedIDs(b.service.State(t)), b.id)
}

var (
	neither  = sandboxtest.Assumptions{NoConversationID: true, Errors: "none"}
	unsigned = sandboxtest.Assumptions{NoConversationID: true} // with formatted errors

	// Answers of gateways.
	defaultBackend = answer(404, "default backend - 404", "Content-Type", "text/plain")
	noRoute        = answer(404, `{"message":"no Route matched with those values"}`)
	ownJSON        = answer(404, `{"code":"NOT_FOUND","message":"unknown path"}`)
	signed404      = answer(404, "not here", "Conversation-Id", "of-the-gateway")
	emptyOK        = answer(200, "")
	gonePage       = answer(410, "<html><h1>410 Gone</h1><hr>nginx</html>")
)

// Rows 18 and 18c: a gateway answers DELETE itself. Nothing counts as removed that still exists.
func TestGatewayAnswersRemoval(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer sandboxtest.Fault
		assume sandboxtest.Assumptions
	}{
		"404 without a route":              {noRoute, sandboxtest.Assumptions{}},
		"404 in the format of the service": {ownJSON, sandboxtest.Assumptions{}},
		"404 in that format, no signature": {ownJSON, unsigned},
		"404 that the gateway signs":       {signed404, sandboxtest.Assumptions{}},
		"404 as text":                      {defaultBackend, sandboxtest.Assumptions{}},
		"404, no signature":                {defaultBackend, neither},
		"404 of a route, no signature":     {noRoute, neither},
		"410 page":                         {gonePage, sandboxtest.Assumptions{}},
		"200 without a body":               {emptyOK, sandboxtest.Assumptions{}},
		"200 without a body, no signature": {emptyOK, neither},
		"202 with JSON":                    {answer(202, `{"status":"queued"}`), sandboxtest.Assumptions{}},
		"204":                              {answer(204, ""), sandboxtest.Assumptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBehind(t, row.assume)
			row.answer.Method = http.MethodDelete
			b.service.Inject(row.answer)
			err := b.lists.Remove(t.Context(), somePosition, b.id, ofLumen)
			var unproven *catalog.UnprovenError
			if !errors.As(err, &unproven) || !unproven.Remains || !b.exists(t) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A removal that the service itself has done succeeds, however it answers.
func TestRemovalIsConfirmed(t *testing.T) {
	t.Parallel()
	for name, assume := range map[string]sandboxtest.Assumptions{
		"signed": {}, "neither": neither, "200": {NoConversationID: true, RemovedStatus: 200},
		"no list": {NoConversationID: true, Errors: "text", PositionAssessmentList: 404},
	} {
		for _, twice := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBehind(t, assume)
				if twice { // the second request gets a 404
					b.witness(t)
					b.service.Change(t, emptyPosition)
				}
				if err := b.lists.Remove(t.Context(), somePosition, b.id, ofLumen); err != nil || b.exists(t) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

func emptyPosition(s *sandbox.State) { s.Position(somePosition).Assessments = nil }

// Row 18b: for a while, a gateway answers 404 for some routes. Nothing is dropped from the state.
func TestGatewayNotFoundDropsNothing(t *testing.T) {
	t.Parallel()
	services := map[string]sandboxtest.Assumptions{"signed": {}, "neither": neither, "unsigned": unsigned}
	for name, assume := range services {
		for kind, body := range map[string]sandboxtest.Fault{
			"default backend": defaultBackend, "no route": noRoute, "page": gonePage,
			"its format": ownJSON, "signed by the gateway": signed404,
		} {
			const positions = "/v1/positions"
			for _, prefix := range []string{positions, positions + "/", positions + "/" + somePosition + "/assessments"} {
				t.Run(name+"/"+kind+prefix, func(t *testing.T) {
					t.Parallel()
					b := newBehind(t, assume)
					if err := b.read(t); err != nil { // it proves nothing later
						t.Fatal(err)
					}
					b.lists.Drop(somePosition)
					b.answers(body, func(req *http.Request) bool { return strings.HasPrefix(req.URL.Path, prefix) })
					b.dropsNothing(t)
				})
			}
		}
	}
}

// dropsNothing checks that a read does not report the position assessment as gone, and that a removal fails.
func (b *behind) dropsNothing(t *testing.T) {
	t.Helper()
	if err := b.read(t); err == nil || errors.Is(err, catalog.ErrGone) {
		t.Errorf("the error is %v", err)
	}
	if err := b.lists.Remove(t.Context(), somePosition, b.id, ofLumen); err == nil {
		t.Error("the removal succeeds")
	}
}

// Such a gateway also answers for everything else that this run has read.
func TestGatewayNotFoundForAllDropsNothing(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]sandboxtest.Fault{"text": defaultBackend, "signed": signed404} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newBehind(t, unsigned)
			b.witness(t)
			b.answers(body, func(req *http.Request) bool {
				return strings.Contains(req.URL.Path, "/assessments") && strings.HasPrefix(req.URL.Path, "/v1/positions/")
			})
			b.dropsNothing(t)
		})
	}
}

// If a service neither signs its answers nor lists the assessments of a position, only another position
// assessment can show that it answers itself.
func TestGoneWithoutAProof(t *testing.T) {
	t.Parallel()
	b := newBehind(t, sandboxtest.Assumptions{NoConversationID: true, PositionAssessmentList: 404})
	if err := b.read(t); err != nil {
		t.Fatal(err)
	}
	b.service.Change(t, emptyPosition)
	if err := b.read(t); !errors.As(err, new(*catalog.UnprovenError)) {
		t.Errorf("the error is %v", err)
	}
	b.witness(t)
	cached := sandboxtest.Fault{Times: -1, When: sandboxtest.AfterEffect, Header: http.Header{"Age": {"30"}}}
	b.answers(cached, func(req *http.Request) bool { return strings.Contains(req.URL.Path, "/pos-support-leeds/") })
	if err := b.read(t); !errors.As(err, new(*catalog.UnprovenError)) {
		t.Errorf("with another object in a cache, the error is %v", err)
	}
	b.service.ClearFaults()
	if err := b.read(t); !errors.Is(err, catalog.ErrGone) {
		t.Errorf("with another object, the error is %v", err)
	}
}

// What was removed by hand is gone, however the service answers.
func TestGoneIsConfirmed(t *testing.T) {
	t.Parallel()
	for name, assume := range map[string]sandboxtest.Assumptions{
		"signed": {}, "neither": neither, "page": {NoConversationID: true, Errors: "html"},
		"no list":   {NoConversationID: true, Errors: "none", PositionAssessmentList: 404},
		"no list 2": {NoConversationID: true, Errors: "none", PositionAssessmentList: 405},
	} {
		for _, position := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBehind(t, assume)
				b.witness(t)
				b.service.Change(t, func(s *sandbox.State) {
					emptyPosition(s)
					if position {
						s.Positions = slices.DeleteFunc(s.Positions, func(p sandbox.Position) bool { return p.ID == somePosition })
					}
				})
				if err := b.read(t); !errors.Is(err, catalog.ErrGone) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

// Row 18c: a gateway answers PUT itself. Nothing has changed, so the update fails.
func TestGatewayAnswersUpdate(t *testing.T) {
	t.Parallel()
	for name, assume := range map[string]sandboxtest.Assumptions{"signed": {}, "neither": neither} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBehind(t, assume)
			if assume == neither { // otherwise, it could be a service that never shows a benchmark
				_, err := b.add(t, somePosition, assessapi.Metadata{Benchmark: new("bmk-lumen-engineers-en-gb")})
				if _, listing := b.lists.List(t.Context(), somePosition); err != nil || listing != nil {
					t.Fatal(err, listing)
				}
			}
			b.answers(emptyOK, func(req *http.Request) bool { return req.Method == http.MethodPut })
			m := assessapi.Metadata{Benchmark: new("bmk-x")}
			_, err := b.writer.sendUpdate(t.Context(), somePosition, b.id, ofLumen, m)
			if !errors.As(err, new(*catalog.UnprovenError)) {
				t.Errorf("update: %v", err)
			}
		})
	}
}

// Row 13: a list that lacks what this run has attached, or contains what it has removed, comes from a cache.
func TestListThatLacksOurChangesIsCached(t *testing.T) {
	t.Parallel()
	stale := func(b *behind, list string) {
		b.answers(answer(200, list, "Conversation-Id", "conv-1"), isList)
	}
	isCached := func(t *testing.T, b *behind, want bool) {
		t.Helper()
		if _, err := b.lists.Recent(t.Context(), somePosition); errors.Is(err, assessapi.ErrCached) != want {
			t.Errorf("the error is %v", err)
		}
	}
	b := newBehind(t, sandboxtest.Assumptions{})
	isCached(t, b, false)
	stale(b, "[]") // from before the creation
	isCached(t, b, true)
	stale(b, `[{"id":"another","organizationAssessment":"asm-lumen"}]`)
	isCached(t, b, true)
	b.service.ClearFaults()
	if err := b.lists.Remove(t.Context(), somePosition, b.id, ofLumen); err != nil {
		t.Fatal(err)
	}
	isCached(t, b, false)
	stale(b, `[{"id":"`+b.id+`","organizationAssessment":"asm-lumen"}]`) // from before the removal
	isCached(t, b, true)
}

// A list does not contradict what this run has written only after it was requested.
func TestListDuringOurChangeIsNotCached(t *testing.T) {
	t.Parallel()
	b := newBehind(t, sandboxtest.Assumptions{})
	before := `[{"id":"` + b.id + `","organizationAssessment":"asm-lumen"}]`
	b.answers(answer(200, before, "Conversation-Id", "conv-1"), func(req *http.Request) bool {
		if !isList(req) {
			return false
		}
		if _, err := b.add(t, somePosition, assessapi.Metadata{}); err != nil {
			t.Error(err)
		}
		return true
	})
	if _, err := b.lists.Recent(t.Context(), somePosition); err != nil {
		t.Errorf("the error is %v", err)
	}
}

// A list of elements that show only their IDs, and a gateway that has no route for one of them: the element is not
// missing, so the list is an error.
func TestGatewayHidesElements(t *testing.T) {
	t.Parallel()
	for name, assume := range map[string]sandboxtest.Assumptions{"signed": {}, "neither": neither, "unsigned": unsigned} {
		for kind, body := range map[string]sandboxtest.Fault{"text": defaultBackend, "page": gonePage, "signed": signed404} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				b := newBehind(t, assume)
				b.answers(answer(200, `[{"id":"`+b.id+`"}]`), isList)
				body.Method, body.Route = http.MethodGet, sandbox.RoutePositionAssessment
				b.service.Inject(body)
				all, err := b.lists.List(t.Context(), somePosition)
				if err == nil || assessapi.SaysNotFound(err) {
					t.Errorf("the list is %v, and the error is %v", all, err)
				}
				if err := b.read(t); err == nil || errors.Is(err, catalog.ErrGone) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
	t.Run("removed after the list was read", func(t *testing.T) {
		t.Parallel()
		b := newBehind(t, unsigned)
		first := answer(200, `[{"id":"`+b.id+`"}]`)
		first.Times, first.Act = 1, emptyPosition
		b.answers(first, isList)
		later := answer(200, "[]")
		later.Match = isList
		b.service.Inject(later)
		if all, err := b.lists.List(t.Context(), somePosition); err != nil || len(all) > 0 {
			t.Errorf("the list is %v, and the error is %v", all, err)
		}
	})
}

// A list from a cache proves neither that a skills test is gone nor that a position is.
func TestCachedListProvesNothingGone(t *testing.T) {
	t.Parallel()
	cached := func(status int) sandboxtest.Fault {
		return answer(status, "[]", "Conversation-Id", "conv-1", "Age", "30")
	}
	b := newBehind(t, sandboxtest.Assumptions{})
	b.answers(cached(200), func(req *http.Request) bool { return strings.Contains(req.URL.Path, "/skills") })
	ref := catalog.TestRef{Assessment: "asm-workbench", Test: "skt-sql"}
	if _, found, err := b.catalog.Tests.Find(t.Context(), ref); err != nil || found {
		t.Fatal(found, err)
	}
	if err := b.catalog.Tests.ConfirmGone(t.Context(), ref); !errors.As(err, new(*catalog.UnprovenError)) {
		t.Errorf("skills test: %v", err)
	}
	b.answers(cached(200), func(req *http.Request) bool { return req.URL.Path == "/v1/positions" })
	position := cached(404)
	position.Match = func(req *http.Request) bool { return strings.HasPrefix(req.URL.Path, "/v1/positions/") }
	b.service.Inject(position)
	if err := b.read(t); !errors.As(err, new(*catalog.UnprovenError)) {
		t.Errorf("position: %v", err)
	}
}
