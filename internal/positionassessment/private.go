// SPDX-License-Identifier: MPL-2.0

package positionassessment

import (
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/positionassessment/rules"
)

// privateStateKey is the key of [privateState] in Terraform's private state. CONTRIBUTING.md says how it may change.
const privateStateKey = "service"

// privateState is what the private state contains about a position assessment.
type privateState struct {
	// Readable lists the keys of metadata that reads have shown. If a later read omits such a key, the position
	// assessment has no value for it (assumption A22). Read adds the keys that it has read. Create and Update add the
	// keys that they have sent and that a fetch of this apply has shown.
	Readable []string `json:"shown,omitempty"`
	// ImportedHidden means that the resource was imported, and that no read has shown its configuration. Read sets it, and
	// an update clears it.
	ImportedHidden bool `json:"unclear,omitempty"`
	// PlanSawCompleted means that the plan of a removal has read a completed profile. Only the plan of a removal sets
	// it, and the apply of this plan uses it. Read and all other plans clear it.
	PlanSawCompleted bool `json:"completed,omitempty"`
}

func (p privateState) isReadable(key string) bool { return slices.Contains(p.Readable, key) }

// readableKeys returns the keys of the blocks that a state has and that reads have shown.
func (p privateState) readableKeys(state model) []string {
	has, _ := state.configuration()
	return slices.DeleteFunc(rules.Keys(has), func(key string) bool { return !p.isReadable(key) })
}

// configurationKeys are the keys of metadata that [privateState] can list as readable. They do not include profile,
// because the status of the profile shows whether a profile is attached.
var configurationKeys = []string{"packages", "benchmark", "tests"}

// refresh updates the private state after a read. imported is whether this is the first read after an import.
func (p *privateState) refresh(metadata assessapi.Metadata, imported bool) {
	for _, key := range configurationKeys {
		if metadata.Shows(key) && !p.isReadable(key) {
			p.Readable = append(p.Readable, key)
		}
	}
	p.ImportedHidden = (p.ImportedHidden || imported) && showsNothing(metadata)
	p.PlanSawCompleted = false
}

// showsNothing reports whether metadata show no configuration and no profile.
func showsNothing(m assessapi.Metadata) bool {
	_, hasStatus := m.ProfileStatus.Get()
	return !m.Packages.Shown && !m.Benchmark.Shown && !m.Tests.Shown && !m.Profile.Shown && !hasStatus
}
