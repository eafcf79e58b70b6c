// SPDX-License-Identifier: MPL-2.0

// Package reading reads what a report shows besides candidates, and waits until candidates have finished.
package reading

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/results/report"
)

// Source reads from the lists of one run.
type Source struct {
	Catalog *catalog.Catalog
	// Attached lists the assessments of a position. It returns false if the service does not offer
	// such lists.
	Attached func(ctx context.Context, position string) ([]assessapi.PositionAssessment, bool, error)
}

// AssessmentNames returns the names of the assessments of the organization by their ids.
func (s Source) AssessmentNames(ctx context.Context) (map[string]string, error) {
	assessments, err := s.Catalog.Assessments(ctx)
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
func (s Source) Describe(ctx context.Context, section *report.Section) error {
	attached, _, err := s.Attached(ctx, section.PositionID)
	if err != nil {
		section.Undescribed = true
		return err
	}
	section.Benchmarks = map[string]string{}
	for _, pa := range attached {
		section.Assessments = append(section.Assessments, pa.AssessmentID)
		if pa.Metadata.Benchmark == nil {
			continue
		}
		benchmarks, failed := s.Catalog.Benchmarks(ctx, pa.AssessmentID)
		if failed != nil && !assessapi.IsNoList(failed) {
			section.Undescribed, err = true, failed
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
