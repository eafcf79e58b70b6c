// SPDX-License-Identifier: MPL-2.0

// Package snapshot copies what a configuration can refer to from a service into a
// state file of the embedded service: assessments with their packages, benchmarks,
// profiles and skills tests, and positions. Plans on that file need no credentials.
//
// It copies only attributes that the provider models. Members that it does not model
// (extra_json), candidates, results and position assessments may say something about
// people, so they are left out.
package snapshot
