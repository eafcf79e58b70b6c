// SPDX-License-Identifier: MPL-2.0

package report

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// reportedPosition is a position to report on, and what was read about it.
type reportedPosition struct {
	assessapi.Label
	section     report.Section
	problem     error // why the results were not read
	undescribed error // why some assessments or benchmarks of the section could not be read
	notReranked error // why scores over the completed assessments could not be read
}

// name is the title, or the ID if there is no title.
func (p *reportedPosition) name() string { return cmp.Or(strings.TrimSpace(p.Name), p.ID) }

// unknownError says that no position is known to have a title or an ID.
type unknownError string

func (e unknownError) Error() string { return string(e) }

// reason returns the reason that the index shows for a position that could not be read.
func (p *reportedPosition) reason() report.Reason {
	switch {
	case errors.As(p.problem, new(unknownError)):
		return report.Unknown
	case isNotTried(p):
		return report.NotTried
	case assessapi.IsNotFound(p.problem):
		return report.Gone
	case isForbidden(p.problem):
		return report.Forbidden
	}
	return report.Unreadable
}

// those returns the reported positions that meet a condition.
func (r *reportCommand) those(is func(*reportedPosition) bool) []*reportedPosition {
	return slices.DeleteFunc(slices.Clone(r.reported), func(p *reportedPosition) bool { return !is(p) })
}

func isMissing(p *reportedPosition) bool     { return p.problem != nil }
func isUndescribed(p *reportedPosition) bool { return p.undescribed != nil }
func isNotReranked(p *reportedPosition) bool { return p.notReranked != nil }
func isNotTried(p *reportedPosition) bool    { return isStopped(p.problem) }

// hasPage reports whether a position gets a page. A position without candidates gets a page only if --position was
// used.
func (r *reportCommand) hasPage(p *reportedPosition) bool {
	return p.problem == nil && (len(r.Positions) > 0 || len(p.section.Candidates) > 0)
}

// isEmpty reports whether a position has no page because it has no candidates.
func (r *reportCommand) isEmpty(p *reportedPosition) bool { return p.problem == nil && !r.hasPage(p) }
