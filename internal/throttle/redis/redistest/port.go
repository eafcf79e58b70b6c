// SPDX-License-Identifier: MPL-2.0

// Package redistest helps tests that start Redis servers.
package redistest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Port returns a port for a server on 127.0.0.1 that nothing else uses. Systems do not give
// this port to other programs, unlike port 0 of [net.Listen]. So it stays free until the
// server starts, and while the server restarts.
func Port(tb testing.TB) string {
	tb.Helper()
	var err error
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		var listener net.Listener
		if listener, err = new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:"+port); err == nil {
			_ = listener.Close()
			return port
		}
	}
	tb.Fatalf("no port is free: %v", err)
	return ""
}
