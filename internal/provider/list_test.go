// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// configureUnknown starts a run in which the address of the service is unknown.
func (w *protocolClient) configureUnknown() {
	w.t.Helper()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	if said := w.configure(fields{"base_url": unknown}); len(said.errors) > 0 {
		w.t.Fatalf("configuring the provider: %q", said)
	}
}

// query is a list request of a CLI.
type query struct {
	name    string
	config  fields
	include bool
	limit   int64
	stop    int // number of results after which the CLI stops (0 means all)
}

// found is the result of a list request.
type found struct {
	said
	results []tfprotov6.ListResourceResult
}

func (f found) names() []string {
	names := []string{}
	for _, r := range f.results {
		names = append(names, r.DisplayName)
	}
	return names
}

func (w *protocolClient) list(q query) (f found) {
	w.t.Helper()
	if q.config == nil {
		q.config = fields{}
	}
	config := coretest.Encode(w.schema.ListResourceSchemas[q.name].ValueType(), q.config)
	valid, err := w.server.ValidateListResourceConfig(w.t.Context(),
		&tfprotov6.ValidateListResourceConfigRequest{TypeName: q.name, Config: config})
	w.mustCall(err)
	if f.said = saidIn(valid.Diagnostics); len(f.errors) > 0 {
		return f
	}
	stream, err := w.server.ListResource(w.t.Context(),
		&tfprotov6.ListResourceRequest{TypeName: q.name, Config: config, IncludeResource: q.include, Limit: q.limit})
	w.mustCall(err)
	for result := range stream.Results {
		f.add(saidIn(result.Diagnostics))
		if result.Identity == nil {
			continue
		}
		f.results = append(f.results, result)
		if len(f.results) == q.stop {
			break
		}
	}
	return f
}

// imported returns the state after importing an identity.
func (w *protocolClient) imported(name string, identity *tfprotov6.ResourceIdentityData) tftypes.Value {
	w.t.Helper()
	resp, err := w.server.ImportResourceState(w.t.Context(),
		&tfprotov6.ImportResourceStateRequest{TypeName: name, Identity: identity})
	w.mustCall(err)
	if len(resp.Diagnostics) > 0 || len(resp.ImportedResources) != 1 {
		w.t.Fatalf("importing: %v", resp)
	}
	one := resp.ImportedResources[0]
	read, err := w.server.ReadResource(w.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: one.State, Private: one.Private, CurrentIdentity: one.Identity,
	})
	w.mustCall(err)
	if said := saidIn(read.Diagnostics); len(said.errors) > 0 {
		w.t.Fatalf("reading the imported resource: %q", said)
	}
	state, err := read.NewState.Unmarshal(w.typ(name))
	w.mustCall(err)
	return state
}

// assertImportable fails if a listed resource differs from an import of its identity in
// another run.
func assertImportable(t *testing.T, service *sandboxtest.Server, name string, f found) {
	t.Helper()
	w := runOn(t, service)
	for _, result := range f.results {
		listed, err := result.Resource.Unmarshal(w.typ(name))
		if err != nil {
			t.Fatal(err)
		}
		if want := w.imported(name, result.Identity); !listed.Equal(want) {
			t.Errorf("%s: listed as\n  %s\nimported as\n  %s", result.DisplayName, listed, want)
		}
	}
}

// attachedState has an assessment with each kind of configuration attached to two positions.
func attachedState() *sandbox.State {
	st := sandbox.Demo()
	st.Position("pos-backend-london").Assessments = []sandbox.PositionAssessment{
		{ID: "pas-games", Assessment: "asm-quartet", Metadata: sandbox.Metadata{
			Packages:  []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"},
			Benchmark: "bmk-quartet-engineers-en-gb", Extra: sandbox.Object{{Name: "weight", Value: json.RawMessage("2.50")}},
		}, Extra: sandbox.Object{{Name: "owner", Value: json.RawMessage(`"北"`)}}},
		{
			ID: "pas-skills", Assessment: "asm-workbench",
			Metadata: sandbox.Metadata{Tests: []string{"skt-sql", "skt-python"}},
		},
		{
			ID: "pas-open", Assessment: "asm-terrain",
			Metadata: sandbox.Metadata{ProfileStatus: sandbox.SupervisorToComplete},
		},
	}
	st.Position("pos-donnees-paris").Assessments = []sandbox.PositionAssessment{
		{
			ID: "pas-done", Assessment: "asm-northlight",
			Metadata: sandbox.Metadata{Profile: "prf-customer-first", ProfileStatus: sandbox.ProfileAttached},
		},
		{ID: "pas-plain", Assessment: "asm-facet"},
	}
	return st
}

const (
	attachedList = "assess_position_assessment"
	enabledList  = "assess_skills_test_activation"
)

var (
	onBackend = []string{
		"Quartet Games on Backend Engineer, London",
		"Workbench Skills on Backend Engineer, London", "Terrain Work Preferences on Backend Engineer, London",
	}
	onDonnees = []string{
		"Northlight Values Inventory on Ingénieure données, Paris",
		"Facet Behavioural Profile on Ingénieure données, Paris",
	}
	onGraduates = []string{
		"Lumen Ability Test on Graduate Programme 2026", "Tideline Emotional Intelligence on Graduate Programme 2026",
		"Keystone Reliability Scale on Graduate Programme 2026",
		"Northlight Values Inventory on Graduate Programme 2026",
	}
)

// withAttachedState uses attachedState on a service with this many items on a page.
func withAttachedState(page int) func(*sandboxtest.Options) {
	return func(o *sandboxtest.Options) { o.MaxPage, o.Seed = page, attachedState }
}

// If the service hides packages, benchmark and tests, a list leaves out these blocks and
// warns once, as an import does (assumption A22). One more request proves that it hides them.
func TestListPositionAssessments(t *testing.T) {
	t.Parallel()
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		service := unlimited(t, withAttachedState(1000), like)
		hidden := 0
		if service.Assumptions().MuteReads {
			hidden = 1
		}
		w := runOn(t, service)
		f := w.list(query{name: attachedList, include: true})
		if want := slices.Concat(onBackend, onDonnees, onGraduates); !slices.Equal(f.names(), want) ||
			len(f.errors) > 0 || len(f.warnings) != hidden {
			t.Errorf("listed %q\n%q %q\nwant %q", f.names(), f.errors, f.warnings, want)
		}
		warnings := append(f.warnings, w.list(query{name: attachedList, limit: 1}).warnings...)
		for _, warning := range warnings {
			if !clitest.MatchesAll(warning, []string{"assessment not shown", `does not return packages, benchmark and tests\. One example is position assessment "[^.]*\. So the results`}) {
				t.Error(warning)
			}
		}
		if len(warnings) != 2*hidden {
			t.Errorf("%d warnings", len(warnings))
		}
		service.AssertCount(t, "", sandbox.RoutePositionAssessments, len(service.State(t).Positions))
		service.AssertCount(t, "", sandbox.RoutePositions, 1)
		service.AssertCount(t, "", sandbox.RouteAssessments, 1)
		service.AssertCount(t, "", "", len(service.State(t).Positions)+2+hidden)
		assertImportable(t, service, attachedList, f)
		service.NoWrites(t)
	})
}

func TestListPositionAssessmentsOfSome(t *testing.T) {
	t.Parallel()
	untitled, everywhere := []string{"Facet Behavioural Profile on pos-untitled"}, len(attachedState().Positions)+2
	removesDonnees := sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Skip: 1, Act: func(st *sandbox.State) {
		st.Positions = slices.DeleteFunc(st.Positions,
			func(p sandbox.Position) bool { return p.ID == "pos-donnees-paris" })
	}}
	for name, row := range map[string]struct {
		config fields
		during sandboxtest.Fault
		names  []string
		lists  int
	}{
		"by id":                 {fields{"position_id": "pos-donnees-paris"}, sandboxtest.Fault{}, onDonnees, 1},
		"by title with accents": {fields{"position_title": "Ingénieure données, Paris"}, sandboxtest.Fault{}, onDonnees, 1},
		"by title":              {fields{"position_title": "Backend Engineer, London"}, sandboxtest.Fault{}, onBackend, 2},
		"without a title":       {fields{"position_id": "pos-untitled"}, sandboxtest.Fault{}, untitled, 1},
		"nothing attached":      {fields{"position_id": "pos-lager-leipzig"}, sandboxtest.Fault{}, []string{}, 1},
		"deleted meanwhile":     {nil, removesDonnees, slices.Concat(onBackend, onGraduates, untitled), everywhere},
	} {
		service := unlimited(t, withAttachedState(1000))
		service.Change(t, func(st *sandbox.State) { // two positions with the same title, one without assessments
			st.Positions = append(st.Positions, sandbox.Position{ID: "pos-again", Title: "Backend Engineer, London"},
				sandbox.Position{ID: "pos-untitled", Assessments: []sandbox.PositionAssessment{
					{ID: "pas-odd", Assessment: "asm-facet"},
				}})
			st.Position("pos-donnees-paris").Title = "Inge\u0301nieure donne\u0301es, Paris" // with accents of their own
		})
		if row.during.Act != nil {
			service.Inject(row.during)
		}
		f := runOn(t, service).list(query{name: attachedList, config: row.config})
		if f.quiet(t); !slices.Equal(f.names(), row.names) {
			t.Errorf("%s: listed %q, want %q", name, f.names(), row.names)
		}
		service.AssertCount(t, "", sandbox.RoutePositionAssessments, row.lists)
		for _, r := range f.results {
			if r.Resource != nil {
				t.Errorf("%s: %s has attributes that were not requested", name, r.DisplayName)
			}
		}
	}
}

// A list reads the assessments of only as many positions as the CLI takes results.
func TestListStopsEarly(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		query   query
		results int
		lists   int // lists of single positions
	}{
		"limit within the first position": {query{limit: 2}, 2, 1},
		"limit at its end":                {query{limit: 3}, 3, 1},
		"limit in the next":               {query{limit: 4}, 4, 7},
		"limit beyond all":                {query{limit: 100}, 9, 8},
		"stop within the first position":  {query{stop: 1}, 1, 1},
		"stop at its end":                 {query{stop: 3}, 3, 1},
		"stop in the next":                {query{stop: 4, limit: 100}, 4, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, withAttachedState(2))
			w := runOn(t, service)
			row.query.name = attachedList
			f := w.list(row.query)
			if len(f.results) != row.results || len(f.errors) > 0 {
				t.Errorf("%d results, want %d; %q", len(f.results), row.results, f.errors)
			}
			paths := map[string]bool{}
			for _, entry := range service.Journal() {
				if entry.Route == sandbox.RoutePositionAssessments {
					paths[entry.Path] = true
				}
			}
			if len(paths) != row.lists {
				t.Errorf("the lists of %d positions were read, want %d", len(paths), row.lists)
			}
		})
	}
}

func TestListSkillsTestActivations(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	enabled := []string{}
	for _, test := range service.State(t).Assessment("asm-workbench").SkillsTests {
		if test.Active() {
			enabled = append(enabled, test.Text("title")+" (Workbench Skills)")
		}
	}
	w := runOn(t, service)
	workbench := fields{"assessment_id": "asm-workbench"}
	f := w.list(query{name: enabledList, config: workbench, include: true})
	if !slices.Equal(f.names(), enabled) || len(f.errors)+len(f.warnings) > 0 {
		t.Errorf("listed %q, want %q; %q %q", f.names(), enabled, f.errors, f.warnings)
	}
	service.AssertCount(t, "", sandbox.RouteSkillsTests, 1)
	service.AssertCount(t, "", "", 2) // the tests, and the assessments for the name
	assertImportable(t, service, enabledList, f)

	if f = w.list(query{name: enabledList, config: workbench, limit: 3}); !slices.Equal(f.names(), enabled[:3]) {
		t.Errorf("with a limit of 3: %q", f.names())
	}
	f = w.list(query{name: enabledList, config: fields{"assessment_id": "asm-facet"}})
	if len(f.results)+len(f.errors) > 0 {
		t.Errorf("an assessment of another kind: %q, %q", f.names(), f.errors)
	}
	service.NoWrites(t)
}

// A list request returns a warning once, even without results.
func TestListWarns(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]fields{"some": {}, "none": {"position_id": "pos-lager-leipzig"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := unlimited(t, withAttachedState(1000))
			// The service refuses both parameters: together, and each alone.
			service.Inject(sandboxtest.Fault{Route: sandbox.RoutePositions, Status: http.StatusBadRequest, Times: 3})
			w := runOn(t, service)
			f := w.list(query{name: attachedList, config: config})
			if len(f.errors) > 0 || len(f.warnings) != 1 ||
				!clitest.MatchesAll(f.warnings[0], []string{
					"refuses optional parameters", `refused a request with the optional parameters limit=1000( and fields=\S+)?\. `,
					`answered GET http://\S+/positions with 400 Bad Request`, "use its ID instead",
				}) {
				t.Errorf("errors %q, warnings %q", f.errors, f.warnings)
			}
			if name == "some" && (len(f.results) != 9 || f.names()[0] != "Quartet Games on pos-backend-london") {
				t.Errorf("without titles: %q", f.names())
			}
		})
	}
}

// A list request fails if its arguments are invalid, or if the service refuses what it lists, or the names of that.
func TestListRefuses(t *testing.T) {
	t.Parallel()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	workbench := fields{"assessment_id": "asm-workbench"}
	for _, row := range []struct {
		list   string
		config fields
		fault  sandboxtest.Fault
		says   []string
	}{
		{attachedList, fields{"position_id": "pos-lager-leipzig", "position_title": "Any"}, sandboxtest.Fault{}, []string{
			"Invalid value", "This block sets position_id and position_title", "keep one of them",
		}},
		{attachedList, fields{"position_id": ""}, sandboxtest.Fault{}, []string{"Empty ID", "position_id is empty"}},
		{attachedList, fields{"position_title": "Łódź"}, sandboxtest.Fault{}, []string{"Character outside Latin1"}},
		{enabledList, fields{"assessment_id": ""}, sandboxtest.Fault{}, []string{"Empty ID", "assessment_id is empty"}},
		{attachedList, fields{"position_id": unknown}, sandboxtest.Fault{}, []string{"Argument of the list not known yet"}},
		{attachedList, fields{"position_title": "Backend Engineer"}, sandboxtest.Fault{}, []string{
			"No position found", `exactly the title "Backend Engineer"`,
		}},
		{attachedList, fields{"position_id": "pos-moon"}, sandboxtest.Fault{}, []string{
			"Could not list the position's assessments", `"pos-moon"`, "404 Not Found", "Conversation-Id",
			"the position does not exist", "import block",
		}},
		{attachedList, nil, refusing(sandbox.RoutePositionAssessments, http.StatusMethodNotAllowed), []string{
			"Could not list the position's assessments", "no such list", "import block",
		}},
		{attachedList, nil, refusing(sandbox.RoutePositionAssessments, http.StatusNotFound), []string{
			"404 Not Found", "does not list", "import block",
		}},
		{attachedList, nil, refusing(sandbox.RoutePositionAssessments, http.StatusForbidden), []string{
			"Could not list the position's assessments", "403 Forbidden",
		}},
		{attachedList, nil, refusing("", http.StatusUnauthorized), []string{
			"Could not list the positions", "401 Unauthorized", "ASSESS_API_KEY",
		}},
		{attachedList, fields{"position_title": "Any"}, refusing(sandbox.RoutePositions, http.StatusForbidden), []string{
			"Could not list the positions", "403 Forbidden",
		}},
		{attachedList, nil, refusing(sandbox.RouteAssessments, http.StatusForbidden), []string{
			"Could not list the assessments", "to find their names", "403 Forbidden",
		}},
		{enabledList, workbench, refusing(sandbox.RouteAssessments, http.StatusForbidden), []string{
			"Could not list the assessments", "403 Forbidden",
		}},
		{enabledList, workbench, refusing(sandbox.RouteSkillsTests, http.StatusMethodNotAllowed), []string{
			"Could not list the skills tests", "does not list skills tests",
		}},
	} {
		service := unlimited(t, withAttachedState(1000))
		if row.fault.Status != 0 {
			service.Inject(row.fault)
		}
		runOn(t, service).list(query{name: row.list, config: row.config}).fails(t, row.says...)
	}
	w := newProtocolClient(t, unlimited(t))
	w.configureUnknown()
	for list, config := range map[string]fields{attachedList: {}, enabledList: workbench} {
		w.list(query{name: list, config: config}).
			fails(t, "Provider setting not known yet", "Could not list resources", `setting "base_url" is not known`)
	}
}
