// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/results/reading"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
	"github.com/assessascode/terraform-provider-assess/internal/tf"
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
// position.
func reportSections(c *tf.Run, ctx context.Context, filters []catalog.ResultsFilter) ([]report.Section, error) {
	sections := make([]report.Section, len(filters))
	for i, filter := range filters {
		position, _, err := c.Catalog().FindPosition(ctx, filter.Position)
		if err != nil {
			return nil, err
		}
		sections[i] = report.Section{PositionID: filter.Position, Title: tf.NameOr(position.Title, filter.Position)}
	}
	reading.Distinguish(sections)
	return sections, nil
}
