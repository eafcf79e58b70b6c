// SPDX-License-Identifier: MPL-2.0

// Package sandbox is the assessment service inside the provider and the companion. It implements the specification
// strictly, and keeps its state in memory or in a file.
//
// Tests also use it. It shares no type with the client, does not use Terraform, and rejects everything that the
// specification does not allow. The documentation page "Assumptions about the service" describes its behavior where the
// specification says nothing. The package sandboxtest adds faults, a journal, and other behaviors that a real service
// may have.
//
// A request takes this path:
//
//	ServeHTTP or RoundTrip -> origin, credentials -> store (one transaction) -> limits -> handler
//
// The command "assess sandbox" (internal/companion/pages) serves the sandbox on a port, with pages for people.
//
// Each resource of the service has a file (position.go, assessment.go, skills.go and so on). state.go defines the
// stored state. kind.go defines the rules for each kind of assessment.
package sandbox
