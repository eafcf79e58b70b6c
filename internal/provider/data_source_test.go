// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"maps"
	"math/big"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// unlimited starts a service without rate limits.
func unlimited(t *testing.T, change ...func(*sandboxtest.Options)) *sandboxtest.Server {
	t.Helper()
	return sandboxtest.New(t, append(change, func(o *sandboxtest.Options) { o.NoLimits = true })...)
}

func environment(service *sandboxtest.Server) map[string]string {
	return map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
		"ASSESS_UNTHROTTLED": "1",
	}
}

// unthrottled returns a working directory with a configuration of a test. Its provider
// does not wait for rate limits.
func unthrottled(t *testing.T, service *sandboxtest.Server, step string) *clitest.CLI {
	t.Helper()
	var env []string
	for name, value := range environment(service) {
		env = append(env, name+"="+value)
	}
	c := clitest.NewBare(t, env...)
	c.UseFrom(testName(t), step)
	return c
}

// testName returns the name of the test without its subtests, which share its
// configurations.
func testName(t *testing.T) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return name
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

// read validates and reads a data source, or an ephemeral resource, as a CLI does.
func (w *protocolClient) read(name string, arguments fields) (fields, []*tfprotov6.Diagnostic) {
	w.t.Helper()
	if name, ephemeral := strings.CutPrefix(name, ephemeralPrefix); ephemeral {
		return w.open(name, arguments)
	}
	typ := w.schema.DataSourceSchemas[name].ValueType()
	given := dynamic(w.t, typ, arguments)
	valid, err := w.server.ValidateDataResourceConfig(w.t.Context(),
		&tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: given})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(valid.Diagnostics) > 0 {
		return nil, valid.Diagnostics
	}
	resp, err := w.server.ReadDataSource(w.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: given})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(resp.Diagnostics) > 0 {
		return nil, resp.Diagnostics
	}
	return w.decoded(resp.State, typ), nil
}

func (w *protocolClient) open(name string, arguments fields) (fields, []*tfprotov6.Diagnostic) {
	w.t.Helper()
	typ := w.schema.EphemeralResourceSchemas[name].ValueType()
	given := dynamic(w.t, typ, arguments)
	valid, err := w.server.ValidateEphemeralResourceConfig(w.t.Context(),
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: given})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(valid.Diagnostics) > 0 {
		return nil, valid.Diagnostics
	}
	resp, err := w.server.OpenEphemeralResource(w.t.Context(),
		&tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: given})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(resp.Diagnostics) > 0 {
		return nil, resp.Diagnostics
	}
	return w.decoded(resp.Result, typ), nil
}

// reads returns the attributes of a data source.
func (w *protocolClient) reads(name string, arguments fields) fields {
	w.t.Helper()
	got, diagnostics := w.read(name, arguments)
	if len(diagnostics) > 0 {
		w.t.Fatalf("%s %v: %s: %s", name, arguments, diagnostics[0].Summary, diagnostics[0].Detail)
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
	_, diagnostics := w.read(name, arguments)
	var texts []string
	for _, d := range diagnostics {
		texts = append(texts, d.Summary+"\n"+d.Detail)
	}
	if len(texts) != 1 || !clitest.MatchesAll(texts[0], patterns) {
		w.t.Errorf("%s %v: got %q, want one error that matches all of %q", name, arguments, texts, patterns)
	}
}

// decoded returns the attributes of an object as encoding/json decodes them.
func (w *protocolClient) decoded(object *tfprotov6.DynamicValue, typ tftypes.Type) fields {
	w.t.Helper()
	value, err := object.Unmarshal(typ)
	if err != nil || !value.IsFullyKnown() {
		w.t.Fatalf("%s, %v", value, err)
	}
	attributes, _ := plainValue(w.t, value).(fields)
	return attributes
}

// plainValue converts a value to what encoding/json decodes.
func plainValue(t *testing.T, v tftypes.Value) any {
	t.Helper()
	if v.IsNull() {
		return nil
	}
	var (
		text     string
		boolean  bool
		number   big.Float
		elements []tftypes.Value
		members  map[string]tftypes.Value
	)
	switch {
	case v.As(&text) == nil:
		return text
	case v.As(&boolean) == nil:
		return boolean
	case v.As(&number) == nil:
		return json.Number(number.Text('f', -1))
	case v.As(&elements) == nil:
		list := []any{}
		for _, e := range elements {
			list = append(list, plainValue(t, e))
		}
		return list
	case v.As(&members) == nil:
		object := map[string]any{}
		for name, m := range members {
			object[name] = plainValue(t, m)
		}
		return object
	}
	t.Fatalf("unsupported value: %s", v)
	return nil
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
