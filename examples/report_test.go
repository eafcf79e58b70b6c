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

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// reportHost runs the pipeline of examples/report.
type reportHost struct {
	*runner
	manual    bool              // whether the pipeline was started by hand, not by its schedule
	variables map[string]string // of the repository, with its secrets
}

// run runs the pipeline on a new machine. Its directory for temporary files must contain no report in the end. Logs can be read by many people, so they name no candidate.
func (h *reportHost) run() *ran {
	h.T.Helper()
	temporary := h.T.TempDir()
	h.Env = append(h.Env, "TMPDIR="+temporary)
	e := trigger{event: map[bool]string{true: "workflow_dispatch", false: "schedule"}[h.manual], variables: h.variables}
	var result *ran
	if h.host == "github" {
		const file = "report/github/.github/workflows/report.yml"
		var workflow githubWorkflow
		h.decode(&workflow, unchanged, file)
		if s := workflow.On.Schedule; len(s) != 1 || !strings.HasSuffix(s[0].Cron, " * * 1") {
			h.T.Errorf("the schedule is %v, want every Monday", s)
		}
		result = h.runGitHub(e, file)["report"]
	} else {
		result = h.runGitLab(e, "report/gitlab/.gitlab-ci.yml")["report"]
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*", "*", "index.html")); err != nil || len(left) > 0 {
		h.T.Errorf("temporary files stay: %v, %v", left, err)
	}
	for _, secret := range []string{"Jürgen", sandbox.APIKey, hostToken, "pass word"} {
		if strings.Contains(result.output, secret) {
			h.T.Errorf("the log contains %q:\n%s", secret, result.output)
		}
	}
	return result
}

// keeps checks the files of the artifact.
func (j *ran) keeps(names ...string) {
	j.t.Helper()
	found := []string{}
	entries, _ := os.ReadDir(j.artifact)
	for _, entry := range entries {
		found = append(found, entry.Name())
		sandboxtest.AssertPrivate(j.t, filepath.Join(j.artifact, entry.Name()))
	}
	if !slices.Equal(found, names) {
		j.t.Errorf("the artifact has %q, want %q", found, names)
	}
	if len(names) > 0 && j.days != "7" {
		j.t.Errorf("the artifact is kept for %s days", j.days)
	}
}

const page = "graduate-programme-2026-9d0ad6fc.html"

func onReportHosts(t *testing.T, test func(*testing.T, *reportHost)) {
	t.Helper()
	for _, host := range []string{"github", "gitlab"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			test(t, &reportHost{runner: newRunner(t, host), variables: map[string]string{}})
		})
	}
}

// useService makes the pipeline read a service instead of the sandbox.
func (h *reportHost) useService(t *testing.T) *sandboxtest.Server {
	t.Helper()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.MaxPage, o.NoLimits = 1000, true })
	maps.Copy(h.variables, map[string]string{
		"ASSESS_BASE_URL": service.URL, "ASSESS_CLIENT_ID": sandbox.ClientID, "ASSESS_API_KEY": sandbox.APIKey,
	})
	return service
}

// Both pipelines write the report on Monday, keep it for a week, and fail if a position could not be read.
func TestExampleReport(t *testing.T) {
	t.Parallel()
	onReportHosts(t, func(t *testing.T, h *reportHost) {
		h.manual = true
		h.run().passes("invented people", "Candidates: 66.").keeps(page, "index.html", "results.csv")
		h.manual = false
		h.run().fails("ASSESS_BASE_URL is not set.", "Nothing was written.").keeps()

		service := h.useService(t)
		h.run().passes("Candidates: 66.").keeps(page, "index.html", "results.csv")
		service.NoWrites(t)

		// One position cannot be read: the report is there, and the job fails, so that the host sends an email.
		service.Inject(sandboxtest.Fault{Route: sandbox.RouteResults, Status: http.StatusForbidden, Skip: 7})
		ran := h.run().fails("Could not read the results of position", "403")
		if ran.artifact == "" {
			t.Error("the incomplete report was not kept")
		}

		h.variables["ASSESS_API_KEY"] = "wrong"
		h.run().fails("401", "Nothing was written.").keeps()
	})
}

// The report can be sent to a folder instead. Then the host keeps nothing, whether or not the folder accepts it.
func TestExampleReportIsSentOn(t *testing.T) {
	t.Parallel()
	onReportHosts(t, func(t *testing.T, h *reportHost) {
		h.manual = true
		h.variables = map[string]string{
			"UPLOAD_URL": h.fake.URL + "/folder", "UPLOAD_USER": "robot", "UPLOAD_PASSWORD": "pass word",
		}
		h.run().fails("ASSESS_BASE_URL is not set.", "Nothing was written.").keeps()

		h.useService(t)
		for _, h.fake.rejects = range []string{page, "results.csv"} {
			h.run().fails("Could not send " + h.fake.rejects).keeps()
			if _, index := h.fake.sent["index.html"]; index {
				t.Errorf("the index was sent without %s", h.fake.rejects)
			}
		}
		h.fake.rejects = ""
		h.run().passes("Candidates: 66.").keeps()
		if len(h.fake.sent) != 3 || !strings.Contains(h.fake.sent[page], "Jürgen Groß") || !strings.Contains(h.fake.sent["index.html"], page) {
			t.Errorf("%d files were sent", len(h.fake.sent))
		}
		if h.fake.last != "index.html" {
			t.Errorf("the last file was %s, want the index, which refers to the others", h.fake.last)
		}
	})
}

// Nothing is read in a repository that others can read.
func TestExampleReportNeedsAPrivateRepository(t *testing.T) {
	t.Parallel()
	onReportHosts(t, func(t *testing.T, h *reportHost) {
		for _, h.fake.visibility = range []string{"public", "internal"} {
			h.run().fails("is not private, so others could read the results. Nothing was read.").keeps()
		}
	})
}
