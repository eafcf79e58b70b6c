// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"testing"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/sandbox/sandboxtest"
)

// Clocks of two machines may differ, and a clock may be set back by hours.
func TestMemoryAppears(t *testing.T) {
	t.Parallel()
	sandboxtest.Virtual(t, "ages", func(t *testing.T) {
		for age, want := range map[time.Duration]time.Duration{
			0: visible, 4 * time.Second: visible - 4*time.Second, visible: 0, time.Hour: 0,
			-4 * time.Second: visible + 4*time.Second, -time.Hour: 0,
		} {
			if got := (Memory{Created: time.Now().Add(-age)}).Appears(); got != want {
				t.Errorf("%s after the creation, Appears is %s, want %s", age, got, want)
			}
		}
		if got := (Memory{}).Appears(); got != 0 {
			t.Errorf("after an import, Appears is %s", got)
		}
	})
}
