// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const (
	hostToken   = "token-of-the-host"
	hostProject = 7
	botName     = "github-actions[bot]"
	botID       = 42

	firstRun      = 5000 // ID of the run that made artifact 0
	firstArtifact = 6000 // ID of artifact 0
)

// note is a comment or an issue. In GitHub's issues, Pull marks pull requests.
type note struct {
	ID     int
	Author string
	Title  string
	Body   string
	Closed bool
	Pull   bool
}

// merge is a merged pull request.
type merge struct {
	Number             int
	Head, Commit, Base string
}

// artifact is the artifact of a plan job.
type artifact struct {
	Head    string
	Files   map[string][]byte
	Expired bool
	Fork    bool
}

// fakeHost implements the part of the API of GitHub or GitLab that the pipelines use.
// An unknown request fails the test.
type fakeHost struct {
	t   *testing.T
	URL string

	mu        sync.Mutex
	comments  map[int][]*note
	issues    []*note
	merges    []merge
	artifacts []artifact
	last      int
	writes    int
}

func newFakeHost(t *testing.T, routes func(*fakeHost, *http.ServeMux, string)) *fakeHost {
	t.Helper()
	h := &fakeHost{t: t, comments: map[int][]*note{}, last: 1000}
	// Artifacts are on another host, which must never receive the token.
	store := httptest.NewServer(http.HandlerFunc(h.download))
	t.Cleanup(store.Close)
	mux := http.NewServeMux()
	routes(h, mux, strings.Replace(store.URL, "127.0.0.1", "localhost", 1))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the fake host does not implement %s %s", r.Method, r.URL)
		http.NotFound(w, r)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+hostToken {
			t.Errorf("%s %s has the Authorization header %q", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if r.Method != http.MethodGet {
			h.writes++
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

// synchronize waits until the requests in progress are answered.
func (h *fakeHost) synchronize() {
	h.mu.Lock()
	defer h.mu.Unlock()
}

// download serves /INDEX/NAME, a file of an artifact, or /INDEX, a zip file of all its
// files.
func (h *fakeHost) download(w http.ResponseWriter, r *http.Request) {
	for _, header := range []string{"Authorization", "Private-Token", "Job-Token"} {
		if r.Header.Get(header) != "" {
			h.t.Errorf("the artifact store received the header %s", header)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	index, name, single := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	i, err := strconv.Atoi(index)
	if err != nil || i >= len(h.artifacts) {
		http.NotFound(w, r)
		return
	}
	if single {
		_, _ = w.Write(h.artifacts[i].Files[name])
		return
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range h.artifacts[i].Files {
		f, err := z.Create(name)
		if err != nil {
			h.t.Error(err)
			return
		}
		_, _ = f.Write(text)
	}
	if err := z.Close(); err != nil {
		h.t.Error(err)
	}
	_, _ = w.Write(b.Bytes())
}

// answer sends one page of a list, or an object.
func (h *fakeHost) answer(w http.ResponseWriter, r *http.Request, key string, v any) {
	if list, ok := v.([]map[string]any); ok {
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		if size == 0 || size > 100 || page == 0 {
			h.t.Errorf("%s requests page %d of size %d", r.URL, page, size)
			return
		}
		start := min((page-1)*size, len(list))
		list = list[start:min(start+size, len(list))]
		v = list
		if key != "" {
			v = map[string]any{"total_count": len(list), key: list}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		h.t.Error(err)
	}
}

// body decodes the body of a request.
func (h *fakeHost) body(r *http.Request) map[string]string {
	var body map[string]string
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		h.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	return body
}

func (h *fakeHost) add(to *[]*note, n note) *note {
	h.last++
	n.ID = h.last
	*to = append(*to, &n)
	return &n
}

// find returns the note with the ID in the path.
func (h *fakeHost) find(r *http.Request, among []*note) *note {
	for _, n := range among {
		if strconv.Itoa(n.ID) == r.PathValue("id") {
			return n
		}
	}
	h.t.Errorf("%s %s: no such note", r.Method, r.URL)
	return &note{}
}

// thread returns the comments of the pipeline on a pull request.
func (h *fakeHost) thread(number int) []note {
	h.mu.Lock()
	defer h.mu.Unlock()
	var notes []note
	for _, n := range h.comments[number] {
		if n.Author == botName {
			notes = append(notes, *n)
		}
	}
	return notes
}

func (h *fakeHost) allComments() []*note {
	var all []*note
	for _, notes := range h.comments {
		all = append(all, notes...)
	}
	return all
}

// addOtherComments adds comments of other people: more than one page, and one with a forged
// marker.
func (h *fakeHost) addOtherComments(number int) {
	notes := []*note{}
	for i := range 130 {
		h.add(&notes, note{Author: "recruiter", Body: fmt.Sprint("comment ", i)})
	}
	h.add(&notes, note{Author: "recruiter", Body: "<!-- assess: plan -->\n### Plan: no changes\n"})
	h.add(&notes, note{Author: botName, Body: "Another workflow says <!-- assess: plan -->"})
	h.comments[number] = notes
}

// selected returns the elements that match a condition, as JSON objects, newest first.
func selected[T any](elements []T, condition func(T) bool, show func(int, T) map[string]any) []map[string]any {
	list := []map[string]any{}
	for i, element := range slices.Backward(elements) {
		if condition(element) {
			list = append(list, show(i, element))
		}
	}
	return list
}

// noteAPI describes what differs between the hosts in how they serve comments and issues.
type noteAPI struct {
	comments, comment, issues string // paths
	update                    string // method of an update
	issueBody                 string // member of an issue with its text
	open                      string // state of open issues in a query
	state, closed             string // member and value that close an issue
	showsPulls                bool   // whether the list of issues contains pull requests
	oldestFirst               bool   // the order of comments
	show                      func(int, *note) map[string]any
}

func (h *fakeHost) serveNotes(mux *http.ServeMux, api noteAPI) {
	mux.HandleFunc("GET "+api.comments, func(w http.ResponseWriter, r *http.Request) {
		all := func(*note) bool { return true }
		comments := selected(h.comments[pathNumber(r, "number")], all, api.show)
		if api.oldestFirst {
			slices.Reverse(comments)
		}
		h.answer(w, r, "", comments)
	})
	mux.HandleFunc("POST "+api.comments, func(w http.ResponseWriter, r *http.Request) {
		notes := h.comments[pathNumber(r, "number")]
		n := h.add(&notes, note{Author: botName, Body: h.body(r)["body"]})
		h.comments[pathNumber(r, "number")] = notes
		h.answer(w, r, "", api.show(0, n))
	})
	mux.HandleFunc(api.update+" "+api.comment, func(w http.ResponseWriter, r *http.Request) {
		n := h.find(r, h.allComments())
		n.Body = h.body(r)["body"]
		h.answer(w, r, "", api.show(0, n))
	})
	mux.HandleFunc("GET "+api.issues, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("state") != api.open {
			h.t.Errorf("%s does not request open issues", r.URL)
		}
		open := func(n *note) bool { return !n.Closed && (api.showsPulls || !n.Pull) }
		h.answer(w, r, "", selected(h.issues, open, api.show))
	})
	mux.HandleFunc("POST "+api.issues, func(w http.ResponseWriter, r *http.Request) {
		body := h.body(r)
		n := h.add(&h.issues, note{Author: botName, Title: body["title"], Body: body[api.issueBody]})
		h.answer(w, r, "", api.show(0, n))
	})
	mux.HandleFunc(api.update+" "+api.issues+"/{id}", func(w http.ResponseWriter, r *http.Request) {
		n, body := h.find(r, h.issues), h.body(r)
		n.Body, n.Closed = body[api.issueBody], body[api.state] == api.closed
		h.answer(w, r, "", api.show(0, n))
	})
}

func pathNumber(r *http.Request, name string) int {
	number, _ := strconv.Atoi(r.PathValue(name))
	return number
}

// project returns the ID of the project from which a plan came.
func (a artifact) project() int {
	if a.Fork {
		return hostProject + 1
	}
	return hostProject
}

func githubRoutes(h *fakeHost, mux *http.ServeMux, store string) {
	const repo = "/repos/acme/positions/"
	h.serveNotes(mux, noteAPI{
		comments: repo + "issues/{number}/comments", comment: repo + "issues/comments/{id}", issues: repo + "issues",
		update: http.MethodPatch, issueBody: "body", open: "open", state: "state", closed: "closed", showsPulls: true,
		oldestFirst: true,
		show: func(_ int, n *note) map[string]any {
			v := map[string]any{
				"id": n.ID, "number": n.ID, "body": n.Body, "title": n.Title,
				"user": map[string]any{"login": n.Author}, "html_url": "https://github.example.com/acme/positions/x",
			}
			if n.Pull {
				v["pull_request"] = map[string]any{}
			}
			return v
		},
	})
	mux.HandleFunc("GET "+repo+"commits/{sha}/pulls", func(w http.ResponseWriter, r *http.Request) {
		h.answer(w, r, "", selected(h.merges, func(m merge) bool { return m.Commit == r.PathValue("sha") },
			func(_ int, m merge) map[string]any {
				return map[string]any{
					"number": m.Number, "merged_at": "2026-11-22T00:00:00Z", "merge_commit_sha": m.Commit,
					"base": map[string]any{"ref": m.Base}, "head": map[string]any{"sha": m.Head},
				}
			}))
	})
	mux.HandleFunc("GET "+repo+"actions/workflows/positions.yml/runs", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("event") != "pull_request" || q.Get("status") != "success" {
			h.t.Errorf("%s does not restrict the runs", r.URL)
		}
		h.answer(w, r, "workflow_runs", selected(h.artifacts, func(a artifact) bool { return a.Head == q.Get("head_sha") },
			func(i int, a artifact) map[string]any {
				return map[string]any{
					"id": firstRun + i, "repository": map[string]any{"id": hostProject},
					"head_repository": map[string]any{"id": a.project()},
				}
			}))
	})
	mux.HandleFunc("GET "+repo+"actions/runs/{run}/artifacts", func(w http.ResponseWriter, r *http.Request) {
		i := pathNumber(r, "run") - firstRun
		h.answer(w, r, "artifacts", selected(h.artifacts[i:i+1], func(a artifact) bool { return len(a.Files) > 0 },
			func(_ int, a artifact) map[string]any {
				return map[string]any{
					"id": firstArtifact + i, "name": "plan", "expired": a.Expired,
					"workflow_run": map[string]any{"repository_id": hostProject, "head_repository_id": a.project()},
				}
			}))
	})
	mux.HandleFunc("GET "+repo+"actions/artifacts/{id}/zip", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprintf("%s/%d", store, pathNumber(r, "id")-firstArtifact), http.StatusFound)
	})
}

func gitlabRoutes(h *fakeHost, mux *http.ServeMux, store string) {
	repo := fmt.Sprintf("/api/v4/projects/%d/", hostProject)
	comments := repo + "merge_requests/{number}/notes"
	h.serveNotes(mux, noteAPI{
		comments: comments, comment: comments + "/{id}", issues: repo + "issues",
		update: http.MethodPut, issueBody: "description", open: "opened", state: "state_event", closed: "close",
		show: func(_ int, n *note) map[string]any {
			author := 1
			if n.Author == botName {
				author = botID
			}
			return map[string]any{
				"id": n.ID, "iid": n.ID, "body": n.Body, "description": n.Body, "title": n.Title,
				"author": map[string]any{"id": author},
			}
		},
	})
	mux.HandleFunc("GET /api/v4/user", func(w http.ResponseWriter, r *http.Request) {
		h.answer(w, r, "", map[string]any{"id": botID})
	})
	mux.HandleFunc("GET "+repo+"repository/commits/{sha}/merge_requests", func(w http.ResponseWriter, r *http.Request) {
		h.answer(w, r, "", selected(h.merges, func(m merge) bool { return m.Commit == r.PathValue("sha") },
			func(_ int, m merge) map[string]any {
				return map[string]any{
					"iid": m.Number, "state": "merged", "target_branch": m.Base, "sha": m.Head,
					"merge_commit_sha": m.Commit, "squash_commit_sha": nil,
				}
			}))
	})
	mux.HandleFunc("GET "+repo+"merge_requests/{number}/pipelines", func(w http.ResponseWriter, r *http.Request) {
		h.answer(w, r, "", selected(h.artifacts, func(artifact) bool { return true },
			func(i int, a artifact) map[string]any {
				return map[string]any{"id": firstRun + i, "sha": a.Head, "project_id": a.project()}
			}))
	})
	mux.HandleFunc("GET "+repo+"pipelines/{run}/jobs", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("scope[]") != "success" {
			h.t.Errorf("%s does not restrict the jobs", r.URL)
		}
		i := pathNumber(r, "run") - firstRun
		job := map[string]any{"id": firstArtifact + i, "name": "plan"}
		if a := h.artifacts[i]; !a.Expired && len(a.Files) > 0 {
			job["artifacts_file"] = map[string]any{"filename": "artifacts.zip"}
		}
		h.answer(w, r, "", []map[string]any{{"id": 1, "name": "lint"}, job})
	})
	mux.HandleFunc("GET "+repo+"jobs/{id}/artifacts/out/{name}", func(w http.ResponseWriter, r *http.Request) {
		address := fmt.Sprintf("%s/%d/%s", store, pathNumber(r, "id")-firstArtifact, r.PathValue("name"))
		http.Redirect(w, r, address, http.StatusFound)
	})
}
