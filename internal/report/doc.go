// SPDX-License-Identifier: MPL-2.0

// Package report renders the results of positions for people: as an HTML page,
// a CSV file or Markdown. It is pure: it knows neither Terraform nor HTTP nor
// the service's client, reads no clock, and the same [Report] always gives the
// same bytes.
//
// Two laws hold in every format. What a candidate could have written, a name
// above all, is text and never becomes markup, a link or a formula. And nothing
// suggests a comparison that the specification does not allow (section 2.8): a
// candidate without a score stands last and is said to have none, one whose
// score rests on other assessments than the others' is marked, and each position
// is a section of its own.
package report
