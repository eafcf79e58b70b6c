// SPDX-License-Identifier: MPL-2.0

// Package assessapi is the client of the assessment service. It implements HTTP and the specification of the service,
// and does not depend on Terraform.
//
// Each method of [Client] sends one request, or reads one list page by page. All of them use one loop (do.go): it
// acquires a slot of the rate limits, sends the request, and releases the slot when the headers have arrived. One table
// (decide.go) decides whether the call has succeeded, has failed, or sends the request again. The file response.go
// decides which responses are the service's own, and breaker.go decides when a run ends.
//
// A call has one of five outcomes ([Outcome]). The client never treats missing information as proof that something does
// not exist: a member of a response has three states ([Member]), and a list that cannot be read to its end is an error
// (paging.go, envelope.go).
//
// The client sends requests in one documented form, and accepts responses in each form that the assumptions describe.
// All alternative names of members are in aliases.go.
package assessapi
