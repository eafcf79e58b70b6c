// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

func TestListRefuses(t *testing.T) {
	t.Parallel()
	unknown := tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	for name, row := range map[string]struct {
		query query
		like  func(*sandboxtest.Options)
		fault sandboxtest.Fault
		says  []string
	}{
		"both arguments": {
			query: query{name: attachedList, config: map[string]any{
				"position_id":    "pos-lager-leipzig",
				"position_title": "Any",
			}},
			says: []string{"Invalid value", "This block sets position_id and position_title", "keep one of them"},
		},
		"an empty id": {
			query: query{name: attachedList, config: map[string]any{"position_id": ""}},
			says:  []string{"Empty ID"},
		},
		"outside Latin1": {
			query: query{name: attachedList, config: map[string]any{"position_title": "Łódź"}},
			says:  []string{"Character outside Latin1"},
		},
		"no assessment": {
			query: query{name: enabledList, config: map[string]any{"assessment_id": ""}},
			says:  []string{"Empty ID"},
		},
		"an unknown argument": {
			query: query{name: attachedList, config: map[string]any{"position_id": unknown}},
			says:  []string{"Argument of the list not known yet", "argument"},
		},
		"an unknown title": {
			query: query{
				name:   attachedList,
				config: map[string]any{"position_title": "Backend Engineer"},
			},
			says: []string{"No position found", `exactly the title "Backend Engineer"`},
		},
		"an unknown position": {
			query: query{name: attachedList, config: map[string]any{"position_id": "pos-moon"}},
			says: []string{
				"Could not list the position's assessments", `"pos-moon"`, "404 Not Found",
				"Conversation-Id", "the position does not exist", "import block",
			},
		},
		"no such list: 405": {
			query: query{name: attachedList},
			like:  func(o *sandboxtest.Options) { o.Assumptions.PositionAssessmentList = 405 },
			says:  []string{"Could not list the position's assessments", "no such list", "import block"},
		},
		"no such list: 404": {
			query: query{name: attachedList},
			fault: sandboxtest.Fault{Route: sandbox.RoutePositionAssessments, Times: -1, Status: http.StatusNotFound},
			says:  []string{"404 Not Found", "does not list", "import block"},
		},
		"no lists of tests": {
			query: query{
				name:   enabledList,
				config: map[string]any{"assessment_id": "asm-workbench"},
			},
			fault: sandboxtest.Fault{Route: sandbox.RouteSkillsTests, Times: -1, Status: http.StatusMethodNotAllowed},
			says:  []string{"Could not list the skills tests", "does not list skills tests"},
		},
		"wrong credentials": {
			query: query{name: attachedList},
			fault: sandboxtest.Fault{Times: -1, Status: http.StatusUnauthorized},
			says:  []string{"Could not list the positions", "401 Unauthorized", "ASSESS_API_KEY"},
		},
		"no titles": {
			query: query{name: attachedList, config: map[string]any{"position_title": "Any"}},
			fault: sandboxtest.Fault{Route: sandbox.RoutePositions, Times: -1, Status: http.StatusForbidden},
			says:  []string{"Could not list the positions", "403 Forbidden"},
		},
		"no names": {
			query: query{name: attachedList},
			fault: sandboxtest.Fault{Route: sandbox.RouteAssessments, Times: -1, Status: http.StatusForbidden},
			says:  []string{"Could not list the assessments", "to find their names", "403 Forbidden"},
		},
		"no names of tests": {
			query: query{
				name:   enabledList,
				config: map[string]any{"assessment_id": "asm-workbench"},
			},
			fault: sandboxtest.Fault{Route: sandbox.RouteAssessments, Times: -1, Status: http.StatusForbidden},
			says:  []string{"Could not list the assessments", "403 Forbidden"},
		},
		"a position forbidden": {
			query: query{name: attachedList},
			fault: sandboxtest.Fault{
				Route: sandbox.RoutePositionAssessments, Times: -1,
				Status: http.StatusForbidden,
			}, says: []string{
				"Could not list the position's assessments",
				"403 Forbidden",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := []func(*sandboxtest.Options){withAttachedState(1000)}
			if row.like != nil {
				options = append(options, row.like)
			}
			service := unlimited(t, options...)
			if row.fault.Status != 0 {
				service.Inject(row.fault)
			}
			w := newProtocolClient(t, service)
			w.mustConfigure(map[string]any{})
			f := w.list(row.query)
			if len(f.results) > 0 || len(f.errors) != 1 || !matchesAll(f.errors[0], row.says) {
				t.Errorf("listed %q with %d errors, want one that matches all of %q:\n%s", f.names(), len(f.errors),
					row.says, strings.Join(f.errors, "\n"))
			}
		})
	}
}

func TestListWithAnUnknownSetting(t *testing.T) {
	t.Parallel()
	service := unlimited(t)
	w := newProtocolClient(t, service)
	w.configureUnknown()
	for name, config := range map[string]map[string]any{
		attachedList: {},
		enabledList:  {"assessment_id": "asm-workbench"},
	} {
		f := w.list(query{name: name, config: config})
		if len(f.errors) != 1 ||
			!matchesAll(f.errors[0], []string{
				"Provider setting not known yet", "Could not list resources",
				`setting "base_url" is not known`,
			}) {
			t.Errorf("%s: %q", name, f.errors)
		}
	}
	service.AssertCount(t, "", "", 0)
}
