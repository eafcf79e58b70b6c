// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

const (
	formatHTML = "html"
	formatJSON = "json"
)

// reportFormats are the functions that write a report, by the name of the format.
var reportFormats = map[string]func(report.Report, io.Writer) error{
	formatHTML: report.Report.HTML,
	"csv":      report.Report.CSV,
	"markdown": report.Report.Markdown,
	formatJSON: report.Report.JSON,
}

var formatNames = slices.Sorted(maps.Keys(reportFormats))

// reportSections creates a section without candidates for each filter, with the title of its
// position. If several positions have the same title, their ids follow it, so that readers can
// tell the sections apart.
func (c *configured) reportSections(ctx context.Context, filters []catalog.ResultsFilter) ([]report.Section, error) {
	sections := make([]report.Section, len(filters))
	count := map[string]int{}
	for i, filter := range filters {
		position, _, err := c.Catalog.FindPosition(ctx, filter.Position)
		if err != nil {
			return nil, err
		}
		sections[i] = report.Section{PositionID: filter.Position, Title: nameOr(position.Title, filter.Position)}
		count[sections[i].Title]++
	}
	for i, section := range sections {
		if count[section.Title] > 1 {
			sections[i].Title = fmt.Sprintf("%s (%s)", section.Title, section.PositionID)
		}
	}
	return sections, nil
}

func reportCandidate(c assessapi.Candidate) report.Candidate {
	return report.Candidate{
		ID: textOf(c.ID), Name: textOf(c.Name), ReportURL: textOf(c.ReportURL), Suitability: c.Suitability,
		Results: each(c.Results, reportResult),
	}
}

func reportResult(r assessapi.Result) report.Result {
	return report.Result{
		AssessmentID: textOf(r.AssessmentID), Type: textOf(r.Type), ReportURL: textOf(r.ReportURL),
		Percentile: r.Percentile, Classification: textOf(r.Classification), Validity: textOf(r.Validity),
		Invitations: each(r.Invitations, reportInvitation),
	}
}

func reportInvitation(i assessapi.Invitation) report.Invitation {
	return report.Invitation{
		ID: textOf(i.ID), Type: textOf(i.Type), Status: textOf(i.Status),
		Expiry: textOf(i.Expiry), Created: textOf(i.Created), Completed: textOf(i.Completed),
	}
}

func each[A, B any](all []A, convert func(A) B) []B {
	converted := make([]B, len(all))
	for i, one := range all {
		converted[i] = convert(one)
	}
	return converted
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
