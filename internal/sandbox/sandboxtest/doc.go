// SPDX-License-Identifier: MPL-2.0

// Package sandboxtest puts the embedded service behind a network that a test
// controls: injected faults, a journal of all requests, latency, and every
// answer shape that the specification leaves open ([Assumptions]). The service
// itself knows nothing of them.
//
// A request takes this way:
//
//	ServeHTTP or RoundTrip -> journal -> fault -> assumptions -> sandbox.Service
//
// [NewService] makes a service without a port, [New] one behind a port.
package sandboxtest
