// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// newMarkedCLI makes a working directory for a service that names a person in every string.
func newMarkedCLI(t *testing.T, privacy string, change ...func(*sandboxtest.Options)) (*clitest.CLI, *marked) {
	t.Helper()
	service := sandboxtest.New(t, append(change, func(o *sandboxtest.Options) { o.NoLimits = true })...)
	m := mark(t, service)
	c := clitest.New(t, &sandboxtest.Server{URL: m.URL})
	return c.With("ASSESS_UNTHROTTLED=1", "ASSESS_PRIVACY="+privacy), m
}

// people returns the places that contain a marked string, each with the text around it.
func (s searched) people() (found []string) {
	for where, text := range s {
		for line := range strings.Lines(text) {
			if at := marks.FindStringIndex(line); at != nil {
				found = append(found, where+": …"+line[max(0, at[0]-200):min(len(line), at[1]+40)])
				break
			}
		}
	}
	return found
}

// noPeople fails the test if a text contains a marked string.
func (s searched) noPeople(t *testing.T) {
	t.Helper()
	for _, found := range s.people() {
		t.Errorf("a person is in %s", found)
	}
}

// everything plans and applies, and returns all texts of the runs except for reports.
func everything(c *clitest.CLI) searched {
	c.T.Helper()
	log := filepath.Join(c.T.TempDir(), "log")
	c.Env = append(c.Env, "TF_LOG=trace", "TF_LOG_PATH="+log)
	all := searched{}
	run := func(args ...string) string {
		c.T.Helper()
		output := c.Human(append(args, "-no-color")...).OK().Output
		all["the output of "+strings.Join(args, " ")] = output
		return output
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
	addresses := regexp.MustCompile(`(?m)^\S+\.\S+$`).FindAllString(c.Human("state", "list").OK().Output, -1)
	console := c.Command("console")
	console.Stdin = strings.NewReader(strings.Join(addresses, "\n") + "\n")
	printed, err := console.CombinedOutput()
	if err != nil || len(addresses) == 0 {
		c.T.Fatalf("console: %v: %s", err, printed)
	}
	all["the console"] = string(printed)
	for path, text := range texts(c.T, c.Dir) {
		if ext := filepath.Ext(path); ext != ".tf" && ext != ".report" {
			all[path] = text
		}
	}
	all["the log"] = clitest.ReadFile(c.T, log)
	clitest.Contains(c.T, "log", all["the log"], "request to the assessment service")
	return all
}

// In strict mode, nothing of what a run stores, prints or logs names a person, wherever in
// its answers the service names one. The configuration uses everything that the provider offers.
func TestStrictPrivacyOfEverything(t *testing.T) {
	t.Parallel()
	c, m := newMarkedCLI(t, "strict")
	c.UseText(everythingThatStores(t))
	everything(c).noPeople(t)
	m.hasSentPeople(t)
	clitest.Contains(t, "report", clitest.ReadFile(t, c.Dir, "html.report"), person)
}

// everythingThatStores is a configuration with everything that can store data, which includes the examples of the
// resources and the lists of an assessment that it otherwise lacks.
func everythingThatStores(t *testing.T) string {
	t.Helper()
	text := clitest.ReadFile(t, "testdata/TestStrictPrivacy/everything/main.tf")
	for name, noun := range nounExamples(t) {
		if !strings.Contains(text, `resource "`+name+`"`) {
			text += noun.text
		}
	}
	schema, err := providerSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range schema.DataSourceSchemas {
		hasIDs := func(a *tfprotov6.SchemaAttribute) bool { return a.Name == "ids" }
		if slices.ContainsFunc(source.Block.Attributes, hasIDs) && !strings.Contains(text, `data "`+name+`"`) {
			text += "data \"" + name + "\" \"all\" {\n  assessment_id = \"asm-lumen\"\n}\n"
		}
	}
	return text
}

// The configuration of the strict tests uses everything that can store data: a new data source must be added to it, or
// to the example of its resource.
func TestStrictPrivacyCoversTheSchema(t *testing.T) {
	t.Parallel()
	text := everythingThatStores(t)
	schema, err := providerSchemas()
	if err != nil {
		t.Fatal(err)
	}
	uses := func(what string) {
		t.Helper()
		if !strings.Contains(text, what) {
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
	report := map[string]any{"position_ids": []string{"pos-graduates-2026"}, "path": path}
	for privacy, people := range map[string]bool{"strict": false, "standard": true} {
		w := newProtocolClient(t, &sandboxtest.Server{Service: m.service.Service, URL: m.URL})
		w.mustConfigure(map[string]any{"privacy": privacy})
		for name, noun := range nounExamples(t) {
			found := w.list(query{name: name, config: noun.owner, include: true, limit: 100})
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
			clitest.Contains(t, "report with privacy "+privacy, string(text), person)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	m.hasSentPeople(t)
}

// Strict mode holds for every form in which a service may answer.
func TestStrictPrivacy(t *testing.T) {
	t.Parallel()
	for _, shape := range sandboxtest.Combinations() {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			c, m := newMarkedCLI(t, "strict", func(o *sandboxtest.Options) { o.Assumptions = shape.Assumptions })
			c.UseFrom("TestStrictPrivacy", "resources")
			if shape.Assumptions.PositionAssessmentList == 0 {
				c.Add("list.tf", "data \"assess_position_assessments\" \"graduates\" {\n  position_id = "+
					"\"pos-graduates-2026\"\n}\n")
			}
			everything(c).noPeople(t)
			m.hasSentPeople(t)
		})
	}
}

// In standard mode, each attribute that can contain a person does, so the tests of strict mode would find one
// that ignores the setting. The first apply in strict mode removes from the state what earlier runs have
// stored. The saved plan of a resource does not contain it either.
func TestStrictPrivacyCleansTheState(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "standard")
	c.UseText(everythingThatStores(t))
	c.Add("results.tf", "data \"assess_position_results\" \"old\" {\n  position_id = \"pos-graduates-2026\"\n}\n")
	c.Apply().OK()
	attributes := regexp.MustCompile(`"(extra_json|self_link|profile_url)": (null|"(?:[^"\\]|\\.)*")`)
	stored := map[string]int{}
	state := clitest.ReadFile(t, c.Dir, "terraform.tfstate")
	for _, found := range attributes.FindAllStringSubmatch(state, -1) {
		switch name, value := found[1], found[2]; {
		case marks.MatchString(value):
			stored[name]++
		case value != `"string"` && (value != "null" || name == "extra_json"): // "string" is the type of an output
			t.Errorf("%s is not marked: %s", name, value)
		}
	}
	if stored["extra_json"] < 30 || stored["self_link"] < 3 || stored["profile_url"] < 1 {
		t.Errorf("only %v were compared", stored)
	}

	c.Remove("results.tf")
	c.Env = append(c.Env, "ASSESS_PRIVACY=strict")
	c.Human("plan", "-input=false", "-refresh=false", "-out=saved").OK()
	saved := c.Human("show", "-json", "saved").OK().Output // with the old state beside the changes
	_, changes, planned := strings.Cut(saved, `"resource_changes":`)
	changes, _, complete := strings.Cut(changes, `"output_changes":`)
	c.Human("apply", "-input=false", "-auto-approve").OK()
	state = clitest.ReadFile(t, c.Dir, "terraform.tfstate")
	searched{"the changes of the saved plan": changes, "the state": state}.noPeople(t)
	if !planned || !complete || strings.Count(changes, `"address":`) < 3 {
		t.Errorf("the saved plan has no changes: %s", saved)
	}
}

// The ephemeral resource and the action write results to a report, but in no mode to a plan or a state. The data
// source writes to both, which shows that the search works.
func TestResultsAreNotInPlanOrState(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"ephemeral", "action", "data"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c, m := newMarkedCLI(t, "standard")
			m.service.Change(t, func(st *sandbox.State) {
				position := st.Position(sandbox.DemoResultsPosition)
				position.Candidates = position.Candidates[:12] // the system limits the environment of a command
			})
			if how == "action" {
				c.NeedsTerraform(14)
			}
			c.UseFrom("TestResultsAreNotInPlanOrState", how)
			all := everything(c)
			if how == "data" {
				for _, place := range []string{"saved/tfstate", "terraform.tfstate"} {
					if !marks.MatchString(all[filepath.Join(c.Dir, place)]) {
						t.Errorf("the search finds nothing in %s", place)
					}
				}
				return
			}
			all.noPeople(t)
			clitest.Contains(t, "report", clitest.ReadFile(t, c.Dir, "results.report"), person, score)
		})
	}
}

// In strict mode, a plan says that there will be no profile link. So the CLI does not apply it in standard mode.
func TestStrictPlanInStandardMode(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "strict")
	c.UseFrom("TestStrictPrivacy", "resources")
	planned := c.Human("plan", "-no-color", "-input=false", "-out=saved").OK().Output
	_, values, _ := strings.Cut(planned, "# assess_position_assessment.values will be created")
	values, _, _ = strings.Cut(values, "\n    }")
	if !clitest.MatchesAll(values, []string{`profile_status = \(known after apply\)`}) || strings.Contains(values, "profile_url") {
		t.Errorf("planned:\n%s", planned)
	}
	c.Env = append(c.Env, "ASSESS_PRIVACY=standard")
	c.Do("apply", "-input=false", "saved").Fails("inconsistent final plan")
}

// In strict mode, the data source of results is refused, and the message names the
// alternatives.
func TestStrictPrivacyRefusesResults(t *testing.T) {
	t.Parallel()
	c := clitest.New(t, sandboxtest.New(t))
	c.UseText("provider \"assess\" { privacy = \"strict\" }\n\n" +
		"data \"assess_position_results\" \"any\" { position_id = \"pos-graduates-2026\" }\n")
	c.Plan().Fails("Results refused by the privacy setting", "ephemeral resource", "action assess_results_report")
}

// The first refresh in strict mode removes the profile link that an earlier run has stored.
func TestStrictPrivacyCleansALink(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := simulatedConfig(positionAssessment("a", "pos-backend-london", "asm-northlight", "profile",
			coretest.Body{"id": "prf-curious-builders"}))
		for _, privacy := range []string{"standard", "strict"} {
			s.env["ASSESS_PRIVACY"] = privacy
			s.apply(config)
			stored := s.core.State.Objects("assess_position_assessment")[0].Value.String()
			if strings.Contains(stored, `"profile_url":tftypes.String<null>`) != (privacy == "strict") {
				s.t.Errorf("%s: the state has %s", privacy, stored)
			}
		}
	})
}
