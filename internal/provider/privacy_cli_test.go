// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// noPeople fails the test if a text contains a person or a score.
func (s searched) noPeople(t *testing.T) {
	t.Helper()
	for _, mark := range []string{person, score} {
		if places := s.containing(mark); len(places) > 0 {
			t.Errorf("%s is in %q", mark, places)
		}
	}
}

// everything plans and applies, and returns all texts of the runs except for reports.
func everything(c *clitest.CLI) searched {
	c.T.Helper()
	log := filepath.Join(c.T.TempDir(), "log")
	c.Env = append(c.Env, "TF_LOG=trace", "TF_LOG_PATH="+log)
	all := searched{}
	for _, args := range [][]string{
		{"plan", "-input=false", "-out=saved"},
		{"show", "-json", "saved"},
		{"apply", "-input=false", "saved"},
		{"apply", "-input=false", "-auto-approve"},     // the data sources read what the first apply has changed
		{"plan", "-input=false", "-detailed-exitcode"}, // ends with 0 only if nothing changes
		{"show", "-json"},
		{"output", "-json"},
	} {
		all["the output of "+strings.Join(args, " ")] = c.Human(append(args, "-no-color")...).OK().Output
	}
	for path, text := range texts(c.T, c.Dir) {
		if ext := filepath.Ext(path); ext != ".tf" && ext != ".report" {
			all[path] = text
		}
	}
	all["the log"] = clitest.ReadFile(c.T, log)
	clitest.Contains(c.T, "log", all["the log"], "request to the assessment service")
	return all
}

// In strict mode, nothing that a run stores, prints or logs names a person, wherever in its responses the service
// names one.
func TestStrictPrivacy(t *testing.T) {
	t.Parallel()
	c, m := newMarkedCLI(t, "strict")
	c.UseFrom("TestStrictPrivacy", "everything")
	all := everything(c)
	all.noPeople(t)
	if n := m.sent.Load(); n < 200 {
		t.Errorf("the service has sent only %d people", n)
	}
	clitest.Contains(t, "state", all[filepath.Join(c.Dir, "terraform.tfstate")], `"profile_status": "SUPERVISOR_TO_COMPLETE"`)
	clitest.Contains(t, "report", clitest.ReadFile(t, c.Dir, "html.report"), person)
	config := clitest.ReadFile(t, c.Dir, "main.tf")
	for root := range schemas(t) { // the configuration uses everything that can store data
		kind, name, _ := strings.Cut(root, " ")
		stores := kind == "resource" || kind == "data" || kind == "ephemeral"
		if stores && name != "assess_position_results" && !strings.Contains(config, kind+` "`+name+`"`) {
			t.Errorf("the configuration has no %s", root)
		}
	}
}

// In standard mode, the attributes that can contain a person do, so TestStrictPrivacy would find one that ignores the
// setting. The first apply in strict mode removes what earlier runs have stored.
func TestStrictPrivacyCleansTheState(t *testing.T) {
	t.Parallel()
	c, _ := newMarkedCLI(t, "standard")
	c.UseFrom("TestStrictPrivacy", "everything")
	c.Apply().OK()
	state := clitest.ReadFile(t, c.Dir, "terraform.tfstate")
	for name, least := range map[string]int{"extra_json": 30, "self_link": 3, "profile_url": 1} {
		marked := regexp.MustCompile(`"` + name + `": ".*` + person)
		if n := len(marked.FindAllString(state, -1)); n < least {
			t.Errorf("%d values of %s are marked, want at least %d", n, name, least)
		}
	}
	c.Env = append(c.Env, "ASSESS_PRIVACY=strict")
	c.Human("apply", "-input=false", "-auto-approve").OK()
	searched{"the state": clitest.ReadFile(t, c.Dir, "terraform.tfstate")}.noPeople(t)
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
				c.Needs(14, clitest.Never)
			}
			c.UseFrom("TestResultsAreNotInPlanOrState", how)
			all := everything(c)
			if how == "data" {
				for _, place := range []string{"saved/tfstate", "terraform.tfstate"} {
					clitest.Contains(t, place, all[filepath.Join(c.Dir, place)], person, score)
				}
				return
			}
			all.noPeople(t)
			clitest.Contains(t, "report", clitest.ReadFile(t, c.Dir, "results.report"), person, score)
		})
	}
}
