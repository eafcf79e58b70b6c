// SPDX-License-Identifier: MPL-2.0

package assessapi

// Statuses of an invitation that is no longer open (listResults).
const (
	testedWithResults = "TESTED_WITH_RESULTS"
	expired           = "EXPIRED"
)

// IsCompleted reports whether the candidate has completed the assessment.
func (i Invitation) IsCompleted() bool {
	return i.Completed != nil || i.Status != nil && *i.Status == testedWithResults
}

// IsExpired reports whether the invitation has expired.
func (i Invitation) IsExpired() bool { return i.Status != nil && *i.Status == expired }
