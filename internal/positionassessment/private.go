// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// memoryKey is the key of the memory in the private state. CONTRIBUTING.md says how it may change.
const memoryKey = "service"

// memory is what reads have shown of a position assessment (assumption A22).
type memory struct {
	Shown     []string `json:"shown,omitempty"`     // keys of metadata
	Unclear   bool     `json:"unclear,omitempty"`   // it was imported, and the service did not show its configuration
	Completed bool     `json:"completed,omitempty"` // the plan of its removal has shown a profile that the state lacks
}

func (m memory) shows(key string) bool { return slices.Contains(m.Shown, key) }

// configurationKeys are the keys of metadata that a memory is about. The status of a profile shows whether one is
// attached.
var configurationKeys = []string{"packages", "benchmark", "tests"}

// remember adds the keys that a read has shown.
func (m *memory) remember(metadata assessapi.Metadata) {
	for _, key := range configurationKeys {
		if shows(metadata, key) && !m.shows(key) {
			m.Shown = append(m.Shown, key)
		}
	}
}

// shows reports whether metadata show a key. The status of a profile also shows that none is attached.
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
