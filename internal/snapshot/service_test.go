// SPDX-License-Identifier: MPL-2.0

package snapshot_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
	"github.com/assessascode/terraform-provider-assess/internal/snapshot"
)

// A snapshot works with every service that the assumptions allow. It reports the lists
// that the service does not show, and it does not show them either.
func TestEveryAssumption(t *testing.T) {
	t.Parallel()
	for _, alternative := range sandboxtest.Alternatives() {
		sandboxtest.Virtual(t, alternative.Name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{
				Options: sandbox.Options{NoLimits: true}, Assumptions: alternative.Assumptions,
			})
			run := take(t.Context(), t, service)
			got, want := run.state(t), sandbox.Demo()
			notes := run.progress.String()
			a := alternative.Assumptions
			switch {
			case a.BenchmarkList != 0:
				hidden(t, got, sandbox.Benchmarks, a.BenchmarkList, len(want.Assessments))
				says(t, notes, "does not list the benchmarks of asm-quartet, asm-lumen, asm-northlight, asm-terrain, "+
					"asm-workbench and 8 more", fmt.Sprint(a.BenchmarkList), "Conversation-Id", "do not check them")
				for i := range want.Assessments {
					want.Assessments[i].Benchmarks = nil
				}
			case a.ProfileList != 0:
				hidden(t, got, sandbox.Profiles, a.ProfileList, len(want.Assessments))
				says(t, notes, "does not list the profiles of asm-quartet", "do not check them")
				for i := range want.Assessments {
					want.Assessments[i].Profiles = nil
				}
			case a.OtherKind != 0:
				hidden(t, got, sandbox.Packages, a.OtherKind, len(want.Assessments)-1)
				says(t, notes, "does not list the packages of asm-lumen", "does not list the skills tests of asm-quartet")
			case a.RefuseFields == "bare":
				says(t, notes, "The service refuses optional parameters", "names and other optional fields may be missing")
				if a, b := ids(t, got), ids(t, want); !slices.Equal(a, b) {
					t.Errorf("the snapshot has %s, want %s", a, b)
				}
				return
			case a.PackageMark == "none":
				for i := range want.Assessments[0].Packages {
					want.Assessments[0].Packages[i].Mandatory = false
					want.Assessments[0].Packages[i].Unmarked = true
				}
			case a.NoLocale:
				for i := range want.Positions {
					want.Positions[i].Locale = ""
				}
			case a.PositionLocales != "" || a.BenchmarkLocales != "":
				usualLocales(got)
				usualLocales(want)
			case a.RefuseFields != "":
			default:
				if notes != "" {
					t.Errorf("notes:\n%s", notes)
				}
			}
			for i := range got.Assessments {
				got.Assessments[i].Refused = nil
			}
			sameOrganization(t, got, want)
		})
	}
}

// usualLocales gives all locales one spelling.
func usualLocales(st *sandbox.State) {
	usual := func(locale *string) { *locale = strings.ToLower(strings.ReplaceAll(*locale, "_", "-")) }
	for i := range st.Positions {
		usual(&st.Positions[i].Locale)
	}
	for _, assessment := range st.Assessments {
		for i := range assessment.Benchmarks {
			usual(&assessment.Benchmarks[i].Locale)
		}
	}
}

// hidden checks that n assessments do not show a list, with the status of the service.
func hidden(t *testing.T, st *sandbox.State, list sandbox.List, status, n int) {
	t.Helper()
	for _, a := range st.Assessments {
		if slices.Contains(a.Refused, sandbox.Refusal{List: list, Status: status}) {
			n--
		}
	}
	if n != 0 {
		t.Errorf("%d more assessments should hide their %s", n, list)
	}
}

func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

var identity = regexp.MustCompile(`"id":"[^"]*"`)

// ids returns the IDs of everything that a configuration can refer to.
func ids(t *testing.T, st *sandbox.State) []string {
	t.Helper()
	all := identity.FindAllString(asJSON(t, st.Assessments), -1)
	for _, p := range st.Positions {
		all = append(all, p.ID)
	}
	slices.Sort(all)
	return all
}

// A snapshot also leaves out lists that are refused for other reasons and lists that it
// cannot read. The lists of enabled and of disabled skills tests are independent.
func TestOptionalLists(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fault  sandboxtest.Fault
		list   sandbox.List
		status int
		says   []string
	}{
		"forbidden": {
			sandboxtest.Fault{Route: sandbox.RouteProfiles, Status: 403, Times: -1},
			sandbox.Profiles, 404,
			[]string{"the profiles of asm-quartet", "403 Forbidden"},
		},
		"not a list": {
			sandboxtest.Fault{
				Route: sandbox.RouteBenchmarks, Body: []byte(`{"a":[],"b":[]}`), Times: -1, When: sandboxtest.AfterEffect,
			},
			sandbox.Benchmarks, 404,
			[]string{"the benchmarks of asm-quartet", "several of them arrays"},
		},
		"gone": {
			sandboxtest.Fault{Route: sandbox.RouteSkillsTests, Status: 410, Times: -1},
			sandbox.SkillsTests, 410,
			[]string{"the skills tests of asm-quartet", "410 Gone"},
		},
	} {
		sandboxtest.Virtual(t, name, func(t *testing.T) {
			service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
			service.Inject(row.fault)
			run := take(t.Context(), t, service)
			hidden(t, run.state(t), row.list, row.status, 13)
			says(t, run.progress.String(), row.says...)
		})
	}
	sandboxtest.Virtual(t, "disabled tests", func(t *testing.T) {
		service := sandboxtest.NewService(t, sandboxtest.Options{Options: sandbox.Options{NoLimits: true}})
		run := take(t.Context(), t, service, func(o *snapshot.Options) { o.Transport = refuses405{service} })
		want := sandbox.Demo()
		skills := want.Assessment("asm-workbench")
		skills.SkillsTests = slices.DeleteFunc(skills.SkillsTests, func(s sandbox.SkillsTest) bool { return !s.Active() })
		sameOrganization(t, run.state(t), want)
		says(t, run.progress.String(), "does not list the disabled skills tests of asm-workbench", "405")
	})
}

// refuses405 refuses the list of the disabled tests of asm-workbench.
type refuses405 struct{ http.RoundTripper }

func (r refuses405) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.RoundTripper.RoundTrip(req)
	disabled := req.URL.Query().Get("active") == "false"
	if err == nil && disabled && strings.Contains(req.URL.Path, "/asm-workbench/") {
		resp.StatusCode = http.StatusMethodNotAllowed
	}
	return resp, err
}
