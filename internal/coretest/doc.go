// SPDX-License-Identifier: MPL-2.0

// Package coretest simulates Terraform Core and OpenTofu for tests. Like a CLI, it
// calls a provider over the plugin protocol, but in the same process.
//
// A [Core] is one working directory: a profile of a CLI and a state. Its methods take a
// [Config] and [Options] and return a [Result]. A run walks the resource graph once for
// each phase: validation, plan, destroy plan, and apply. Each walk starts a new
// provider, as a CLI does. The core checks what a CLI checks: plans are valid, the
// final plan agrees with the first plan, results agree with the final plan, and
// identities are known.
//
// Tests compare the order of calls with recordings of the real CLIs: see testdata and
// calibration_test.go.
package coretest
