// SPDX-License-Identifier: MPL-2.0

// Package assessapi is the client of the assessment service. It implements HTTP and the
// specification of the service, and does not know Terraform.
//
// Each method of [Client] sends one request, or reads one list page by page. A call repeats
// its request if that is safe (call.go). Each attempt passes through the throttle, or whatever
// [Config.Transport] contains, and then through an [Attempt] around the network (attempt.go).
//
// The client accepts several shapes and names for members that the specification does not
// fix. All accepted names are in aliases.go. It sends only one documented shape.
package assessapi
