// SPDX-License-Identifier: MPL-2.0

//go:build unix

package examples_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
)

const (
	hostToken = "token-of-the-host"
	botName   = "github-actions[bot]"
	forkID    = 8 // of the project of a fork
	projectID = 7
	attested  = "the-attestation-of-this-release"
)

// note is a comment or an issue.
type note struct {
	ID          int
	Pull        int // number of the pull request, or 0
	Author      string
	Title, Body string
	Closed      bool
}

// upload is an artifact of a job.
type upload struct {
	Name    string // on GitHub. A pipeline of GitLab has a number instead
	Number  int    // of the pull request
	Project int
	Text    []byte
	Expired bool
}

// fakeHost is the part of the APIs of GitHub and GitLab that the pipelines use, with a state as in GitLab, the files of our
// release, and a server that accepts reports. An unknown request fails the test.
type fakeHost struct {
	t           *testing.T
	URL         string
	visibility  string // of the repository
	archive     []byte // the release
	checksum    string // of the archive, as the release says
	attestation string
	rejects     string // a file that the server for reports does not accept

	mu          sync.Mutex
	main        string // the newest commit of main
	notes       []*note
	merges      []pull
	uploads     []upload
	state, lock json.RawMessage
	sent        map[string]string // reports
	last        string            // of these
}

type jsonObject = map[string]any

func newFakeHost(t *testing.T) *fakeHost {
	t.Helper()
	assess := "#!/bin/sh\nexec " + clitest.CompanionBinary(t) + " \"$@\"\n"
	h := &fakeHost{
		t: t, visibility: "private", attestation: attested, sent: map[string]string{},
		archive: zipped(map[string]string{"assess": assess, "pipeline.sh": clitest.ReadFile(t, "../pipeline/pipeline.sh")}),
	}
	h.checksum = fmt.Sprintf("%x", sha256.Sum256(h.archive))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if strings.HasPrefix(r.URL.Path, "/releases/") {
			_, _ = w.Write(h.released(r))
			return
		}
		if strings.HasPrefix(r.URL.Path, "/folder/") {
			w.WriteHeader(h.accept(r))
			return
		}
		// Artifacts are on another host, which must never receive the token.
		stored := strings.HasPrefix(r.Host, "localhost")
		user, password, _ := r.BasicAuth()
		if token := r.Header.Get("Authorization"); stored != (token == "") || !stored && token != "Bearer "+hostToken &&
			(user != "gitlab-ci-token" || password != "job-token" || !strings.HasPrefix(r.URL.Path, "/state")) {
			t.Errorf("%s %s has the Authorization header %q", r.Method, r.URL, token)
		}
		if stored {
			_, _ = w.Write(h.uploads[number(r.URL.Path[1:])].Text)
			return
		}
		switch answer := h.answer(r).(type) {
		case int:
			w.WriteHeader(answer)
			_, _ = w.Write(h.lock)
		case string:
			http.Redirect(w, r, strings.Replace(h.URL, "127.0.0.1", "localhost", 1)+"/"+answer, http.StatusFound)
		default:
			_ = json.NewEncoder(w).Encode(answer)
		}
	}))
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// released returns a file of the release.
func (h *fakeHost) released(r *http.Request) []byte {
	const archive = "assess_0.1.0_linux_amd64.zip"
	switch strings.TrimPrefix(r.URL.Path, "/releases/assessascode/terraform-provider-assess/releases/download/v0.1.0/") {
	case archive:
		return h.archive
	case "terraform-provider-assess_0.1.0_SHA256SUMS":
		return fmt.Appendf(nil, "%064d  other.zip\n%s  %s\n", 0, h.checksum, archive)
	case "terraform-provider-assess_0.1.0_attestation.jsonl":
		return []byte(h.attestation + "\n")
	}
	h.t.Errorf("the release has no file %s", r.URL.Path)
	return nil
}

// accept stores a file of a report.
func (h *fakeHost) accept(r *http.Request) int {
	name := strings.TrimPrefix(r.URL.Path, "/folder/")
	user, password, _ := r.BasicAuth()
	if r.Method != http.MethodPut || user != "robot" || password != "pass word" || name == h.rejects {
		return http.StatusInsufficientStorage
	}
	text, _ := io.ReadAll(r.Body)
	h.last, h.sent[name] = name, string(text)
	return http.StatusCreated
}

// answer returns the object of a response, a status without an object, or the number of the artifact to which
// the response redirects.
func (h *fakeHost) answer(r *http.Request) any {
	raw, _ := io.ReadAll(r.Body)
	var body jsonObject
	_ = json.Unmarshal(raw, &body) // not each request has one
	text := func(name string) string { s, _ := body[name].(string); return s }
	project := regexp.MustCompile(fmt.Sprintf("^/(repos/acme/positions/|api/v4/projects/%d/)", projectID))
	request := r.Method + " " + project.ReplaceAllString(r.URL.Path, "")
	var part []string
	is := func(pattern string) bool {
		part = regexp.MustCompile("^" + pattern + "$").FindStringSubmatch(request)
		return part != nil
	}
	switch {
	case is(`GET (?:issues/(\d+)/comments|merge_requests/(\d+)/notes|issues)`):
		return h.list(r, h.open(number(part[1]+part[2])))
	case is(`POST (?:issues/(\d+)/comments|merge_requests/(\d+)/notes|issues)`):
		h.add(note{Pull: number(part[1] + part[2]), Author: botName, Title: text("title"), Body: text("body") + text("description")})
		return jsonObject{}
	case is(`PATCH issues/(?:comments/)?(\d+)`), is(`PUT (?:merge_requests/\d+/notes|issues)/(\d+)`):
		n := h.notes[number(part[1])-1]
		n.Body, n.Closed = text("body")+text("description"), strings.HasPrefix(text("state")+text("state_event"), "close")
		return jsonObject{}
	case is(`GET (?:repository/)?commits/(\w+)/(?:pulls|merge_requests)`):
		return h.list(r, h.mergesOf(part[1]))
	case is(`GET commits/main`):
		return jsonObject{"sha": h.main}
	case is(`GET actions/artifacts`):
		return jsonObject{"artifacts": h.list(r, h.artifacts(func(u upload) bool { return u.Name == r.URL.Query().Get("name") }))}
	case is(`GET merge_requests/(\d+)/pipelines`):
		return h.list(r, h.artifacts(func(u upload) bool { return u.Number == number(part[1]) }))
	case is(`GET pipelines/(\d+)/jobs`):
		job := jsonObject{"id": number(part[1]), "name": "plan"}
		if !h.uploads[number(part[1])].Expired {
			job["artifacts_file"] = jsonObject{"filename": "artifacts.zip"}
		}
		return h.list(r, []jsonObject{{"id": 99, "name": "lint"}, job})
	case is(`GET actions/artifacts/(\d+)/zip`), is(`GET jobs/(\d+)/artifacts/out/reviewed.json`):
		return part[1]
	case is(`GET /repos/acme/positions`):
		return jsonObject{"private": h.visibility != "public", "visibility": h.visibility}
	case is(`GET /api/v4/user`):
		return jsonObject{"id": len(botName)}
	case is(`GET /state`) && h.state == nil:
		return http.StatusNotFound
	case is(`GET /state`):
		return h.state
	case is(`POST /state`):
		h.state = raw
		return jsonObject{}
	case is(`POST /state/lock`) && h.lock != nil:
		return http.StatusLocked
	case is(`POST /state/lock`):
		h.lock = raw
		return jsonObject{}
	case is(`DELETE /state/lock`):
		h.lock = nil
		return jsonObject{}
	}
	h.t.Errorf("the fake host does not implement %s", request)
	return http.StatusNotFound
}

// list returns a list, whose pages would be longer only if the pipeline asked for it.
func (h *fakeHost) list(r *http.Request, list []jsonObject) []jsonObject {
	if r.URL.Query().Get("per_page") != "100" {
		h.t.Errorf("%s requests no long page", r.URL)
	}
	return append([]jsonObject{}, list[:min(len(list), 100)]...)
}

func (h *fakeHost) add(n note) {
	n.ID = len(h.notes) + 1
	h.notes = append(h.notes, &n)
}

// open returns the comments on a pull request, or the open issues.
func (h *fakeHost) open(pull int) (list []jsonObject) {
	for _, n := range h.notes {
		if author := (jsonObject{"login": n.Author, "id": len(n.Author)}); n.Pull == pull && !n.Closed {
			list = append(list, jsonObject{
				"id": n.ID, "number": n.ID, "iid": n.ID, "body": n.Body, "description": n.Body, "user": author, "author": author,
			})
		}
	}
	return list
}

// mergesOf returns the merged pull requests of a commit: first one of another branch.
func (h *fakeHost) mergesOf(commit string) (list []jsonObject) {
	for _, p := range h.merges {
		for i, branch := range []string{"develop", "main"} {
			if number := p.number + 1000*(1-i); p.mergedCommit == commit {
				list = append(list, jsonObject{
					"number": number, "merged_at": "2026-11-22T00:00:00Z", "merge_commit_sha": commit,
					"base": jsonObject{"ref": branch}, "head": jsonObject{"sha": p.head},
					"iid": number, "state": "merged", "target_branch": branch, "sha": p.head, "squash_commit_sha": nil,
					"source_project_id": projectID, "target_project_id": projectID,
				})
			}
		}
	}
	return list
}

// artifacts returns artifacts, the newest one first. On GitLab, they are pipelines.
func (h *fakeHost) artifacts(match func(upload) bool) (list []jsonObject) {
	for i, u := range slices.Backward(h.uploads) {
		if match(u) {
			list = append(list, jsonObject{
				"id": i, "expired": u.Expired, "status": "success", "project_id": u.Project,
				"workflow_run": jsonObject{"repository_id": projectID, "head_repository_id": u.Project},
			})
		}
	}
	return list
}
