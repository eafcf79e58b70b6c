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
)

// reportSection is what a report says of one position.
type reportSection struct {
	title   string
	filter  engine.ResultsFilter
	results assessapi.Results
}

const formatHTML = "html"

// reportFormats are the ways to write a report.
var reportFormats = map[string]func([]reportSection, io.Writer) error{
	formatHTML: func(s []reportSection, w io.Writer) error { return reportOf(s).HTML(w) },
	"csv":      func(s []reportSection, w io.Writer) error { return reportOf(s).CSV(w) },
	"markdown": func(s []reportSection, w io.Writer) error { return reportOf(s).Markdown(w) },
	"json":     writeJSON,
}

var formatNames = slices.Sorted(maps.Keys(reportFormats))

// reportSections prepares a section for each filter, under the title of its
// position. Titles that are shared have the id beside them: sections must not be
// taken for each other.
func (c *configured) reportSections(
	ctx context.Context, filters []engine.ResultsFilter,
) ([]reportSection, error) {
	sections := make([]reportSection, len(filters))
	count := map[string]int{}
	for i, filter := range filters {
		position, _, err := c.FindPosition(ctx, filter.Position)
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

func reportOf(sections []reportSection) report.Report {
	var r report.Report
	for _, s := range sections {
		r.Sections = append(r.Sections, report.Section{Title: s.title, Candidates: each(s.results.Candidates, reportCandidate)})
	}
	return r
}

func reportCandidate(c assessapi.Candidate) report.Candidate {
	return report.Candidate{
		ID: textOf(c.ID), Name: textOf(c.Name), ReportURL: textOf(c.ReportURL), Suitability: c.Suitability, Results: each(c.Results, reportResult),
	}
}

func reportResult(r assessapi.Result) report.Result {
	return report.Result{
		AssessmentID: textOf(r.AssessmentID), Type: textOf(r.Type), ReportURL: textOf(r.ReportURL), Percentile: r.Percentile,
		Classification: textOf(r.Classification), Validity: textOf(r.Validity), Invitations: each(r.Invitations, reportInvitation),
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

// writeJSON writes the candidates with the names that the data source gives
// their attributes, and like it without their sign-in addresses.
func writeJSON(sections []reportSection, w io.Writer) error {
	type position struct {
		ID         string `json:"position_id"`
		Title      string `json:"title"`
		Candidates any    `json:"candidates"`
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(map[string][]position{"positions": each(sections, func(s reportSection) position {
		return position{ID: s.filter.Position, Title: s.title, Candidates: plain(objectList(candidateType, s.results.Candidates, candidateValues))}
	})})
}

// plain is a value as encoding/json takes it.
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
