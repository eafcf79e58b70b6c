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
	"net/http"
	"net/http/httptest"
	"path"
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
	projectID = 7
	forkID    = 8 // of the project of a fork
	attested  = "the-attestation-of-this-release"
)

// Files of our release.
const (
	archive     = "assess_0.1.0_linux_amd64.zip"
	checksums   = "terraform-provider-assess_0.1.0_SHA256SUMS"
	attestation = "terraform-provider-assess_0.1.0_attestation.jsonl"
)

// note is a comment on a pull request, or an issue if pull is 0.
type note struct {
	pull                int
	author, title, body string
	closed              bool
}

// upload is a plan that a job has uploaded.
type upload struct {
	number  int // of the pull request
	project int
	text    []byte
	expired bool
}

// fakeHost is the part of the APIs of GitHub and GitLab that the pipelines use, with a state as in GitLab, the files of our
// release, and a server that accepts reports. An unknown request fails the test.
type fakeHost struct {
	t          *testing.T
	URL        string
	visibility string // of the repository
	release    map[string]string
	rejects    string // a file that the server for reports does not accept

	mu          sync.Mutex
	main        string // the newest commit of main
	notes       []*note
	merges      []pull
	uploads     []upload
	state, lock []byte
	sent        map[string]string // reports
	last        string            // the report that was sent last
}

type jsonObject = map[string]any

func newFakeHost(t *testing.T) *fakeHost {
	t.Helper()
	h := &fakeHost{t: t, visibility: "private", sent: map[string]string{}}
	assess := "#!/bin/sh\nexec " + clitest.CompanionBinary(t) + " \"$@\"\n"
	programs := zipped(map[string]string{"assess": assess, "pipeline.sh": clitest.ReadFile(t, "../pipeline/pipeline.sh")})
	sums := fmt.Sprintf("%064d  other.zip\n%x  %s\n", 0, sha256.Sum256(programs), archive)
	h.release = map[string]string{archive: string(programs), checksums: sums, attestation: attested}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

// ServeHTTP implements [http.Handler].
func (h *fakeHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	folder, name := path.Split(r.URL.Path)
	token := r.Header.Get("Authorization")
	switch {
	case folder == "/releases/assessascode/terraform-provider-assess/releases/download/v0.1.0/":
		_, _ = io.WriteString(w, h.release[name])
	case folder == "/folder/":
		w.WriteHeader(h.acceptReport(r, name))
	case strings.HasPrefix(r.URL.Path, "/state"):
		h.serveState(w, r)
	case strings.HasPrefix(r.Host, "localhost"): // artifacts are on another host, which must never receive the token
		if token != "" {
			h.t.Errorf("%s receives the Authorization header %q", r.URL, token)
		}
		_, _ = w.Write(h.uploads[number(name)].text)
	default:
		if token != "Bearer "+hostToken {
			h.t.Errorf("%s %s has the Authorization header %q", r.Method, r.URL, token)
		}
		response := h.response(r)
		if artifact, ok := response.(string); ok {
			http.Redirect(w, r, strings.Replace(h.URL, "127.0.0.1", "localhost", 1)+"/"+artifact, http.StatusFound)
			return
		}
		_ = json.NewEncoder(w).Encode(response)
	}
}

// acceptReport stores a file of a report, and returns the status.
func (h *fakeHost) acceptReport(r *http.Request, name string) int {
	user, password, _ := r.BasicAuth()
	if r.Method != http.MethodPut || user != "robot" || password != "pass word" || name == h.rejects {
		return http.StatusInsufficientStorage
	}
	text, _ := io.ReadAll(r.Body)
	h.last, h.sent[name] = name, string(text)
	return http.StatusCreated
}

// serveState keeps a state and its lock.
func (h *fakeHost) serveState(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	switch request := r.Method + " " + r.URL.Path; {
	case request == "GET /state" && h.state == nil:
		w.WriteHeader(http.StatusNotFound)
	case request == "GET /state":
		_, _ = w.Write(h.state)
	case request == "POST /state":
		h.state = text
	case request == "POST /state/lock" && h.lock != nil:
		w.WriteHeader(http.StatusLocked)
		_, _ = w.Write(h.lock)
	case request == "POST /state/lock":
		h.lock = text
	case request == "DELETE /state/lock":
		h.lock = nil
	}
}

// response returns the object of a response of the API, or the number of the artifact to which it redirects.
func (h *fakeHost) response(r *http.Request) any {
	var body map[string]string
	_ = json.NewDecoder(r.Body).Decode(&body) // not each request has one
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
		h.notes = append(h.notes, &note{number(part[1] + part[2]), botName, body["title"], body["body"] + body["description"], false})
		return jsonObject{}
	case is(`PATCH issues/(?:comments/)?(\d+)`), is(`PUT (?:merge_requests/\d+/notes|issues)/(\d+)`):
		n := h.notes[number(part[1])]
		n.body, n.closed = body["body"]+body["description"], strings.HasPrefix(body["state"]+body["state_event"], "close")
		return jsonObject{}
	case is(`GET (?:repository/)?commits/(\w+)/(?:pulls|merge_requests)`):
		return h.list(r, h.mergesOf(part[1]))
	case is(`GET commits/main`):
		return jsonObject{"sha": h.main}
	case is(`GET actions/artifacts`):
		return jsonObject{"artifacts": h.list(r, h.artifacts(strings.TrimPrefix(r.URL.Query().Get("name"), "plan-")))}
	case is(`GET merge_requests/(\d+)/pipelines`):
		return h.list(r, h.artifacts(part[1]))
	case is(`GET pipelines/(\d+)/jobs`):
		job := jsonObject{"id": number(part[1]), "name": "plan"}
		if !h.uploads[number(part[1])].expired {
			job["artifacts_file"] = jsonObject{"filename": "artifacts.zip"}
		}
		return h.list(r, []jsonObject{{"id": 99, "name": "lint"}, job})
	case is(`GET actions/artifacts/(\d+)/zip`), is(`GET jobs/(\d+)/artifacts/out/reviewed.json`):
		return part[1]
	case is(`GET /repos/acme/positions`):
		return jsonObject{"private": h.visibility != "public", "visibility": h.visibility}
	case is(`GET /api/v4/user`):
		return jsonObject{"id": len(botName)}
	}
	h.t.Errorf("the fake host does not implement %s", request)
	return nil
}

// list returns a list, of which a host would return a part unless the pipeline asks for a long page.
func (h *fakeHost) list(r *http.Request, list []jsonObject) []jsonObject {
	if r.URL.Query().Get("per_page") != "100" {
		h.t.Errorf("%s requests no long page", r.URL)
	}
	return append([]jsonObject{}, list...)
}

// open returns the comments on a pull request, or the open issues.
func (h *fakeHost) open(pull int) (list []jsonObject) {
	for id, n := range h.notes {
		if author := (jsonObject{"login": n.author, "id": len(n.author)}); n.pull == pull && !n.closed {
			list = append(list, jsonObject{
				"id": id, "number": id, "iid": id, "body": n.body, "description": n.body, "user": author, "author": author,
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

// artifacts returns the plans of a pull request, the newest one first. On GitLab, they are pipelines.
func (h *fakeHost) artifacts(pull string) (list []jsonObject) {
	for i, u := range slices.Backward(h.uploads) {
		if u.number == number(pull) {
			list = append(list, jsonObject{
				"id": i, "expired": u.expired, "status": "success", "project_id": u.project,
				"workflow_run": jsonObject{"repository_id": projectID, "head_repository_id": u.project},
			})
		}
	}
	return list
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// zipped returns an archive with programs or texts.
func zipped(files map[string]string) []byte {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range files {
		header := &zip.FileHeader{Name: name}
		header.SetMode(0o755)
		if f, err := z.CreateHeader(header); err == nil {
			_, _ = io.WriteString(f, text)
		}
	}
	_ = z.Close()
	return archive.Bytes()
}
