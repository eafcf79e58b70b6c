// SPDX-License-Identifier: MPL-2.0

// Package sandbox is the assessment service itself, embedded: a strict reading
// of its specification that runs in memory, in a file, or as a small server.
//
// Tests use it as the service. It shares no type with the client, does not know
// Terraform, and refuses everything that the specification does not allow. The
// documentation page "Assumptions about the service" lists what it does where
// the specification is silent. Package sandboxtest adds faults, a journal and
// the other behaviors that a real service may have.
//
// A request takes this path:
//
//	ServeHTTP or RoundTrip -> origin, credentials -> store (one transaction) -> limits -> handler
//
// server.go and names.go serve on a port: host names, timeouts, the end.
//
// There is one file for each noun of the service (position.go, assessment.go,
// skills.go and so on). state.go is what the service stores, kind.go the rules
// for each kind of assessment.
package sandbox
