// SPDX-License-Identifier: MPL-2.0

package throttle_test

import (
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/throttle"
)

// virtual is the clock of budgets in tests with virtual time.
var virtual = throttle.Clock{Now: func() time.Duration { return time.Duration(time.Now().UnixNano()) }}

// opened returns a store for the files in the directory.
func opened(dir string) throttle.Store {
	return throttle.OpenFile(throttle.FileConfig{Dir: dir, Key: "client:secret", Clock: virtual, RetryFor: 5 * time.Minute})
}
