// SPDX-License-Identifier: MPL-2.0

// Package engine contains everything that one configured provider knows and does during
// one run of the CLI. It sends the requests, keeps the rate limits, caches lists, recovers
// lost responses, and records what the run has seen and planned. It does not use Terraform
// types.
//
// Resources, data sources and actions call these methods:
//
//   - ReadPositionAssessment, Attach, Update and Remove for position assessments;
//   - ReadSkillsTest and Enable for skills tests;
//   - Assessments, Positions, Packages, ... for lists;
//   - PlanCreation, PlanDestroy and PlanActivation for planned changes.
//
// An Engine is safe for concurrent use, because the CLI plans and applies up to ten
// resources at the same time.
package engine
