// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// objects is a fake service that stores states: GitLab's, or an S3 bucket.
type objects struct {
	t     *testing.T
	mu    sync.Mutex
	files map[string][]byte
	locks int
}

// gitlab serves a state at /state and its lock at /state/lock.
func (o *objects) gitlab(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if user, password, _ := r.BasicAuth(); user != "gitlab-ci-token" || password != "job-token" {
		o.t.Errorf("%s %s does not have the token of the job", r.Method, r.URL)
	}
	body, _ := io.ReadAll(r.Body)
	state, ok := o.files["state"]
	switch lock, locked := o.files["lock"]; r.Method + " " + r.URL.Path {
	case "GET /state":
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write(state)
	case "POST /state":
		o.files["state"] = body
	case "POST /state/lock":
		if locked {
			w.WriteHeader(http.StatusLocked)
			_, _ = w.Write(lock)
			return
		}
		o.locks++
		o.files["lock"] = body
	case "DELETE /state/lock":
		delete(o.files, "lock")
	default:
		o.t.Errorf("unexpected request to GitLab: %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	}
}

// s3 serves the objects of a bucket.
func (o *objects) s3(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !strings.Contains(r.Header.Get("Authorization"), "Credential=key-id/") {
		o.t.Errorf("%s %s is not signed", r.Method, r.URL)
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/positions"), "/")
	text, ok := o.files[name]
	switch {
	case r.Method == http.MethodPut:
		if ok && r.Header.Get("If-None-Match") == "*" {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		if strings.HasSuffix(name, ".tflock") {
			o.locks++
		}
		o.files[name], _ = io.ReadAll(r.Body)
	case r.Method == http.MethodDelete:
		delete(o.files, name)
		w.WriteHeader(http.StatusNoContent)
	case name == "":
		_ = xml.NewEncoder(w).Encode(struct {
			XMLName xml.Name `xml:"ListBucketResult"`
			Name    string
		}{Name: "positions"})
	case !ok:
		w.WriteHeader(http.StatusNotFound)
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
		}
	default:
		w.Header().Set("Content-Length", itoa(len(text)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(text)
		}
	}
}

// The files in state/ work as described: plan and apply use the same state and lock it.
func TestExampleGitopsStates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		serve func(*objects) http.HandlerFunc
		setUp func(r *repository, address string) []string
		state string
	}{
		"gitlab": {
			func(o *objects) http.HandlerFunc { return o.gitlab },
			func(r *repository, address string) []string {
				r.copies("state/gitlab.tf", "backend.tf")
				return []string{
					"TF_HTTP_ADDRESS=" + address + "/state", "TF_HTTP_LOCK_ADDRESS=" + address + "/state/lock",
					"TF_HTTP_UNLOCK_ADDRESS=" + address + "/state/lock", "TF_HTTP_LOCK_METHOD=POST", "TF_HTTP_UNLOCK_METHOD=DELETE",
					"TF_HTTP_USERNAME=gitlab-ci-token", "TF_HTTP_PASSWORD=job-token",
				}
			}, "state",
		},
		"s3": {
			func(o *objects) http.HandlerFunc { return o.s3 },
			func(r *repository, address string) []string {
				r.copies("state/s3.tf", "backend.tf")
				text, err := os.ReadFile(filepath.Join(r.dir, "backend.tf"))
				if err != nil {
					r.t.Fatal(err)
				}
				_, other, found := strings.Cut(string(text), "# Only for a service other than AWS:\n")
				if !found {
					r.t.Fatal("state/s3.tf does not say how to use a service other than AWS")
				}
				r.writes("backend.tf", strings.Replace(string(text), other,
					strings.ReplaceAll(strings.Replace(other, "https://s3.example.com", address, 1), "    # ", "    "), 1))
				return []string{"AWS_ACCESS_KEY_ID=key-id", "AWS_SECRET_ACCESS_KEY=secret", "AWS_EC2_METADATA_DISABLED=true"}
			}, "positions.tfstate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := &objects{t: t, files: map[string][]byte{}}
			server := httptest.NewServer(c.serve(kept))
			t.Cleanup(server.Close)
			service := sandboxtest.New(t, withoutLimits)
			var env []string
			r := newRepository(t, false, onService(service), func(r *repository) { env = c.setUp(r, server.URL) })
			with := func(e *event) { e.env = env }
			h := hosts(t)[0]
			p := r.open(1, func() {})
			h.plans(r, p, with).passes(t)
			h.merges(r, p, with).passes(t, "9 added")
			if kept.locks < 2 || !bytes.Contains(kept.files[c.state], []byte("asm-lumen")) || len(kept.files) != 1 {
				t.Errorf("%d locks and %d stored files", kept.locks, len(kept.files))
			}
			h.plans(r, r.open(2, func() {}), with).passes(t)
			h.comment(t, 2, "plan", "### Plan: no changes\n")
		})
	}
}

// With state/encryption.tofu, the state and the artifacts cannot be read without the
// passphrase.
func TestExampleGitopsEncryption(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, withoutLimits)
	r := newRepository(
		t,
		false,
		onService(service),
		func(r *repository) {
			r.copies("state/encryption.tofu", "encryption.tofu")
			r.replaces("encryption.tofu", "      passphrase = var.passphrase\n", `      passphrase    = var.passphrase
      iterations    = 200000 # the fastest derivation of a key
      hash_function = "sha256"
`)
		},
	)
	if !strings.HasPrefix(r.human("version").output, "OpenTofu") {
		t.Skip("Terraform cannot encrypt a state")
	}
	with := func(e *event) { e.env = []string{"TF_VAR_passphrase=correct horse battery"} }
	h := hosts(t)[0]
	p := r.open(1, func() {})
	plan := h.plans(r, p, with).passes(t)
	h.merges(r, p, with).passes(t, "9 added")
	backend, err := os.ReadFile(filepath.Join(r.dir, "backend.tf"))
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(strings.Split(string(backend), `"`)[3])
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"state": state, "plan": plan.artifact["plan.bin"]} {
		if !bytes.Contains(text, []byte(`"encrypted_data"`)) || bytes.Contains(text, []byte("asm-lumen")) {
			t.Errorf("the %s is not encrypted: %.200s", name, text)
		}
	}
	h.plans(r, r.open(2, func() {}), with).passes(t)
	h.comment(t, 2, "plan", "### Plan: no changes\n")
	h.plans(r, r.open(3, func() {})).fails(t, "passphrase")

	// A fork has neither a key nor a passphrase. Its plan uses a snapshot.
	take := []string{providerBinary(t), "-snapshot", "snapshot.json"}
	if code, out := r.shell(r.dir, take, r.credentials()); code != 0 {
		t.Fatalf("the snapshot failed with %d: %s", code, out)
	}
	r.writes("a.tftest.hcl", `provider "assess" {
  sandbox {}
}

run "a" {
  command = plan
  variables {
    file = "missing.yaml"
  }
  expect_failures = [var.file]
}
`)
	r.commit("a snapshot")
	h.plans(r, r.open(4, func() {}), func(e *event) { e.fork, e.key = true, "" }).passes(t, "1 passed", "No changes")
}

// copies copies a file of the repository.
func (r *repository) copies(from, to string) {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, from))
	if err != nil {
		r.t.Fatal(err)
	}
	r.writes(to, string(text))
}
