// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	const key = "a-very-secret-key"
	for name, row := range map[string]struct {
		step string
		env  []string
		says []string
	}{
		"nothing set": {
			"environment", nil,
			[]string{
				`Missing (address of the service|Client Identifier|API key)`, `"(base_url|client_id|api_key)"`,
				`ASSESS_(BASE_URL|CLIENT_ID|API_KEY)`, `sandbox \{\}`,
			},
		},
		"key missing": {
			"environment",
			[]string{"ASSESS_BASE_URL=" + service.URL, "ASSESS_CLIENT_ID=x"},
			[]string{"Missing API key", `"api_key"`, "ASSESS_API_KEY"},
		},
		"wrong key": {
			"environment",
			[]string{"ASSESS_BASE_URL=" + service.URL, "ASSESS_CLIENT_ID=" + sandbox.ClientID, "ASSESS_API_KEY=" + key},
			[]string{
				"Could not list the assessments",
				"GET /assessments at " + service.URL + "/assessments with 401 Unauthorized", "Conversation-Id",
				"check the credentials", "ASSESS_CLIENT_ID, ASSESS_API_KEY",
			},
		},
		"malformed key": {
			"environment",
			[]string{"ASSESS_BASE_URL=" + service.URL, "ASSESS_CLIENT_ID=x", "ASSESS_API_KEY=" + key + "\n"},
			[]string{"Invalid API key", "white space", "not shown here"},
		},
		"malformed client": {
			"environment",
			[]string{"ASSESS_BASE_URL=" + service.URL, "ASSESS_CLIENT_ID=a:b", "ASSESS_API_KEY=" + key},
			[]string{"Invalid Client Identifier", "colon"},
		},
		"plain http": {
			"environment",
			[]string{"ASSESS_BASE_URL=http://assess.example.com/v1", "ASSESS_CLIENT_ID=x", "ASSESS_API_KEY=" + key},
			[]string{"Invalid address of the service", "plain http", `"assess.example.com"`, "use https"},
		},
		"no address": {
			"environment",
			[]string{"ASSESS_BASE_URL=ftp://x", "ASSESS_CLIENT_ID=x", "ASSESS_API_KEY=" + key},
			[]string{"Invalid address of the service", `"ftp"`, "https://assess.example.com/v1"},
		},
		"credentials in the address": {
			"environment",
			[]string{
				"ASSESS_BASE_URL=https://someone:" + key + "@assess.example.com", "ASSESS_CLIENT_ID=x",
				"ASSESS_API_KEY=x",
			},
			[]string{"Invalid address of the service", "set client_id and api_key instead"},
		},
		"credentials in an address without a scheme": {
			"environment",
			[]string{
				"ASSESS_BASE_URL=someone:" + key + "@assess.example.com/v1", "ASSESS_CLIENT_ID=x",
				"ASSESS_API_KEY=x",
			},
			[]string{"Invalid address of the service", "set client_id and api_key instead"},
		},
		"credentials in a malformed address": {
			"environment",
			[]string{"ASSESS_BASE_URL=https://someone:" + key + "@[::1/v1", "ASSESS_CLIENT_ID=x", "ASSESS_API_KEY=x"},
			[]string{"Invalid address of the service", "not an address"},
		},
		"no scheme before a loopback address": {
			"attributes",
			[]string{"TF_VAR_address=" + strings.TrimPrefix(service.URL, "http://")},
			[]string{
				"Could not list the assessments",
				"GET /assessments at " + strings.Replace(service.URL, "http:", "https:",
					1) + "/assessments received no usable answer", "HTTP response to HTTPS client",
				"without a scheme means https", "For a server on this machine, write http://", "ASSESS_BASE_URL",
			},
		},
		"connection refused": {
			"attributes",
			[]string{"TF_VAR_address=" + closed.URL},
			[]string{
				"Could not list the assessments",
				"GET /assessments at " + closed.URL + "/assessments received no usable answer: .*connection refused",
				`last of \d+ attempts within`, "ASSESS_BASE_URL", "network",
			},
		},
		"wrong path": {
			"attributes",
			[]string{"TF_VAR_address=" + service.URL + "/wrong"},
			[]string{
				"Could not list the assessments",
				"GET /assessments at " + service.URL + "/wrong/assessments with 404 Not Found", "ASSESS_BASE_URL",
			},
		},
		"two services": {
			"sandbox_and_address", nil,
			[]string{"Two services configured", `"base_url"`, `"sandbox"`},
		},
		"durations": {"durations", nil, []string{"Not a duration", `request_timeout is "soon"`, "30s"}},
		"negative":  {"durations", nil, []string{"Not a duration", `retry_timeout is "-1s"`, "above zero"}},
		"share":     {"durations", nil, []string{"Invalid value", `rate_limit\.share is 1\.5`, "from 0.000001 to 1"}},
		"budget": {"durations", nil, []string{
			"Unknown coordination",
			`setting "coordination" in the block "rate_limit" is neither "host" nor "none" nor an address`,
			`use "host", "none", or an address such as "redis://`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newBareCLI(t, row.env...)
			c.useFrom("TestSettings", row.step)
			r := c.plan().fails(row.says...)
			if strings.Contains(r.output, key) {
				t.Errorf("the output contains the key:\n%s", r.output)
			}
		})
	}
	t.Run("attributes before environment", func(t *testing.T) {
		t.Parallel()
		c := newBareCLI(t, "TF_VAR_address="+service.URL, "ASSESS_BASE_URL="+closed.URL, "ASSESS_API_KEY=wrong")
		c.useFrom("TestSettings", "attributes")
		c.plan().ok().quiet()
	})
}

// A setting that is unknown until apply does not fail a plan.
func TestSettingUnknownAtPlan(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := newBareCLI(t, "TF_VAR_address="+service.URL)
	c.use("1")
	c.plan().ok().warns("Provider setting not known yet", `setting "base_url"`, "nothing is checked")
	if n := len(service.Journal()); n != 0 {
		t.Errorf("%d requests were sent without an address", n)
	}
	c.apply().ok()
	service.AssertCount(t, http.MethodPost, "", 1)
	c.plan().empty().quiet()

	// The address changes, so it is unknown again. The state does not change.
	c.env = append(c.env, "TF_VAR_address="+strings.Replace(service.URL, "127.0.0.1", "localhost", 1))
	c.use("2")
	service.ResetJournal()
	c.plan().fails("Provider setting not known yet", `setting "base_url"`, "-target")
	noWrites(t, service)
}

// The embedded service requires no port and no credentials, and keeps its state between
// runs.
func TestSandboxBlock(t *testing.T) {
	t.Parallel()
	c := newBareCLI(t, "ASSESS_BASE_URL=http://unused.invalid", "ASSESS_API_KEY=unused")
	c.use("1")
	c.apply().ok().quiet()
	c.plan().empty().quiet()
	service, err := sandbox.New(sandbox.Options{StateFile: filepath.Join(c.dir, "estate.json")})
	if err != nil {
		t.Fatal(err)
	}
	err = service.View(func(st *sandbox.State) {
		if n := len(st.Position("pos-backend-london").Assessments); n != 1 {
			t.Errorf("the state file has %d position assessments, want 1", n)
		}
	})
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(c.dir, "estate.json"), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.plan().fails("Could not use the embedded service", "estate.json")
}

// The same settings have the same messages each time.
func TestOrderOfSettings(t *testing.T) {
	t.Parallel()
	w := newProtocolClient(t, unlimited(t))
	typ := w.schema.Provider.ValueType()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	both := dynamic(t, typ, map[string]any{
		"sandbox": map[string]any{}, "base_url": "http://localhost", "client_id": "id", "api_key": "key",
	})
	for range 20 {
		resp, err := w.server.ValidateProviderConfig(t.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: both})
		if err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, d := range resp.Diagnostics {
			named = append(named, strings.Split(d.Detail, `"`)[1])
		}
		want := []string{"base_url", "client_id", "api_key"}
		if !slices.Equal(named, want) {
			t.Fatalf("errors about %q, want %q", named, want)
		}
		late := w.configure(map[string]any{"client_id": unknown, "api_key": unknown, "base_url": unknown})
		if len(late) != 1 || !strings.Contains(late[0].Detail, `"api_key"`) {
			t.Fatalf("not the first name: %v", late)
		}
	}
}
