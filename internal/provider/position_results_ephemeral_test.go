// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// The ephemeral resource and the data source have the same attributes with the same
// descriptions.
func TestPositionResultsHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	schema := newProtocolClient(t, unlimited(t)).schema
	data := schema.DataSourceSchemas["assess_position_results"].Block
	ephemeral := schema.EphemeralResourceSchemas["assess_position_results"].Block
	if len(ephemeral.Attributes) == 0 || !reflect.DeepEqual(data.Attributes, ephemeral.Attributes) {
		t.Errorf("the ephemeral resource and the data source have different attributes")
	}
}

// The echo provider copies the values of an ephemeral resource into the state.
func TestPositionResultsEphemeral(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 25 })
	all := outcomeOf(t, service, "")
	echoed := map[string]outcome{
		"all": all, "again": all, "none": {raw: "[]"},
		"some": outcomeOf(t, service,
			"candidate=cnd-001&candidate=cnd-007&assessment=asm-keystone&assessment=asm-lumen"),
	}
	var checks []statecheck.StateCheck
	for name, want := range echoed {
		for attribute, check := range want.shown() {
			checks = append(checks, statecheck.ExpectKnownValue("echo.results",
				tfjsonpath.New("data").AtMapKey(name).AtMapKey(attribute), check))
		}
	}
	config, err := os.ReadFile(filepath.Join("testdata", t.Name(), "1", "main.tf"))
	if err != nil {
		t.Fatal(err)
	}
	providers := providerWith(t, environment(service))
	providers["echo"] = echoprovider.NewProviderServer()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers,
		Steps:                    []resource.TestStep{{Config: string(config), ConfigStateChecks: checks}},
	})
	noWrites(t, service)
	assertRoutes(t, service, sandbox.RouteResults)
}

// The CLI opens the ephemeral resource in the plan and in the apply. Each run sends one
// request for the same results.
func TestPositionResultsEphemeralIsReadOnce(t *testing.T) {
	t.Parallel()
	service := unlimited(t, func(o *sandboxtest.Options) { o.MaxPage = 1000 })
	w := newProtocolClient(t, service)
	open := func() tftypes.Value {
		typ := w.schema.EphemeralResourceSchemas["assess_position_results"].ValueType()
		resp, err := w.server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{
			TypeName: "assess_position_results", Config: dynamic(t, typ,
				map[string]any{"position_id": sandbox.DemoResultsPosition}),
		})
		if err != nil || len(resp.Diagnostics) > 0 || len(resp.Private) > 0 || !resp.RenewAt.IsZero() {
			t.Fatalf("opening: %v, %v", err, resp)
		}
		value, err := resp.Result.Unmarshal(typ)
		if err != nil || !value.IsFullyKnown() {
			t.Fatalf("opened as %s, %v", value, err)
		}
		return value
	}
	for run := 1; run <= 2; run++ {
		w.mustConfigure(map[string]any{})
		first, second := open(), open()
		typ := w.schema.DataSourceSchemas["assess_position_results"].ValueType()
		data, err := w.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
			TypeName: "assess_position_results", Config: dynamic(t, typ,
				map[string]any{"position_id": sandbox.DemoResultsPosition}),
		})
		if err != nil || len(data.Diagnostics) > 0 {
			t.Fatalf("reading: %v, %v", err, data)
		}
		if twin, err := data.State.Unmarshal(typ); err != nil || !first.Equal(second) || !first.Equal(twin) {
			t.Errorf("opened as\n%s\nand\n%s\nbut the data source returned\n%s, %v", first, second, twin, err)
		}
		service.AssertCount(t, "", "", run)
	}
}

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

func TestPositionResultsEphemeralRefuses(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := newProtocolClient(t, service)
	typ := w.schema.EphemeralResourceSchemas["assess_position_results"].ValueType()
	open := func(position any) []*tfprotov6.Diagnostic {
		config := dynamic(t, typ, map[string]any{"position_id": position})
		valid, err := w.server.ValidateEphemeralResourceConfig(t.Context(),
			&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: "assess_position_results", Config: config})
		if err != nil || len(valid.Diagnostics) > 0 {
			return valid.Diagnostics
		}
		resp, err := w.server.OpenEphemeralResource(t.Context(),
			&tfprotov6.OpenEphemeralResourceRequest{TypeName: "assess_position_results", Config: config})
		if err != nil {
			t.Fatal(err)
		}
		return resp.Diagnostics
	}
	for _, row := range []struct {
		unknown  bool
		position any
		says     []string
	}{
		{position: "", says: []string{"Empty ID"}},
		{position: "pos-moon", says: []string{
			"Could not read the results", `"pos-moon"`, "404 Not Found",
			"Conversation-Id",
		}},
		{unknown: true, position: "pos-moon", says: []string{
			"Provider setting not known yet",
			"Could not read the results", `setting "base_url" is not known`, "-target",
		}},
	} {
		if w.mustConfigure(map[string]any{}); row.unknown {
			w.configureUnknown()
		}
		output := open(row.position)
		if len(output) != 1 || !matchesAll(output[0].Summary+" "+output[0].Detail, row.says) {
			t.Errorf("%q: got %v, want one that matches all of %q", row.position, output, row.says)
		}
	}
}

// The provider serves lists and actions (TestListsAndActionsAreServed). A CLI without
// support for them can use everything else.
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
	if writes := service.Writes(); len(writes) != 2 {
		t.Errorf("%d writes, want one for each resource", len(writes))
	}
}
