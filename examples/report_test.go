// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const page = "graduate-programme-2026-9d0ad6fc.html"

// newService starts a service, and sets the variables of a repository that uses it.
func newService(t *testing.T, variables map[string]string, maxPage int) *sandboxtest.Server {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.MaxPage, o.NoLimits = maxPage, true })
	maps.Copy(variables, map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	})
	return service
}

// reports runs the pipeline of examples/report on a new machine. Its directory for temporary files must contain no report in
// the end. Logs can be read by many people, so they name no candidate.
func (r *runner) reports(event string, variables map[string]string) *ran {
	r.T.Helper()
	temporary := r.T.TempDir()
	r.Env = append(r.Env, "TMPDIR="+temporary)
	file := map[string]string{"github": "report/github/.github/workflows/report.yml", "gitlab": "report/gitlab/.gitlab-ci.yml"}[r.host]
	result := r.runs("report", clitest.ReadFile(r.T, file), trigger{event: event, variables: variables})
	if left, err := filepath.Glob(filepath.Join(temporary, "*", "*", "index.html")); err != nil || len(left) > 0 {
		r.T.Errorf("temporary files stay: %v, %v", left, err)
	}
	for _, secret := range []string{"Jürgen", sandbox.APIKey, hostToken, "pass word"} {
		if strings.Contains(result.output, secret) {
			r.T.Errorf("the log contains %q:\n%s", secret, result.output)
		}
	}
	return result
}

// keeps checks the files of the folder that the host keeps.
func (j *ran) keeps(names ...string) {
	j.t.Helper()
	found := []string{}
	entries, _ := os.ReadDir(filepath.Join(j.dir, "report"))
	for _, entry := range entries {
		found = append(found, entry.Name())
		sandboxtest.AssertPrivate(j.t, filepath.Join(j.dir, "report", entry.Name()))
	}
	if !slices.Equal(found, names) {
		j.t.Errorf("the artifact has %q, want %q", found, names)
	}
}

// Both pipelines write the report, keep it, and fail if a position could not be read. They read nothing in a repository
// that others can read.
func TestExampleReport(t *testing.T) {
	t.Parallel()
	onBothHosts(t, func(t *testing.T, r *runner) {
		variables := map[string]string{}
		r.reports("workflow_dispatch", variables).passes("invented people", "Candidates: 66.").keeps(page, "index.html", "results.csv")
		r.reports("schedule", variables).fails("ASSESS_BASE_URL is not set.", "Nothing was written.").keeps()

		service := newService(t, variables, 1000)
		r.reports("schedule", variables).passes("Candidates: 66.").keeps(page, "index.html", "results.csv")
		service.NoWrites(t)

		// One position cannot be read: the report is there, and the job fails, so that the host sends an email.
		service.Inject(sandboxtest.Fault{
			Status: http.StatusForbidden,
			Match:  func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/pos-backend-london/results") },
		})
		r.reports("schedule", variables).fails("Could not read the results of position", "403").keeps(page, "index.html", "results.csv")

		service.ResetJournal()
		for _, r.fake.visibility = range []string{"public", "internal"} {
			r.reports("schedule", variables).fails("is not private, so others could read the results. Nothing was read.").keeps()
		}
		if n := len(service.Journal()); n > 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
}

// The report can be sent to a folder instead. Then the host keeps nothing, whether or not the folder accepts it.
func TestExampleReportIsSentOn(t *testing.T) {
	t.Parallel()
	onBothHosts(t, func(t *testing.T, r *runner) {
		variables := map[string]string{"UPLOAD_URL": r.fake.URL + "/folder", "UPLOAD_USER": "robot", "UPLOAD_PASSWORD": "pass word"}
		newService(t, variables, 1000)
		r.fake.rejects = "results.csv"
		r.reports("schedule", variables).fails("Could not send results.csv").keeps()
		if _, index := r.fake.sent["index.html"]; index {
			t.Error("the index was sent without results.csv")
		}
		r.fake.rejects = ""
		r.reports("schedule", variables).passes("Candidates: 66.").keeps()
		if len(r.fake.sent) != 3 || !strings.Contains(r.fake.sent[page], "Jürgen Groß") || r.fake.last != "index.html" {
			t.Errorf("%d files were sent, the last one is %s, want the index, which refers to the others", len(r.fake.sent), r.fake.last)
		}
	})
}
