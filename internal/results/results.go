// SPDX-License-Identifier: MPL-2.0

// Package results reads from the service what a report shows: titles, candidates and names.
package results

import (
	"context"
	"fmt"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/catalog"
	"github.com/assessascode/terraform-provider-assess/internal/report"
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
	assessments, err := s.Catalog.List(ctx, assessapi.Assessments, "")
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
		benchmarks, failed := s.Catalog.List(ctx, assessapi.Benchmarks, pa.AssessmentID)
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

// Candidates converts candidates for a report, which has no sign-in addresses.
func Candidates(all []assessapi.Candidate) []report.Candidate {
	return each(all, func(c assessapi.Candidate) report.Candidate {
		return report.Candidate{
			ID: textOf(c.ID), Name: textOf(c.Name), ReportURL: textOf(c.ReportURL), Suitability: c.Suitability,
			Results: each(c.Results, result),
		}
	})
}

func result(r assessapi.Result) report.Result {
	return report.Result{
		AssessmentID: textOf(r.AssessmentID), Type: textOf(r.Type), ReportURL: textOf(r.ReportURL),
		Percentile: r.Percentile, Classification: textOf(r.Classification), Validity: textOf(r.Validity),
		Invitations: each(r.Invitations, invitation),
	}
}

func invitation(i assessapi.Invitation) report.Invitation {
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
