// SPDX-License-Identifier: MPL-2.0

package skillstest

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/finding"
)

// service is a service as data.
type service struct {
	enabled, disabled []assessapi.SkillsTest
	err               error // instead of the tests
}

func (s service) List(context.Context, assessapi.Kind, string) ([]assessapi.Item, error) {
	return []assessapi.Item{{ID: "asm"}}, nil
}

func (s service) AssessmentLabel(id string) assessapi.Label { return assessapi.Label{ID: id} }

func (s service) SkillsTests(_ context.Context, _ string, active bool) ([]assessapi.SkillsTest, error) {
	if active {
		return s.enabled, s.err
	}
	return s.disabled, s.err
}

// An assessment must have the test, enabled or not. A list that the service does not offer refuses nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	test := func(id string) []assessapi.SkillsTest { return []assessapi.SkillsTest{{Item: assessapi.Item{ID: id}}} }
	tests := service{enabled: test("skt"), disabled: test("skt-off")}
	for name, row := range map[string]struct {
		service          service
		assessment, test string
		want             finding.Rule
	}{
		"enabled":            {service: tests, test: "skt"},
		"disabled":           {service: tests, test: "skt-off"},
		"unknown":            {tests, "asm", "skt-no", finding.UnknownTest},
		"unknown assessment": {tests, "asm-no", "skt", finding.UnknownAssessment},
		"of another kind":    {service{}, "asm", "skt", finding.UnknownTest},
		"list not shown":     {service: service{err: &assessapi.Error{Status: http.StatusMethodNotAllowed}}, test: "skt-no"},
		"list fails":         {service{err: errors.New("no answer")}, "asm", "skt", finding.LookupFailed},
	} {
		if row.assessment == "" {
			row.assessment = "asm"
		}
		var got finding.Rule
		for _, f := range check(t.Context(), row.service, catalog.TestRef{Assessment: row.assessment, Test: row.test}) {
			if got = f.Rule; f.Warning || f.Detail == "" || len(f.Path) != 1 {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if got != row.want {
			t.Errorf("%s: refused by %v, want %v", name, got, row.want)
		}
	}
}
