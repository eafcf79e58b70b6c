// SPDX-License-Identifier: MPL-2.0

// Package reading reads what a report shows besides candidates, and waits until candidates have finished.
package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/report"
)

// Sections returns a section without candidates for each filter, with the title of its position.
func Sections(ctx context.Context, c *catalog.Catalog, filters []catalog.ResultsFilter) ([]report.Section, error) {
	sections := make([]report.Section, len(filters))
	for i, filter := range filters {
		position, _, err := c.FindPosition(ctx, filter.Position)
		if err != nil {
			return nil, err
		}
		title := cmp.Or(position.Label().Name, filter.Position)
		sections[i] = report.Section{PositionID: filter.Position, Title: title}
	}
	Distinguish(sections)
	return sections, nil
}

// AssessmentNames returns the names of the assessments of the organization by their ids.
func AssessmentNames(ctx context.Context, c *catalog.Catalog) (map[string]string, error) {
	assessments, err := c.List(ctx, assessapi.Assessments, "")
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, l := range assessapi.Labels(assessments) {
		names[l.ID] = l.Name
	}
	return names, nil
}

// Describe sets the assessments of a section, and the names of their benchmarks. A report is useful without what
// cannot be read, but the section says that it lacks something. The error is the reason. A list that the service does
// not offer is none.
func Describe(ctx context.Context, c *catalog.Catalog, section *report.Section) error {
	attached, err := c.PositionAssessments.List(ctx, section.PositionID)
	switch {
	case errors.Is(err, catalog.ErrNotListed):
		err = nil
	case err != nil:
		section.Undescribed = true
		return err
	}
	section.Benchmarks = map[string]string{}
	for _, pa := range attached {
		section.Assessments = append(section.Assessments, pa.AssessmentID)
		if pa.Metadata.Benchmark == nil {
			continue
		}
		benchmarks, failed := c.List(ctx, assessapi.Benchmarks, pa.AssessmentID)
		if failed != nil && !assessapi.IsNoList(failed) {
			section.Undescribed, err = true, cmp.Or(err, failed) // later errors may only refer to the first one
		}
		for _, benchmark := range benchmarks {
			if benchmark.ID == *pa.Metadata.Benchmark {
				section.Benchmarks[pa.AssessmentID] = benchmark.Label().Name
			}
		}
	}
	return err
}

// Distinguish adds the id to each title that several positions have, so that readers can tell the
// sections apart.
func Distinguish(sections []report.Section) {
	count := map[string]int{}
	for _, section := range sections {
		count[section.Title]++
	}
	for i, section := range sections {
		if count[section.Title] > 1 {
			sections[i].Title = fmt.Sprintf("%s (%s)", section.Title, section.PositionID)
		}
	}
}
