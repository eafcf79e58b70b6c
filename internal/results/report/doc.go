// SPDX-License-Identifier: MPL-2.0

// Package report renders the results of positions for people: as an HTML page, a CSV
// file or Markdown. It imports neither Terraform nor HTTP, sends nothing, and the same
// [Report] always produces the same bytes.
//
// Three rules apply to every format:
//
//   - Text that a candidate could have chosen, such as a name, stays text. It never
//     becomes markup, a link or a formula.
//   - Nothing suggests a comparison that the specification does not allow (section
//     2.8). Only scores that are based on the same assessments share a ranking. Other
//     scores are marked and not ranked. Each position is a section with its own ranking.
//   - An anonymous report contains no name, id or address of a candidate.
package report
