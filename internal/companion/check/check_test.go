// SPDX-License-Identifier: MPL-2.0

package check_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assessascode/terraform-provider-assess/api"
	"github.com/assessascode/terraform-provider-assess/internal/companion/check"
	runpkg "github.com/assessascode/terraform-provider-assess/internal/run"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// checked is the output of a check.
type checked struct {
	Verdict     string
	ExitCode    int
	Summary     string
	Requests    int
	Assumptions []assumption

	text string
}

// assumption is the line of an assumption.
type assumption struct{ ID, Title, Status, Seen, Effect string }

// statuses returns the lines with a status by number.
func (c checked) statuses(status string) []string {
	var ids []string
	for _, a := range c.Assumptions {
		if a.Status == status {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// different returns the lines that differ, in the order of their numbers.
func (c checked) different() []string {
	var ids []string
	for _, a := range c.Assumptions {
		if a.Status == "differs" || a.Status == "not offered" {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// has reports whether the line of an assumption contains a difference.
func (c checked) has(id, difference string) bool {
	d := api.Find(id).Difference(difference)
	for _, a := range c.Assumptions {
		if a.ID == id {
			return strings.Contains(a.Seen, api.Plain(d.If)) && strings.Contains(a.Effect, api.Plain(d.Then))
		}
	}
	return false
}

// output returns what a check writes, and its exit code. The output never contains a secret, an ID of the service, or a text
// about a person, whatever the service does.
func output(t *testing.T, transport http.RoundTripper, change ...func(*check.Options)) (string, int) {
	t.Helper()
	var out bytes.Buffer
	options := check.Options{
		Options: runpkg.Options{
			Version: "test", Getenv: sandboxtest.Getenv(nil), CacheDir: t.TempDir(), Transport: transport,
		},
		Out: &out,
	}
	for _, change := range change {
		change(&options)
	}
	code, err := check.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, forbidden := range []string{"Jürgen", "Graduate", "needle", "pos-", "asm-", "cnd-", "pas-", sandbox.APIKey, sandbox.ClientID} {
		if strings.Contains(strings.ReplaceAll(out.String(), sandbox.BaseURL, ""), forbidden) {
			t.Errorf("the output contains %q:\n%s", forbidden, &out)
		}
	}
	return out.String(), code
}

// run checks a service and reads the JSON.
func run(t *testing.T, transport http.RoundTripper, change ...func(*check.Options)) (c checked) {
	t.Helper()
	text, code := output(t, transport, append(change, asJSON)...)
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if c.text = text; code != c.ExitCode {
		t.Errorf("the exit code is %d, and %d in the JSON", code, c.ExitCode)
	}
	return c
}

func asJSON(o *check.Options) { o.JSON = true }

// organization is the demo with an assessment that must have packages. Some candidates have
// completed it.
func organization(t *testing.T) func() *sandbox.State {
	return func() *sandbox.State {
		st := sandbox.Demo()
		metadata := sandbox.Metadata{Packages: []string{"pkg-problem-solving", "pkg-numerical-reasoning"}}
		if _, err := st.Attach(sandbox.DemoResultsPosition, "asm-quartet", metadata); err != nil {
			t.Error(err)
		}
		for _, candidate := range st.Position(sandbox.DemoResultsPosition).Candidates[:10] {
			invitation, err := st.Invite(sandbox.DemoResultsPosition, candidate.ID, "asm-quartet", sandbox.Remote)
			if err == nil {
				err = sandboxtest.Complete(st, invitation)
			}
			if err != nil {
				t.Error(err)
			}
		}
		return st
	}
}

func newService(t *testing.T, assumptions sandboxtest.Assumptions) *sandboxtest.Service {
	t.Helper()
	return sandboxtest.NewService(t, sandboxtest.Options{
		Options: sandbox.Options{Seed: organization(t)}, Assumptions: assumptions, Latency: 100 * time.Millisecond,
	})
}

// unseen are the assumptions that only a write or a 429 shows, A30 and A31.
var unseen = []string{"A4", "A5", "A6", "A14", "A15", "A18", "A21", "A27", "A28", "A30", "A31"}

// The sandbox meets everything that a check can see. The check sends at most 40
// requests, within the limits, and only GET.
func TestEmbeddedService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Latency: 200 * time.Millisecond})
		start := time.Now()
		c := run(t, service)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		if c.ExitCode != 0 || c.Verdict != "works" || !slices.Equal(c.statuses("cannot tell"), unseen) ||
			len(c.statuses("ok")) != len(api.Assumptions)-len(unseen) {
			t.Errorf("exit code %d:\n%s", c.ExitCode, c.text)
		}
		if n := service.Count(http.MethodGet, ""); n != c.Requests || n > 40 || len(service.Writes()) > 0 {
			t.Errorf("%d requests, %d in the result, and %d writes", n, c.Requests, len(service.Writes()))
		}
		exceeds := func(entry sandboxtest.Entry) bool { return entry.Status == http.StatusTooManyRequests }
		if slices.ContainsFunc(service.Journal(), exceeds) {
			t.Error("the check exceeded the limits")
		}
	})
}

// The text begins with the verdict. Then come the assumptions that the service does not meet, and with --verbose all.
func TestText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		assumptions := sandboxtest.Differing("A8 404", "A10 optional")
		const (
			verdict = "Works with limits. Of the 20 assumptions that this check could test, the service meets 18, differs in 1, and " +
				"does not offer 1 (A8 the list of benchmarks). It cannot tell 11: their lines say why."
			met    = "A1   ok           The format of lists."
			cannot = "A6   cannot tell  Removing. It affects only writes, and a check only reads."
			lost   = "A8   not offered  The list of benchmarks. The service does not list benchmarks (404, 405 or 501). " +
				"Plans do not check benchmarks, and assess_benchmarks fails. Use IDs in your configuration."
			other = "A10  differs      Mandatory packages. The mark is a field optional, or any field with the text MANDATORY or " +
				"OPTIONAL. The provider understands this too, so nothing changes."
		)
		text, code := output(t, newService(t, assumptions))
		if got := strings.Split(text, "\n"); code != 1 || len(got) != 18 || got[0] != verdict || got[1] != "" || got[2] != lost ||
			got[3] != other || got[6] != cannot {
			t.Errorf("exit code %d, %d lines:\n%s", code, len(got), text)
		}
		text, code = output(t, newService(t, assumptions), func(o *check.Options) { o.Verbose = true })
		if got := strings.Split(text, "\n"); code != 1 || len(got) != 36 || got[0] != verdict || got[2] != met ||
			got[7] != cannot || got[9] != lost || got[11] != other {
			t.Errorf("exit code %d, %d lines:\n%s", code, len(got), text)
		}
	})
}

// Each form of a service that a read can show gets its line and the exit code 1. Forms
// that only writes or a 429 show do not change the result.
func TestEveryAssumption(t *testing.T) {
	t.Parallel()
	for _, alternative := range sandboxtest.Alternatives() {
		sandboxtest.Virtual(t, alternative.Gap+" "+alternative.Name, func(t *testing.T) {
			c := run(t, newService(t, sandboxtest.Assumptions{alternative}))
			different := append(c.statuses("differs"), c.statuses("not offered")...)
			if slices.Contains(unseen, alternative.Gap) {
				if c.ExitCode != 0 || len(different) > 0 || !slices.Contains(c.statuses("cannot tell"), alternative.Gap) {
					t.Errorf("exit code %d:\n%s", c.ExitCode, c.text)
				}
				return
			}
			if c.ExitCode != 1 || !slices.Contains(different, alternative.Gap) {
				t.Errorf("exit code %d, and not a line about %s:\n%s", c.ExitCode, alternative.Gap, c.text)
			}
			// Fields that are rejected are missing elsewhere, too.
			if len(different) > 1 && alternative.Gap != "A24" {
				t.Errorf("differences %v, want only %s", different, alternative.Gap)
			}
		})
	}
}
