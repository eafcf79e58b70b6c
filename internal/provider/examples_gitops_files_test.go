// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests check settings of the pipelines that the other tests cannot run.
func TestExampleGitopsGitHubFile(t *testing.T) {
	t.Parallel()
	var w githubWorkflow
	loadYAML(t, ".github/workflows/positions.yml", &w)
	if !maps.Equal(w.Permissions, map[string]string{"contents": "read"}) || w.Env["ASSESS_READ_ONLY"] != "true" {
		t.Errorf("permissions %v, environment %v", w.Permissions, w.Env)
	}
	permissions := map[string]map[string]string{
		"plan":    {"contents": "read", "pull-requests": "write"},
		"approve": {},
		"apply":   {"contents": "read", "actions": "read", "pull-requests": "write"},
		"drift":   {"contents": "read", "issues": "write"},
	}
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+@[0-9a-f]{40}$`)
	for name, job := range w.Jobs {
		if job.Timeout < 5 || job.Timeout > 60 || !maps.Equal(job.Permissions, permissions[name]) {
			t.Errorf("%s: timeout %d, permissions %v", name, job.Timeout, job.Permissions)
		}
		// A job that waits for reviewers must not block other jobs.
		if reviewed := job.Environment != ""; reviewed == (job.Concurrency != nil) || reviewed != (name == "approve") {
			t.Errorf("%s: environment %q, concurrency %v", name, job.Environment, job.Concurrency)
		}
		if job.Concurrency != nil &&
			(job.Concurrency["queue"] != "max" || !strings.HasPrefix(job.Concurrency["group"], "assess-")) {
			t.Errorf("%s: concurrency %v", name, job.Concurrency)
		}
		for _, step := range job.Steps {
			if step.Uses != "" && !pinned.MatchString(step.Uses) {
				t.Errorf("%s: %s is not pinned", name, step.Uses)
			}
			if strings.Contains(step.Run, "${{") {
				t.Errorf("%s: the host inserts text into the script %q", name, step.Run)
			}
			if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
				t.Errorf("%s: the checkout keeps the token", name)
			}
			if days, ok := step.With["retention-days"].(int); ok && days > 7 {
				t.Errorf("%s: plans are kept for %d days", name, days)
			}
			if _, key := step.Env["ASSESS_API_KEY"]; key &&
				!slices.Contains([]string{"Plan", "Apply", "Look for drift"}, step.Name) {
				t.Errorf("%s: step %q has the key", name, step.Name)
			}
		}
	}
	if w.Jobs["apply"].Needs != "approve" {
		t.Error("the apply does not wait for the approval")
	}
}

// People copy the module, so it must be readable.
func TestExampleGitopsModuleHasShortLines(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob(filepath.Join("..", "..", "examples", "gitops", "modules", "position", "*.tf"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%d files, %v", len(found), err)
	}
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if len(line) > 120 {
				t.Errorf("%s:%d has %d columns", file, i+1, len(line))
			}
		}
	}
}

func TestExampleGitopsGitLabFile(t *testing.T) {
	t.Parallel()
	p := gitlabFile(t)
	if !regexp.MustCompile(`@sha256:[0-9a-f]{64}$`).MatchString(p.Default.Image) ||
		p.Variables["ASSESS_READ_ONLY"] != "true" {
		t.Errorf("image %s, variables %v", p.Default.Image, p.Variables)
	}
	for _, name := range []string{"plan", "apply", "drift"} {
		job := p.Jobs[name]
		if job.Timeout == "" || job.Extends != ".one-at-a-time" || (job.Environment != "") != (name == "apply") {
			t.Errorf("%s: %+v", name, job)
		}
	}
	// Without a service, each job starts with an empty one. Other branches may differ from the service.
	const drift = `$CI_PIPELINE_SOURCE == "schedule" && $ASSESS_BASE_URL && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH`
	if rules := p.Jobs["drift"].Rules; len(rules) != 1 || rules[0].If != drift {
		t.Errorf("drift runs if %v", rules)
	}
	// The apply requires the commit before the merge, also if a project has another default.
	if depth, err := strconv.Atoi(p.Variables["GIT_DEPTH"]); err != nil || depth < 2 {
		t.Errorf("the depth of a checkout is %q", p.Variables["GIT_DEPTH"])
	}
	if p.Jobs["plan"].Artifacts.ExpireIn != "7 days" ||
		p.Jobs[".one-at-a-time"].ResourceGroup != "assess-$ASSESS_CLIENT_ID" {
		t.Error("plans expire late, or jobs run at the same time")
	}
}
