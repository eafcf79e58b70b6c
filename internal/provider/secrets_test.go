// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// searched is everything that runs have written or printed, by place.
type searched map[string]string

// containing returns the places that contain a text.
func (s searched) containing(text string) (places []string) {
	for where, found := range s {
		if strings.Contains(found, text) {
			places = append(places, where)
		}
	}
	return places
}

// texts returns all files that runs have written below a directory, including the files
// in saved plans.
func texts(t *testing.T, dir string) searched {
	t.Helper()
	all := searched{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		all[path] = string(text)
		archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return nil //nolint:nilerr // not a saved plan
		}
		for _, file := range archive.File {
			inside, err := file.Open()
			if err != nil {
				return err
			}
			text, err := io.ReadAll(inside)
			if err != nil {
				return err
			}
			all[path+"/"+file.Name] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// gatewayToken is sent in an additional header.
const gatewayToken = "g4teway-token-not-a-secret"

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
	c := clitest.New(t, service)
	written := t.TempDir()
	c.Env = append(c.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(written, "log"), "XDG_CACHE_HOME="+written)
	c.Env = append(c.Env, "TF_VAR_gateway_token="+gatewayToken)
	c.UseFrom("TestSecretsAreNotWritten", "1")
	service.Change(t, func(st *sandbox.State) {
		for what, secret := range secrets {
			st.Assessments[0].Extra.Set(what, "sent with "+secret)
		}
	})
	var output strings.Builder
	step := func(succeeds bool, args ...string) {
		t.Helper()
		r := c.Human(args...)
		if (r.Code == 0) != succeeds {
			t.Errorf("%v ended with %d:\n%s", args, r.Code, r.Output)
		}
		output.WriteString(r.Output)
	}
	step(true, "plan", "-input=false", "-out=saved")
	step(true, "apply", "-input=false", "saved")
	step(true, "output", "-json")
	if n := strings.Count(output.String(), "the response repeats a secret"); n < len(secrets) {
		t.Errorf("%d secrets of unmodeled members were replaced", n)
	}
	for _, entry := range service.Journal() {
		if entry.Header.Get("X-Gateway-Token") != "Bearer "+gatewayToken {
			t.Errorf("%s %s has the header %q", entry.Method, entry.Path, entry.Header.Get("X-Gateway-Token"))
		}
	}

	// A gateway may return a text about a request. Package assessapi tests each part of a response.
	var repeated strings.Builder
	for what, secret := range secrets {
		fmt.Fprintf(&repeated, "<p>%s: %s</p>", what, secret)
	}
	service.Inject(sandboxtest.Fault{
		Method: http.MethodGet, Route: sandbox.RoutePositionAssessments, Status: http.StatusForbidden,
		Header: http.Header{"Conversation-Id": {repeated.String()}},
		Body:   fmt.Appendf(nil, `{"code":%[1]q,"message":%[1]q,"conversationId":%[1]q}`, repeated.String()),
	})
	step(false, "plan", "-input=false")
	service.ClearFaults()
	step(true, "show", "-json")
	step(true, "destroy", "-input=false", "-auto-approve")

	shared := texts(t, written)
	log := shared[filepath.Join(written, "log")]
	delete(shared, filepath.Join(written, "log"))
	all := texts(t, c.Dir)
	maps.Copy(all, shared)
	all["the output"], all["the log"] = output.String(), log
	for what, secret := range secrets {
		if places := all.containing(secret); len(places) > 0 {
			t.Errorf("%s is in %q", what, places)
		}
	}

	// The search has checked the important files.
	requests := strings.Count(log, "request to the assessment service")
	plan, state := all[filepath.Join(c.Dir, "saved/tfplan")], all[filepath.Join(c.Dir, "terraform.tfstate")]
	if requests < service.Count("", "") || len(shared) == 0 || plan == "" || state == "" {
		t.Errorf("a file was not written or not searched: %d lines of our log, %d files that runs share", requests, len(shared))
	}
	for line := range strings.Lines(log) {
		bodyOrID := strings.Contains(line, "organizationAssessment") || strings.Contains(line, "pos-backend-london")
		if bodyOrID && strings.Contains(line, "request to the assessment service") {
			t.Errorf("the log of the provider contains a body or an ID: %s", line)
		}
	}
}

// What the service writes into the answer of a rejection is in the error and in a log, also in strict mode.
func TestErrorsQuoteTheService(t *testing.T) {
	t.Parallel()
	service := sandboxtest.New(t)
	c := clitest.New(t, service)
	log := filepath.Join(t.TempDir(), "log")
	c.Env = append(c.Env, "ASSESS_PRIVACY=strict", "TF_LOG=trace", "TF_LOG_PATH="+log)
	c.Add("main.tf", "data \"assess_assessments\" \"all\" {}\n")
	const quoted = "ask Liam Walker"
	service.Inject(sandboxtest.Fault{
		Route: sandbox.RouteAssessments, Status: http.StatusForbidden, Times: -1,
		Body: []byte(`{"message":"` + quoted + strings.Repeat(" x", 500) + `"}`),
	})
	r := c.Plan().Fails("Could not list the assessments", quoted)
	clitest.Contains(t, "log", clitest.ReadFile(t, log), quoted)
	if strings.Contains(r.Errors[0].Detail, strings.Repeat("x ", 160)) {
		t.Errorf("more than 300 characters are quoted: %s", r.Errors[0].Detail)
	}
}
