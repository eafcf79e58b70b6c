// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const resultsType = "assess_position_results"

// wireCandidate is a candidate in a response of the service.
type wireCandidate struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	ReportURL   string   `json:"reportUrl"`
	Suitability *float64 `json:"suitability"`
	Results     []struct {
		ReportURL   string   `json:"reportUrl"`
		Percentile  *float64 `json:"percentile"`
		Invitations []struct {
			ID       string `json:"id"`
			Status   string `json:"status"`
			LoginURL string `json:"candidateLoginUrl"`
		} `json:"invitations"`
	} `json:"results"`
}

// outcome is the complete answer of the service.
type outcome struct {
	candidates []wireCandidate
	raw        string
}

func outcomeOf(t *testing.T, service *sandboxtest.Server, query string) (o outcome) {
	t.Helper()
	var raws []string
	address := service.URL + "/positions/" + sandbox.DemoResultsPosition + "/results?limit=1000&" + query
	for address != "" {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Candidates []json.RawMessage `json:"candidates"`
			Links      []struct {
				Rel  string `json:"rel"`
				Href string `json:"href"`
			} `json:"_links"`
		}
		err = json.NewDecoder(resp.Body).Decode(&page)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", address, resp.Status, err)
		}
		for _, raw := range page.Candidates {
			raws = append(raws, string(raw))
		}
		address = ""
		for _, l := range page.Links {
			if l.Rel == "next" {
				address = l.Href
			}
		}
	}
	o.raw = "[" + strings.Join(raws, ",") + "]"
	if err := json.Unmarshal([]byte(o.raw), &o.candidates); err != nil {
		t.Fatal(err)
	}
	return o
}

// shown returns the computed attributes that the data source should have.
func (o outcome) shown(t *testing.T, w *protocolClient) map[string]string {
	t.Helper()
	urls := map[string]string{}
	for _, c := range o.candidates {
		for _, r := range c.Results {
			for _, i := range r.Invitations {
				urls[i.ID] = i.LoginURL
			}
		}
	}
	var wire any
	decoder := json.NewDecoder(strings.NewReader(o.raw))
	decoder.UseNumber()
	if err := decoder.Decode(&wire); err != nil {
		t.Fatal(err)
	}
	object, _ := w.schema.DataSourceSchemas[resultsType].ValueType().(tftypes.Object)
	return map[string]string{
		"candidates":           jsonOf(t, inAttributes(object.AttributeTypes["candidates"], wire)),
		"candidate_login_urls": jsonOf(t, urls),
		"raw_json":             jsonOf(t, o.raw),
	}
}

// inAttributes returns the members of a response that have attributes, with their names.
// Members that the response does not have are null.
func inAttributes(typ tftypes.Type, wire any) any {
	members := map[string]string{"report_url": "reportUrl", "assessment_id": "assessment"}
	switch typ := typ.(type) {
	case tftypes.Object:
		in, _ := wire.(map[string]any)
		out := map[string]any{}
		for name, attribute := range typ.AttributeTypes {
			member := name
			if other, differs := members[name]; differs {
				member = other
			}
			out[name] = inAttributes(attribute, in[member])
		}
		return out
	case tftypes.List:
		elements, _ := wire.([]any)
		out := []any{}
		for _, element := range elements {
			out = append(out, inAttributes(typ.ElementType, element))
		}
		return out
	}
	return wire
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

// open opens the ephemeral resource.
func (w *protocolClient) open(arguments fields) (fields, []*tfprotov6.Diagnostic) {
	w.t.Helper()
	typ := w.schema.EphemeralResourceSchemas[resultsType].ValueType()
	given := dynamic(w.t, typ, arguments)
	valid, err := w.server.ValidateEphemeralResourceConfig(w.t.Context(),
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: resultsType, Config: given})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(valid.Diagnostics) > 0 {
		return nil, valid.Diagnostics
	}
	resp, err := w.server.OpenEphemeralResource(w.t.Context(),
		&tfprotov6.OpenEphemeralResourceRequest{TypeName: resultsType, Config: given})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(resp.Diagnostics) > 0 {
		return nil, resp.Diagnostics
	}
	if len(resp.Private) > 0 || !resp.RenewAt.IsZero() {
		w.t.Errorf("opened with %v", resp)
	}
	return w.decoded(resp.Result, typ), nil
}

// The data source and the ephemeral resource return everything. A run reads it once, and the
// next run sees changes.
func TestPositionResults(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 25 })
	service.Change(t, func(st *sandbox.State) {
		st.Position(sandbox.DemoResultsPosition).Candidates[0].Extra = object(t, `{"shoeSize": 43.50}`)
	})
	w := newProtocolClient(t, service)
	var before outcome
	for run := range 2 {
		want := outcomeOf(t, service, "")
		if want.raw == before.raw || !strings.Contains(want.raw, `"shoeSize":43.50`) {
			t.Fatal("the service has no changes or no additional data")
		}
		service.ResetJournal()
		w.mustConfigure(fields{})
		position := fields{"position_id": sandbox.DemoResultsPosition}
		w.shows(resultsType, position, want.shown(t, w))
		w.shows(resultsType, position, want.shown(t, w))
		opened, failed := w.open(position)
		if len(failed) > 0 {
			t.Fatal(failed)
		}
		sameJSON(t, "the ephemeral resource", opened, jsonOf(t, w.reads(resultsType, position)))
		service.AssertCount(t, "", sandbox.RouteResults, 3) // pages of 66 candidates
		service.AssertCount(t, "", "", 3)
		before = want
		if run == 0 {
			service.Change(t, func(st *sandbox.State) { finish(t, st, want) })
		}
	}
}

// finish completes the sittings that are in progress.
func finish(t *testing.T, st *sandbox.State, o outcome) {
	t.Helper()
	for _, c := range o.candidates {
		for _, r := range c.Results {
			if i := r.Invitations[0]; i.Status == sandbox.InProgress {
				if err := st.Sit(i.ID); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A parameter is repeated for each value. Equal sets share a request. An empty set selects
// nothing and sends no request.
func TestPositionResultsFilters(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := runOn(t, service)
	people, tests := []string{"cnd-007", "cnd-001"}, []string{"asm-lumen", "asm-keystone"}
	const byPeople, byTests = "candidate=cnd-001&candidate=cnd-007", "assessment=asm-keystone&assessment=asm-lumen"
	none := outcome{raw: "[]"}
	for _, row := range []struct {
		filters fields
		want    outcome
	}{
		{fields{"candidate_ids": people}, outcomeOf(t, service, byPeople)},
		{fields{"candidate_ids": []string{"cnd-001", "cnd-007"}}, outcomeOf(t, service, byPeople)},
		{fields{"assessment_ids": tests}, outcomeOf(t, service, byTests)},
		{fields{"candidate_ids": people, "assessment_ids": tests}, outcomeOf(t, service, byPeople+"&"+byTests)},
		{fields{"candidate_ids": []string{}}, none},
		{fields{"assessment_ids": []string{}}, none},
	} {
		row.filters["position_id"] = sandbox.DemoResultsPosition
		w.shows(resultsType, row.filters, row.want.shown(t, w))
	}
	want := []string{byTests, byTests + "&" + byPeople, byPeople}
	if got := queries(service); !slices.Equal(slices.Compact(got), want) || len(got) != 2*len(want)+1 {
		t.Errorf("the requests of this test and of the provider were %q, want each of %q", got, want)
	}
}

func TestPositionResultsRefusals(t *testing.T) {
	t.Parallel()
	w := runOn(t, unlimited(t))
	for _, says := range [][]string{
		{"", "Empty ID"},
		{"pos-moon", "Could not read the results", `"pos-moon"`, "404 Not Found", "Conversation-Id"},
		{"pos-sun", "Provider setting not known yet", "Could not read the results", `setting "base_url" is not known`, "-target"},
	} {
		if says[0] == "pos-sun" {
			w.configureUnknown()
		}
		_, failed := w.open(fields{"position_id": says[0]})
		if len(failed) != 1 || !matchesAll(failed[0].Summary+" "+failed[0].Detail, says[1:]) {
			t.Errorf("%q: got %v, want one that matches all of %q", says[0], failed, says[1:])
		}
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

// The CLI reads results in the apply if the position is known only then.
func TestPositionResultsEphemeralWaitsForApply(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	c := unthrottled(t, service, "1")
	c.plan("-out=saved").ok()
	service.AssertCount(t, "", "", 0)
	c.do("apply", "-input=false", "saved").ok()
	service.AssertCount(t, "", sandbox.RouteResults, 1)
	if output, err := os.ReadFile(filepath.Join(c.dir, "count.txt")); string(output) != "66 candidates\n" {
		t.Errorf("the run left %q, %v", output, err)
	}
}

// A CLI without support for lists and actions can use everything else.
func TestCLIWithoutListsAndActions(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	c := unthrottled(t, service, "1")
	c.apply().ok().quiet()
	c.plan().empty().quiet()
	report, err := os.ReadFile(filepath.Join(c.dir, "report.md"))
	if err != nil || !strings.Contains(string(report), "From any CLI") ||
		!strings.Contains(string(report), "66 candidates") {
		t.Errorf("the report is\n%s\n%v", report, err)
	}
	writes := service.Writes()
	if len(writes) != 2 || writes[0].Method != http.MethodPut || writes[1].Method != http.MethodPost {
		t.Errorf("writes %+v, want the activation and then the position assessment that refers to it", writes)
	}
}
