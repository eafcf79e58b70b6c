// SPDX-License-Identifier: MPL-2.0

//go:build unix

package main

import (
	"syscall"
	"testing"
)

// A signal ends a provider that its CLI does not call.
func TestProviderEndsAfterASignal(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := startCLI(t)
			if err := syscall.Kill(p.provider, signal); err != nil {
				t.Fatal(err)
			}
			p.ends(t)
		})
	}
}
