// SPDX-License-Identifier: MPL-2.0

//go:build unix

package provider_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// These tests run a few scenarios of the simulated core on the real CLI.

// A run is killed during 30 creations and then applied again. No assessment is attached
// twice, whatever its blocks.
func TestKilledApplyAttachesNothingTwice(t *testing.T) {
	t.Parallel()
	const resources = 30
	for kind, body := range blockVariants {
		for _, after := range []int{1, 18, 29} {
			t.Run(fmt.Sprintf("%s after %d", kind, after), func(t *testing.T) {
				t.Parallel()
				service, c := large(t, resources)
				c.useText(onPositions(body, numbered(0, resources)...))
				service.Inject(
					sandboxtest.Fault{Method: http.MethodPost, When: sandboxtest.AfterEffect, Delay: 30 * time.Millisecond, Times: -1},
				)
				r := c.start("apply", "-input=false", "-auto-approve", "-no-color")
				r.kill(service, http.MethodPost, after)
				r.ended()
				waitForQuiet(t, service)
				service.ClearFaults()
				left := len(c.notInState(service, resources))
				again := c.apply()
				if refused := len(again.errors); refused != left || (again.code == 0) != (left == 0) {
					t.Errorf("%d position assessments are not in the state, and %d are refused:\n%s", left, refused, again.text())
				}
				for _, p := range service.State(t).Positions {
					if len(p.Assessments) > 1 {
						t.Errorf("position %s has %d assessments", p.ID, len(p.Assessments))
					}
				}
			})
		}
	}
}

// 24 positions shift by one, as after removing the first element of a count. Each
// resource moves to the position of the next one.
func TestShiftOf24Positions(t *testing.T) {
	t.Parallel()
	for _, parallelism := range []string{"-parallelism=1", "-parallelism=10"} {
		for _, createFirst := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, create_before_destroy=%t", parallelism, createFirst), func(t *testing.T) {
				t.Parallel()
				service, c := large(t, 25)
				body := fmt.Sprintf("%s\n  lifecycle { create_before_destroy = %t }", blockVariants["benchmarks"], createFirst)
				c.useText(onPositions(body, numbered(0, 25)...))
				c.apply(parallelism).ok()
				c.useText(onPositions(body, numbered(1, 25)...))
				c.apply(parallelism).ok()
				attachedOnce(t, service, numbered(1, 25)...)
				c.plan().empty()
			})
		}
	}
}

// A saved plan contains the configuration but not the environment. The environment
// variable turns plan checks off for its apply.
func TestPlanChecksOfASavedPlan(t *testing.T) {
	t.Parallel()
	service, c := large(t, 1)
	body := blockVariants["could have more"] + "\n  lifecycle { create_before_destroy = true }"
	c.useText(onPositions(body, "pos-0000"))
	c.apply().ok()
	replace := []string{"plan", "-input=false", "-out=saved", "-replace=assess_position_assessment.all[0]"}
	c.do(replace[0], replace[1:]...).ok()
	c.env = append(c.env, "XDG_CACHE_HOME="+t.TempDir())
	c.do("apply", "-input=false", "saved").fails("Duplicate assessment", "ASSESS_PLAN_CHECKS=false")
	c.do(replace[0], replace[1:]...).ok()
	c.env = append(c.env, "XDG_CACHE_HOME="+t.TempDir(), "ASSESS_PLAN_CHECKS=false")
	c.do("apply", "-input=false", "saved").ok()
	attachedOnce(t, service, "pos-0000")
	c.env = append(c.env, "ASSESS_PLAN_CHECKS=perhaps")
	c.plan().fails("Invalid environment variable", "true or false")
}
