// SPDX-License-Identifier: MPL-2.0

// Package snapshot copies data of a service into a file of the embedded service:
// assessments with their packages, benchmarks, profiles and skills tests, and positions.
// Plans on that file require no credentials.
//
// It copies only members that the provider models. It does not copy candidates, results,
// position assessments and other members (extra_json), because they may contain personal
// data.
package snapshot
