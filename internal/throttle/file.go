// SPDX-License-Identifier: MPL-2.0

package throttle

import "time"

// Clock measures the time for a budget in a file. All processes that share the budget have the same clock, and no one can
// set it.
type Clock struct {
	// Boot identifies the start of the machine, or is empty if the system has no such identity. Machines that share a
	// folder do not share a budget, because their clocks differ.
	Boot string
	// Now returns the time since the machine was started.
	Now func() time.Duration
}
