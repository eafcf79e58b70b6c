// SPDX-License-Identifier: MPL-2.0

// Package provider connects Terraform to the assessment service: schemas, plans and
// states. It sends no requests itself. The engine does that.
//
// Configure creates one engine for each run (one plan or one apply). Each resource has a
// schema, a model that converts between Terraform and the API, and the methods that
// Terraform calls. The data sources for one item and for all items of a list come from one
// [lookup].
package provider
