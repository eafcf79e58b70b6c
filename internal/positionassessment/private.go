// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// privateStateKey is the key of [privateState] in Terraform's private state. CONTRIBUTING.md says how it may change.
const privateStateKey = "service"

// privateState is what the private state contains about a position assessment. Shown lists the keys of metadata that
// earlier reads have shown. If a later read omits such a key, the position assessment has no value for it (assumption
// A22).
type privateState struct {
	Shown     []string `json:"shown,omitempty"`     // keys of metadata
	Unclear   bool     `json:"unclear,omitempty"`   // it was imported, and the service did not show its configuration
	Completed bool     `json:"completed,omitempty"` // the plan of its removal has read a completed profile
}

func (p privateState) shows(key string) bool { return slices.Contains(p.Shown, key) }

// configurationKeys are the keys of metadata that [privateState] can list as shown. They do not include profile,
// because the status of the profile shows whether a profile is attached.
var configurationKeys = []string{"packages", "benchmark", "tests"}

// addShown adds the keys that a read has shown.
func (p *privateState) addShown(metadata assessapi.Metadata) {
	for _, key := range configurationKeys {
		if shows(metadata, key) && !p.shows(key) {
			p.Shown = append(p.Shown, key)
		}
	}
}

// shows reports whether metadata show the value of a key, or show that it has none. For profile, a status other than
// PROFILE_ATTACHED shows that no profile is attached.
func shows(m assessapi.Metadata, key string) bool {
	switch key {
	case "packages":
		return m.Packages.Shown
	case "benchmark":
		return m.Benchmark.Shown
	case "tests":
		return m.Tests.Shown
	case "profile":
		status, hasStatus := m.ProfileStatus.Get()
		return m.Profile.Shown || hasStatus && status != assessapi.ProfileAttached
	}
	return false
}

// showsNothing reports whether metadata show no configuration and no profile.
func showsNothing(m assessapi.Metadata) bool {
	_, hasStatus := m.ProfileStatus.Get()
	return !m.Packages.Shown && !m.Benchmark.Shown && !m.Tests.Shown && !m.Profile.Shown && !hasStatus
}
