// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
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
	URL string

	mu   sync.Mutex
	keys []string
}

func newAccount(t *testing.T, clientID string, keys ...string) *account {
	t.Helper()
	options := sandboxtest.Options{Options: sandbox.Options{NoLimits: true}}
	a := &account{Service: sandboxtest.NewService(t, options), keys: keys}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, key, _ := r.BasicAuth()
		a.mu.Lock()
		valid := id == clientID && slices.Contains(a.keys, key)
		a.mu.Unlock()
		if r.SetBasicAuth("", ""); valid {
			r.SetBasicAuth(sandbox.ClientID, sandbox.APIKey)
		}
		a.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	a.URL = server.URL + "/v1"
	return a
}

// accept replaces the keys that are valid.
func (a *account) accept(keys ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys = keys
}

// hclBlocks returns the configurations in the guide about organizations, with the addresses
// of test servers. So the test runs what the guide shows.
func hclBlocks(t *testing.T, replace ...string) []string {
	t.Helper()
	page := readFile(t, "../../templates/guides/several-organizations.md")
	replacer := strings.NewReplacer(append(replace, `"assessascode/assess"`, `"hashicorp/assess"`)...)
	var blocks []string
	for _, match := range regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, replacer.Replace(match[1]))
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
	if places := texts(t, c.dir).containing("key-of-the-"); len(places) > 0 {
		t.Errorf("a key is in %q", places)
	}
	c.with("TF_VAR_north_key=key-of-the-south").plan().fails("401 Unauthorized", regexp.QuoteMeta(north.URL))
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
		c := root.with("ASSESS_API_KEY=" + folder + "-key")
		c.dir = filepath.Join(root.dir, folder)
		c.human("get").ok()
		c.plan().ok()
		c.with("ASSESS_READ_ONLY=true").apply().fails("Could not attach the assessment", "ASSESS_READ_ONLY")
		c.apply().ok()
		c.plan().empty().quiet()
	}
	if s, p := staging.attached(t), production.attached(t); s != 1 || p != 1 {
		t.Errorf("%d and %d assessments are attached, want 1 and 1", s, p)
	}
	production.ResetJournal()
	wrong := root.with("ASSESS_API_KEY=staging-key")
	wrong.dir = filepath.Join(root.dir, "production")
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
	with := func(key string, more ...string) *cli { return c.with(append(more, "ASSESS_API_KEY="+key)...) }
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
	if all := texts(t, c.dir); len(all.containing("old-key")) > 0 || len(all.containing("new-key")) > 0 {
		t.Errorf("%q and %q contain a key", all.containing("old-key"), all.containing("new-key"))
	}
}

// A saved plan contains the value of a sensitive variable. TestSecretsAreNotWritten uses an ephemeral one, whose value it
// does not contain.
func TestKeysInSavedPlans(t *testing.T) {
	t.Parallel()
	c := newCLI(t, sandboxtest.New(t)).with("TF_VAR_key=" + sandbox.APIKey)
	c.useText(`variable "key" {
  type      = string
  sensitive = true
}

provider "assess" { api_key = var.key }

data "assess_assessment" "any" { code = "LMN" }

output "any" { value = data.assess_assessment.any.id }
`)
	c.human("plan", "-input=false", "-out=saved").ok()
	if len(texts(t, c.dir).containing(sandbox.APIKey)) == 0 {
		t.Error("the saved plan no longer contains the value")
	}
}
