// SPDX-License-Identifier: MPL-2.0

package driver_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/driver"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
		const a, b = resource + ".a", resource + ".b"
		step := func(want map[string]driver.Action, writes ...string) {
			t.Helper()
			before := len(w.Service.Journal())
			plan, _ := apply(t, w)
			if got := plan.Actions(); !maps.Equal(got, want) {
				t.Errorf("planned %v, want %v", got, want)
			}
			if plan := planned(t, w); len(plan.Actions()) > 0 {
				t.Errorf("the next plan is not empty: %v", plan.Actions())
			}
			sent := 0
			for _, r := range w.Service.Journal()[before:] {
				if r.Writes() && (sent == len(writes) || r.Method != writes[sent]) {
					t.Errorf("%s sent %s %s, want %v", r.Run, r.Method, r.Route, writes)
				} else if r.Writes() {
					sent++
				}
			}
			if sent != len(writes) {
				t.Errorf("%d writes, want %v", sent, writes)
			}
		}
		w.Config[a] = attach("pos-1", asmCognitive, driver.Values{"benchmark": driver.Values{"id": "bmk-c-en-GB-1"}})
		w.Config[b] = attach("pos-1", asmGames, driver.Values{"packages": driver.Values{"ids": []string{"pkg-1", "pkg-2"}}})
		step(map[string]driver.Action{a: driver.Create, b: driver.Create}, http.MethodPost, http.MethodPost)
		w.Config[a] = attach("pos-1", asmCognitive, nil)
		step(map[string]driver.Action{a: driver.Update}, http.MethodPut)
		w.Config[a] = attach("pos-2", asmCognitive, nil)
		step(map[string]driver.Action{a: driver.Replace}, http.MethodDelete, http.MethodPost)
		w.Config[a] = driver.Resource{Values: w.Config[a].Values, Replace: true}
		if got := planned(t, w).Actions()[a]; got != driver.Replace {
			t.Errorf("-replace plans %q", got)
		}
		w.Config[a] = attach("pos-2", asmCognitive, nil)
		delete(w.Config, b)
		step(map[string]driver.Action{b: driver.Delete}, http.MethodDelete)
		if plan := w.PlanDestroy(planned(t, w)); plan.Failed() || w.Apply(plan).Failed() || len(w.State) > 0 {
			t.Errorf("after a destroy the state has %d objects", len(w.State))
		}
		if left := attached(w.Service.Snapshot(), "pos-2", asmCognitive); len(left) > 0 {
			t.Error("the destroy has removed nothing from the service")
		}
	})
}

func TestLater(t *testing.T) {
	t.Parallel()
	virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
		r := attach("pos-1", asmPlain, nil)
		r.Values["position_id"] = driver.Later{Value: "pos-1"}
		w.Config[resource+".a"] = r
		plan, _ := apply(t, w)
		if got := plan.Changes[resource+".a"].Planned()["position_id"]; got != driver.Unknown {
			t.Errorf("the plan has the position %v, want an unknown one", got)
		}
		if got := w.State[resource+".a"].Text("position_id"); got != "pos-1" {
			t.Errorf("the state has the position %q", got)
		}
	})
}

func TestImportDataAndEphemeral(t *testing.T) {
	t.Parallel()
	virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
		var id string
		w.Service.Change(func(st *sandbox.State) { id, _ = st.Attach("pos-1", asmValues, sandbox.Metadata{}) })
		w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
		w.Imports[resource+".a"] = "pos-1/" + id
		plan, _ := apply(t, w)
		if !plan.Changes[resource+".a"].Imported || w.State[resource+".a"].Text("id") != id {
			t.Errorf("imported %v", w.State[resource+".a"])
		}
		session := w.Configure()
		if got := session.Data("assess_position", driver.Values{"id": "pos-1"}); got["title"] != "Position 1" {
			t.Errorf("the data source returned %v", got)
		}
		session.Data("assess_position", driver.Values{"id": "pos-9"})
		if all := session.Diagnostics(); len(all.Errors()) != 1 {
			t.Errorf("the data source reported %v for a position that does not exist", all)
		}
		link := session.Open("assess_profile_link", driver.Values{"position_id": "pos-1", "id": id})
		if link["status"] != sandbox.SupervisorToComplete {
			t.Errorf("the ephemeral resource returned %v", link)
		}
	})
}

func TestWarningsAreVisible(t *testing.T) {
	t.Parallel()
	virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
		w.Config[resource+".a"] = attach("pos-1", asmValues, nil)
		apply(t, w)
		w.Service.Change(func(st *sandbox.State) {
			if err := complete(st, "pos-1"); err != nil {
				t.Error(err)
			}
		})
		delete(w.Config, resource+".a")
		if found := planned(t, w).Warnings().Of(resource + ".a"); len(found) != 1 ||
			found[0].Summary != "Supervisor's profile will be deleted" {
			t.Errorf("the plan warns %v", found)
		}
	})
}

// TestSameMoment releases a creation only when another one has arrived.
func TestSameMoment(t *testing.T) {
	t.Parallel()
	virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
		arrived, release := make(chan struct{}), make(chan struct{})
		post := driver.Methods(http.MethodPost)
		w.Service.Hook(driver.At(0, post, driver.Hold(arrived, release)))
		w.Service.Hook(driver.At(1, post, driver.Before(func() { <-arrived; close(release) })))
		w.Config[resource+".a"] = attach("pos-1", asmPlain, nil)
		w.Config[resource+".b"] = attach("pos-2", asmPlain, nil)
		apply(t, w)
	})
}

func TestKill(t *testing.T) {
	t.Parallel()
	for name, loses := range map[string]bool{"what was answered is kept": false, "what was answered is lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
				w.LosesState, w.Parallelism = loses, 1
				remove := w.Service.Hook(driver.At(1, driver.Methods(http.MethodPost), driver.After(w.Kill)))
				for _, position := range []string{"pos-1", "pos-2", "pos-3"} {
					w.Config[resource+"."+position] = attach(position, asmPlain, nil)
				}
				if applied := w.Apply(planned(t, w)); !applied.Killed {
					t.Error("the apply was not killed")
				}
				remove()
				if n := w.Service.Count(http.MethodPost, ""); n != 2 {
					t.Errorf("%d creations were sent, want 2", n)
				}
				if want := map[bool]int{false: 1, true: 0}[loses]; len(w.State) != want {
					t.Errorf("the state has %d objects, want %d", len(w.State), want)
				}
			})
		})
	}
}

// TestLostResponse loses the response of a creation, which must not be sent again.
func TestLostResponse(t *testing.T) {
	t.Parallel()
	virtual(t, driver.AsDocumented, func(t *testing.T, w *driver.Workspace) {
		w.Service.Hook(driver.At(0, driver.Methods(http.MethodPost), driver.LoseResponse))
		w.Config[resource+".a"] = attach("pos-1", asmPlain, nil)
		apply(t, w)
		if n := w.Service.Count(http.MethodPost, ""); n != 1 {
			t.Errorf("%d creations were sent, want 1", n)
		}
		for _, r := range w.Service.Journal() {
			if r.Method == http.MethodPost && (r.Handled != http.StatusCreated || r.Status != 0) {
				t.Errorf("the sandbox answered %d, and the provider received %d", r.Handled, r.Status)
			}
		}
	})
}

// TestModes shows what each mode makes of a list of one position assessment, and of its fetch.
func TestModes(t *testing.T) {
	t.Parallel()
	const (
		whole = `{"id":"pas-1","_links":[],"organizationAssessment":"asm-1","metadata":{"benchmark":"bmk-1","tests":["skt-1"]}}`
		muted = `{"id":"pas-1","_links":[],"organizationAssessment":"asm-1","metadata":{"tests":["skt-1"]}}`
		empty = `{"id":"pas-1","_links":[],"organizationAssessment":"asm-1","metadata":{}}`
	)
	for name, test := range map[string]struct {
		mode         driver.Hook
		list, single string // "" is 405
		signed       bool
	}{
		"as documented": {driver.AsDocumented, "[" + whole + "]", whole, true},
		"links only":    {driver.LinksOnly, `[{"id":"pas-1","_links":[]}]`, whole, true},
		"unsigned":      {driver.Unsigned, "", whole, false},
		"mute":          {driver.Mute("benchmark"), "[" + muted + "]", muted, true},
		"all mute":      {driver.Mute(), "[" + empty + "]", empty, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for route, want := range map[string]string{
				sandbox.RoutePositionAssessments: test.list, sandbox.RoutePositionAssessment: test.single,
			} {
				body := map[string]string{sandbox.RoutePositionAssessments: "[" + whole + "]"}[route]
				got, err := test.mode(&driver.Request{Method: http.MethodGet, Route: route}, func() driver.Response {
					header := http.Header{"Conversation-Id": {"conv-1"}}
					return driver.Response{Status: http.StatusOK, Header: header, Body: []byte(cmp.Or(body, whole))}
				})
				switch {
				case err != nil:
					t.Errorf("%s: %v", route, err)
				case want == "" && got.Status != http.StatusMethodNotAllowed:
					t.Errorf("%s: status %d, want 405", route, got.Status)
				case want != "" && !sameJSON(string(got.Body), want):
					t.Errorf("%s: %s, want %s", route, got.Body, want)
				case got.Header.Get("Conversation-Id") != "" != test.signed:
					t.Errorf("%s: the header is %v", route, got.Header)
				}
			}
		})
	}
}

// sameJSON compares JSON texts regardless of the order of members.
func sameJSON(a, b string) bool {
	var left, right any
	errLeft, errRight := json.Unmarshal([]byte(a), &left), json.Unmarshal([]byte(b), &right)
	return errLeft == nil && errRight == nil && reflect.DeepEqual(left, right)
}
