// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// oddID contains all characters with a special meaning in an address, in JSON, in HCL,
// or on a terminal.
const oddID = "a/b 50% %2F ..?#&\"'\\\n\t${x}é"

// Any ID is one segment of an address. Only the object with that ID is read, changed or
// removed.
func TestFaultOddIDs(t *testing.T) {
	t.Parallel()
	ids := []string{oddID, "../pas-0001", "..%2Fpas-0001", "...", "%2e%2e", "pas-0001/", "pas-0001?x=1", "pas-0001#"}
	for _, id := range ids {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				position := "pos " + id
				bystander := sandbox.PositionAssessment{ID: "pas-0001", Assessment: "asm-facet"}
				s.change(func(st *sandbox.State) {
					st.Position(backend).Assessments = []sandbox.PositionAssessment{bystander}
					own := sandbox.PositionAssessment{
						ID: id, Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: engineersBenchmark},
					}
					st.Positions = append(st.Positions, sandbox.Position{
						ID: position, Title: "Odd", Locale: "en-GB", Assessments: []sandbox.PositionAssessment{bystander, own},
					})
				})
				// A warning about a duplicate names an import ID that works.
				importID := url.PathEscape(position) + "/" + url.PathEscape(id)
				s.warns(s.plan(simulatedConfig(benchmarked("a", position, engineersBenchmark))),
					alreadyAttached, regexp.QuoteMeta(`id = "`+importID+`"`))
				s.apply(importing(importID, benchmarked("a", position, managersBenchmark)))
				find := func() (kept, own *sandbox.PositionAssessment) {
					p := s.service.State(t).Position(position)
					return p.Assessment("pas-0001"), p.Assessment(id)
				}
				if kept, own := find(); kept == nil || own == nil || own.Metadata.Benchmark != managersBenchmark {
					t.Errorf("after the update the position has %v and %v", kept, own)
				}
				s.applies()
				if kept, own := find(); kept == nil || own != nil {
					t.Errorf("after the removal the position has %v and %v", kept, own)
				}
				if left := s.on(backend); len(left) != 1 {
					t.Errorf("the other position has %v", left)
				}
				for _, e := range s.service.Journal() {
					if e.Route == "" {
						t.Errorf("the service has no route %s %s", e.Method, e.Path)
					}
				}
			})
		})
	}
}

// Unexpected responses cause an error that describes them, and keep the state. The tests of assessapi
// have more of them.
func TestFaultHostileAnswers(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	const element = `{"id":"pas-0001","organizationAssessment":"asm-lumen","metadata":`
	const lists, single = sandbox.RoutePositionAssessments, sandbox.RoutePositionAssessment
	for name, row := range map[string]struct {
		route, body string
		says        string // the expected error; "" if the response is accepted
	}{
		"null for a list":      {lists, `null`, "expected a list, got null"},
		"no id":                {lists, `[{"organizationAssessment":"asm-lumen"}]`, `without "id"`},
		"an id twice":          {lists, `[` + element + `null},` + element + `null}]`, `contains the id "pas-0001" twice`},
		"null among packages":  {lists, `[` + element + `{"packages":[null]}}]`, `"packages" to be a string, got null`},
		"a thousand levels":    {lists, `[` + element + `{"benchmark":"` + engineersBenchmark + `","more":` + deep(1000) + `}}]`, ""},
		"too many levels":      {lists, deep(20_000), "a body that is not JSON"},
		"a list for an object": {single, `[]`, "expected an object, got an array"},
		"another object": {
			single, `{"id":"pas-0002","organizationAssessment":"asm-lumen"}`, `asked for position assessment "pas-0001", got "pas-0002"`,
		},
		"an escape sequence": {
			lists, `[{"id":"pas-0001","organizationAssessment":{"` + "\\u001b[31m" + `":1}}]`, `"organizationAssessment" to be a string`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.applies(engineers)
				before := s.object(engineers).Value
				s.service.Inject(sandboxtest.Fault{
					Method: http.MethodGet, Route: row.route, When: sandboxtest.AfterEffect,
					Status: 200, Times: -1, Body: []byte(row.body),
				})
				r := s.plan(simulatedConfig(engineers))
				if row.says == "" {
					s.succeeds(r)
				} else {
					s.fails(r, row.says, `Could not read position assessment "pas-0001" of position "pos-backend-london"`,
						fixAddress+"|To fix this: run the command again. If this happens every time")
				}
				if !s.object(engineers).Value.Equal(before) {
					t.Errorf("the state has %s, want %s", s.object(engineers).Value, before)
				}
				if r.Says("\x1b") {
					t.Errorf("the message contains terminal escapes: %q", r.Diagnostics)
				}
			}, func(o *sandboxtest.Options) {
				if row.route == single {
					o.Assumptions.PositionAssessmentList = http.StatusMethodNotAllowed
				}
			})
		})
	}
}
