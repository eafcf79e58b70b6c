// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// A key that was revoked is one error of a plan, and nothing more is sent. In an apply, the CLI requires an error
// for each change that was not made. All but one have four lines, which say why, and the CLI prints
// the one with the advice last.
func TestRevokedKeyIsReportedOnce(t *testing.T) {
	t.Parallel()
	const resources = 120
	service, c := large(t, resources)
	c.UseFrom("TestInterrupt", "budget")
	const parallelism = 10 // so many requests can be on the way, because this test has no throttle
	const stopped = "Stopped by an earlier error: the service answered 401 Unauthorized"

	service.Inject(sandboxtest.Fault{
		Method: http.MethodPost, Skip: resources / 2, Status: http.StatusUnauthorized, Times: -1,
	})
	applied := c.Human("apply", "-input=false", "-auto-approve", "-no-color")
	whole := strings.Count(applied.Output, "Error: ") - strings.Count(applied.Output, "Error: "+stopped)
	refused := service.Count(http.MethodPost, "") - resources/2
	t.Logf("apply: %d errors with advice, %d refused requests, %d lines", whole, refused, errorLines(applied.Output))
	if whole != 1 || refused > parallelism || applied.Code == 0 {
		t.Errorf("%d errors with advice, and %d refused requests, want 1 and few:\n%s", whole, refused, applied.Output)
	}
	if strings.LastIndex(applied.Output, "Error: "+stopped) > strings.LastIndex(applied.Output, "Error: Could not attach") {
		t.Errorf("the error with the advice is not the last one:\n%s", applied.Output)
	}
	if lines := errorLines(applied.Output); lines > 4*(resources/2-1)+20 {
		t.Errorf("the errors have %d lines:\n%s", lines, applied.Output)
	}
	if strings.Count(applied.Output, "Error: "+stopped) != resources/2-1 {
		t.Errorf("not every other error refers to the first one:\n%s", applied.Output)
	}
	if has, kept := len(sandboxtest.AttachedIDs(service.State(t))), len(c.Managed()); has != kept || has != resources/2 {
		t.Errorf("the service has %d position assessments, the state has %d, want %d", has, kept, resources/2)
	}

	service.ClearFaults()
	service.ResetJournal()
	service.Inject(sandboxtest.Fault{Status: http.StatusUnauthorized, Times: -1})
	planned := c.Human("plan", "-input=false", "-no-color")
	errors, sent := strings.Count(planned.Output, "Error: "), len(service.Journal())
	t.Logf("plan: %d errors, %d requests, %d lines", errors, sent, errorLines(planned.Output))
	if errors != 1 || sent > 2 || errorLines(planned.Output) > 60 || planned.Code == 0 {
		t.Errorf("%d errors after %d requests, want 1 after at most 2:\n%s", errors, sent, planned.Output)
	}
}

// With `select`, a plan needs a list of the service, so each resource has an error. Only one of them is complete. An
// apply plans again, and then a resource that needs no list has its values without it, because the CLI compares
// them with the plan.
func TestRevokedKeyOfASelection(t *testing.T) {
	t.Parallel()
	simulate(t, func(s *simulation) {
		config := simulatedConfig(
			selected("a", backend, "all"), selected("b", leeds, "all"), engineers, customers, activation("go", "skt-go"),
		)
		planned := s.succeeds(s.plan(config))
		s.service.Inject(sandboxtest.Fault{Status: http.StatusUnauthorized, Times: -1})
		again := s.plan(config)
		s.options.Machine = "other"
		for run, r := range map[string]coretest.Result{
			"plan": again, "apply": s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options),
		} {
			complete, selections := 0, 0
			for _, d := range r.Diagnostics {
				switch {
				case !strings.HasPrefix(d.Summary, "Stopped by an earlier error: the service answered 401 Unauthorized"):
					complete++
				case strings.Contains(d.Detail, "packages"):
					selections++
				}
			}
			if complete != 1 || selections == 0 {
				s.t.Errorf("%s: %d complete errors, want 1: %v", run, complete, r.Diagnostics)
			}
		}
	})
}

// The complete error may be that of a data source. A refresh of resources then has no error.
func TestRevokedKeyOfADataSource(t *testing.T) {
	t.Parallel()
	inOrders(t, func(s *simulation) {
		config := simulatedConfig(engineers, managers, customers, coretest.Resource{
			Addr: "data.assess_position.a", Body: coretest.Body{"id": backend},
		})
		s.apply(config)
		s.service.Inject(sandboxtest.Fault{Status: http.StatusUnauthorized, Times: -1})
		r := s.plan(config)
		complete := 0
		for _, d := range r.Diagnostics {
			stopped := strings.HasPrefix(d.Summary, "Stopped by an earlier error: ")
			if !stopped {
				complete++
			} else if !strings.HasPrefix(d.Addr, "data.") {
				s.t.Errorf("%s repeats the error: %v", d.Addr, r.Diagnostics)
			}
		}
		if complete != 1 {
			s.t.Errorf("%d complete errors, want 1: %v", complete, r.Diagnostics)
		}
	})
}

// errorLines counts the lines from the first error on.
func errorLines(output string) int {
	i := strings.Index(output, "Error: ")
	return strings.Count(output[max(i, 0):], "\n")
}
