// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/provider"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// newMarkedCLI makes a working directory for a service that names a person in every string.
func newMarkedCLI(t *testing.T, privacy string, change ...func(*sandboxtest.Options)) (*cli, *marked) {
	t.Helper()
	service := sandboxtest.New(t, append(change, func(o *sandboxtest.Options) { o.NoLimits = true })...)
	m := mark(t, service)
	c := newBareCLI(t, "ASSESS_BASE_URL="+m.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID,
		"ASSESS_API_KEY="+sandbox.APIKey, "ASSESS_UNTHROTTLED=1", "ASSESS_PRIVACY="+privacy, "OUT="+t.TempDir())
	return c, m
}

// searched is everything that a run has written or printed.
type searched map[string]string

// noPeople fails the test if a text contains a marked string.
func (s searched) noPeople(t *testing.T) {
	t.Helper()
	bytes := 0
	for where, text := range s {
		bytes += len(text)
		for line := range strings.Lines(text) {
			if at := marks.FindStringIndex(line); at != nil {
				t.Errorf("%s contains a person: …%s…", where, line[max(0, at[0]-200):min(len(line), at[1]+40)])
				break
			}
		}
	}
	t.Logf("searched %d texts with %d bytes", len(s), bytes)
}

// everything plans and applies, and returns all texts of the runs.
func (c *cli) everything(t *testing.T) searched {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	c.env = append(c.env, "TF_LOG=trace", "TF_LOG_PATH="+log)
	all := searched{}
	run := func(args ...string) {
		t.Helper()
		all["the output of "+strings.Join(args, " ")] = c.human(append(args, "-no-color")...).ok().output
	}
	run("plan", "-input=false", "-out=saved")
	run("show", "-json", "saved")
	run("show", "saved")
	run("apply", "-input=false", "saved")
	run("apply", "-input=false", "-auto-approve")     // the data sources read what the first apply has changed
	run("plan", "-input=false", "-detailed-exitcode") // ends with 0 only if nothing changes
	run("show", "-json")
	run("show")
	run("output", "-json")
	console := c.command("console")
	console.Stdin = strings.NewReader(strings.Join(c.addressesOfEverything(t), "\n") + "\n")
	printed, err := console.CombinedOutput()
	if err != nil {
		t.Fatalf("console: %v: %s", err, printed)
	}
	all["the console"] = string(printed)
	for path, text := range texts(t, c.dir) {
		if filepath.Ext(path) != ".tf" {
			all[path] = string(text)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if all["the log"] = string(text); !strings.Contains(all["the log"], "request to the assessment service") {
		t.Error("the log contains no request")
	}
	return all
}

// addressesOfEverything returns the addresses of all objects in the state.
func (c *cli) addressesOfEverything(t *testing.T) []string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^(data\.)?assess_\S+`).FindAllString(c.human("state", "list").ok().output, -1)
	if len(found) < 3 {
		t.Fatalf("the state contains only %q", found)
	}
	return found
}

// In strict mode, nothing of what a run stores, prints or logs names a person, wherever in
// its answers the service names one. The configuration uses everything that the provider offers.
func TestStrictPrivacyOfEverything(t *testing.T) {
	t.Parallel()
	c, m := newMarkedCLI(t, "strict")
	c.useFrom("TestStrictPrivacy", "everything")
	c.everything(t).noPeople(t)
	if n := m.count(); n < 200 {
		t.Errorf("the service has sent only %d marked strings", n)
	} else {
		t.Logf("the service has sent %d marked strings", n)
	}
	report, err := os.ReadFile(filepath.Join(c.env[slices.IndexFunc(c.env, isOut)][len("OUT="):], "report.html"))
	if err != nil || !strings.Contains(string(report), person) {
		t.Errorf("the report does not name the candidates: %v", err)
	}
}

func isOut(variable string) bool { return strings.HasPrefix(variable, "OUT=") }

// The strict tests would find each attribute that ignores the setting: in standard mode,
// each of them contains a marked string.
func TestStandardPrivacyStoresMarkedStrings(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "standard")
	c.useFrom("TestStrictPrivacy", "everything")
	c.apply().ok()
	text, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Resources []struct {
			Type      string `json:"type"`
			Instances []struct {
				Attributes map[string]any `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	personal := 0
	for _, r := range state.Resources {
		var walk func(value any)
		walk = func(value any) {
			switch v := value.(type) {
			case map[string]any:
				for name, member := range v {
					s, isString := member.(string)
					if slices.Contains([]string{"extra_json", "self_link", "profile_url"}, name) && member != nil {
						personal++
						if !isString || !marks.MatchString(s) {
							t.Errorf("%s of %s is not marked: %v", name, r.Type, member)
						}
					}
					walk(member)
				}
			case []any:
				for _, element := range v {
					walk(element)
				}
			}
		}
		for _, i := range r.Instances {
			walk(i.Attributes)
			_, hasExtra := i.Attributes["extra_json"]
			if hasExtra && i.Attributes["extra_json"] == nil {
				t.Errorf("%s has no extra_json in standard mode", r.Type)
			}
		}
	}
	if personal < 40 {
		t.Errorf("only %d attributes were compared", personal)
	}
}

// The configuration of the strict tests uses everything that can store data: a new
// resource or data source must be added to it.
func TestStrictPrivacyCoversTheSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/TestStrictPrivacy/everything/main.tf")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := providerSchema()
	if err != nil {
		t.Fatal(err)
	}
	uses := func(what string) {
		t.Helper()
		if !strings.Contains(string(text), what) {
			t.Errorf("the configuration has no %s", what)
		}
	}
	for name := range schema.ResourceSchemas {
		uses(`resource "` + name + `"`)
	}
	for name := range schema.DataSourceSchemas {
		if name != "assess_position_results" { // TestStrictPrivacyRefusesResults
			uses(`data "` + name + `"`)
		}
	}
	for name := range schema.EphemeralResourceSchemas {
		uses(`ephemeral "` + name + `"`)
	}
	for name := range schema.Functions { // TestStrictPrivacyOfListsAndActions uses the lists and actions
		uses("provider::assess::" + name + "(")
	}
}

// In strict mode, no list and no action gives the CLI anything personal. Not all CLIs have lists
// and actions, so the test searches what they would get.
func TestStrictPrivacyOfListsAndActions(t *testing.T) {
	t.Parallel()
	m := mark(t, sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits, o.MaxPage = true, 1000 }))
	path := filepath.Join(t.TempDir(), "report.html")
	report := map[string]any{"position_ids": positionIDs("pos-graduates-2026"), "path": path}
	lists := map[string]map[string]any{
		"assess_position_assessment":    {"position_id": "pos-graduates-2026"},
		"assess_skills_test_activation": {"assessment_id": "asm-workbench"},
	}
	for privacy, people := range map[string]bool{"strict": false, "standard": true} {
		w := newProtocolClient(t, &sandboxtest.Server{Service: m.service.Service, URL: m.URL})
		w.mustConfigure(map[string]any{"privacy": privacy})
		for name := range w.schema.ListResourceSchemas {
			found := w.list(query{name: name, config: lists[name], include: true, limit: 100})
			if len(found.results) == 0 || len(found.errors)+len(found.warnings) > 0 {
				t.Fatalf("%s: %d results, %v, %v", name, len(found.results), found.errors, found.warnings)
			}
			for _, r := range found.results {
				if got := marks.Match(r.Resource.MsgPack); got != people {
					t.Errorf("privacy %s, %s: contains a person: %t, want %t", privacy, name, got, people)
				}
				if marks.MatchString(r.DisplayName) || marks.Match(r.Identity.IdentityData.MsgPack) {
					t.Errorf("privacy %s, %s: %q or its identity contains a person", privacy, name, r.DisplayName)
				}
			}
		}
		for name := range w.schema.ActionSchemas {
			text, said := w.writes(report) // assess_results_report
			if name != "assess_results_report" || marks.MatchString(fmt.Sprint(said)) {
				t.Errorf("privacy %s: the action %s says %v", privacy, name, said)
			}
			if !strings.Contains(string(text), person) {
				t.Errorf("privacy %s: the report does not name the candidates", privacy)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if n := m.count(); n < 200 {
		t.Errorf("the service has sent only %d marked strings", n)
	}
}

// Strict mode holds for every form in which a service may answer.
func TestStrictPrivacy(t *testing.T) {
	t.Parallel()
	for _, shape := range sandboxtest.Combinations() {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			c, m := newMarkedCLI(t, "strict", func(o *sandboxtest.Options) { o.Assumptions = shape.Assumptions })
			c.useFrom("TestStrictPrivacy", "resources")
			if shape.Assumptions.PositionAssessmentList == 0 {
				c.add("list.tf", "data \"assess_position_assessments\" \"graduates\" {\n  position_id = "+
					"\"pos-graduates-2026\"\n}\n")
			}
			c.everything(t).noPeople(t)
			if n := m.count(); n < 200 {
				t.Errorf("the service has sent only %d marked strings", n)
			}
		})
	}
}

// The first apply in strict mode removes from the state what earlier runs have stored. The
// saved plan of a resource does not contain it either.
func TestStrictPrivacyCleansTheState(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "standard")
	c.useFrom("TestStrictPrivacy", "everything")
	c.add("results.tf", "data \"assess_position_results\" \"old\" {\n  position_id = \"pos-graduates-2026\"\n}\n")
	c.apply().ok()
	if err := os.Remove(filepath.Join(c.dir, "results.tf")); err != nil {
		t.Fatal(err)
	}
	c.env = append(c.env, "ASSESS_PRIVACY=strict")
	c.human("plan", "-input=false", "-refresh=false", "-out=saved").ok()
	saved := struct {
		Changes []json.RawMessage `json:"resource_changes"`
	}{}
	text, err := c.command("show", "-json", "saved").Output()
	if err := errors.Join(err, json.Unmarshal(text, &saved)); err != nil || len(saved.Changes) < 3 {
		t.Fatalf("the saved plan has %d resources, %v", len(saved.Changes), err)
	}
	all := searched{}
	for i, change := range saved.Changes {
		all[fmt.Sprintf("resource %d of the saved plan", i)] = string(change)
	}
	c.human("apply", "-input=false", "-auto-approve").ok()
	state, err := os.ReadFile(filepath.Join(c.dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	all["the state"] = string(state)
	all.noPeople(t)
}

// The attribute or the variable is enough. An attribute that is not known yet can become strict, so it
// already is.
func TestPrivacySetting(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		attribute any
		variable  string
		strict    bool
	}{
		{tftypes.NewValue(tftypes.String, tftypes.UnknownValue), "standard", true},
		{"strict", "standard", true},
		{"standard", "strict", true},
		{nil, "strict", true},
		{"standard", "", false},
		{nil, "", false},
	} {
		env := map[string]string{
			"ASSESS_BASE_URL": "https://assess.example.com/v1", "ASSESS_CLIENT_ID": "id", "ASSESS_API_KEY": "key",
			"ASSESS_PRIVACY": row.variable,
		}
		w := clientOf(t, &provider.Provider{Getenv: func(name string) string { return env[name] }, CacheDir: t.TempDir()})
		if diagnostics := w.configure(map[string]any{"privacy": row.attribute}); len(errorsOf(diagnostics)) > 0 {
			t.Fatalf("%v: %v", row, diagnostics)
		}
		const link, self = "https://assess.example.com/profile/1", "https://assess.example.com/v1/a?sig=2"
		resp, err := w.server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
			TypeName: attachmentType,
			RawState: &tfprotov6.RawState{JSON: []byte(`{"id":"a","profile_url":"` + link + `","self_link":"` + self + `"}`)},
		})
		if err != nil || len(resp.Diagnostics) > 0 {
			t.Fatalf("%v: %v, %v", row, err, resp)
		}
		stored := string(resp.UpgradedState.MsgPack)
		if strings.Contains(stored, link) == row.strict || strings.Contains(stored, "sig=2") == row.strict {
			t.Errorf("%v: the state is %q", row, stored)
		}
	}
}

// A plan of strict mode says that there will be no link, so the CLI does not apply it in standard mode.
func TestStrictPlanInStandardMode(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "strict")
	c.useFrom("TestStrictPrivacy", "resources")
	c.human("plan", "-input=false", "-out=saved").ok()
	c.env = append(c.env, "ASSESS_PRIVACY=standard")
	c.do("apply", "-input=false", "saved").fails("inconsistent final plan")
}

// In strict mode, a plan says that there will be no profile link, and the apply does not read
// it.
func TestStrictPrivacyPlansNoLink(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "strict")
	c.useFrom("TestStrictPrivacy", "resources")
	c.human("plan", "-input=false", "-out=saved").ok()
	type change struct {
		Address string `json:"address"`
		Change  struct {
			Unknown map[string]any `json:"after_unknown"`
		} `json:"change"`
	}
	var plan struct {
		Changes []change `json:"resource_changes"`
	}
	text, err := c.command("show", "-json", "saved").Output()
	if err := errors.Join(err, json.Unmarshal(text, &plan)); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(plan.Changes, func(c change) bool { return c.Address == "assess_position_assessment.values" })
	if i < 0 {
		t.Fatalf("planned %v", plan.Changes)
	}
	unknown := plan.Changes[i].Change.Unknown
	if unknown["profile_status"] != true || unknown["profile_url"] != nil {
		t.Errorf("known after the apply: %v", unknown)
	}
}

// In strict mode, the data source of results is refused, and the message names the
// alternatives.
func TestStrictPrivacyRefusesResults(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newCLI(t, service)
	c.useFrom("TestStrictPrivacy", "results")
	c.plan().fails("Results refused by the privacy setting", "ephemeral resource", "action assess_results_report")
}
