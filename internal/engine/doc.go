// SPDX-License-Identifier: MPL-2.0

// Package engine contains everything that one configured provider knows and does during
// one run of the CLI. It sends the requests, keeps the rate limits, caches lists, recovers
// lost responses, and records what the run has seen and planned. It does not use Terraform
// types.
//
// An [Engine] has one part for each noun:
//
//   - [Catalog] lists what configurations refer to;
//   - [Attachments] reads, plans, attaches, changes and removes position assessments;
//   - [Activations] enables skills tests;
//   - [Results] reads results.
//
// An Engine is safe for concurrent use, because the CLI plans and applies up to ten
// resources at the same time.
package engine
