// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
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

// attached returns how many assessments the position of the guide has.
func (a *account) attached(t *testing.T) int {
	t.Helper()
	return len(a.State(t).Position("pos-backend-london").Assessments)
}

// twoOrganizations applies a configuration of the guide about organizations, with the addresses of two accounts, each
// with its own key. So a test runs what the guide shows.
func twoOrganizations(t *testing.T, c *clitest.CLI, block int) (north, south *account) {
	t.Helper()
	north = newAccount(t, "north-runner", "key-of-the-north")
	south = newAccount(t, "south-runner", "key-of-the-south")
	page := clitest.ReadFile(t, "../../templates/guides/organizations.md")
	blocks := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) != 3 {
		t.Fatalf("the guide has %d configurations", len(blocks))
	}
	c.Add("main.tf", strings.NewReplacer(
		"https://north.example.com/v1", north.URL, "https://south.example.com/v1", south.URL,
		`"assessascode/assess"`, `"hashicorp/assess"`,
	).Replace(blocks[block][1]))
	c.Human("plan", "-input=false", "-out=saved").OK()
	c.Human("apply", "-input=false", "saved").OK()
	c.Plan().Empty().Quiet()
	if n, s := north.attached(t), south.attached(t); n != 1 || s != 1 {
		t.Errorf("%d and %d assessments are attached, want 1 and 1", n, s)
	}
	return north, south
}

// One configuration uses two organizations, each with its own key. A confused key is rejected, and
// nothing changes.
func TestSeveralOrganizations(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t, "TF_VAR_north_key=key-of-the-north", "TF_VAR_south_key=key-of-the-south", "ASSESS_API_KEY=other")
	north, _ := twoOrganizations(t, c, 0)
	if places := texts(t, c.Dir).containing("key-of-the-"); len(places) > 0 {
		t.Errorf("a key is in %q", places)
	}
	c.With("TF_VAR_north_key=key-of-the-south").Plan().Fails("401 Unauthorized", regexp.QuoteMeta(north.URL))
	if n := len(c.Managed()); n != 2 {
		t.Errorf("the state has %d resources after a plan with the wrong key", n)
	}
}

// One provider block with for_each is one provider for each organization, with its own key. An organization leaves in two
// steps, because its provider must outlive its resources.
func TestProviderForEach(t *testing.T) {
	t.Parallel()
	c := clitest.NewBare(t, `TF_VAR_keys={ north = "key-of-the-north", south = "key-of-the-south" }`)
	c.Needs(clitest.Never, 11)
	north, south := twoOrganizations(t, c, 1)
	line := `    south = { base_url = "` + south.URL + `", client_id = "south-runner", active = true }` + "\n"
	c.Edit("main.tf", [2]string{line, ""})
	c.Plan().Fails("Provider instance not present", `ability\["south"\]`)
	inactive := strings.Replace(line, "true", "false", 1)
	c.Edit("main.tf", [2]string{"organizations = {\n", "organizations = {\n" + inactive})
	c.Apply().Plans(`delete assess_position_assessment.ability["south"]`)
	c.Edit("main.tf", [2]string{inactive, ""})
	c.Plan().Empty().Quiet()
	if n, s := north.attached(t), south.attached(t); n != 1 || s != 0 {
		t.Errorf("%d and %d assessments are attached, want 1 and 0", n, s)
	}
}

// vacancy is the configuration of one resource.
const vacancy = `resource "assess_position_assessment" "ability" {
  position_id   = "pos-backend-london"
  assessment_id = "asm-lumen"
}
`

// A key is replaced while runs continue: both keys work, a plan with the new one is empty unless the key belongs to
// another organization or may read less, and a plan that was saved with the old key is applied with the new one.
func TestRotatingAKey(t *testing.T) {
	t.Parallel()
	north, other := newAccount(t, "north-runner", "old-key", "new-key"), newAccount(t, "north-runner", "foreign-key")
	c := clitest.NewBare(t, "ASSESS_BASE_URL="+north.URL, "ASSESS_CLIENT_ID=north-runner")
	with := func(key string, more ...string) *clitest.CLI { return c.With(append(more, "ASSESS_API_KEY="+key)...) }
	c.Add("main.tf", vacancy)
	with("old-key").Apply().OK()

	with("new-key", "ASSESS_READ_ONLY=true").Plan().Empty().Quiet()
	with("wrong-key", "ASSESS_READ_ONLY=true").Plan().Fails("401 Unauthorized")
	foreign := with("foreign-key", "ASSESS_READ_ONLY=true", "ASSESS_BASE_URL="+other.URL)
	foreign.Plan().Warns("State of another service").Plans("create assess_position_assessment.ability")
	other.Change(t, func(st *sandbox.State) { st.Positions, st.Assessments = nil, st.Assessments[:1] })
	foreign.Plan().Fails("Could not read the position assessment")

	c.Add("more.tf", strings.NewReplacer("ability", "emotions", "asm-lumen", "asm-tideline").Replace(vacancy))
	with("old-key").Human("plan", "-input=false", "-out=saved").OK()
	north.accept("new-key")
	with("new-key").Human("apply", "-input=false", "saved").OK()
	with("new-key").Plan().Empty().Quiet()
	with("old-key").Plan().Fails("401 Unauthorized", "check the credentials")
	if n := north.attached(t); n != 2 {
		t.Errorf("%d assessments are attached, want 2", n)
	}
	if all := texts(t, c.Dir); len(all.containing("old-key")) > 0 || len(all.containing("new-key")) > 0 {
		t.Errorf("%q and %q contain a key", all.containing("old-key"), all.containing("new-key"))
	}
}

// A saved plan contains the value of a sensitive variable. TestSecretsAreNotWritten uses an ephemeral one, whose value it
// does not contain.
func TestKeysInSavedPlans(t *testing.T) {
	t.Parallel()
	c := clitest.New(t, sandboxtest.New(t)).With("TF_VAR_key=" + sandbox.APIKey)
	c.UseText(`variable "key" {
  type      = string
  sensitive = true
}

provider "assess" { api_key = var.key }

data "assess_assessment" "any" { code = "LMN" }

output "any" { value = data.assess_assessment.any.id }
`)
	c.Human("plan", "-input=false", "-out=saved").OK()
	if len(texts(t, c.Dir).containing(sandbox.APIKey)) == 0 {
		t.Error("the saved plan no longer contains the value")
	}
}
