// SPDX-License-Identifier: MPL-2.0

// Package sandbox is the assessment service itself, embedded: a strict reading
// of its specification that runs in memory, in a file, or as a small server.
//
// It is the other half of every test. It shares no type with the client, knows
// nothing of Terraform, and refuses loudly what the specification does not
// allow. What the specification leaves open it decides in one way, listed on
// the documentation page "Assumptions about the service".
//
// A request takes this way:
//
//	ServeHTTP or RoundTrip -> store (one transaction) -> credentials, limits -> handler
//
// and its answer goes back by the same transport. There is one file for each
// noun of the service (position.go, assessment.go, skills_test.go …); state.go
// holds what the service remembers, kind.go what tells assessments apart.
package sandbox
