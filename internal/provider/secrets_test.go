// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// texts returns all files that runs have written below a directory, including the files
// in saved plans.
func texts(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all[path] = text
		archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return nil //nolint:nilerr // not a saved plan
		}
		for _, file := range archive.File {
			inside, err := file.Open()
			if err != nil {
				return err
			}
			if all[path+"/"+file.Name], err = io.ReadAll(inside); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// gatewayToken is sent in an additional header.
const gatewayToken = "g4teway-token-not-a-secret" //nolint:gosec // as its name says

// secrets are the API key, the value of the Authorization header, and that of an additional
// header.
var secrets = map[string]string{
	"the token of the gateway":       gatewayToken,
	"the API key":                    sandbox.APIKey,
	"the value of the Authorization": base64.StdEncoding.EncodeToString([]byte(sandbox.ClientID + ":" + sandbox.APIKey)),
}

// Nothing that the runs write contains the API key: logs at the most detailed level,
// output, state, saved plans, and the files that runs on a machine share. This also
// holds if a gateway repeats the request header in its response, or the service in a member
// that the provider does not model.
func TestSecretsAreNotWritten(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	c := newCLI(t, service)
	written, dumped := t.TempDir(), t.TempDir()
	c.env = append(c.env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(written, "log"), "XDG_CACHE_HOME="+written)
	c.env = append(c.env, "TF_VAR_gateway_token="+gatewayToken, "TF_LOG_SDK_PROTO_DATA_DIR="+dumped)
	c.use("1")
	service.Change(t, func(st *sandbox.State) {
		for what, secret := range secrets {
			st.Assessments[0].Extra.Set(what, "sent with "+secret)
		}
	})
	var output strings.Builder
	step := func(succeeds bool, args ...string) {
		t.Helper()
		r := c.human(args...)
		if (r.code == 0) != succeeds {
			t.Errorf("%v ended with %d:\n%s", args, r.code, r.output)
		}
		output.WriteString(r.output)
	}
	step(true, "plan", "-input=false", "-out=saved")
	step(true, "apply", "-input=false", "saved")
	step(true, "output", "-json")
	if n := strings.Count(output.String(), "(secret)"); n < len(secrets) {
		t.Errorf("%d secrets of unmodeled members were masked", n)
	}
	for _, entry := range service.Journal() {
		if entry.Header.Get("X-Gateway-Token") != "Bearer "+gatewayToken {
			t.Errorf("%s %s has the header %q", entry.Method, entry.Path, entry.Header.Get("X-Gateway-Token"))
		}
	}

	// These are texts that a gateway may return about a request.
	var repeated strings.Builder
	for what, secret := range secrets {
		fmt.Fprintf(&repeated, "<p>%s: %s</p>", what, secret)
	}
	redirect := func(to string) sandboxtest.Fault {
		return sandboxtest.Fault{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {to}}}
	}
	for _, fault := range []sandboxtest.Fault{
		{Status: http.StatusUnauthorized, Body: []byte(repeated.String())},
		{
			Status: http.StatusForbidden, Header: http.Header{"Conversation-Id": {repeated.String()}},
			Body: fmt.Appendf(nil, `{"code":%[1]q,"message":%[1]q,"conversationId":%[1]q}`, repeated.String()),
		},
		redirect("https://elsewhere.example/" + sandbox.APIKey),
		redirect("https://" + sandbox.APIKey + ".example/"),
		{When: sandboxtest.AfterEffect, Status: http.StatusOK, Body: []byte("<html>" + repeated.String()), Times: -1},
		{
			When: sandboxtest.AfterEffect, Status: http.StatusOK,
			Body: fmt.Appendf(nil, `{"_links":[{"rel":"next","href":"https://%s.example/"}],"items":[]}`, sandbox.APIKey),
		},
	} {
		fault.Method, fault.Route = http.MethodGet, sandbox.RoutePositionAssessments
		service.Inject(fault)
		step(false, "plan", "-input=false")
		service.ClearFaults()
	}
	service.Inject(sandboxtest.Fault{
		Method: http.MethodDelete, Status: http.StatusConflict, Body: []byte(repeated.String()),
	})
	step(false, "destroy", "-input=false", "-auto-approve")
	step(true, "show", "-json")
	step(true, "destroy", "-input=false", "-auto-approve")

	all := texts(t, c.dir)
	for path, text := range texts(t, written) {
		all[path] = text
	}
	all["output"] = []byte(output.String())
	for path, text := range all {
		for what, secret := range secrets {
			for line := range bytes.Lines(text) {
				if bytes.Contains(line, []byte(secret)) {
					t.Errorf("%s is in %s: %.300s", what, path, line)
				}
			}
		}
	}

	// A protocol dump contains the settings of the configuration, but not those of the environment.
	dumps := texts(t, dumped)
	for path, text := range dumps {
		if bytes.Contains(text, []byte(sandbox.APIKey)) {
			t.Errorf("%s contains the API key", path)
		}
	}

	// Files that runs share contain no IDs, and only their owner can read them.
	for path, text := range texts(t, written) {
		if filepath.Base(path) == "log" {
			continue
		}
		if bytes.Contains(text, []byte("pos-backend-london")) {
			t.Errorf("%s contains an ID", path)
		}
		sandboxtest.AssertPrivate(t, path)
	}

	// The search has checked the important files.
	budgets := 0
	for path := range all {
		if strings.HasSuffix(path, ".budget") {
			budgets++
		}
	}
	log := string(all[filepath.Join(written, "log")])
	requests := strings.Count(log, "request to the assessment service")
	t.Logf("searched %d texts, %d bytes of log with %d of our lines, %d budgets", len(all), len(log), requests, budgets)
	plan, state := all[filepath.Join(c.dir, "saved/tfplan")], all[filepath.Join(c.dir, "terraform.tfstate")]
	if requests < service.Count("", "") || budgets < 1 || plan == nil || state == nil || len(dumps) == 0 {
		t.Error("a file was not written or not searched")
	}
	for line := range strings.Lines(log) {
		bodyOrID := strings.Contains(line, "organizationAssessment") || strings.Contains(line, "pos-backend-london")
		if bodyOrID && strings.Contains(line, "request to the assessment service") {
			t.Errorf("the log of the provider contains a body or an ID: %s", line)
		}
	}
}

// With the address of a profile, anyone can complete it. With the sign-in address of a
// candidate, anyone can take the assessment. So no run shows them.
func TestPersonalAddressesAreNotShown(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t, func(o *sandboxtest.Options) { o.NoLimits = true })
	c := newCLI(t, service)
	c.env = append(c.env, "ASSESS_UNTHROTTLED=1")
	var shown strings.Builder
	step := func(args ...string) {
		t.Helper()
		r := c.human(append(args, "-no-color")...).ok()
		shown.WriteString(r.output)
	}
	c.use("1")
	step("plan", "-input=false")
	step("apply", "-input=false", "-auto-approve")
	step("show")
	c.use("other_profile")
	step("plan", "-input=false")
	step("apply", "-input=false", "-auto-approve")
	step("show")

	values := c.resource("assess_position_assessment.a")
	logins, ok := c.resource("data.assess_position_results.a")["candidate_login_urls"].(map[string]any)
	if !ok || len(logins) == 0 || values["profile_url"] == nil {
		t.Fatalf("the test has no addresses to search for: %v, %v", values, logins)
	}
	hidden := []any{values["profile_url"]}
	for _, address := range logins {
		hidden = append(hidden, address)
	}
	for _, address := range hidden {
		if strings.Contains(shown.String(), fmt.Sprint(address)) {
			t.Errorf("%v was shown", address)
		}
	}
	if n := strings.Count(shown.String(), "(sensitive value)"); n == 0 {
		t.Errorf("no value was shown as sensitive:\n%s", shown.String())
	}
	step("destroy", "-input=false", "-auto-approve")
}
