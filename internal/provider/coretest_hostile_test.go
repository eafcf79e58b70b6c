// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
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
						ID: id, Assessment: "asm-lumen", Metadata: sandbox.Metadata{Benchmark: "bmk-lumen-engineers-en-gb"},
					}
					st.Positions = append(st.Positions, sandbox.Position{
						ID: position, Title: "Odd", Locale: "en-GB", Assessments: []sandbox.PositionAssessment{bystander, own},
					})
				})
				config := func(benchmark string) coretest.Config {
					return simulatedConfig(positionAssessment("a", position, "asm-lumen", "benchmark", coretest.Body{"id": benchmark}))
				}

				// A duplicate is refused with an import ID that works.
				importID := url.PathEscape(position) + "/" + url.PathEscape(id)
				s.fails(
					s.plan(config("bmk-lumen-engineers-en-gb")),
					"Duplicate assessment",
					regexp.QuoteMeta(`id = "`+importID+`"`),
				)
				updated := config("bmk-lumen-managers-en-gb")
				updated.Imports = []coretest.Import{{To: attachmentAddr + "a", ID: importID}}
				s.apply(updated)
				find := func() (kept, own *sandbox.PositionAssessment) {
					p := s.service.State(t).Position(position)
					return p.Assessment("pas-0001"), p.Assessment(id)
				}
				if kept, own := find(); kept == nil || own == nil || own.Metadata.Benchmark != "bmk-lumen-managers-en-gb" {
					t.Errorf("after the update the position has %v and %v", kept, own)
				}
				s.apply(simulatedConfig())
				if kept, own := find(); kept == nil || own != nil {
					t.Errorf("after the removal the position has %v and %v", kept, own)
				}
				if left := s.service.State(t).Position(backend).Assessments; len(left) != 1 {
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

// Unexpected responses cause an error that describes them. They never cause a panic and
// never drop a resource from the state.
func TestFaultHostileAnswers(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	const element = `{"id":"pas-0001","organizationAssessment":"asm-lumen","metadata":`
	const lists, single = sandbox.RoutePositionAssessments, sandbox.RoutePositionAssessment
	const due = `"organizationAssessment" to be a string`
	for name, row := range map[string]struct {
		route, body string
		says        string // the expected error; "" if the response is accepted
	}{
		"null for a list":     {lists, `null`, "expected a list, got null"},
		"a string for a list": {lists, `"pas-0001"`, "expected a list, got a string"},
		"null in a list":      {lists, `[null]`, "expected an object, got null"},
		"a list in a list":    {lists, `[[]]`, "expected an object, got an array"},
		"no id":               {lists, `[{"organizationAssessment":"asm-lumen"}]`, `without "id"`},
		"null for an id":      {lists, `[{"id":null,"organizationAssessment":"asm-lumen"}]`, `without "id"`},
		"an object for an id": {
			lists,
			`[{"id":{},"organizationAssessment":"asm-lumen"}]`,
			`"id" to be a string`,
		},
		"an id twice": {
			lists,
			`[` + element + `null},` + element + `null}]`,
			`contains the id "pas-0001" twice`,
		},
		"a string for metadata": {
			lists,
			`[` + element + `"x"}]`,
			`"metadata" to be an object, got a string`,
		},
		"a string for packages": {
			lists,
			`[` + element + `{"packages":"x"}}]`,
			`"packages" to be an array`,
		},
		"null among packages": {
			lists,
			`[` + element + `{"packages":[null]}}]`,
			`"packages" to be a string, got null`,
		},
		"a page that links to itself": {
			lists,
			`{"_links":[{"rel":"next","href":"?"}],"items":[]}`,
			"form a loop",
		},
		"a page of another origin": {
			lists,
			`{"_links":[{"rel":"next","href":"https://elsewhere.example/"}],"items":[]}`,
			"points to another origin, https://elsewhere.example",
		},
		"a thousand levels": {lists, deep(1000), "none of them an array"},
		"a thousand levels, unknown member": {
			lists,
			`[` + element + `{"benchmark":"bmk-lumen-engineers-en-gb","more":` + deep(1000) + `}}]`,
			"",
		},
		"too many levels":       {lists, deep(20_000), "a body that is not JSON"},
		"no object for the one": {single, `null`, "expected an object, got null"},
		"a list for the one":    {single, `[]`, "expected an object, got an array"},
		"another one": {
			single,
			`{"id":"pas-0002","organizationAssessment":"asm-lumen"}`,
			`asked for position assessment "pas-0001", got "pas-0002"`,
		},
		"no assessment": {single, `{"id":"pas-0001"}`, `without "organizationAssessment"`},
		"an escape sequence": {
			lists,
			`[{"id":"pas-0001","organizationAssessment":{"` + "\\u001b[31m" + `":1}}]`,
			due,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.apply(simulatedConfig(engineers))
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
						fixAddress+"|The list changed while the provider read it")
				}
				if !s.object(engineers).Value.Equal(before) {
					t.Errorf("the state has %s, want %s", s.object(engineers).Value, before)
				}
				if r.Says("\x1b") {
					t.Errorf("the message contains terminal escapes: %q", r.Diagnostics)
				}
			}, func(o *sandboxtest.Options) { setNoList(o, row.route == single) })
		})
	}
}

// metered counts the bytes that are read of each response.
type metered struct {
	http.RoundTripper
	most atomic.Int64
}

func (m *metered) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := m.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &meter{resp.Body, m, 0}
	}
	return resp, err
}

type meter struct {
	io.ReadCloser
	of   *metered
	read int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if m.read += int64(n); m.read > m.of.most.Load() {
		m.of.most.Store(m.read)
	}
	return n, err
}

// A response of more than 64 MiB is refused and not read to its end.
func TestFaultLargeAnswer(t *testing.T) {
	t.Parallel()
	const largest = 64 << 20
	for name, fault := range map[string]sandboxtest.Fault{
		"with an end":    {Body: append(append([]byte(`["`), bytes.Repeat([]byte("x"), largest)...), `"]`...)},
		"without an end": {Endless: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			once(t, func(s *simulation) {
				s.apply(simulatedConfig(engineers))
				network := &metered{RoundTripper: s.network.Next}
				s.network.Next = network
				fault.Method, fault.Times, fault.When = http.MethodGet, -1, sandboxtest.AfterEffect
				s.service.Inject(fault)
				s.service.ResetJournal()
				s.fails(
					s.plan(simulatedConfig(engineers)),
					"^Could not read the position assessment",
					"larger than 64 MiB",
					`"pas-0001"`,
				)
				if read := network.most.Load(); read > largest+1<<20 {
					t.Errorf("%d bytes of a response were read", read)
				}
				s.service.AssertCount(t, "", "", 1) // it is not requested again
				if s.object(engineers) == nil {
					t.Error("the resource was dropped from the state")
				}
			})
		})
	}
}
