// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

// recorder stores the bodies of all responses.
type recorder struct {
	next http.RoundTripper
	mu   sync.Mutex
	all  bytes.Buffer
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(body)
	return response, nil
}

// person returns members with personal data that a service may add to an object.
func person(n int) sandbox.Object {
	var o sandbox.Object
	o.Set("contact", fmt.Sprintf("Needle Person %d", n))
	o.Set("owner", map[string]any{"mail": fmt.Sprintf("needle-%d@example.com", n)})
	return o
}

// populate adds personal data to every object. It returns the texts in lists that a
// snapshot requests (shown), and the texts in lists that it must not request (people).
func populate(st *sandbox.State) (shown, people []string) {
	n := 0
	extra := func() sandbox.Object {
		n++
		shown = append(shown, fmt.Sprintf("Needle Person %d", n), fmt.Sprintf("needle-%d@example.com", n))
		return person(n)
	}
	for i := range st.Assessments {
		a := &st.Assessments[i]
		a.Extra = extra()
		for i := range a.Packages {
			a.Packages[i].Extra = extra()
		}
		for i := range a.Benchmarks {
			a.Benchmarks[i].Extra = extra()
		}
		for i := range a.Profiles {
			a.Profiles[i].Extra = extra()
		}
		for i := range a.SkillsTests {
			a.SkillsTests[i].Object = append(a.SkillsTests[i].Object, extra()...)
		}
	}
	for i := range st.Positions {
		p := &st.Positions[i]
		p.Extra = extra()
		for j := range p.Assessments {
			p.Assessments[j].Metadata.Extra = person(10_000 + 100*i + j)
			people = append(people, fmt.Sprintf("Needle Person %d", 10_000+100*i+j))
		}
		for _, c := range p.Candidates {
			people = append(people, c.ID, c.Name)
			for _, result := range c.Results {
				for _, invitation := range result.Invitations {
					people = append(people, invitation.ID)
				}
			}
		}
	}
	return shown, people
}

func TestFileHasNoPersonalDataAndNoKey(t *testing.T) {
	t.Parallel()
	for _, assumptions := range []sandboxtest.Assumptions{
		{},
		{PackageMark: "word"},
		{PackageMark: "none", PackageMarkUnasked: true},
		{Collections: "object"},
		{RefuseFields: "whole"},
	} {
		t.Run(assumptions.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var shown, people []string
				service := sandboxtest.NewService(t, sandboxtest.Options{
					Options: sandbox.Options{NoLimits: true, Seed: func() *sandbox.State {
						st := sandbox.Demo()
						if _, err := st.Attach("pos-backend-london", "asm-northlight", sandbox.Metadata{}); err != nil {
							t.Error(err)
						}
						shown, people = populate(st)
						return st
					}},
					Assumptions: assumptions,
				})
				recorded := &recorder{next: service}
				run := take(t.Context(), t, service, func(o *snapshot.Options) { o.Transport = recorded })
				if run.err != nil {
					t.Fatal(run.err)
				}
				file, err := os.ReadFile(run.file)
				if err != nil {
					t.Fatal(err)
				}
				if len(shown) < 150 || len(people) < 100 {
					t.Fatalf("the organization has only %d and %d texts to search for", len(shown), len(people))
				}
				answers := recorded.all.String()
				for _, needle := range shown {
					if !strings.Contains(answers, needle) {
						t.Errorf("no response contains %q, so the test proves nothing", needle)
					}
				}
				for _, needle := range people {
					if strings.Contains(answers, `"`+needle+`"`) {
						t.Errorf("the snapshot requested %q", needle)
					}
				}
				credentials := []string{
					sandbox.APIKey, sandbox.ClientID,
					base64.StdEncoding.EncodeToString([]byte(sandbox.ClientID + ":" + sandbox.APIKey)),
				}
				needles := append(append(credentials, shown...), people...)
				for _, where := range []string{string(file), run.out.String(), run.progress.String(), decoded(t, file)} {
					for _, needle := range needles {
						if strings.Contains(where, needle) {
							t.Errorf("the output contains %q", needle)
						}
					}
				}
				for _, name := range []string{"candidates", "results", "invitations", "profileUrl", "_links", `"extra"`} {
					if strings.Contains(string(file), name) {
						t.Errorf("the file contains a member %s", name)
					}
				}
			})
		})
	}
}

// decoded returns JSON text without escapes.
func decoded(t *testing.T, text []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(value)
}
