// SPDX-License-Identifier: MPL-2.0

// Package coretest simulates the core of Terraform and OpenTofu for tests: it
// drives a provider over its protocol server, in process, as a CLI would.
//
// A [Core] is one working directory: a profile of a CLI and a state. Its
// operations take a [Config] and [Options] and return a [Result]. Every walk
// (validation, plan, destroy plan, apply) starts a new provider, as every walk of
// a CLI starts a new process. The checks of a CLI hold: plans must be valid, a
// final plan must agree with the first, results must agree with the final plan,
// identities must be known.
//
// The sequences of calls are compared with recordings of the real CLIs: see
// testdata and calibration_test.go.
package coretest
