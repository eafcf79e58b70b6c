// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// reportHost runs the pipeline of examples/report, as one of the two hosts does on a new machine. It also serves what
// the pipeline downloads, and what the pipeline sends the report to.
type reportHost struct {
	*repository
	URL        string
	visibility string
	manual     bool              // whether the pipeline was started by hand, not by its schedule
	refuses    string            // a file that the folder for sent files does not accept
	variables  map[string]string // of the repository, with its secrets
	archive    []byte            // the release

	mu   sync.Mutex
	sent map[string]string // files that were sent on
	last string            // of these
}

func newReportHost(t *testing.T, name string) *reportHost {
	t.Helper()
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("the pipelines run on Linux on amd64")
	}
	needs(t, "curl", "jq", "unzip", "sha256sum")
	h := &reportHost{
		repository: &repository{CLI: &clitest.CLI{T: t}, host: name},
		visibility: "private", variables: map[string]string{}, sent: map[string]string{},
	}
	program, err := os.ReadFile(clitest.CompanionBinary(t))
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	header := &zip.FileHeader{Name: "assess"}
	header.SetMode(0o755)
	file, err := z.CreateHeader(header)
	if err == nil {
		_, err = file.Write(program)
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	h.archive = archive.Bytes()
	server := httptest.NewServer(http.HandlerFunc(h.answer))
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

func (h *reportHost) answer(w http.ResponseWriter, r *http.Request) {
	const archive = "assess_0.1.0_linux_amd64.zip"
	user, password, _ := r.BasicAuth()
	switch {
	case r.URL.Path == "/releases/v0.1.0/"+archive:
		_, _ = w.Write(h.archive)
	case r.URL.Path == "/releases/v0.1.0/terraform-provider-assess_0.1.0_SHA256SUMS":
		_, _ = fmt.Fprintf(w, "%064d  other.zip\n%x  %s\n", 0, sha256.Sum256(h.archive), archive)
	case r.URL.Path == "/api/repos/acme/reports" && r.Header.Get("Authorization") == "Bearer "+hostToken:
		_ = json.NewEncoder(w).Encode(map[string]any{
			"private": h.visibility != "public", "visibility": h.visibility,
		})
	case r.Method == http.MethodPut && r.URL.Path == "/folder/"+h.refuses:
		w.WriteHeader(http.StatusInsufficientStorage)
	case r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, "/folder/") && user == "robot" && password == "pass word":
		text, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.last = strings.TrimPrefix(r.URL.Path, "/folder/")
		h.sent[h.last] = string(text)
	default:
		h.T.Errorf("unexpected request %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	}
}

// pipeline returns the text of the pipeline file, with addresses of this host.
func (h *reportHost) pipeline(scratch string, path ...string) string {
	h.T.Helper()
	text := clitest.ReadFile(h.T, append([]string{"report", h.host}, path...)...)
	const releases = "https://github.com/assessascode/terraform-provider-assess/releases/download"
	if !strings.Contains(text, releases) {
		h.T.Fatalf("the pipeline does not download from %s", releases)
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, releases, h.URL+"/releases"), "/tmp", scratch)
}

// run runs the pipeline on a new machine, with the programs of this one. Its directory for temporary files must be empty
// in the end. Logs can be read by many people, so they name no candidate.
func (h *reportHost) run() *ran {
	h.T.Helper()
	temporary, scratch := h.T.TempDir(), h.T.TempDir()
	h.Env = []string{
		pathWith(h.T, map[string]string{"apk": "/bin/true"}), // curl is installed already
		"HOME=" + h.T.TempDir(), "ASSESS_UNTHROTTLED=1", "TMPDIR=" + temporary,
	}
	result := map[string]func(string) *ran{"github": h.runWorkflow, "gitlab": h.runPipeline}[h.host](scratch)
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		h.T.Errorf("temporary files stay: %v, %v", left, err)
	}
	for _, secret := range []string{"Jürgen", sandbox.APIKey, hostToken, "pass word"} {
		if strings.Contains(result.output, secret) {
			h.T.Errorf("the log contains %q:\n%s", secret, result.output)
		}
	}
	return result
}

// startedBy returns what the host tells the pipeline about its start.
func (h *reportHost) startedBy(manually string) string {
	if h.manual {
		return manually
	}
	return "schedule"
}

func (h *reportHost) runWorkflow(scratch string) *ran {
	h.T.Helper()
	var workflow struct {
		On struct {
			Schedule []struct{ Cron string }
		}
		Jobs map[string]githubJob
	}
	text := h.pipeline(scratch, ".github", "workflows", "report.yml")
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		h.T.Fatal(err)
	}
	if s := workflow.On.Schedule; len(s) != 1 || !strings.HasSuffix(s[0].Cron, " * * 1") {
		h.T.Errorf("the schedule is %v, want every Monday", s)
	}
	v := values{"github.token": hostToken}
	for _, name := range []string{"ASSESS_BASE_URL", "ASSESS_CLIENT_ID", "UPLOAD_URL", "UPLOAD_USER", "ASSESS_CHECKSUM"} {
		v["vars."+name] = h.variables[name]
	}
	for _, name := range []string{"ASSESS_API_KEY", "UPLOAD_PASSWORD"} {
		v["secrets."+name] = h.variables[name]
	}
	job := workflow.Jobs["report"]
	env := []string{
		"RUNNER_TEMP=" + scratch, "GITHUB_API_URL=" + h.URL + "/api", "GITHUB_REPOSITORY=acme/reports", "GITHUB_ACTIONS=true",
		"GITHUB_EVENT_NAME=" + h.startedBy("workflow_dispatch"),
	}
	for name, value := range job.Env {
		env = append(env, name+"="+v.fill(h.T, value))
	}
	return h.steps(trigger{}, job.Steps, "bash", v, env)
}

func (h *reportHost) runPipeline(scratch string) *ran {
	h.T.Helper()
	var pipeline struct{ Report gitlabJob }
	if err := yaml.Unmarshal([]byte(h.pipeline(scratch, ".gitlab-ci.yml")), &pipeline); err != nil {
		h.T.Fatal(err)
	}
	v := values{"GITLAB_CI": "true", "CI_PROJECT_VISIBILITY": h.visibility, "CI_PIPELINE_SOURCE": h.startedBy("web")}
	maps.Copy(v, h.variables)
	job := pipeline.Report
	// A runner may still have the report of an earlier job.
	before := []string{"export CI_PROJECT_DIR=$PWD", "mkdir -p report/old"}
	kept := job.Artifacts
	if kept.When != "always" || kept.Access != "developer" {
		h.T.Errorf("the artifact is kept %s for %s", kept.When, kept.Access)
	}
	return h.steps(trigger{}, []hostStep{
		{Run: strings.Join(slices.Concat(before, job.BeforeScript, job.Script), "\n")},
		{If: "always()", Uses: "actions/upload-artifact", With: map[string]string{
			"path": kept.Paths[0], "retention-days": strings.TrimSuffix(kept.ExpireIn, " days"),
		}},
	}, "sh", nil, v.with(h.T, job.Variables))
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
			test(t, newReportHost(t, host))
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
			"UPLOAD_URL": h.URL + "/folder", "UPLOAD_USER": "robot", "UPLOAD_PASSWORD": "pass word",
			"ASSESS_CHECKSUM": fmt.Sprintf("%x", sha256.Sum256(h.archive)),
		}
		h.run().fails("ASSESS_BASE_URL is not set.", "Nothing was written.").keeps()

		h.useService(t)
		for _, h.refuses = range []string{page, "results.csv"} {
			h.run().fails("Could not send " + h.refuses).keeps()
			if _, index := h.sent["index.html"]; index {
				t.Errorf("the index was sent without %s", h.refuses)
			}
		}
		h.refuses = ""
		h.run().passes("Candidates: 66.").keeps()
		if len(h.sent) != 3 || !strings.Contains(h.sent[page], "Jürgen Groß") || !strings.Contains(h.sent["index.html"], page) {
			t.Errorf("%d files were sent", len(h.sent))
		}
		if h.last != "index.html" {
			t.Errorf("the last file was %s, want the index, which refers to the others", h.last)
		}
	})
}

// Nothing is read in a repository that others can read, or with a provider that is not the released one.
func TestExampleReportRefuses(t *testing.T) {
	t.Parallel()
	onReportHosts(t, func(t *testing.T, h *reportHost) {
		for _, h.visibility = range []string{"public", "internal"} {
			h.run().fails("is not private, so others could read the results. Nothing was read.").keeps()
		}
		h.visibility, h.variables["ASSESS_CHECKSUM"] = "private", strings.Repeat("0", 64)
		h.run().fails("FAILED").keeps()
	})
}
