// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
	"github.com/assessascode/terraform-provider-assess/internal/report"
	"github.com/assessascode/terraform-provider-assess/internal/reportargs"
)

// resultsReport is a report about positions that is not rendered yet.
type resultsReport struct {
	title    string
	options  report.Options
	sections []reportSection
}

// reportSection is the part of a report about one position.
type reportSection struct {
	title      string
	filter     engine.ResultsFilter
	results    assessapi.Results
	benchmarks map[string]string // names by assessment id
}

const (
	formatHTML = "html"
	formatJSON = "json"
)

// reportFormats are the functions that write a report, by the name of the format.
var reportFormats = map[string]func(resultsReport, io.Writer) error{
	formatHTML: func(r resultsReport, w io.Writer) error { return r.rendered().HTML(w) },
	"csv":      func(r resultsReport, w io.Writer) error { return r.rendered().CSV(w) },
	"markdown": func(r resultsReport, w io.Writer) error { return r.rendered().Markdown(w) },
	formatJSON: resultsReport.writeJSON,
}

var formatNames = slices.Sorted(maps.Keys(reportFormats))

// reportSections creates a section for each filter, with the title of its position. If
// several positions have the same title, their ids follow it, so that readers can tell the
// sections apart.
func (c *configured) reportSections(ctx context.Context, filters []engine.ResultsFilter) ([]reportSection, error) {
	sections := make([]reportSection, len(filters))
	count := map[string]int{}
	for i, filter := range filters {
		position, _, err := c.Catalog.FindPosition(ctx, filter.Position)
		if err != nil {
			return nil, err
		}
		sections[i] = reportSection{title: nameOr(position.Title, filter.Position), filter: filter}
		count[sections[i].title]++
	}
	for i, section := range sections {
		if count[section.title] > 1 {
			sections[i].title = fmt.Sprintf("%s (%s)", section.title, section.filter.Position)
		}
	}
	return sections, nil
}

func (r resultsReport) rendered() report.Report {
	rendered := report.Report{Title: r.title, Options: r.options}
	for _, s := range r.sections {
		rendered.Sections = append(rendered.Sections, report.Section{
			Title: s.title, Benchmarks: s.benchmarks, Candidates: reportCandidates(s.results.Candidates),
		})
	}
	return rendered
}

// reportCandidates converts candidates of the service to candidates of a report.
func reportCandidates(all []assessapi.Candidate) []report.Candidate {
	candidates, _ := reportargs.ReadCandidates(
		objectList(candidateType, all, candidateValues),
	) // such values have no errors
	return candidates
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

// writeJSON writes the candidates with the attributes that the data source has, so without
// sign-in addresses. The options top, finished_only and anonymous apply.
func (r resultsReport) writeJSON(w io.Writer) error {
	type position struct {
		ID         string `json:"position_id"`
		Title      string `json:"title"`
		Candidates any    `json:"candidates"`
	}
	positions := each(r.sections, func(s reportSection) position {
		return position{ID: s.filter.Position, Title: s.title, Candidates: plainCandidates(s.results.Candidates)}
	})
	if r.options.Top > 0 || r.options.FinishedOnly || r.options.Anonymous {
		for i, section := range r.rendered().Shown() {
			positions[i].Candidates = plainCandidates(each(section.Candidates, shownCandidate))
		}
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(map[string][]position{"positions": positions})
}

func plainCandidates(candidates []assessapi.Candidate) any {
	return plain(objectList(candidateType, candidates, candidateValues))
}

// shownCandidate converts a candidate of a report back to one of the service.
func shownCandidate(c report.Candidate) assessapi.Candidate {
	return assessapi.Candidate{
		ID: orNull(c.ID), Name: orNull(c.Name), ReportURL: orNull(c.ReportURL), Suitability: c.Suitability,
		Results: each(c.Results, func(r report.Result) assessapi.Result {
			return assessapi.Result{
				AssessmentID:   orNull(r.AssessmentID),
				Type:           orNull(r.Type),
				ReportURL:      orNull(r.ReportURL),
				Percentile:     r.Percentile,
				Classification: orNull(r.Classification),
				Validity:       orNull(r.Validity),
				Invitations: each(r.Invitations, func(i report.Invitation) assessapi.Invitation {
					return assessapi.Invitation{
						ID: orNull(i.ID), Type: orNull(i.Type), Status: orNull(i.Status),
						Expiry: orNull(i.Expiry), Created: orNull(i.Created), Completed: orNull(i.Completed),
					}
				}),
			}
		}),
	}
}

// orNull returns nil for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// plain converts a value for encoding/json.
func plain(value attr.Value) any {
	switch v := value.(type) {
	case types.String:
		return v.ValueStringPointer()
	case types.Float64:
		return v.ValueFloat64Pointer()
	case types.List:
		return each(v.Elements(), plain)
	case types.Object:
		members := map[string]any{}
		for name, member := range v.Attributes() {
			members[name] = plain(member)
		}
		return members
	default:
		return nil
	}
}
