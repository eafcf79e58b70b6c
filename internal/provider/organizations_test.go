// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// account is an organization of a service that accepts only its own Client Identifier and keys.
type account struct {
	*sandboxtest.Service
	URL, clientID string

	mu   sync.Mutex
	keys map[string]bool
}

func newAccount(t *testing.T, clientID string, keys ...string) *account {
	t.Helper()
	a := &account{
		Service:  sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}}),
		clientID: clientID,
	}
	a.accept(keys...)
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	a.URL = server.URL + "/v1"
	return a
}

// accept replaces the keys that are valid.
func (a *account) accept(keys ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys = map[string]bool{}
	for _, key := range keys {
		a.keys[key] = true
	}
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	clientID, key, _ := r.BasicAuth()
	a.mu.Lock()
	valid := clientID == a.clientID && a.keys[key]
	a.mu.Unlock()
	if valid {
		r.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
	} else {
		r.SetBasicAuth("", "")
	}
	a.Service.ServeHTTP(w, r)
}

// hclBlocks returns the configurations in the guide about organizations, with the addresses
// of test servers. So the test runs what the guide shows.
func hclBlocks(t *testing.T, replace ...string) []string {
	t.Helper()
	page, err := os.ReadFile("../../templates/guides/several-organizations.md")
	if err != nil {
		t.Fatal(err)
	}
	replacer := strings.NewReplacer(append(replace, `"assessascode/assess"`, `"hashicorp/assess"`)...)
	var blocks []string
	for _, match := range regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllSubmatch(page, -1) {
		blocks = append(blocks, replacer.Replace(string(match[1])))
	}
	if len(blocks) != 4 {
		t.Fatalf("the guide has %d configurations", len(blocks))
	}
	return blocks
}

// attached returns how many assessments the position of the guide has.
func (a *account) attached(t *testing.T) int {
	t.Helper()
	return len(a.State(t).Position("pos-backend-london").Assessments)
}

// One configuration uses two organizations, each with its own key. A confused key is refused, and
// nothing changes.
func TestSeveralOrganizations(t *testing.T) {
	t.Parallel()
	north := newAccount(t, "north-runner", "key-of-the-north")
	south := newAccount(t, "south-runner", "key-of-the-south")
	c := newBareCLI(t, "TF_VAR_north_key=key-of-the-north", "TF_VAR_south_key=key-of-the-south", "ASSESS_API_KEY=other")
	c.add("main.tf", hclBlocks(t, "https://north.example.com/v1", north.URL, "https://south.example.com/v1", south.URL)[0])
	c.human("plan", "-input=false", "-out=saved").ok()
	c.human("apply", "-input=false", "saved").ok()
	c.plan().empty().quiet()
	if n, s := north.attached(t), south.attached(t); n != 1 || s != 1 {
		t.Errorf("%d and %d assessments are attached, want 1 and 1", n, s)
	}
	for path, text := range texts(t, c.dir) {
		if bytes.Contains(text, []byte("key-of-the-")) {
			t.Errorf("%s contains a key", path)
		}
	}
	confused := &cli{t: t, dir: c.dir, env: slices.Concat(c.env, []string{"TF_VAR_north_key=key-of-the-south"})}
	confused.plan().fails("401 Unauthorized", regexp.QuoteMeta(north.URL))
	if n := len(c.addresses()); n != 2 {
		t.Errorf("the state has %d resources after a plan with the wrong key", n)
	}
}

// Two folders share a module, and each has its own state, address and key.
func TestStagingAndProduction(t *testing.T) {
	t.Parallel()
	staging := newAccount(t, "staging-runner", "staging-key")
	production := newAccount(t, "staging-runner", "production-key")
	root := newBareCLI(t)
	for folder, a := range map[string]*account{"staging": staging, "production": production} {
		blocks := hclBlocks(t, "https://staging.example.com/v1", a.URL)
		for path, text := range map[string]string{"vacancies/main.tf": blocks[1], folder + "/main.tf": blocks[2]} {
			if err := os.MkdirAll(filepath.Join(root.dir, filepath.Dir(path)), 0o700); err != nil {
				t.Fatal(err)
			}
			root.add(path, text)
		}
		c := &cli{
			t:   t,
			dir: filepath.Join(root.dir, folder),
			env: slices.Concat(root.env, []string{"ASSESS_API_KEY=" + folder + "-key"}),
		}
		c.human("get").ok()
		c.do("plan", "-input=false").ok()
		readOnly := &cli{t: t, dir: c.dir, env: slices.Concat(c.env, []string{"ASSESS_READ_ONLY=true"})}
		readOnly.apply().fails("Could not attach the assessment", "ASSESS_READ_ONLY")
		c.apply().ok()
		c.plan().empty().quiet()
	}
	if s, p := staging.attached(t), production.attached(t); s != 1 || p != 1 {
		t.Errorf("%d and %d assessments are attached, want 1 and 1", s, p)
	}
	wrong := &cli{
		t:   t,
		dir: filepath.Join(root.dir, "production"),
		env: slices.Concat(root.env, []string{"ASSESS_API_KEY=staging-key"}),
	}
	production.ResetJournal()
	wrong.apply().fails("401 Unauthorized")
	for _, entry := range production.Journal() {
		if entry.Status != http.StatusUnauthorized {
			t.Errorf("%s %s: %d", entry.Method, entry.Path, entry.Status)
		}
	}
}

// A key is replaced while runs continue: both keys work, a check compares them, the next plan is
// empty, and a plan that was saved with the old key is applied with the new one.
func TestRotatingAKey(t *testing.T) {
	t.Parallel()
	north, other := newAccount(t, "north-runner", "old-key", "new-key"), newAccount(t, "north-runner", "foreign-key")
	other.Change(t, func(st *sandbox.State) { st.Assessments = st.Assessments[:3] })
	blocks := hclBlocks(t, "https://north.example.com/v1", north.URL)
	c := newBareCLI(t, "ASSESS_BASE_URL="+north.URL, "ASSESS_CLIENT_ID=north-runner")
	with := func(key string, more ...string) *cli {
		return &cli{t: t, dir: c.dir, env: slices.Concat(c.env, []string{"ASSESS_API_KEY=" + key}, more)}
	}
	c.add("main.tf", blocks[1])
	with("old-key").human("plan", "-input=false", "-out=saved").ok()

	c.add("rotation.tf", blocks[3])
	with("old-key", "TF_VAR_new_key=new-key").plan().ok().quiet()
	with("old-key", "TF_VAR_new_key=wrong-key").plan().fails("401 Unauthorized")
	c.add("rotation.tf", strings.Replace(blocks[3], north.URL, other.URL, 1))
	with("old-key", "TF_VAR_new_key=foreign-key").plan().ok().warns("The new key belongs to another organization")
	if err := os.Remove(filepath.Join(c.dir, "rotation.tf")); err != nil {
		t.Fatal(err)
	}

	north.accept("new-key")
	with("new-key").human("apply", "-input=false", "saved").ok()
	with("new-key").plan().empty().quiet()
	with("old-key").plan().fails("401 Unauthorized", "check the credentials")
	if n := north.attached(t); n != 1 {
		t.Errorf("%d assessments are attached, want 1", n)
	}
	for path, text := range texts(t, c.dir) {
		if bytes.Contains(text, []byte("old-key")) || bytes.Contains(text, []byte("new-key")) {
			t.Errorf("%s contains a key", path)
		}
	}
}

// A saved plan contains the value of a sensitive variable, but not of an ephemeral one.
func TestKeysInSavedPlans(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	for kind, contained := range map[string]bool{"sensitive": true, "ephemeral": false} {
		c := newBareCLI(t, "ASSESS_BASE_URL="+service.URL, "ASSESS_CLIENT_ID="+sandbox.ClientID, "TF_VAR_key="+sandbox.APIKey)
		c.add(
			"main.tf",
			"variable \"key\" {\n  type = string\n  "+kind+" = true\n}\n\nprovider \"assess\" {\n  api_key = var.key\n}\n\n"+
				"data \"assess_assessment\" \"any\" { code = \"LMN\" }\n\noutput \"any\" { value = data.assess_assessment.any.id }\n",
		)
		c.human("plan", "-input=false", "-out=saved").ok()
		found := false
		for _, text := range texts(t, c.dir) {
			found = found || bytes.Contains(text, []byte(sandbox.APIKey))
		}
		if found != contained {
			t.Errorf("the saved plan contains the value of a variable that is %s: %t, want %t", kind, found, contained)
		}
	}
}
