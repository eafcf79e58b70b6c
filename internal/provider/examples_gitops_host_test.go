// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"archive/zip"
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
	hostToken = "token-of-the-host"
	botName   = "github-actions[bot]"
	botID     = 42
	forkID    = 8 // of the project of a fork
	projectID = 7
)

// note is a comment or an issue.
type note struct {
	ID          int
	Author      string
	Title, Body string
	Closed      bool
}

// merged is a merged pull request.
type merged struct {
	Number             int
	Head, Commit, Base string
}

// upload is an artifact of a job.
type upload struct {
	Name    string // on GitHub. A pipeline of GitLab has a number instead
	Number  int    // of the pull request
	Project int
	Text    []byte
	Expired bool
}

// fakeHost is the part of the API of GitHub or GitLab that the pipelines use. An unknown request
// fails the test.
type fakeHost struct {
	t   *testing.T
	URL string

	mu       sync.Mutex
	main     string // the newest commit of main
	comments map[int][]*note
	issues   []*note
	merges   []merged
	uploads  []upload
	last     int
	writes   int
}

func newFakeHost(t *testing.T, routes func(*fakeHost, *http.ServeMux)) *fakeHost {
	t.Helper()
	h := &fakeHost{t: t, comments: map[int][]*note{}, last: 1000}
	mux := http.NewServeMux()
	routes(h, mux)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		// Artifacts are on another host, which must never receive the token.
		_, stored := strings.CutPrefix(r.Host, "localhost")
		if token := r.Header.Get("Authorization"); (token == "Bearer "+hostToken) == stored {
			t.Errorf("%s %s has the Authorization header %q", r.Method, r.URL, token)
		}
		if stored {
			h.download(w, pathIndex(r.URL.Path))
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			t.Errorf("the fake host does not implement %s %s", r.Method, r.URL)
		}
		if r.Method != http.MethodGet {
			h.writes++
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	h.URL = server.URL
	return h
}

func pathIndex(path string) int {
	i, _ := strconv.Atoi(path[strings.LastIndex(path, "/")+1:])
	return i
}

// download sends an artifact. GitHub packs it.
func (h *fakeHost) download(w http.ResponseWriter, i int) {
	if h.uploads[i].Name == "" {
		_, _ = w.Write(h.uploads[i].Text)
		return
	}
	z := zip.NewWriter(w)
	if f, err := z.Create("reviewed.json"); err == nil {
		_, _ = f.Write(h.uploads[i].Text)
	}
	_ = z.Close()
}

func (h *fakeHost) redirect(w http.ResponseWriter, r *http.Request, i int) {
	http.Redirect(w, r, fmt.Sprintf("%s/%d", strings.Replace(h.URL, "127.0.0.1", "localhost", 1), i), http.StatusFound)
}

type jsonObject = map[string]any

// page sends one page of a list.
func (h *fakeHost) page(w http.ResponseWriter, r *http.Request, name string, list []jsonObject) {
	size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if size != 100 || page == 0 {
		h.t.Errorf("%s requests page %d of size %d", r.URL, page, size)
	}
	list = list[min((page-1)*size, len(list)):min(page*size, len(list))]
	if name == "" {
		h.send(w, list)
		return
	}
	h.send(w, jsonObject{name: list})
}

func (h *fakeHost) send(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		h.t.Error(err)
	}
}

func (h *fakeHost) body(r *http.Request) map[string]string {
	var body map[string]string
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		h.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	return body
}

func (h *fakeHost) add(to *[]*note, n note) {
	h.last++
	n.ID = h.last
	*to = append(*to, &n)
}

func showNote(n *note) jsonObject {
	author := jsonObject{"login": n.Author, "id": 1}
	if n.Author == botName {
		author["id"] = botID
	}
	return jsonObject{
		"id": n.ID, "number": n.ID, "iid": n.ID, "body": n.Body, "description": n.Body, "user": author, "author": author,
	}
}

func openNotes(notes []*note) []jsonObject {
	list := []jsonObject{}
	for _, n := range notes {
		if !n.Closed {
			list = append(list, showNote(n))
		}
	}
	return list
}

// serveNotes serves comments and issues at their paths.
func (h *fakeHost) serveNotes(mux *http.ServeMux, comments, comment, issues, update, text, state string) {
	number := func(r *http.Request) int { return pathIndex(r.PathValue("number")) }
	mux.HandleFunc("GET "+comments, func(w http.ResponseWriter, r *http.Request) {
		h.page(w, r, "", openNotes(h.comments[number(r)]))
	})
	mux.HandleFunc("POST "+comments, func(w http.ResponseWriter, r *http.Request) {
		notes := h.comments[number(r)]
		h.add(&notes, note{Author: botName, Body: h.body(r)["body"]})
		h.comments[number(r)] = notes
		h.send(w, jsonObject{})
	})
	mux.HandleFunc("GET "+issues, func(w http.ResponseWriter, r *http.Request) { h.page(w, r, "", openNotes(h.issues)) })
	mux.HandleFunc("POST "+issues, func(w http.ResponseWriter, r *http.Request) {
		body := h.body(r)
		h.add(&h.issues, note{Author: botName, Title: body["title"], Body: body[text]})
		h.send(w, jsonObject{})
	})
	for path, field := range map[string]string{comment: "body", issues + "/{id}": text} {
		mux.HandleFunc(update+" "+path, func(w http.ResponseWriter, r *http.Request) {
			body := h.body(r)
			all := slices.Clone(h.issues)
			for _, notes := range h.comments {
				all = append(all, notes...)
			}
			for _, n := range all {
				if strconv.Itoa(n.ID) == r.PathValue("id") {
					n.Body, n.Closed = body[field], strings.HasPrefix(body[state], "close")
				}
			}
			h.send(w, jsonObject{})
		})
	}
}

func githubRoutes(h *fakeHost, mux *http.ServeMux) {
	const repo = "/repos/acme/positions/"
	h.serveNotes(mux, repo+"issues/{number}/comments", repo+"issues/comments/{id}", repo+"issues",
		http.MethodPatch, "body", "state")
	mux.HandleFunc("GET "+repo+"commits/{sha}", func(w http.ResponseWriter, _ *http.Request) {
		h.send(w, jsonObject{"sha": h.main})
	})
	mux.HandleFunc("GET "+repo+"commits/{sha}/pulls", func(w http.ResponseWriter, r *http.Request) {
		list := []jsonObject{}
		for _, m := range h.merges {
			if m.Commit == r.PathValue("sha") {
				list = append(list, jsonObject{
					"number": m.Number, "merged_at": "2026-11-22T00:00:00Z", "merge_commit_sha": m.Commit,
					"base": jsonObject{"ref": m.Base}, "head": jsonObject{"sha": m.Head},
				})
			}
		}
		h.page(w, r, "", list)
	})
	mux.HandleFunc("GET "+repo+"actions/artifacts", func(w http.ResponseWriter, r *http.Request) {
		list := []jsonObject{}
		for i, u := range slices.Backward(h.uploads) {
			if u.Name == r.URL.Query().Get("name") {
				list = append(list, jsonObject{
					"id": i, "expired": u.Expired,
					"workflow_run": jsonObject{"repository_id": projectID, "head_repository_id": u.Project},
				})
			}
		}
		h.page(w, r, "artifacts", list)
	})
	mux.HandleFunc("GET "+repo+"actions/artifacts/{id}/zip", func(w http.ResponseWriter, r *http.Request) {
		h.redirect(w, r, pathIndex(r.PathValue("id")))
	})
}

func gitlabRoutes(h *fakeHost, mux *http.ServeMux) {
	repo := fmt.Sprintf("/api/v4/projects/%d/", projectID)
	comments := repo + "merge_requests/{number}/notes"
	h.serveNotes(mux, comments, comments+"/{id}", repo+"issues", http.MethodPut, "description", "state_event")
	mux.HandleFunc("GET /api/v4/user", func(w http.ResponseWriter, _ *http.Request) { h.send(w, jsonObject{"id": botID}) })
	mux.HandleFunc("GET "+repo+"repository/commits/{sha}/merge_requests", func(w http.ResponseWriter, r *http.Request) {
		list := []jsonObject{}
		for _, m := range h.merges {
			if m.Commit == r.PathValue("sha") {
				list = append(list, jsonObject{
					"iid": m.Number, "state": "merged", "target_branch": m.Base, "sha": m.Head, "merge_commit_sha": m.Commit,
					"squash_commit_sha": nil, "source_project_id": projectID, "target_project_id": projectID,
				})
			}
		}
		h.page(w, r, "", list)
	})
	mux.HandleFunc("GET "+repo+"merge_requests/{number}/pipelines", func(w http.ResponseWriter, r *http.Request) {
		list := []jsonObject{}
		for i, u := range slices.Backward(h.uploads) {
			if u.Number == pathIndex(r.PathValue("number")) {
				list = append(list, jsonObject{"id": i, "status": "success", "project_id": u.Project})
			}
		}
		h.page(w, r, "", list)
	})
	mux.HandleFunc("GET "+repo+"pipelines/{id}/jobs", func(w http.ResponseWriter, r *http.Request) {
		job := jsonObject{"id": pathIndex(r.PathValue("id")), "name": "plan"}
		if !h.uploads[pathIndex(r.PathValue("id"))].Expired {
			job["artifacts_file"] = jsonObject{"filename": "artifacts.zip"}
		}
		h.page(w, r, "", []jsonObject{{"id": 99, "name": "lint"}, job})
	})
	mux.HandleFunc("GET "+repo+"jobs/{id}/artifacts/out/reviewed.json", func(w http.ResponseWriter, r *http.Request) {
		h.redirect(w, r, pathIndex(r.PathValue("id")))
	})
}
