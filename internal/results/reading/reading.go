// SPDX-License-Identifier: MPL-2.0

// Package reading reads what a report shows besides candidates.
package reading

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/run"
)

// Sections returns a section without candidates for each filter. Its title is the title of the position, or the ID if
// there is no title. An ID follows a title that several of the positions have.
func Sections(ctx context.Context, r *run.Run, filters []run.ResultsFilter) ([]report.Section, error) {
	sections := make([]report.Section, len(filters))
	for i, filter := range filters {
		position, _, err := r.Lists.Position(ctx, filter.Position)
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
func AssessmentNames(ctx context.Context, r *run.Run) (map[string]string, error) {
	assessments, err := r.Lists.Assessments(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, l := range assessapi.Labels(assessments) {
		names[l.ID] = l.Name
	}
	return names, nil
}

// Describe adds to a section the assessments that its position has, and the names of their benchmarks, as far as lists
// show them. If a list cannot be read, Describe sets Undescribed, describes the rest, and returns the first error. If
// the service does not offer a list, this is not an error, and the list counts as empty.
func Describe(ctx context.Context, r *run.Run, section *report.Section) error {
	attached, err := r.Attached.List(ctx, section.PositionID)
	if assessapi.IsNoList(err) {
		return nil
	}
	if err != nil {
		section.Undescribed = true
		return err
	}
	section.Benchmarks = map[string]string{}
	var first error
	for _, pa := range attached.Elements {
		assessment, ok := pa.AssessmentID.Get()
		if !ok {
			continue
		}
		if !slices.Contains(section.Assessments, assessment) {
			section.Assessments = append(section.Assessments, assessment)
		}
		name, err := benchmarkName(ctx, r, assessment, pa.Metadata.Benchmark)
		first = cmp.Or(first, err)
		if name != "" {
			section.Benchmarks[assessment] = name
		}
	}
	section.Undescribed = first != nil
	return first
}

// benchmarkName returns the name of a benchmark of an assessment. It returns "" if there is no benchmark, if the
// benchmark has no name, or if the service does not list it.
func benchmarkName(
	ctx context.Context, r *run.Run, assessment string, benchmarkID assessapi.Member[string],
) (string, error) {
	id, ok := benchmarkID.Get()
	if !ok {
		return "", nil
	}
	benchmarks, err := r.Lists.Items(ctx, assessapi.Benchmarks, assessment)
	if assessapi.IsNoList(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, b := range benchmarks {
		if b.ID == id {
			return b.Label().Name, nil
		}
	}
	return "", nil
}

// Distinguish adds the id to each title that several positions have, so that readers can tell the sections apart.
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
