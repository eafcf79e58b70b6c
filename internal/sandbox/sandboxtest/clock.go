// SPDX-License-Identifier: MPL-2.0

package sandboxtest

import "time"

// Now is the clock of a budget in a test with virtual time.
func Now() time.Duration { return time.Duration(time.Now().UnixNano()) }
