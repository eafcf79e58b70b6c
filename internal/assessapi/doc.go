// SPDX-License-Identifier: MPL-2.0

// Package assessapi is the client of the assessment service: it knows HTTP and
// the service's specification, and nothing of Terraform.
//
// A method of [Client] is one request of the service, or one list read page by
// page. Below it are three handlers, outermost first: retry (retry.go),
// whatever [Config.Transport] puts in between (the throttle), and attempt
// (attempt.go), which [Attempt] wraps around the network.
//
// What the specification leaves open is read generously: every shape and name
// that is accepted is in aliases.go. What is sent is one documented shape.
package assessapi
