// SPDX-License-Identifier: MPL-2.0

// Package engine contains what one configured provider plans and changes during one run of
// the CLI. It records what the run has seen and planned, refuses what would duplicate or lose
// something, and recovers lost responses. It does not use Terraform types.
//
// An [Engine] has one part for each noun:
//
//   - [catalog.Catalog] lists what configurations refer to, [catalog.Results] reads results;
//   - [Attachments] reads, plans, attaches, changes and removes position assessments;
//   - [Activations] enables skills tests.
//
// An Engine is safe for concurrent use, because the CLI plans and applies up to ten
// resources at the same time.
package engine
