// SPDX-License-Identifier: MPL-2.0

package throttle

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// On a full disk the budget goes on in memory, and the place that could not be
// written counts.
func TestFileOnAFullDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var skew time.Duration
		s := opened(t, t.TempDir(), &skew)
		if err := os.Symlink("/dev/full", s.path); err != nil {
			t.Fatal(err)
		}
		wantGrants(t, s, 20, time.Second)
		wantNotices(t, s, StoreUnusable)
		time.Sleep(time.Second + time.Microsecond)
		wantGrants(t, s, 20, time.Second)
		wantNotices(t, s)
	})
}
