// SPDX-License-Identifier: MPL-2.0

// Package sandboxtest puts a network that a test controls in front of the sandbox: injected faults, a journal of all
// requests, latency, and other responses that the specification allows ([Assumptions]).
//
// A request takes this path:
//
//	ServeHTTP or RoundTrip -> journal -> fault -> assumptions -> sandbox.Service
//
// [NewService] returns a service without a port, [New] one with a port.
package sandboxtest
