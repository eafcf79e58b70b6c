// SPDX-License-Identifier: MPL-2.0

package catalog

import (
	"context"
	"testing"
	"testing/synctest"
)

// If a caller is canceled while it reads a list, another caller that waits for the list
// reads it.
func TestCanceledReadIsRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s Cache[string]
		reads := 0
		read := func(ctx context.Context) (string, error) {
			if reads++; reads > 1 {
				return "list", nil
			}
			<-ctx.Done()
			return "", ctx.Err()
		}
		first, cancel := context.WithCancel(t.Context())
		go func() { _, _ = s.Get(first, "key", read) }()
		synctest.Wait()
		got := make(chan string, 1)
		go func() {
			list, err := s.Get(t.Context(), "key", read)
			if err != nil {
				t.Error(err)
			}
			got <- list
		}()
		synctest.Wait()
		cancel()
		if list := <-got; list != "list" || reads != 2 {
			t.Errorf("got %q after %d reads, want the list after 2", list, reads)
		}
	})
}
