// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// unlimited starts a service without rate limits.
func unlimited(t *testing.T, change ...func(*sandboxtest.Options)) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, append(change, func(o *sandboxtest.Options) { o.NoLimits = true })...)
}

type fields = map[string]any

// runOn starts a run on a service.
func runOn(t *testing.T, service *sandboxtest.Server) *protocolClient {
	t.Helper()
	w := newProtocolClient(t, service)
	w.mustConfigure(fields{})
	return w
}

// ephemeralPrefix marks the name of an ephemeral resource, which tests read like a data source.
const ephemeralPrefix = "ephemeral."

// read validates and reads a data source, or an ephemeral resource, as a CLI does. Without an error, it returns the
// attributes.
func (w *protocolClient) read(name string, arguments fields) (fields, said) {
	w.t.Helper()
	var valid []*tfprotov6.Diagnostic
	if name, ephemeral := strings.CutPrefix(name, ephemeralPrefix); ephemeral {
		config := coretest.Encode(w.schema.EphemeralResourceSchemas[name].ValueType(), arguments)
		resp, err := w.server.ValidateEphemeralResourceConfig(w.t.Context(),
			&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config})
		w.mustCall(err)
		valid = resp.Diagnostics
	} else {
		config := coretest.Encode(w.schema.DataSourceSchemas[name].ValueType(), arguments)
		resp, err := w.server.ValidateDataResourceConfig(w.t.Context(),
			&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: config})
		w.mustCall(err)
		valid = resp.Diagnostics
	}
	if len(valid) > 0 {
		return nil, saidIn(valid)
	}
	return w.fetch(name, arguments)
}

// fetch reads without a validation.
func (w *protocolClient) fetch(name string, arguments fields) (attributes fields, said said) {
	w.t.Helper()
	var found *tfprotov6.DynamicValue
	var typ tftypes.Type
	if name, ephemeral := strings.CutPrefix(name, ephemeralPrefix); ephemeral {
		typ = w.schema.EphemeralResourceSchemas[name].ValueType()
		opened, err := w.server.OpenEphemeralResource(w.t.Context(),
			&tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: coretest.Encode(typ, arguments)})
		w.mustCall(err)
		found, said = opened.Result, saidIn(opened.Diagnostics)
	} else {
		typ = w.schema.DataSourceSchemas[name].ValueType()
		read, err := w.server.ReadDataSource(w.t.Context(),
			&tfprotov6.ReadDataSourceRequest{TypeName: name, Config: coretest.Encode(typ, arguments)})
		w.mustCall(err)
		found, said = read.State, saidIn(read.Diagnostics)
	}
	if len(said.errors) > 0 {
		return nil, said
	}
	return w.decoded(found, typ), said
}

// reads returns the attributes of a data source.
func (w *protocolClient) reads(name string, arguments fields) fields {
	w.t.Helper()
	got, said := w.read(name, arguments)
	if len(said.errors)+len(said.warnings) > 0 {
		w.t.Fatalf("%s %v: %q", name, arguments, said)
	}
	return got
}

// shows fails if an attribute of a data source is not the value of some JSON.
func (w *protocolClient) shows(name string, arguments fields, attributes map[string]string) {
	w.t.Helper()
	got := w.reads(name, arguments)
	for attribute, want := range attributes {
		sameJSON(w.t, name+"."+attribute, got[attribute], want)
	}
}

// refuses fails unless reading a data source returns one error, which matches all patterns.
func (w *protocolClient) refuses(name string, arguments fields, patterns ...string) {
	w.t.Helper()
	_, said := w.read(name, arguments)
	if len(said.errors) != 1 || len(said.warnings) > 0 || !clitest.MatchesAll(said.errors[0], patterns) {
		w.t.Errorf("%s %v: got %q, want one error that matches all of %q", name, arguments, said, patterns)
	}
}

// decoded returns the attributes of an object as encoding/json decodes them.
func (w *protocolClient) decoded(object *tfprotov6.DynamicValue, typ tftypes.Type) fields {
	w.t.Helper()
	value, err := object.Unmarshal(typ)
	if err != nil || !value.IsFullyKnown() {
		w.t.Fatalf("%s, %v", value, err)
	}
	attributes, _ := coretest.Plain(value).(fields)
	return attributes
}

// sameJSON fails if a value differs from some JSON.
func sameJSON(t *testing.T, what string, got any, want string) {
	t.Helper()
	if got, want := jsonOf(t, got), jsonOf(t, fromJSON(t, want)); got != want {
		t.Errorf("%s is\n%s, want\n%s", what, got, want)
	}
}

// fromJSON keeps the digits of numbers.
func fromJSON(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDataSourcesWithAnUnknownSetting(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := newProtocolClient(t, service)
	w.configureUnknown()
	all := maps.Clone(w.schema.DataSourceSchemas)
	for name, schema := range w.schema.EphemeralResourceSchemas {
		all[ephemeralPrefix+name] = schema
	}
	for name, schema := range all {
		arguments := fields{}
		for _, a := range schema.Block.Attributes {
			if a.Required || a.Name == "id" {
				arguments[a.Name] = "any"
			}
		}
		w.refuses(name, arguments, "Provider setting not known yet", "Could not read the (data source|results|profile link)",
			`setting "base_url" is not known`, "-target")
	}
	service.AssertCount(t, "", "", 0)
}

func TestDataSourceArguments(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := runOn(t, service)
	set := tftypes.Set{ElementType: tftypes.String}
	null := tftypes.NewValue(set, []tftypes.Value{tftypes.NewValue(tftypes.String, nil)})
	two := []string{"Invalid value", "Only one of these arguments", "keep one of them"}
	none := []string{"Invalid value", "requires one of these arguments", "It sets none of them"}
	latin1, empty := []string{"Character outside Latin1", "'ł'"}, []string{"Empty ID"}
	for _, row := range []struct {
		data      string
		arguments fields
		says      []string
	}{
		{"assess_assessment", fields{"code": "QRT", "name": "Quartet Games"}, two},
		{"assess_position", fields{}, none},
		{"assess_package", fields{"assessment_id": "asm-quartet", "id": "pkg-problem-solving", "name": "Problem solving"}, two},
		{"assess_profile", fields{"assessment_id": "asm-northlight", "name": "Zł"}, latin1},
		{"assess_position", fields{"title": "Chef – Łódź"}, []string{"Character outside Latin1", "'–'", "set id instead"}},
		{"assess_positions", fields{"title": "Zł"}, latin1},
		{"assess_skills_tests", fields{"assessment_id": ""}, empty},
		{"assess_assessment_options", fields{"assessment_id": ""}, empty},
		{"assess_position_assessments", fields{"position_id": ""}, empty},
		{resultsEphemeral, fields{"position_id": ""}, empty},
		{
			"assess_position_assessment",
			fields{"position_id": "pos-backend-london", "id": ".."},
			[]string{"Not an ID", `cannot be "\." or "\.\."`},
		},
		{resultsType, fields{"position_id": "pos-graduates-2026", "candidate_ids": []string{"cnd-ł"}}, latin1},
		{
			resultsType,
			fields{"position_id": "pos-graduates-2026", "assessment_ids": null},
			[]string{"Invalid value", "assessment_ids contains null"},
		},
	} {
		w.refuses(row.data, row.arguments, row.says...)
	}
	service.AssertCount(t, "", "", 0)
}

func TestDataSourcesOfAnUnknownPosition(t *testing.T) {
	t.Parallel()
	w := runOn(t, unlimited(t))
	for name, summary := range map[string]string{
		"assess_position_assessment":  "Could not read the position assessment",
		"assess_position_assessments": "Could not list the position's assessments",
		resultsType:                   "Could not read the results",
		resultsEphemeral:              "Could not read the results",
	} {
		arguments := fields{"position_id": "pos-nowhere"}
		if name == "assess_position_assessment" {
			arguments["id"] = "any"
		}
		w.refuses(name, arguments, summary, `position "pos-nowhere"`, "404 Not Found", "Conversation-Id",
			"check the IDs in the configuration")
	}
}

// attachedShown are the attributes that the data sources show for each position
// assessment of attachedState, by its position and ID. All others are null.
var attachedShown = map[string]map[string]fields{
	backend: {
		"pas-games": {
			"assessment_id": "asm-quartet", "benchmark": fields{"id": "bmk-quartet-engineers-en-gb"},
			"packages":   fields{"ids": []string{"pkg-verbal-knowledge", "pkg-numerical-reasoning", "pkg-problem-solving"}},
			"extra_json": `{"metadata":{"weight":2.50},"owner":"北"}`,
		},
		"pas-skills": {"assessment_id": "asm-workbench", "tests": fields{"ids": []string{"skt-sql", "skt-python"}}},
		"pas-open":   {"assessment_id": "asm-terrain", "profile_status": sandbox.SupervisorToComplete},
	},
	"pos-donnees-paris": {
		"pas-done": {
			"assessment_id": "asm-northlight", "profile": fields{"id": "prf-customer-first"},
			"profile_status": sandbox.ProfileAttached,
		},
		"pas-plain": {"assessment_id": "asm-facet"},
	},
}

// assertShown fails if a position assessment is not shown as in attachedShown. Its
// profile_url is an address if it has a profile_status.
func assertShown(t *testing.T, service *sandboxtest.Server, position, id string, got fields) {
	t.Helper()
	want := fields{
		"position_id": position, "id": id,
		"self_link": service.URL + "/positions/" + position + "/assessments/" + id,
	}
	for _, name := range []string{"packages", "benchmark", "profile", "tests", "profile_status", "extra_json"} {
		want[name] = nil
	}
	maps.Copy(want, attachedShown[position][id])
	if url := got["profile_url"]; (url != nil) != (want["profile_status"] != nil) {
		t.Errorf("%s has the profile_url %v", id, url)
	}
	got = maps.Clone(got)
	delete(got, "profile_url")
	sameJSON(t, id, got, jsonOf(t, want))
}

func TestPositionAssessmentDataSources(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(2))
	w := runOn(t, service)
	for position, ids := range map[string]string{
		backend: `["pas-games", "pas-skills", "pas-open"]`, "pos-donnees-paris": `["pas-done", "pas-plain"]`,
	} {
		listed := w.reads("assess_position_assessments", fields{"position_id": position})
		sameJSON(t, "ids", listed["ids"], ids)
		all, _ := listed["assessments"].([]any)
		for _, one := range all {
			shown, _ := one.(fields)
			id := fmt.Sprint(shown["id"])
			assertShown(t, service, position, id, shown)
			assertShown(t, service, position, id, w.reads("assess_position_assessment", fields{"position_id": position, "id": id}))
		}
	}
	assertRoutes(t, service, sandbox.RoutePositionAssessments)
	service.AssertCount(t, "", "", 3) // two pages of three position assessments, and one of two
	empty := w.reads("assess_position_assessments", fields{"position_id": "pos-support-leeds"})
	sameJSON(t, "an empty position", []any{empty["ids"], empty["assessments"]}, "[[], []]")

	service.ResetJournal()
	for id, says := range map[string][]string{
		"nowhere":   {`has the id "nowhere"`, `Available: .*"pas-games" of assessment "asm-quartet"`},
		"PAS-Games": {`has the id "PAS-Games"`, `Similar: "pas-games" of assessment "asm-quartet"`},
	} {
		w.refuses("assess_position_assessment", fields{"position_id": backend, "id": id},
			slices.Concat([]string{"No position assessment found", "None of 3 position assessments"}, says)...)
	}
	// A missing element in a list does not prove that the object was removed: each is
	// requested by its ID.
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 2)
}

// A service may not list the assessments of a position (assumption A7).
func TestPositionAssessmentsThatAreNotListed(t *testing.T) {
	t.Parallel()
	service := unlimited(t, withAttachedState(2), func(o *sandboxtest.Options) {
		o.Assumptions.PositionAssessmentList = http.StatusMethodNotAllowed
	})
	w := runOn(t, service)
	for id := range attachedShown[backend] {
		assertShown(t, service, backend, id, w.reads("assess_position_assessment", fields{"position_id": backend, "id": id}))
	}
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessments, 1)
	service.AssertCount(t, http.MethodGet, sandbox.RoutePositionAssessment, 3)
	w.refuses("assess_position_assessments", fields{"position_id": backend},
		"Could not list the position's assessments", `"pos-backend-london"`, "no such list", "data source assess_position_assessment")
}

const (
	resultsType      = "assess_position_results"
	resultsEphemeral = ephemeralPrefix + resultsType
)

// twoCandidates are the candidates of TestPositionResults. One has completed the assessment.
const twoCandidates = `[
	{"id": "cnd-d", "name": "Candidate d", "report_url": "SERVICE/report/pos-open/cnd-d", "suitability": 50, "results": [{
		"assessment_id": "asm-keystone", "type": "VALIDATED", "report_url": "SERVICE/report/pos-open/cnd-d/asm-keystone",
		"percentile": 50, "classification": "AVERAGE", "validity": "CONSISTENT", "invitations": [{
			"id": "d", "type": "REMOTE", "status": "TESTED_WITH_RESULTS", "expiry": "2039-12-31",
			"created": "2026-03-02T10:00:00Z", "completed": "2026-03-03T10:00:00Z"}]}]},
	{"id": "cnd-c", "name": "Candidate c", "report_url": "SERVICE/report/pos-open/cnd-c", "suitability": null, "results": [{
		"assessment_id": "asm-keystone", "type": "VALIDATED", "report_url": "SERVICE/report/pos-open/cnd-c/asm-keystone",
		"percentile": null, "classification": null, "validity": null, "invitations": [{
			"id": "c", "type": "REMOTE", "status": "IN_PROGRESS", "expiry": "2039-12-31",
			"created": "2026-03-03T10:00:00Z", "completed": null}]}]}
]`

// The data source and the ephemeral resource return everything. A run reads it once, and the
// next run sees changes.
func TestPositionResults(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage, o.Seed = 1, waitingState })
	service.Change(t, func(st *sandbox.State) {
		open := st.Position("pos-open")
		open.Assessments[0].Assessment = "asm-keystone"
		open.Candidates = open.Candidates[2:4]
		open.Candidates[0].Results[0].Assessment = "asm-keystone"
		completed := &open.Candidates[1]
		completed.Extra = object(t, `{"shoeSize": 43.50}`)
		completed.Results[0].Assessment, completed.Results[0].Validity = "asm-keystone", "CONSISTENT"
		completed.Results[0].Invitations[0].Created = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	})
	arguments := fields{"position_id": "pos-open"}
	linked := strings.NewReplacer("SERVICE", strings.TrimSuffix(service.URL, "/v1"))
	w := runOn(t, service)
	w.shows(resultsType, arguments, map[string]string{
		"candidates":           linked.Replace(twoCandidates),
		"candidate_login_urls": linked.Replace(`{"c": "SERVICE/sit/c", "d": "SERVICE/sit/d"}`),
	})
	got := w.reads(resultsType, arguments)
	if raw, _ := got["raw_json"].(string); !clitest.MatchesAll(raw, []string{`^\[\{"id":"cnd-d"`, `"shoeSize":43\.50`, "candidateLoginUrl"}) {
		t.Errorf("raw_json is %s", raw)
	}
	sameJSON(t, "the ephemeral resource", w.reads(resultsEphemeral, arguments), jsonOf(t, got))
	service.AssertCount(t, "", sandbox.RouteResults, 2) // pages
	service.AssertCount(t, "", "", 2)

	service.Change(t, sits(t, "c"))
	w.mustConfigure(fields{})
	if next := jsonOf(t, w.reads(resultsType, arguments)); strings.Contains(next, sandbox.InProgress) {
		t.Errorf("the next run reads %s", next)
	}
}

// In strict mode, the ephemeral resource returns what has attributes, and nothing that the provider does not know.
func TestStrictPrivacyOfTheEphemeralResource(t *testing.T) {
	t.Parallel()
	w := newProtocolClient(t, unlimited(t, func(o *sandboxtest.Options) { o.Seed = waitingState }))
	w.mustConfigure(fields{"privacy": "strict"})
	got := w.reads(resultsEphemeral, fields{"position_id": "pos-open"})
	if candidates, _ := got["candidates"].([]any); got["raw_json"] != nil || len(candidates) == 0 {
		t.Errorf("raw_json is %v, beside %d candidates", got["raw_json"], len(candidates))
	}
}

// The ephemeral resource and the data source have the same attributes with the same
// descriptions.
func TestPositionResultsHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	schema := newProtocolClient(t, unlimited(t)).schema
	data := schema.DataSourceSchemas[resultsType].Block
	ephemeral := schema.EphemeralResourceSchemas[resultsType].Block
	if len(ephemeral.Attributes) == 0 || !reflect.DeepEqual(data.Attributes, ephemeral.Attributes) {
		t.Errorf("the ephemeral resource and the data source have different attributes")
	}
}
