// SPDX-License-Identifier: MPL-2.0

// Package sandbox is the embedded assessment service. It implements the specification
// strictly, and keeps its state in memory or in a file.
//
// Tests use it as the service. It shares no type with the client, does not know
// Terraform, and rejects everything that the specification does not allow. The
// documentation page "Assumptions about the service" lists its behavior where the
// specification says nothing. The package sandboxtest adds faults, a journal, and other
// behaviors that a real service may have.
//
// A request takes this path:
//
//	ServeHTTP or RoundTrip -> origin, credentials -> store (one transaction) -> limits -> handler
//
// The command "assess sandbox" (internal/companion/pages) serves it on a port, with pages for people.
//
// There is one file for each noun of the service (position.go, assessment.go, skills.go
// and so on). state.go defines the stored state, and kind.go the rules for each
// kind of assessment.
package sandbox
