// SPDX-License-Identifier: MPL-2.0

//go:build unix

package gatewaytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/clitest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// life is a working directory whose provider reaches the embedded service only through a gateway.
type life struct {
	*clitest.CLI

	service *sandboxtest.Server
	before  []string // the IDs of position assessments that existed before the test
}

// proof is the header that a gateway adds, so that the journal shows what came around it.
const proof = "X-Gateway-Proof"

// attached is the number of position assessments in testdata/main.tf.
const attached = 6

// innerLinks is the difference that -check finds if the service writes links to an address that only
// the gateway reaches.
const innerLinks = "A1"

// service starts a service that finishes what it has begun, also after the gateway has given up on it.
func service(t *testing.T) *sandboxtest.Server {
	t.Helper()
	s := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true, MaxPage: 20}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r.WithContext(context.WithoutCancel(r.Context())))
	}))
	t.Cleanup(server.Close)
	return &sandboxtest.Server{Service: s, URL: server.URL + "/v1"}
}

// newLife makes a working directory for a base URL. ca is a certificate to trust.
func newLife(t *testing.T, service *sandboxtest.Server, baseURL, ca string, env ...string) *life {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte(ca), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &life{service: service}
	l.CLI = clitest.NewBare(t, append([]string{
		"ASSESS_BASE_URL=" + baseURL, "ASSESS_CLIENT_ID=" + sandbox.ClientID, "ASSESS_API_KEY=" + sandbox.APIKey,
		"ASSESS_UNTHROTTLED=1", "SSL_CERT_FILE=" + file,
	}, env...)...)
	l.Add("main.tf", clitest.ReadFile(t, "testdata", "main.tf"))
	l.before = l.existing()
	return l
}

// existing returns the IDs of all position assessments of the service.
func (l *life) existing() []string { return sandboxtest.AttachedIDs(l.service.State(l.t())) }

func (l *life) t() *testing.T { return l.T }

// known returns the IDs of the position assessments in the state of the CLI.
func (l *life) known() []string {
	l.T.Helper()
	text, err := os.ReadFile(filepath.Join(l.Dir, "terraform.tfstate"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var state struct {
		Resources []struct {
			Mode      string `json:"mode"`
			Type      string `json:"type"`
			Instances []struct {
				Attributes struct {
					ID string `json:"id"`
				} `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := errors.Join(err, json.Unmarshal(text, &state)); err != nil {
		l.T.Fatal(err)
	}
	var ids []string
	for _, r := range state.Resources {
		for _, i := range r.Instances {
			if r.Mode == "managed" && r.Type == "assess_position_assessment" {
				ids = append(ids, i.Attributes.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// step does something, and checks what must hold after it, whatever it has said: nothing that the
// state knew and that exists was dropped, nothing is attached twice, nothing of others is removed,
// and each request came through the gateway.
func (l *life) step(name string, do func() *clitest.Run) *clitest.Run {
	l.T.Helper()
	knew := l.known()
	run := do()
	after, exist := l.known(), l.existing()
	for _, id := range knew {
		if slices.Contains(exist, id) && !slices.Contains(after, id) {
			l.T.Errorf("%s dropped %s from the state, although it exists:\n%s", name, id, run.Text())
		}
	}
	for _, id := range l.before {
		if !slices.Contains(exist, id) {
			l.T.Errorf("%s removed %s, which is not its own:\n%s", name, id, run.Text())
		}
	}
	contents := map[string]int{}
	for _, p := range l.service.State(l.T).Positions {
		for _, a := range p.Assessments {
			contents[fmt.Sprint(p.ID, a.Assessment, a.Metadata.Benchmark, a.Metadata.Packages, a.Metadata.Tests)]++
		}
	}
	for content, n := range contents {
		if n > 1 {
			l.T.Errorf("%s attached %d times: %s\n%s", name, n, content, run.Text())
		}
	}
	for _, entry := range l.service.Journal() {
		if entry.Header.Get(proof) == "" {
			l.T.Errorf("%s: %s %s came around the gateway", name, entry.Method, entry.Path)
		}
	}
	return run
}

// applied checks that everything is attached once and known.
func (l *life) applied() {
	l.T.Helper()
	exist := l.existing()
	if known := l.known(); len(known) != attached || len(exist) != len(l.before)+attached {
		l.T.Fatalf("%d of %d are in the state: %v, and these exist: %v", len(known), attached, known, exist)
	}
}

// destroyed checks that nothing is left.
func (l *life) destroyed() {
	l.T.Helper()
	if known, exist := l.known(), l.existing(); len(known) > 0 || !slices.Equal(exist, l.before) {
		l.T.Fatalf("left in the state: %v, and these exist: %v", known, exist)
	}
}

func (l *life) apply() *clitest.Run { return l.step("apply", func() *clitest.Run { return l.Apply() }) }

func (l *life) plan() *clitest.Run { return l.step("plan", func() *clitest.Run { return l.Plan() }) }

func (l *life) destroy() *clitest.Run {
	return l.step("destroy", func() *clitest.Run { return l.Destroy() })
}

// whole is a life without faults: everything works, and -check finds only these differences.
func (l *life) whole(differences ...string) {
	l.T.Helper()
	l.begin()
	code, text := l.check()
	var found []string
	for _, line := range regexp.MustCompile(`(?m)^(A\d+) +(differs|not offered)`).FindAllStringSubmatch(text, -1) {
		found = append(found, line[1])
	}
	if code > 1 || !slices.Equal(found, differences) {
		l.T.Errorf("-check ended with %d and found %v, want %v:\n%s", code, found, differences, text)
	}
	l.destroy().OK()
	l.destroyed()
}

// begin applies, and plans again.
func (l *life) begin() {
	l.T.Helper()
	l.apply().OK()
	l.applied()
	l.plan().Empty()
	outputs := l.Human("output", "-json").Output
	for _, want := range []string{`"value": 8`, `"value": 66`} {
		if !strings.Contains(outputs, want) {
			l.T.Errorf("no %s in the outputs: %s", want, outputs)
		}
	}
}

// check runs the provider with -check, and returns its exit code and what it prints.
func (l *life) check() (code int, text string) {
	l.T.Helper()
	cmd := exec.CommandContext(l.T.Context(), clitest.ProviderBinary(l.T), "-check")
	cmd.Env, cmd.Dir = l.Env, l.Dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		l.T.Fatal(err)
	}
	return 0, string(out)
}

// slowly makes the service work this long on the next creation before it has its effect, and calls
// what must happen meanwhile.
func (l *life) slowly(took time.Duration, meanwhile func()) (ended <-chan struct{}) {
	done := make(chan struct{})
	began := l.service.Count(http.MethodPost, "")
	l.service.Inject(sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.BeforeEffect, Delay: took})
	go func() {
		defer close(done)
		clitest.WaitFor(l.T, "a creation", func() bool {
			return l.service.Count(http.MethodPost, "") > began || l.T.Context().Err() != nil
		})
		meanwhile()
	}()
	return done
}
