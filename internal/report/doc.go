// SPDX-License-Identifier: MPL-2.0

// Package report renders the results of positions for people: as an HTML page,
// a CSV file or Markdown. It is pure: it imports neither Terraform nor HTTP nor
// the client of the service, it reads no clock, and the same [Report] always
// gives the same bytes.
//
// Three rules hold in every format:
//
//   - Text that a candidate could have chosen, a name above all, stays text. It
//     never becomes markup, a link or a formula.
//   - Nothing suggests a comparison that the specification does not allow
//     (section 2.8). Only scores over the same set of assessments share a
//     ranking. Other scores are marked and not ranked. Each position is a
//     section with a ranking of its own.
//   - An anonymous report contains no name, id or address of a candidate.
package report
