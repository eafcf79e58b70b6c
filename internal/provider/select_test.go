// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

const (
	mandatoryPackages = "pkg-numerical-reasoning,pkg-problem-solving"
	allPackages       = mandatoryPackages + ",pkg-processing-speed,pkg-verbal-knowledge"
)

// selecting returns a configuration with a multi-game cognitive assessment.
func selecting(assessment any, packages coretest.Body) coretest.Config {
	config := simulatedConfig(positionAssessment("a", backend, "", "assessment_id", assessment, "packages", packages))
	config.Resources = append(config.Resources, unknownString("which", "asm-quartet"))
	return config
}

// hasPackages fails the test unless the position has one assessment, with these packages.
func (s *simulation) hasPackages(want string) {
	s.t.Helper()
	attached := slices.DeleteFunc(s.attached(), func(a string) bool { return !strings.HasPrefix(a, backend) })
	if got := fmt.Sprintf("%s: asm-quartet %s", backend, want); !slices.Equal(attached, []string{got}) {
		s.t.Errorf("the position has %q, want the packages %s", attached, want)
	}
}

// grow adds a package to the assessment.
func (s *simulation) grow() {
	s.change(func(st *sandbox.State) {
		a := st.Assessment("asm-quartet")
		a.Packages = append(a.Packages, sandbox.Package{ID: "pkg-memory", Name: "Memory"})
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	onBothServices(t, func(t *testing.T, like func(*sandboxtest.Options)) {
		once(t, func(s *simulation) {
			all := selecting("asm-quartet", coretest.Body{"select": "all"})
			s.apply(selecting("asm-quartet", coretest.Body{"select": "mandatory"}))
			s.hasPackages(mandatoryPackages)
			s.apply(all)
			s.hasPackages(allPackages)

			// The same packages by ID: only the configuration changes.
			ids := []any{}
			for id := range strings.SplitSeq(allPackages, ",") {
				ids = append(ids, id)
			}
			s.service.ResetJournal()
			byID := selecting("asm-quartet", coretest.Body{"ids": ids})
			s.apply(byID)
			s.stays(byID)
			s.apply(all)
			if writes := s.service.Writes(); len(writes) > 0 {
				s.t.Errorf("the same packages were written: %v", writes)
			}

			// "all" includes a package that the service adds later.
			s.grow()
			s.apply(all)
			s.hasPackages("pkg-memory," + allPackages)
			s.stays(all)
		}, like)
	})
}

func TestSelectOfUnknownAssessment(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := selecting(coretest.Ref{Addr: "terraform_data.which", Attribute: "output"}, coretest.Body{"select": "all"})
		s.apply(config)
		s.hasPackages(allPackages)
		s.stays(config)
	})
}

// With ignore_changes, the core merges the prior block into the configuration, so that it has both ids and select.
func TestIgnoreChangesWithSelect(t *testing.T) {
	t.Parallel()
	for _, ignored := range []string{"packages", "all"} {
		simulateAs(t, ignored, func(s *simulation) {
			config := simulatedConfig(ignoring(selected("a", backend, "all"), ignored))
			s.apply(config)
			s.grow()
			s.stays(config)
		})
	}
}

// If the list of packages changes between a saved plan and its apply, the CLI refuses
// the plan, because the user has not seen the new package.
func TestSelectFrozenInSavedPlan(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		planned := s.plan(selecting("asm-quartet", coretest.Body{"select": "all"}))
		s.grow()
		applied := s.core.ApplyPlan(s.t.Context(), planned.Plan, s.options)
		if applied.Err() == nil || len(s.service.Writes()) > 0 {
			s.t.Errorf("the apply ended with %v and sent %v", applied.Err(), s.service.Writes())
		}
	})
}

// A service may not say which packages are mandatory. Without a refresh, a destroy does not ask.
func TestSelectOfUnmarkedPackages(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := selecting("asm-quartet", coretest.Body{"select": "mandatory"})
		s.apply(config)
		s.service.Assume(sandboxtest.Assumptions{PackageMark: "none"})
		s.fails(s.plan(config), "does not say whether package", `use select = "all"`)
		s.options.Refresh = coretest.NoRefresh
		s.destroys(config)
	})
}

// A test that is already enabled gets no PUT.
func TestActivationOfAnEnabledTest(t *testing.T) {
	t.Parallel()
	once(t, func(s *simulation) {
		config := simulatedConfig(activation("sql", "skt-sql"))
		s.apply(config)
		s.stays(config)
		if writes := s.service.Writes(); len(writes) > 0 {
			s.t.Errorf("the apply sent %v", writes)
		}
	})
}
