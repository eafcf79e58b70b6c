// SPDX-License-Identifier: MPL-2.0

// Package engine is everything that one configured provider knows and does
// during one run of the CLI: it sends the requests, keeps the rate limits,
// caches lists, recovers lost responses and remembers what the run has seen and
// planned. It has no Terraform types.
//
// Resources, data sources and actions call one verb each:
//
//   - ReadPositionAssessment, Attach, Update and Remove for position assessments;
//   - ReadSkillsTest and Enable for skills tests;
//   - Assessments, Positions, Packages, ... for lists;
//   - PlanCreation, PlanDestroy and PlanActivation for what a plan announces.
//
// An Engine is safe for concurrent use, because the CLI plans and applies up to
// ten resources at the same time.
package engine
